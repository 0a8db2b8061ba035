"""Reminders: what asks for one, and that it is told once when it is due. Does not know Telegram or SQL.

reading.py     words → a reminder, by a model that answers with JSON
sending.py     what is due is sent, whatever the process died of meanwhile
wishes.py      a model's object, or a plain form, → a reminder
"""
