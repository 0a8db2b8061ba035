"""One turn, from the incoming message to the reply, and later changes to it. Does not know Telegram.

answer_loop.py   one answer of the model: its rounds with tools, all under the ceiling
answerer.py      the context of a turn's request, and the model's answer to it
attachments.py   what people send along: who reads it, looks at it, hears it
choices.py       what an owner can choose: one list, for the chat and the page
conversation.py  the steps of a turn: remember, recall, answer, remember; then settle
corrections.py   later changes to stored messages: forgotten, corrected, moved to another id
explanations.py  what an answer was made from, with the messages, summaries and facts themselves
facts_by_hand.py  facts as people change them, with what is said of it
operation.py     what the admins of a bot may know of it
pictures.py      pictures are remembered as what a model saw in them
memory_reading.py  what the search tool shows: the model reads on from it
search.py        words → the earlier messages that they find, page by page
services.py      everything that is open while the bot runs, as one value
session.py       what the process itself holds of each scope's talk
settling.py      what is due after a turn: pictures described, facts learned, messages folded
titles.py        titles of conversations, made by a model in the background
tools.py         the model's tools: search the memory, propose facts
turn.py          the value that one step of a turn hands to the next
"""
