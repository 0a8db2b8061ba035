"""A local Bot API server and a chat page: the bot without token or key, and the tests' real HTTP peer."""
