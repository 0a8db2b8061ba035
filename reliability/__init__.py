"""Test the bot from outside: crashes, replicas, long runs and hostile loads. The tests share no code with stores."""
