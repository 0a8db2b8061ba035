"""What the bot tells people without being asked at that moment, and the admins' view of all that.

admin.py      /admin: people, health, latest errors; letting in and removing; strangers who ask
broadcast.py  a message of an admin to everybody
reminders.py  /reminders, the offer of one, and how one is told
"""
