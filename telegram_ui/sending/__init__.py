"""Answers out: delivery, streaming, formatting, documents. Does not know what is said.

api_errors.py  what Telegram's errors mean
chat.py        where an answer goes
delivery.py    final texts get through, within Telegram's limits and pauses
documents.py   files that people send and get
formatting.py  Markdown → text with Telegram's entities
links.py       links to messages, where Telegram has any
streaming.py   an answer, shown as it grows
"""
