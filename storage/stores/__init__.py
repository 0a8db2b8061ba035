"""The stores: one interface, and memories in SQLite, JSON and PostgreSQL.

json.py           the store in memory.json
json_files.py     reads and writes memory.json and its journal
json_recovery.py  recovers memory.json at start, and indexes its words again
memory_store.py   the interface of all stores, implemented over SQL tables; the store in memory.db
postgres.py       the store in PostgreSQL
"""
