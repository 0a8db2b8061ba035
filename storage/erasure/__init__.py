"""Forgetting: what goes with a message, a fact or a day, in one transaction."""
