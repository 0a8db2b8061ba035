"""Stores of memories: one protocol, three backends.

bot_state/        Bot-wide state that belongs to no memory: inbox, people, usage, wizard, directory, leases, replicas
engine/           The databases under every store: one protocol, SQLite and PostgreSQL
erasure/          Forgetting: delete a message, a fact or a day with everything made from it, in one transaction
schema/           The tables: their portable form, the validation of rows from files, and migrations
stores/           The stores: one protocol, and memories in SQLite, JSON and PostgreSQL
tables/           The SQL that all stores share, one file per topic
search/           Search by words and by meaning in SQL tables, shared by the stores
backup.py         Back up every memory and the bot's state into one file, and restore it into any store
"""
