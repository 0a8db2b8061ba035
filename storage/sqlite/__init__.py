"""The store in memory.db, and the tables and statements that the two other stores share with it.

bulk_load.py                 many messages put into an empty file at once
deletion_cascade.py          what goes with a forgotten or edited message, in one transaction
context_sources.py           what a context is made of apart from what is searched for
conversation_table.py        the conversations of a place, and which is open
dependents.py                which summaries, facts and profiles were built on a message
explanation_table.py         the explanations of the newest answers
fact_cascade.py              which facts go with what is forgotten
fact_table.py                facts, how far each scope was learned from, and the vectors of facts
foreign_schema.py            what a file from elsewhere has in its schema that is not ours
fold_table.py                summaries, and the folds that make them
history_extraction_table.py  which imported history is learned from, and how far that has come
history_table.py             importing into a memory
initial_schema.py            the schema of the first version
later_tables.py              tables and columns that came later and belong to no memory
message_table.py             how messages are stored: ids, order in time, words
migrations.py                the schema, as one list of migrations
original_files.py            files of the original design, and how they are repaired
owner_tables.py              what the parts of a store have in common: single statements, new ids, all rows of an owner
profile_table.py             the profile's versions
quotes.py                    what repeats forgotten words without being built on their message
rebuild_table.py             the one transaction that replaces all summaries of a scope
reminder_table.py            reminders: kept, due, and told once
sql_store.py                 memories in SQL tables: the base of all three stores
store.py                     memories in memory.db
"""
