"""The C library's heap, kept in one piece: glibc gives each thread an arena of its own, and keeps in it what is freed.

Here a dozen threads (SQLite's connections, the pool for work outside the loop) take large things for a moment by turns;
in one arena the next takes what the last gave back. Elsewhere than with glibc nothing happens.
"""

import ctypes

M_ARENA_MAX = -8  # <malloc.h>


def keep_in_one_piece() -> bool:
    """To be called before threads are started; whether it could be done."""
    try:
        return bool(ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1))
    except (OSError, AttributeError):
        return False
