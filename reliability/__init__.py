"""Crash test and soak: kills and faults at random, and the invariants read from the files. They know no store of ours.

crash_test.py  kill -9 at random moments while people talk, fold and move between stores
invariants.py  what must hold in the files of a DATA_DIR at every instant
soak.py        thousands of turns by a hundred people while faults happen at random
town.py        people who talk to the bot, and the ledger of what was said and answered
"""
