"""The Telegram side: updates in, answers out, commands. The only folder that knows python-telegram-bot.

check.py   What --check says of each part
commands/  The commands, one file a family
sending/   Answers out
updates/   Updates in
"""
