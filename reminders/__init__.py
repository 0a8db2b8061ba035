"""Reminders: what asks for one, and that it is told once when it is due. Does not know Telegram or SQL.

sending.py     what is due is sent, whatever the process died of meanwhile
wishes.py      a text → the reminder that it asks for
"""
