"""Background work: indexing, rebuilding summaries, and regular tasks.

backups.py    daily backups in BACKUP_DIR
indexing.py   embeds stored messages
measuring.py  sizes and queues, for /metrics
rebuild.py    makes all summaries of a scope again from its messages
scheduler.py  runs tasks at intervals
"""
