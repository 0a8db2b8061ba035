"""The frozen values that packages exchange, one file for each topic.

attachments.py    what people send along, as text and as pictures
context.py        what one request carries
conversations.py  the conversations of a place
errors.py         the error tree, with a sentence for each error
facts.py          facts and profiles
forgetting.py     requests to forget, and counts of what they removed
messages.py       new and stored messages
model_calls.py    requests to a model, its answers, abilities and prices
owners.py         an owner's settings, and the mode of their memory
reminders.py      reminders for one time or at regular intervals
scopes.py         owners, threads and people
setting_values.py parsers for settings
status.py         statistics and status of a memory
summaries.py      summaries, and the plan, lease and outcome of a fold
turns.py          an incoming turn and the reply to it
"""
