"""The Telegram side: updates in, answers out, commands. The only folder that knows python-telegram-bot.

commands/  The commands, one file a family
sending/   Answers out
updates/   Updates in
"""
