"""Handles a turn, from the incoming message to the reply, and later changes to the turn. Independent of Telegram."""
