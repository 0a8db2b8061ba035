"""Messages that nobody asked for at that moment: reminders, broadcasts, requests to the admins.

admin.py      /admin: people, health, latest errors; letting in and removing; strangers who ask
broadcast.py  a message of an admin to everybody
reminders.py  /reminders, the offer of one, and how one is told
"""
