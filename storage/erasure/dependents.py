"""Dependents of forgotten or edited messages: summaries, facts and profiles. Pure functions on ids."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class SummarySources:
    """The sources of a summary: the messages first_id..last_id of its thread, its chunks and the summaries below."""

    id: int
    thread: int
    first_id: int
    last_id: int
    chunks: frozenset[int]
    made_of: frozenset[int]
    """The summaries that it was made from, and the version that it was based on."""
    is_active: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryCascade:
    """The summaries to delete (`gone`). The `reactivated` ones become active: no summary covers them any more."""

    gone: frozenset[int]
    reactivated: frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class FactSources:
    """The messages that a fact was learned from. `made_at` is sortable text."""

    id: int
    sources: frozenset[int]
    made_at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileSources:
    """The sources of a profile version. `made_at` is sortable text, as in `FactSources`.

    `base_id` is the version that this one was made from. `facts` is None if the facts it was made from are unknown.
    """

    id: int
    last_summary_id: int
    made_at: str
    base_id: int | None = None
    facts: frozenset[int] | None = None


def find_summary_cascade(
    summaries: Sequence[SummarySources], messages: Mapping[int, Sequence[int]], chunks: Set[int] = frozenset()
) -> SummaryCascade:
    """Find the summaries to delete with these messages (ascending ids by thread) and their chunks.

    A summary is deleted if it covers one of the messages or was made from a deleted summary.
    """
    gone = {
        summary.id
        for summary in summaries
        if summary.chunks & chunks or summary.id in chunks or _covers_any(summary, messages)
    }
    above: dict[int, list[int]] = {}
    for summary in summaries:
        for source in summary.made_of | summary.chunks - {summary.id}:
            above.setdefault(source, []).append(summary.id)
    waiting = list(gone)
    while waiting:
        for higher in above.get(waiting.pop(), ()):
            if higher not in gone:
                gone.add(higher)
                waiting.append(higher)
    uncovered = {source for summary in summaries if summary.id in gone for source in summary.made_of}
    still_covered = {source for summary in summaries if summary.id not in gone for source in summary.made_of}
    back = {
        summary.id for summary in summaries if summary.id in uncovered - still_covered - gone and not summary.is_active
    }
    return SummaryCascade(gone=frozenset(gone), reactivated=frozenset(back))


def _covers_any(summary: SummarySources, messages: Mapping[int, Sequence[int]]) -> bool:
    ids = messages.get(summary.thread, ())
    first = bisect_left(ids, summary.first_id)
    return first < len(ids) and ids[first] <= summary.last_id


def find_facts_built_on(facts: Iterable[FactSources], messages: Set[int]) -> frozenset[int]:
    """Return the facts with a source among these messages.

    They are deleted even if another message says the same: it is unknown which words came from which message.
    """
    return frozenset(fact.id for fact in facts if fact.sources & messages)


def find_outdated_profiles(
    profiles: Sequence[ProfileSources], *, summaries: Set[int], facts: Collection[FactSources]
) -> frozenset[int]:
    """Return the profile versions that may repeat these summaries or facts.

    A version is outdated if it was made after such a summary, from such a fact, or from an outdated version.
    """
    first_summary = min(summaries, default=None)
    held = {profile.id for profile in profiles}
    gone: set[int] = set()
    for profile in sorted(profiles, key=lambda version: version.id):
        # What a version that was erased by hand had passed on is no longer known.
        made_from = profile.facts if profile.base_id is None or profile.base_id in held else None
        if (
            (first_summary is not None and profile.last_summary_id >= first_summary)
            or profile.base_id in gone
            or any(profile.made_at >= fact.made_at and (made_from is None or fact.id in made_from) for fact in facts)
        ):
            gone.add(profile.id)
    return frozenset(gone)
