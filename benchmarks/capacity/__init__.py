"""What ten thousand, a million and a hundred million people need: measured, reckoned and simulated. Knows no store.

copies.py      memories of many owners on a PostgreSQL server, copied from one
on_server.py   a schema for each case on a PostgreSQL server, and what it spends (also for load.py and scale.py)
reckoning.py   cores, disk, connections and money from what a turn costs, and which limit comes first
simulation.py  arrivals, hot scopes and failovers, simulated
streaming.py   answers that are all written at once, within Telegram's limits
__main__.py    `python -m benchmarks.capacity`
vectors.py     what searching vectors in PostgreSQL costs, and what it misses
"""
