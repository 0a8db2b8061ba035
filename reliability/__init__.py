"""Crash test, replicas, soak and hostile loads. They test the bot from outside and share no code with its stores."""
