"""The Telegram side: updates in, answers out. The only package, beside bot.py, that knows Telegram."""
