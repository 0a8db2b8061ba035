"""Search SQL tables by words and by meaning, for all backends. retrieval/ ranks the results."""
