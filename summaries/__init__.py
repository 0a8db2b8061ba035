"""Decide which messages to fold, and make and judge summaries. Does not know stores or when it is called."""
