"""Search by words and by meaning in SQL tables, shared by the backends. Does not rank."""
