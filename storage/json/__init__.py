"""The store in memory.json: a snapshot and a journal; searched through a working copy in SQLite.

journal.py        the JSON store's journal
missing_words.py  the words of a working copy that was made again, indexed in the background
recovery.py       a start of memory.json, whatever a dying process left
snapshot.py       memory.json, written and read
store.py          memories in memory.json
"""
