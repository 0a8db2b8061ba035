"""Crash test and soak: kill -9 and faults at random, the invariants read from the files.

crash_test.py  kill -9 at random moments while people talk, fold, move between stores: is anything lost, doubled or
invariants.py  What must hold in the files of a DATA_DIR at every instant, read with plain sqlite3 and json
soak.py        Thousands of turns by a hundred people while faults come at random: is anything violated, does memory
town.py        People who talk to the bot, and the ledger of what they said and what was answered
zygote.py      Starts bot
"""
