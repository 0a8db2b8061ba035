"""Background work: indexing, rebuilding summaries, and regular tasks."""
