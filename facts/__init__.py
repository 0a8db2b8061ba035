"""The mechanics of facts: what may not change silently, what is the same, what the model is asked and what it said."""
