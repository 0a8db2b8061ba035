"""The tables: their portable form, the validation of rows that people may have edited, and migrations.

The schemas of version 1.0 are in sqlite.sql and postgres.sql.

migrations.py           the schema of memory.db, and what came after it
portable_tables.py      an owner's tables in one portable form
postgres_migrations.py  the schema of the PostgreSQL storage, and what came after it
rows.py                 rows of SQLite, and the values they stand for
validation.py           rows out of a file that people may have edited
"""
