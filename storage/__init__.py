"""Where memories are kept: one protocol, and a folder for each backend. Does not know models or prompts.

files/            The files under DATA_DIR
json/             The store in memory.json
postgres/         The store in a PostgreSQL database. Does not know files
search/           Search by words and by meaning in SQLite tables, shared by the backends. Does not know ranking
sqlite/           The store in memory.db, and the tables and statements that the two other stores share with it
backup.py         making a backup file, and restoring it
directory.py      which store holds each owner, and moves between stores
erasure.py        a deletion in every file, finished by the next start when interrupted
ground.py         where inbox, setups, usage and locations are kept: memory.db, or PostgreSQL for several processes
protocol.py       the protocol that every backend implements
renaming.py       a group's memory under the id that it has as a supergroup
server_backup.py  what a PostgreSQL database holds, as one file of a backup
shared.py         locations of owners that several processes share
"""
