"""Reminders: what asks for one, and that it is told once when it is due. Does not know Telegram or SQL.

reading.py     words → a reminder, by a model that answers with JSON
lexicon.py     words of time in seven languages, from locale data
phrases.py     the plain forms in seven languages → a reminder, without a model
sending.py     what is due is sent, whatever the process died of meanwhile
wishes.py      a model's object → a reminder, and its limits
"""
