"""The formats of documents. Each reader yields lines lazily, with their places in the document."""
