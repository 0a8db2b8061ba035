"""The stores: one protocol, and memories in SQLite, JSON and PostgreSQL.

json.py           memories in memory.json
json_files.py     memory.json and its journal, written and read
json_recovery.py  a start of memory.json, whatever a dying process left, and its words indexed again
postgres.py       memories in PostgreSQL
protocol.py       the protocol that every backend implements
sql_store.py      memories in SQL tables: the base of all three stores
sqlite.py         memories in memory.db
"""
