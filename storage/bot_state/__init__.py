"""Bot-wide state that belongs to no memory: inbox, people, usage, wizard, directory, leases, replicas.

broadcasts.py       an admin's message to everybody, while it is being sent
directory.py        the store of each owner, and moves between stores
deletion.py         deletions in every file, finished at the next start if interrupted
inbox.py            raw updates, committed before Telegram gets a confirmation
keys.py             the key that signs exports and links, and the links already used
leases.py           the interface of owner leases
people.py           the people whom an admin let in or removed by a button
postgres_inbox.py   the update inbox in PostgreSQL, claimed by the process that serves the owner
postgres_leases.py  owner leases in PostgreSQL, with fences and expiry
renaming.py         gives a group's memory its new id as a supergroup
replica.py          one process among several: its heartbeat and wake-ups
state.py            opens all of this in memory.db, or in PostgreSQL for several processes
usage.py            tokens spent by person and day
wizard_state.py     each person's step in /summary
"""
