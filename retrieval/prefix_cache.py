"""Keeps the beginning of prompts the same, since providers charge less for a prefix that they have seen. Pure.

Owns which version of a live summary a prompt shows, and where its verbatim part begins. Does not know texts, tokens
or stores.
"""

import math
from collections.abc import Mapping, Sequence

from records.messages import Message
from records.summaries import Summary

BLOCKS = (16, 8)
"""A version of a summary stays in the prompt for 16 messages, or for 8 where what was said since has no room."""
YOUNG = 32  # up to so many messages the newest version is shown: providers cache prefixes of about 1,000 tokens or more
REACH = 24  # how many turns, and versions of a summary, are looked at: more than a block has


def choose_version(active: Summary, versions: Mapping[int, Summary], block: int) -> Summary:
    """Return the first of the versions that end in the same block of messages as the active one.

    It changes once a block, and is the same after a restart.
    """
    shown = active
    while active.last_id >= YOUNG and shown.base_id is not None:
        before = versions.get(shown.base_id)
        if before is None or before.id >= shown.id or before.policy != active.policy:  # ids as files give them
            break
        if before.last_id // block != active.last_id // block or not _is_continuation(before, shown):
            break
        shown = before
    return shown


def _is_continuation(before: Summary, after: Summary) -> bool:
    """Return True if the newer version only added to the one before: a rolling summary may also have taken in imported
    history or the summary of another policy. A sliding one always leaves its oldest messages behind.
    """
    return after.policy == "sliding" or (after.source_ids == (before.id,) and after.first_id == before.first_id)


def select_verbatim(shown: Summary, newest: Sequence[Message], turns: int) -> list[Message] | None:
    """Return the messages that a prompt shows word for word after a version: everything since, and with a sliding
    policy, which folds each turn at once, also its last `turns`, so that this part grows instead of moving along.

    `newest`: the newest turns. None where they do not reach back to the version.
    """
    covered = sorted({one.turn for one in newest if one.id <= shown.last_id})
    if not covered:
        return None
    repeated = set(covered[-turns:]) if shown.policy == "sliding" else set[int]()
    return [one for one in newest if one.id > shown.last_id or one.turn in repeated]


def select_before_active(newest: Sequence[Message], turns: int) -> list[Message]:
    """Return the last `turns` archived turns, to be shown word for word before the active ones: without them the last
    turns, which are always shown, would move along with each turn after a fold.

    `newest`: the newest 2 × `turns` turns. Nothing where they do not reach back so far, since from then on there are
    enough active turns; or where an older turn is active than an archived one.
    """
    archived = sorted({one.turn for one in newest if not one.is_active})
    active = {one.turn for one in newest if one.is_active}
    is_cut_off = len(archived) + len(active) >= 2 * turns and len(archived) < turns
    if not archived or is_cut_off or (active and min(active) < archived[-1]):
        return []
    return [one for one in newest if one.turn in archived[-turns:]]


def start(sizes: Sequence[int], *, budget: int, step: int) -> int:
    """Return the index of the first turn to keep so that all from there fit `budget`; it moves on in leaps of `step`
    tokens.
    """
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
