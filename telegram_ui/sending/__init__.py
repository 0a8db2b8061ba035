"""Sending: delivery, streaming, formatting and files.

chat.py       the chat that an answer goes to, and the check that this process still serves it
delivery.py   delivers final texts, within Telegram's limits and pauses
documents.py  files that people send and receive
formatting.py converts Markdown to text with Telegram's entities, and builds the bot's own formatted texts
http.py       sends requests to Telegram over aiohttp, and classifies its errors
markdown.py   prepares the Markdown of models for the converters
newer_api.py  tries features that an older Bot API server refuses
pace.py       the clock of sending, and the limit of messages per second
streaming.py  shows an answer while it grows
"""
