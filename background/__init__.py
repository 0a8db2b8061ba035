"""Background work: backups, indexing, and rebuilding summaries."""
