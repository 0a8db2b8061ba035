"""The store in a PostgreSQL database. Does not know files.

database.py    all access to a server: a pool, and transactions of an owner
dialect.py     SQLite's statements as PostgreSQL reads them
driver.py      the driver: connections, the values they carry, and our words for errors
full_text.py   words in a tsvector, ranked by our own BM25
migrations.py  the schema, as one list of migrations, and the wall between owners
schema.py      the schema of the first version
store.py       memories in PostgreSQL
"""
