"""The Telegram side: updates in, answers out, commands. The only folder that knows python-telegram-bot.

check.py   The check of every part, for --check
commands/  The commands, one file for each family
sending/   Answers out
updates/   Updates in
"""
