"""Background work: indexing, rebuilding summaries, and regular tasks.

backups.py    a backup each day, in BACKUP_DIR
indexing.py   messages → vectors
measuring.py  sizes and queues, for /metrics
rebuild.py    all summaries of a scope, made again from its messages
scheduler.py  tasks that run regularly
"""
