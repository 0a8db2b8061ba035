"""The tables: their portable form, the validation of rows from files, and migrations.

The schemas of version 1.0 are in sqlite.sql and postgres.sql.

migrations.py           the schema of memory.db and its migrations
portable_tables.py      an owner's tables in a portable form
postgres_migrations.py  the schema of the PostgreSQL storage and its migrations
rows.py                 converts database rows to the values of records/ and back
validation.py           checks rows of files that people may have edited
"""
