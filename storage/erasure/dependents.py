"""Pure functions that find the summaries and profiles built on forgotten messages and facts."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass

from records.summaries import Summary


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryCascade:
    """The ids of summaries to delete (`gone`), and of those that become active again (`reactivated`)."""

    gone: frozenset[int]
    reactivated: frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class DatedFact:
    """The id of a fact, and the time when the fact was made or edited, as a sortable string."""

    id: int
    made_at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileSources:
    """The sources of a profile version. `base_id` is the version before it. `facts` is None if they are unknown."""

    id: int
    last_summary_id: int
    made_at: str
    base_id: int | None = None
    facts: frozenset[int] | None = None


def find_affected_summaries(
    summaries: Sequence[Summary], ids_by_thread: Mapping[int, Sequence[int]], chunk_ids: Set[int] = frozenset()
) -> SummaryCascade:
    """Find the summaries to delete or to reactivate when the given messages and chunks are deleted."""
    gone = {
        summary.id
        for summary in summaries
        if not chunk_ids.isdisjoint((summary.id, *summary.source_chunk_ids))
        or _covers_any_message(summary, ids_by_thread)
    }
    above: dict[int, list[int]] = {}
    for summary in summaries:
        for source in summary.based_on_ids | {*summary.source_chunk_ids} - {summary.id}:
            above.setdefault(source, []).append(summary.id)
    waiting = list(gone)
    while waiting:
        for higher in above.get(waiting.pop(), ()):
            if higher not in gone:
                gone.add(higher)
                waiting.append(higher)
    uncovered = {source for summary in summaries if summary.id in gone for source in summary.based_on_ids}
    still_covered = {source for summary in summaries if summary.id not in gone for source in summary.based_on_ids}
    restorable = uncovered - still_covered - gone
    back = {summary.id for summary in summaries if summary.id in restorable and not summary.is_active}
    return SummaryCascade(gone=frozenset(gone), reactivated=frozenset(back))


def _covers_any_message(summary: Summary, ids_by_thread: Mapping[int, Sequence[int]]) -> bool:
    ids = ids_by_thread.get(summary.scope.thread, ())
    first = bisect_left(ids, summary.first_id)
    return first < len(ids) and ids[first] <= summary.last_id


def find_outdated_profile_ids(
    profiles: Sequence[ProfileSources], *, summary_ids: Set[int], facts: Collection[DatedFact]
) -> frozenset[int]:
    """Return the ids of profiles that may repeat these summaries or facts, and of later versions based on them."""
    first_summary = min(summary_ids, default=None)
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
