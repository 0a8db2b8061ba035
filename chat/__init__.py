"""One turn, from the incoming message to the reply, and later changes to it. Independent of Telegram."""
