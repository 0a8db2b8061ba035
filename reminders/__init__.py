"""Understand requests for reminders, and send each reminder when it is due. Independent of Telegram and SQL.

reading.py     reads a reminder from text with a model that answers in JSON
lexicon.py     time words in seven languages, from locale data
phrases.py     parses simple reminders in seven languages without a model
zones.py       recognises time zones that such a reminder names
sending.py     sends due reminders, also after a crash
wishes.py      parses a model's arguments, and limits reminders
"""
