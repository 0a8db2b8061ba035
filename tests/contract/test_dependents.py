"""What falls with a forgotten message: every summary above it, never one beside it; what is left answers again."""

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


def leaf(number: int, first: int, last: int, *, is_active: bool = True) -> Summary:
    summary = standing_summary(number, 1)
    return replace(summary, first_id=first, last_id=last, source_chunk_ids=(number,), is_active=is_active)


def above(number: int, below: list[Summary], *, is_active: bool = True) -> Summary:
    return replace(
        standing_summary(number, 2),
        first_id=min(summary.first_id for summary in below),
        last_id=max(summary.last_id for summary in below),
        source_chunk_ids=tuple(chunk for summary in below for chunk in summary.source_chunk_ids),
        source_ids=tuple(summary.id for summary in below),
        is_active=is_active,
    )


def test_all_above_a_message_fall_and_their_other_sources_are_active_again() -> None:
    low = [leaf(number, number * 10, number * 10 + 9, is_active=False) for number in range(1, 7)]
    middle = [above(7, low[:3], is_active=False), above(8, low[3:], is_active=False)]
    top = above(9, middle)
    found = find_affected_summaries([*low, *middle, top], {0: [25]}, frozenset({2}))
    assert found.gone == {2, 7, 9}
    assert found.reactivated == {1, 3, 8}


def test_another_thread_with_the_same_ids_is_left_alone() -> None:
    assert find_affected_summaries([leaf(1, 1, 9)], {5: [4]}).gone == frozenset()


def test_a_version_falls_with_the_one_it_was_based_on_and_its_predecessor_answers_again() -> None:
    first = leaf(1, 1, 10, is_active=False)
    second = replace(leaf(2, 1, 20, is_active=False), source_chunk_ids=(1, 2), base_id=1)
    third = replace(leaf(3, 1, 30), source_chunk_ids=(1, 2, 3), base_id=2)
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
def test_what_stays_is_covered_once_and_by_nothing_that_fell(data: st.DataObject, leaves: int) -> None:
    found = [leaf(number, number * 10, number * 10 + 9) for number in range(1, leaves + 1)]
    active = list(found)
    while len(active) > 1 and data.draw(st.booleans()):
        start = data.draw(st.integers(0, len(active) - 2))
        group = active[start : data.draw(st.integers(start + 2, len(active)))]
        made = above(100 + len(found), group)
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


def test_a_profile_goes_with_what_it_had_read() -> None:
    fact = DatedFact(id=2, made_at="2026-01-02")
    profiles = [
        ProfileSources(id=1, last_summary_id=5, made_at="2026-01-01"),
        ProfileSources(id=2, last_summary_id=9, made_at="2026-01-05"),
    ]
    assert find_outdated_profile_ids(profiles, summary_ids={9}, facts=[]) == {2}
    assert find_outdated_profile_ids(profiles, summary_ids=set(), facts=[fact]) == {2}
    assert find_outdated_profile_ids(profiles, summary_ids={5}, facts=[]) == {1, 2}
    assert find_outdated_profile_ids(profiles, summary_ids={10}, facts=[]) == frozenset()


def version(id_: int, base: int | None, *facts: int, is_known: bool = True) -> ProfileSources:
    made_from = frozenset(facts) if is_known else None
    return ProfileSources(id=id_, last_summary_id=0, made_at=f"2026-01-{id_:02}", base_id=base, facts=made_from)


def test_a_profile_goes_with_the_facts_it_was_made_from_and_with_the_version_that_it_read() -> None:
    fact = [DatedFact(id=1, made_at="2026-01-02")]

    def gone(*versions: ProfileSources) -> frozenset[int]:
        return find_outdated_profile_ids(versions, summary_ids=set(), facts=fact)

    assert gone(version(2, None, 1), version(3, None, 2), version(4, 2), version(5, 3, 2), version(6, 4)) == {2, 4, 6}
    assert gone(version(1, None, 1), version(3, 1, 2)) == frozenset(), "made before that"
    assert gone(version(1, None, is_known=False), version(3, 1, is_known=False), version(4, 3, 2)) == {3, 4}
    assert gone(version(4, 3, 2), version(5, 4, 2), version(6, None, 2)) == {4, 5}, "nobody knows what 3 was made from"
