"""The databases under every store: one protocol, SQLite and PostgreSQL.

data_dir.py         DATA_DIR: private, writable, one process
postgres.py         all access to a server: a pool, and transactions of an owner
postgres_driver.py  the driver: connections, the values they carry, and our words for errors
protocol.py         what the tables of a store ask of a database, whichever engine it is
sqlite.py           all access to a SQLite file, and whether it is intact
sqlite_driver.py    the SQLite driver and its errors in our words
sqlite_writer.py    the connection in its thread, and one durable commit for all who wait at the same moment
"""
