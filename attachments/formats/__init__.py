"""Document formats. Each reader lazily yields the lines of a document and their places in it."""
