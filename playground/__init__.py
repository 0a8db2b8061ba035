"""A local Bot API server and a chat page in the browser: the bot without a token or a key."""
