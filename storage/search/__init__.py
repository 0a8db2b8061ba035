"""Search by words and by meaning in SQLite tables, shared by the backends. Does not know ranking.

candidates.py         what may answer a question, read column by column for ranking
protocol.py           what searching reads, and the promise of the index of meaning
quantized_vectors.py  vectors in RAM at a fourth of their size, by message
vector_index.py       which messages mean nearly the same
vector_search.py      the nearest vectors of a scope, searched in RAM
word_index.py         which messages hold which words
"""
