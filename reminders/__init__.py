"""Understand requests for reminders, and send each reminder when it is due, without depending on Telegram or SQL."""
