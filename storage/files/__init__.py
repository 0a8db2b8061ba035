"""The files under DATA_DIR: the folder, the one way into a SQLite file, and the tables that belong to no store.

broadcasts.py      a message of an admin to everybody, while it is under way
data_dir.py        DATA_DIR: private, writable, one process
database.py        all access to a SQLite file
driver.py          the SQLite driver and its errors in our words
inbox.py           raw updates, committed before they are confirmed
inbox_protocol.py  what an inbox promises, wherever it is kept
integrity.py       whether a database file is intact, checked in the background
leases.py          which owners this process serves
people.py          whom an admin let in or removed by a button
place.py           the name of a DATA_DIR among several
row_validation.py  rows out of a file that people may have edited
rows.py            rows of SQLite, and the values they stand for
sql.py             what the tables of a store ask of a database, whichever engine it is
tables.py          an owner's tables in one portable form
transaction.py     SQLite's connection in its own thread, and who hears of its commits
usage.py           tokens spent by person and day
wizard_state.py    where each person stands in /summary
writer.py          one durable commit for all who wait at the same moment
"""
