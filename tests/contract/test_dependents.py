"""Forgetting a message removes every summary above it. Remaining sources become active again."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from records.summaries import Summary
from storage.erasure.dependents import (
    DatedFact,
    ProfileSources,
    SummaryCascade,
    find_affected_summaries,
    find_outdated_profile_ids,
)
from tests.support.summaries import standing_summary


def make_leaf(number: int, first: int, last: int, *, is_active: bool = True) -> Summary:
    summary = standing_summary(number, 1)
    return replace(summary, first_id=first, last_id=last, source_chunk_ids=(number,), is_active=is_active)


def make_summary_above(number: int, below: list[Summary], *, is_active: bool = True) -> Summary:
    return replace(
        standing_summary(number, 2),
        first_id=min(summary.first_id for summary in below),
        last_id=max(summary.last_id for summary in below),
        source_chunk_ids=tuple(chunk for summary in below for chunk in summary.source_chunk_ids),
        source_ids=tuple(summary.id for summary in below),
        is_active=is_active,
    )


def test_removes_summaries_above_message_and_reactivates_other_sources() -> None:
    low = [make_leaf(number, number * 10, number * 10 + 9, is_active=False) for number in range(1, 7)]
    middle = [make_summary_above(7, low[:3], is_active=False), make_summary_above(8, low[3:], is_active=False)]
    top = make_summary_above(9, middle)
    found = find_affected_summaries([*low, *middle, top], {0: [25]}, frozenset({2}))
    assert found.gone == {2, 7, 9}
    assert found.reactivated == {1, 3, 8}


def test_other_thread_with_same_ids_is_unaffected() -> None:
    assert find_affected_summaries([make_leaf(1, 1, 9)], {5: [4]}).gone == frozenset()


def test_removes_versions_of_removed_base_and_reactivates_predecessor() -> None:
    first = make_leaf(1, 1, 10, is_active=False)
    second = replace(make_leaf(2, 1, 20, is_active=False), source_chunk_ids=(1, 2), base_id=1)
    third = replace(make_leaf(3, 1, 30), source_chunk_ids=(1, 2, 3), base_id=2)
    chain = [first, second, third]
    assert find_affected_summaries(chain, {0: [25]}, frozenset({3})) == find_affected_summaries(
        chain, {}, frozenset({3})
    )
    assert find_affected_summaries(chain, {}, frozenset({3})) == SummaryCascade(
        gone=frozenset({3}), reactivated=frozenset({2})
    )
    assert find_affected_summaries(chain, {}, frozenset({2})) == SummaryCascade(
        gone=frozenset({2, 3}), reactivated=frozenset({1})
    )
    assert find_affected_summaries(chain, {}, frozenset({1})).gone == {1, 2, 3}


@given(st.data(), st.integers(1, 12))
def test_remaining_chunks_are_covered_exactly_once(data: st.DataObject, leaves: int) -> None:
    found = [make_leaf(number, number * 10, number * 10 + 9) for number in range(1, leaves + 1)]
    active = list(found)
    while len(active) > 1 and data.draw(st.booleans()):
        start = data.draw(st.integers(0, len(active) - 2))
        group = active[start : data.draw(st.integers(start + 2, len(active)))]
        made = make_summary_above(100 + len(found), group)
        found = [replace(summary, is_active=False) if summary in group else summary for summary in found] + [made]
        active = [summary for summary in active if summary not in group]
        active.insert(start, made)
    forgotten = data.draw(st.sets(st.integers(10, leaves * 10 + 9), max_size=6))
    result = find_affected_summaries(found, {0: sorted(forgotten)}, frozenset(id_ // 10 for id_ in forgotten))
    stays = {summary.id: summary for summary in found if summary.id not in result.gone}
    now_active = {stay.id for stay in stays.values() if stay.is_active} | result.reactivated
    for stay in stays.values():
        assert not any(stay.first_id <= message <= stay.last_id for message in forgotten)
        assert stay.based_on_ids <= stays.keys()
    covers = [chunk for number in now_active for chunk in stays[number].source_chunk_ids]
    assert sorted(covers) == sorted(stay for stay in stays if stay <= leaves)


def test_profile_is_outdated_by_removed_summaries_and_facts() -> None:
    fact = DatedFact(id=2, made_at="2026-01-02")
    profiles = [
        ProfileSources(id=1, last_summary_id=5, made_at="2026-01-01"),
        ProfileSources(id=2, last_summary_id=9, made_at="2026-01-05"),
    ]
    assert find_outdated_profile_ids(profiles, summary_ids={9}, facts=[]) == {2}
    assert find_outdated_profile_ids(profiles, summary_ids=set(), facts=[fact]) == {2}
    assert find_outdated_profile_ids(profiles, summary_ids={5}, facts=[]) == {1, 2}
    assert find_outdated_profile_ids(profiles, summary_ids={10}, facts=[]) == frozenset()


def make_profile_version(id_: int, base: int | None, *facts: int, is_known: bool = True) -> ProfileSources:
    made_from = frozenset(facts) if is_known else None
    return ProfileSources(id=id_, last_summary_id=0, made_at=f"2026-01-{id_:02}", base_id=base, facts=made_from)


def test_profile_is_outdated_by_removed_source_facts_and_base_version() -> None:
    fact = [DatedFact(id=1, made_at="2026-01-02")]

    def gone(*versions: ProfileSources) -> frozenset[int]:
        return find_outdated_profile_ids(versions, summary_ids=set(), facts=fact)

    assert gone(
        make_profile_version(2, None, 1),
        make_profile_version(3, None, 2),
        make_profile_version(4, 2),
        make_profile_version(5, 3, 2),
        make_profile_version(6, 4),
    ) == {2, 4, 6}
    assert gone(make_profile_version(1, None, 1), make_profile_version(3, 1, 2)) == frozenset(), "made before that"
    assert gone(
        make_profile_version(1, None, is_known=False),
        make_profile_version(3, 1, is_known=False),
        make_profile_version(4, 3, 2),
    ) == {3, 4}
    assert gone(make_profile_version(4, 3, 2), make_profile_version(5, 4, 2), make_profile_version(6, None, 2)) == {
        4,
        5,
    }, "nobody knows what 3 was made from"
