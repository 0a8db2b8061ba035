"""Where memories are kept: one protocol, and a folder for each backend. Does not know models or prompts.

files/                 The files under DATA_DIR
json/                  The store in memory.json
search/                Search by words and by meaning in SQLite tables, shared by the backends. Does not know ranking
sqlite/                The store in memory.db. Its tables serve the JSON store too, as its working copy
backup.py              a backup as one file, and back
directory.py           which store holds each owner, and moves between stores
erasure.py             a forgetting in every file; what a start finishes of one
knowledge_protocol.py  the promise of what a store knows of its owners
protocol.py            the promise that every store keeps
"""
