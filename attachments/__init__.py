"""Extract text from the documents that people send."""
