"""Answers out: delivery, streaming, formatting, documents.

chat.py       the chat that an answer goes to, and the check that this process still serves it
delivery.py   delivers final texts, within Telegram's limits and pauses
documents.py  files that people send and receive
formatting.py Markdown → text with Telegram's entities; the bot's own words with headings and quotes that unfold
http.py       requests to Telegram over aiohttp, and what its errors mean
markdown.py   prepares the Markdown of models for the converters
newer_api.py  features that an older Bot API server refuses, tried once
pace.py       the clock of sending, and the limit of messages a second
streaming.py  an answer, shown as it grows
"""
