"""Messages that nobody asked for at that moment: reminders, broadcasts, requests to the admins.

admin.py      /admin: people, health, latest errors; decisions about strangers who ask to be let in
broadcast.py  a message of an admin to everybody
reminders.py  /reminders, offers of reminders, and sending them
"""
