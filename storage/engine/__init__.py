"""The databases under every store: one protocol, SQLite and PostgreSQL.

data_dir.py         DATA_DIR: private, writable, locked by one process
postgres.py         all access to a PostgreSQL server: a pool, and one transaction at a time for each owner
postgres_driver.py  the psycopg driver: connections, value conversion and error translation
protocol.py         the interface that both engines implement
sqlite.py           all access to a SQLite file, its migrations and its integrity check
sqlite_driver.py    the SQLite driver: connections and error translation
sqlite_writer.py    the writer thread and its group commit
"""
