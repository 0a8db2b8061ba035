"""Search by words and by meaning in SQL tables, shared by the backends. Does not rank.

candidates.py          the messages that may answer a question, read column by column
full_text.py           the word index: which messages of a scope hold which terms, with FTS5
postgres_full_text.py  the word index of PostgreSQL
protocol.py            what a search reads
terms.py               terms as tokens and hashes
vector_index.py        how similar in meaning passages are to a query
word_index.py          keeps the word index in step with the messages
"""
