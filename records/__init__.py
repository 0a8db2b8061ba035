"""The frozen values that flow between rooms, one file a topic. They know nobody.

attachments.py    what people send along, as text and as pictures
context.py        what one request carries
conversations.py  the conversations of a place
errors.py         the error tree, with a sentence for each error
facts.py          facts and profiles
forgetting.py     what an owner wants forgotten, and what was removed
messages.py       messages: new ones, and those that are stored
model_calls.py    what a model is asked and what it answers
owners.py         an owner's choices, and the state of their memory
reminders.py      what somebody asked to be told at a time
scopes.py         owners, threads and people
status.py         a memory in figures
summaries.py      summaries; plan, lease and outcome of a fold
turns.py          what came in, and the reply
"""
