"""Search by words and by meaning in SQLite tables, shared by the backends. Does not know ranking.

candidates.py         the messages that may answer a question, read column by column
protocol.py           what a search reads, and the protocol of the vector index
quantized_vectors.py  vectors in RAM at a quarter of their size, by message
vector_index.py       which messages mean nearly the same as a question
vector_search.py      the nearest vectors of a scope, searched in RAM
word_index.py         which messages hold which words
"""
