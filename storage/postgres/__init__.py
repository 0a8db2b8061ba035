"""The store in a PostgreSQL database. Does not know files.

database.py       all access to a server: a pool, and transactions of an owner
dialect.py        SQLite's statements as PostgreSQL reads them
driver.py         the driver: connections, the values they carry, and our words for errors
full_text.py      words in a tsvector, ranked by our own BM25
inbox.py          the update inbox, claimed by the process that serves the owner
later_tables.py   the tables that came after the first schema
leases.py         who serves an owner, with fence and expiry
migrations.py     the schema, as one list of migrations, and the wall between owners
pgvector.py       vectors that the server itself searches, where it has that extension
replica.py        this process among several: that it lives, and is woken
schema.py         the schema of the first version
shared_schema.py  the tables by which several processes serve one bot
statements.py     statements prepared once on a connection, their values and rows
store.py          memories in PostgreSQL
vector_upkeep.py  vectors taken over into pgvector's column, and their indexes
"""
