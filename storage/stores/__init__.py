"""The stores: one promise, and memories in SQLite, JSON and PostgreSQL.

json.py           memories in memory.json
json_files.py     memory.json and its journal, written and read
json_recovery.py  a start of memory.json, whatever a dying process left, and its words indexed again
memory_store.py   what a store promises, kept in SQL tables; memories in memory.db
postgres.py       memories in PostgreSQL
"""
