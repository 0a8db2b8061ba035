"""The SQL that all stores share, one file a topic.

conversations.py       the conversations of a place, and which is open
decisions.py           what owners decided about facts, kept without their words once they are erased
dump.py                an owner's portable rows: dumped, loaded, and migrated from older versions
explanations.py        the explanations of the newest answers
facts.py               facts, how far each scope was learned from, and the vectors of facts
folds.py               summaries, and the folds that make them
history.py             importing into a memory
history_extraction.py  which imported history is learned from, and how far that has come
messages.py            how messages are stored: ids, order in time, words; what a context is made of
owner_tables.py        what the parts of a store have in common: single statements, new ids, all rows of an owner
profile.py             the profile's versions
rebuilds.py            the one transaction that replaces all summaries of a scope
reminders.py           reminders: kept, due, and told once
timeline.py            messages as a person looks through them: by page, day and speaker
"""
