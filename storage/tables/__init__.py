"""The SQL that all stores share, one file per topic.

conversations.py       the conversations of a place, one of which is open
decisions.py           the decisions of owners about facts, kept as hashes after the facts are erased
dump.py                an owner's portable rows: dumped, loaded, and migrated from older versions
explanations.py        the explanations of the newest answers
facts.py               facts, their vectors, and the progress of learning facts from each scope
folds.py               summaries, and the folds that make them
history.py             importing into a memory
history_extraction.py  the progress of learning facts from imported history
messages.py            storing messages, and reading the messages of a prompt
owner_tables.py        the base class of the parts of a store, new ids, and changes to all rows of an owner
profile.py             the versions of an owner's profile
rebuilds.py            the one transaction that replaces all summaries of a scope
reminders.py           reminders, and the attempts to send them
timeline.py            messages by page, day, speaker and kind
"""
