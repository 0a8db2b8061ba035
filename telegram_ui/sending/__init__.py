"""Answers out: delivery, streaming, formatting, documents. Does not know what the answers say.

chat.py       the chat that an answer goes to, links to its messages, whether this process still serves it
delivery.py   final texts get through, within the limits and pauses that Telegram sets
documents.py  files that people send and receive
formatting.py Markdown → text with Telegram's entities; the bot's own words with headings and quotes that unfold
http.py       requests to Telegram over aiohttp, and what its errors mean
markdown.py   what models write, made ready for the converters; marks closed while an answer grows
newer_api.py  methods and fields that an older Bot API server refuses: tried once
pace.py       the clock that sending waits by; how many messages a second go out in all, and who goes first
streaming.py  an answer, shown as it grows
"""
