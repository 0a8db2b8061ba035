"""Background work: indexing, rebuilding summaries, and regular tasks.

indexing.py   messages → vectors
rebuild.py    all summaries of a scope, made again from its messages
scheduler.py  tasks that run regularly
"""
