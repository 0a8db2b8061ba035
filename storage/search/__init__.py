"""Search by words and by meaning in SQLite tables, shared by the backends. Does not know ranking.

candidates.py         the messages that may answer a question, read column by column
full_text.py          which messages of a scope hold which terms: FTS5, or another engine's index
protocol.py           what a search reads, and the protocol of the vector index
quantized_vectors.py  vectors in RAM at a quarter of their size, by message
terms.py              how terms stand in an index
vector_index.py       which messages mean nearly the same as a question
vector_search.py      the nearest vectors of a scope, searched in RAM
vector_server.py      what a database may itself find among its vectors
word_copies.py        the words of scopes in which people are talking, in RAM
word_index.py         which messages hold which words, and which are neighbours
"""
