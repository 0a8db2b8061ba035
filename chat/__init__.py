"""One turn, from the incoming message to the reply, and what is changed afterwards. Does not know Telegram.

answer_loop.py   one answer of the model: its rounds with tools, all under the ceiling
conversation.py  one turn: remember, recall, reply, remember; then settle
corrections.py   what is changed afterwards in what was said: forgotten, corrected, under another id
explanations.py  what an answer was made from, told with the things themselves
notices.py       what people are told beside an answer, or instead of one
search.py        words → the earlier messages that they find, page by page
services.py      everything that is open while the bot runs, as one value
session.py       what the process itself holds of each scope's talk
tools.py         what the model may do while it answers: search the memory, propose facts
turn.py          one turn on its way through the steps
"""
