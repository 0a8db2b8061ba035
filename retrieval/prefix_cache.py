"""What stays the same from prompt to prompt, since providers charge less for a beginning that they have seen. Pure.

Owns which version of a live summary a prompt shows, and where its verbatim part begins. Does not know texts, tokens
or stores.
"""

import math
from collections.abc import Mapping, Sequence

from records.messages import Message
from records.summaries import Summary

BLOCKS = (16, 8)
"""A version of a summary stays in the prompt for so many messages; for fewer where what was said since has no room."""
YOUNG = 32
"""Up to so many messages the newest version is shown: providers keep beginnings from about 1,000 tokens on."""
REACH = 24
"""Turns, and versions of a summary, that are looked at: more than a block has."""


def version_shown(active: Summary, versions: Mapping[int, Summary], block: int) -> Summary:
    """The first of the versions that end in the same block of messages as the active one.

    So it changes once in a block, wherever it is asked, and also after a restart.
    """
    shown = active
    while active.last_id >= YOUNG and shown.base_id is not None:
        before = versions.get(shown.base_id)
        if before is None or before.id >= shown.id or before.policy != active.policy:  # ids as files give them
            break
        if before.last_id // block != active.last_id // block or not _tells_as_early(before, shown):
            break
        shown = before
    return shown


def _tells_as_early(before: Summary, after: Summary) -> bool:
    """Whether the newer version only went on: a rolling one may also have taken in what was imported, or was told by
    a summary of another policy. Sliding means to leave behind.
    """
    return after.policy == "sliding" or (after.source_ids == (before.id,) and after.first_id == before.first_id)


def beside(shown: Summary, newest: Sequence[Message], turns: int) -> list[Message] | None:
    """What stands word for word beside a version: everything since, and where the policy folds each turn at once
    (sliding) the `turns` that it ends with, so that the part grows instead of moving along.

    `newest`: the newest turns. None where they do not reach back to the version.
    """
    covered = sorted({one.turn for one in newest if one.id <= shown.last_id})
    if not covered:
        return None
    again = set(covered[-turns:]) if shown.policy == "sliding" else set[int]()
    return [one for one in newest if one.id > shown.last_id or one.turn in again]


def start(sizes: Sequence[int], *, budget: int, step: int) -> int:
    """The index of the first turn to keep so that the kept ones fit `budget`; it moves on in leaps of `step` tokens."""
    total = sum(sizes)
    if total <= budget:
        return 0
    leap = max(1, step)
    skip = min(total, math.ceil((total - budget) / leap) * leap)
    passed = 0
    for index, size in enumerate(sizes):
        if passed >= skip:
            return index
        passed += size
    return len(sizes)
