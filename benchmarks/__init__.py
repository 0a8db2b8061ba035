"""Measurements of recall, tokens, scale and load, on the code that the bot runs."""
