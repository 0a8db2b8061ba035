"""Test the bot from outside: crashes, replicas, long runs and hostile loads. The checks share no code with stores."""
