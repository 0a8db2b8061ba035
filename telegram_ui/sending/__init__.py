"""Answers out: delivery, streaming, formatting, documents. Does not know what the answers say.

api_errors.py    what Telegram's errors mean
chart.py         a small bar chart as a picture
chat.py          the chat that an answer goes to, and links to its messages
delivery.py      final texts get through, within the limits and pauses that Telegram sets
documents.py     files that people send and receive
formatting.py    Markdown → text with Telegram's entities; the bot's own words with headings and quotes that unfold
http.py          requests to Telegram over aiohttp
lease.py         whether the running work still serves its chat
last_buttons.py  which message has the buttons of the last answer
pace.py          the clock that sending waits by; how many messages a second go out in all, and who goes first
streaming.py     an answer, shown as it grows
tables.py        columns of numbers stand right
"""
