"""What falls with messages that are forgotten or edited: pure sets of ids, no statement.

Owns which summaries, facts and profiles were built on a message, and which summaries answer again once those above
them are gone. Does not know tables, nor why a message goes.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Covering:
    """A summary as far as it matters here: the messages first..last of its thread that it covers, and what of."""

    id: int
    thread: int
    first_id: int
    last_id: int
    chunks: frozenset[int]
    made_of: frozenset[int]
    """The summaries that it was made of, and the version it was based on."""
    is_active: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Fallen:
    """`gone`: summaries built on what goes. `back`: summaries that nothing covers any more, active again."""

    gone: frozenset[int]
    back: frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Learned:
    """A fact as far as it matters here. `made_at`: sortable text."""

    id: int
    sources: frozenset[int]
    made_at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Distilled:
    """A version of the profile: what it had read. `made_at`: sortable text, of the same form as a fact's.
    `base_id`: the version before it; `facts`: None where that is not known.
    """

    id: int
    last_summary_id: int
    made_at: str
    base_id: int | None = None
    facts: frozenset[int] | None = None


def fallen(
    summaries: Sequence[Covering], messages: Mapping[int, Sequence[int]], chunks: Set[int] = frozenset()
) -> Fallen:
    """What falls with `messages` (by thread, ascending ids), which stood in `chunks`.

    A summary falls when it covers one of the messages, or was made of or based on one that falls.
    """
    gone = {one.id for one in summaries if one.chunks & chunks or one.id in chunks or _covers(one, messages)}
    above: dict[int, list[int]] = {}
    for one in summaries:
        for source in one.made_of | one.chunks - {one.id}:
            above.setdefault(source, []).append(one.id)
    waiting = list(gone)
    while waiting:
        for higher in above.get(waiting.pop(), ()):
            if higher not in gone:
                gone.add(higher)
                waiting.append(higher)
    uncovered = {source for one in summaries if one.id in gone for source in one.made_of}
    still_covered = {source for one in summaries if one.id not in gone for source in one.made_of}
    back = {one.id for one in summaries if one.id in uncovered - still_covered - gone and not one.is_active}
    return Fallen(gone=frozenset(gone), back=frozenset(back))


def _covers(one: Covering, messages: Mapping[int, Sequence[int]]) -> bool:
    ids = messages.get(one.thread, ())
    place = bisect_left(ids, one.first_id)
    return place < len(ids) and ids[place] <= one.last_id


def unfounded(facts: Iterable[Learned], messages: Set[int]) -> frozenset[int]:
    """Facts built on a message that goes, also where another message says the same: nobody can tell which words
    of it came from where.
    """
    return frozenset(fact.id for fact in facts if fact.sources & messages)


def outdated(profiles: Sequence[Distilled], *, summaries: Set[int], facts: Collection[Learned]) -> frozenset[int]:
    """Versions of the profile that may hold something of these summaries or facts: made after such a summary, from such
    a fact, or from a version that falls. Where it is not known from what: made after such a fact.
    """
    first_summary = min(summaries, default=None)
    held = {one.id for one in profiles}
    gone: set[int] = set()
    for one in sorted(profiles, key=lambda version: version.id):
        # Of a version that was erased by hand nobody knows any more what it had handed on.
        made_from = one.facts if one.base_id is None or one.base_id in held else None
        if (
            (first_summary is not None and one.last_summary_id >= first_summary)
            or one.base_id in gone
            or any(one.made_at >= fact.made_at and (made_from is None or fact.id in made_from) for fact in facts)
        ):
            gone.add(one.id)
    return frozenset(gone)
