"""Crash test, replicas, soak and hostile loads. They test the bot from outside and share no code with its stores.

command.py        the shared command line
crash_test.py     kill one process at random moments while people talk, fold and move between stores
hostile.py        measure how much longer one person waits while another attacks
hostile_loads.py  the attacks
invariants.py     read a DATA_DIR or database and check what holds at every moment
killing.py        the part that crash_test.py and replicas.py share
replicas.py       kill random processes of several that serve one bot
soak.py           thousands of turns of a hundred people with random faults
town.py           simulated people, and a ledger of their messages and the answers
"""
