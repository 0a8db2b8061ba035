"""Test the bot from outside: crashes, replicas, long runs and hostile loads. No code is shared with its stores."""
