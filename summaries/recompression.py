"""How often the oldest detail is compressed where all summaries are made anew, counted without making them.

Pure. Does not know texts, models, stores, or who makes them (rebuilding.py).
"""

from records.owners import Policy
from summaries import pyramid, rolling


def times_compressed_anew(policy: Policy, *, messages: int, every_n: int, most: int) -> int:
    """At most so often, for so many archived messages: a turn has at least one. Not counted further than to `most`."""
    if policy == "sliding":
        return 1
    if policy == "rolling":
        return min(most, -(-messages // rolling.ANEW_TURNS))
    return pyramid.height(-(-messages // every_n), most=most)
