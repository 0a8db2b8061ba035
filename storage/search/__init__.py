"""Search by words and by meaning in SQL tables, shared by the backends. Does not know ranking.

candidates.py          the messages that may answer a question, read column by column
full_text.py           which messages of a scope hold which terms: FTS5, or another engine's index
postgres_full_text.py  words in PostgreSQL, ranked by our own BM25
protocol.py            what a search reads
terms.py               how terms stand in an index
vector_index.py        how close in meaning the passages of a scope are to a question
word_index.py          which messages hold which words, and which are neighbours
"""
