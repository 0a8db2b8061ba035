"""Delete a message, a fact or a day with everything derived from it, in one transaction."""
