"""The stores: one protocol, and memories in SQLite, JSON and PostgreSQL.

json.py                memories in memory.json
json_journal.py        the JSON store's journal
json_missing_words.py  the words of a working copy that was made again, indexed in the background
json_recovery.py       a start of memory.json, whatever a dying process left
json_snapshot.py       memory.json, written and read
postgres.py            memories in PostgreSQL
protocol.py            the protocol that every backend implements
sql_store.py           memories in SQL tables: the base of all three stores
sqlite.py              memories in memory.db
"""
