"""Work in the background while people talk. Does not know what a turn is.

indexing.py   messages → vectors
rebuild.py    all summaries of a scope, made again from its messages
scheduler.py  tasks that run regularly
"""
