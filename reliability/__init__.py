"""Crash test, soak and hostile loads: kills and faults at random, the invariants read from the files, and what one
person's load costs another. They know no store of ours.

command.py        how the tests here are called, and how their results leave the process
crash_test.py     kill -9 at random moments while people talk, fold and move between stores
hostile.py        how much longer a second person waits next to a hostile one
hostile_loads.py  what the hostile person does
invariants.py     what must hold in the files of a DATA_DIR at every instant
killing.py        people who talk while processes are killed: what crash_test.py and replicas.py share
replicas.py       kill -9 at random among several processes that serve one bot
soak.py           thousands of turns by a hundred people while faults happen at random
town.py           people who talk to the bot, and the ledger of what was said and answered
"""
