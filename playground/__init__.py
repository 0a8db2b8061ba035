"""A small Telegram on this machine: a Bot API server and a chat page in the browser."""
