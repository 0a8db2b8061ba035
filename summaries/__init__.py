"""Decide which messages to fold, and make and check summaries. Independent of stores and schedules."""
