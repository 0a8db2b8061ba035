"""Messages that lie before a summary and have none: what is left of a chunk after a part of it was forgotten.

Pure. They are folded first, each stretch by itself, so that every summary covers its messages without a gap.
Does not know policies or stores.
"""

from bisect import bisect_right
from collections.abc import Sequence

from summaries.situation import UnfoldedTurn


def first_stretch(turns: Sequence[UnfoldedTurn], starts: Sequence[int], *, most: int) -> tuple[int, ...]:
    """The messages of the oldest unfolded turns, `most` at most, up to the next active summary.

    `starts`: the first message of each active summary, ascending. Empty when no turn lies before one.
    """
    if not turns or not starts or turns[0].message_ids[0] > starts[-1]:
        return ()
    border = starts[bisect_right(starts, turns[0].message_ids[0])]
    stretch = [turn.message_ids for turn in turns if turn.message_ids[0] < border][:most]
    return tuple(sorted(one for ids in stretch for one in ids if one < border))
