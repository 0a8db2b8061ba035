"""Bot-wide state that belongs to no memory: inbox, people, usage, wizard, directory, leases, replicas.

broadcasts.py       a message of an admin to everybody, while it is under way
directory.py        which store holds each owner, and moves between stores
erasure.py          a deletion in every file, finished by the next start when interrupted
inbox.py            raw updates, committed before they are confirmed
keys.py             the key that signs exports and links, and the links that were followed
leases.py           which owners this process serves
people.py           whom an admin let in or removed by a button
postgres_inbox.py   the update inbox, claimed by the process that serves the owner
postgres_leases.py  who serves an owner, with fence and expiry
renaming.py         a group's memory under the id that it has as a supergroup
replica.py          this process among several: that it lives, and is woken
shared.py           locations of owners that several processes share
state.py            where inbox, setups, usage and locations are kept: memory.db, or PostgreSQL for several processes
usage.py            tokens spent by person and day
wizard_state.py     where each person stands in /summary
"""
