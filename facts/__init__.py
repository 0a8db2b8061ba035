"""Facts and profile: extraction, reconciliation, verification. Does not know when a turn is answered."""
