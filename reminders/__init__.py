"""Understand requests for reminders, and send each reminder when it is due. Independent of Telegram and SQL."""
