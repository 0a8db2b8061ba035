"""The store in memory.db. Its tables serve the JSON store too, as its working copy.

deletion_cascade.py          what goes with a forgotten or edited message, in one transaction
dependents.py                which summaries, facts and profiles were built on a message
explanation_table.py         the accounts of the newest answers, where they were shown, what they saved
fact_cascade.py              which facts go with what is forgotten
fact_table.py                facts, how far each chat was learned from, and what facts mean
fold_table.py                summaries, and the folds that make them
history_extraction_table.py  which imported history is to be learned from, and how far that has come
history_table.py             what comes into a memory from a file
initial_schema.py            the tables that the first of them makes
migrations.py                the schema, as one list of migrations
original_files.py            files of the original design, and what is repaired in them
owner_tables.py              what the parts of a store have in common: single statements, new ids
profile_table.py             the profile's versions
rebuild_table.py             the one transaction that exchanges all summaries of a chat
renaming.py                  a group's memory under the id that it has as a supergroup
store.py                     memories in memory.db
"""
