"""The Telegram side. This is the only folder that uses python-telegram-bot.

check.py   checks every part for --check
commands/  the commands, one file for each family
sending/   sends answers and other texts
updates/   receives updates and puts them into queues
"""
