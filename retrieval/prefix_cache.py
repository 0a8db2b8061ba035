"""Pure functions that keep a prompt's beginning stable, since providers charge less for a prefix seen before."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate

from records.messages import Message
from records.summaries import Summary

BLOCKS = (24, 16, 8)  # messages for which a version of a summary is shown, fewer if the messages since then do not fit
MAX_TURNS_READ = 24  # turns, and versions of a summary, that are read: a usual fold of 20 turns and the 4 before it


def find_oldest_version_ending_in_block(
    active_summary: Summary, versions: Mapping[int, Summary], block_size: int
) -> Summary:
    """Return the oldest version of a summary that ends in the same block of `block_size` ids as `active_summary`."""
    shown = active_summary
    while shown.base_id is not None:
        before = versions.get(shown.base_id)
        if before is None or before.id >= shown.id or before.policy != active_summary.policy:  # ids as files give them
            break
        # A rolling summary may also have absorbed imported history or the summary of another policy.
        extends = shown.policy == "sliding" or (shown.source_ids == (before.id,) and shown.first_id == before.first_id)
        if before.last_id // block_size != active_summary.last_id // block_size or not extends:
            break
        shown = before
    return shown


def select_messages_to_show_after_summary(
    summary: Summary, newest_messages: Sequence[Message], turn_count: int
) -> list[Message] | None:
    """Return the messages to show verbatim after a summary, or None if `newest_messages` does not reach back to it."""
    covered = sorted({message.turn for message in newest_messages if message.id <= summary.last_id})
    if not covered:
        return None
    # The sliding policy folds each turn at once, so the last turns before the version's end are shown too.
    repeated = set(covered[-turn_count:]) if summary.policy == "sliding" else set[int]()
    return [message for message in newest_messages if message.id > summary.last_id or message.turn in repeated]


def select_messages_of_last_archived_turns(newest_messages: Sequence[Message], turn_count: int) -> list[Message]:
    """Return the messages of the last `turn_count` archived turns, or [] if a turn may be missing or out of order.

    An archived turn is out of order if it follows an active turn.
    """
    # Without them, the last turns, which are always shown, would begin one turn later after each message.
    archived = sorted({message.turn for message in newest_messages if not message.is_active})
    active = {message.turn for message in newest_messages if message.is_active}
    is_cut_off = len(archived) + len(active) >= MAX_TURNS_READ and len(archived) < turn_count
    if not archived or is_cut_off or (active and min(active) < archived[-1]):
        return []
    return [message for message in newest_messages if message.turn in archived[-turn_count:]]


def find_index_of_first_fitting_turn(turn_sizes: Sequence[int], *, budget: int, step: int) -> int:
    """Return the index of the first turn to keep, so that the kept turns fit `budget`.

    The number of dropped tokens is rounded up to a multiple of `step`, so that the index changes rarely.
    """
    total = sum(turn_sizes)
    if total <= budget:
        return 0
    leap = max(1, step)
    skipped = min(total, math.ceil((total - budget) / leap) * leap)
    return bisect_left(list(accumulate(turn_sizes, initial=0)), skipped)
