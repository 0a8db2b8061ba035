"""The Telegram side. This is the only folder that uses python-telegram-bot."""
