"""The commands, one file a family, and what their buttons do.

buttons.py             callback data that works for its person and place alone
edits.py               the button that answers a corrected message anew
families.py            every family of commands, wired
family.py              what a family of commands gives
forget.py              /forget: what would go, the question, the receipt
forget_targets.py      what /forget names, in words and in a button
history_extraction.py  learning from what was imported: offered under its receipt, begun and stopped
incognito.py           /incognito
memory.py              /memory and /tz
memory_texts.py        words and buttons of /memory
policy.py              /summary_policy, /summary_prompt, /summary_rebuild
proposals.py           what the model proposes to remember or to forget, with two buttons
registry.py            the basic commands, and what each says
search.py              /search and its "more" button
table.py               every command, in one table
transfer.py            /export and /import
why.py                 /why: what an answer was made from, in plain words
wizard.py              /summary in two steps
"""
