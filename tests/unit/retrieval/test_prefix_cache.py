"""The summary version and the start of the verbatim part stay stable, so that prompt prefixes are cached."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm import prompts
from records.owners import Policy
from records.summaries import Summary
from retrieval.prefix_cache import BLOCKS, find_oldest_version_ending_in_block, select_messages_to_show_after_summary
from retrieval.prompt_builder import PromptBuilder
from tests.unit.retrieval.test_prompt_builder import (
    FULL,
    NOW,
    TOKENS,
    make_incoming,
    make_profile,
    make_summary,
    make_turns,
)

LARGE, SMALL = BLOCKS[0], BLOCKS[-1]


def make_version_chain(ends: list[int], policy: Policy = "sliding") -> dict[int, Summary]:
    """Return summaries by id that end at these message ids, each based on the previous one."""
    made = [replace(make_summary(number, 1, end, "x"), policy=policy) for number, end in enumerate(ends, start=1)]
    return {
        summary.id: replace(summary, base_id=summary.id - 1 or None, source_ids=tuple(range(1, summary.id))[-1:])
        for summary in made
    }


def list_ends_of_shown_versions(versions: dict[int, Summary], block: int = LARGE) -> list[int]:
    """Return the last message id of the version that is shown after each fold."""
    return [find_oldest_version_ending_in_block(version, versions, block).last_id for version in versions.values()]


def test_summary_version_is_kept_for_one_block() -> None:
    ends = list(range(32, 68, 2))
    assert list_ends_of_shown_versions(make_version_chain(ends)) == [*[32] * 8, *[48] * 10]
    assert list_ends_of_shown_versions(make_version_chain(ends), SMALL) == [
        *[32] * 4,
        *[40] * 4,
        *[48] * 4,
        *[56] * 4,
        *[64] * 2,
    ]
    assert list_ends_of_shown_versions(make_version_chain([34, 42, 50, 58, 66], "rolling")) == [34, 34, 50, 50, 50]


def test_first_summary_version_is_kept_for_one_block() -> None:
    ends = list(range(6, 34, 2))
    assert list_ends_of_shown_versions(make_version_chain(ends)) == [*[6] * 9, *[24] * 5]


def test_does_not_return_to_missing_version_or_other_policy() -> None:
    versions = make_version_chain([32, 34, 36])
    assert (
        find_oldest_version_ending_in_block(
            versions[3], {**versions, 1: replace(versions[1], policy="pyramid")}, LARGE
        ).id
        == 2
    )
    del versions[2]
    assert find_oldest_version_ending_in_block(versions[3], versions, LARGE).id == 3


def test_keeps_rolling_version_that_covers_more_than_base() -> None:
    versions = make_version_chain([34, 42], "rolling")
    imported = replace(make_summary(9, -40, -1, "x"), policy="pyramid", is_active=False)
    merged = replace(versions[2], source_ids=(9, 1), first_id=-40)
    assert find_oldest_version_ending_in_block(merged, {**versions, 9: imported}, LARGE) == merged
    longer = replace(versions[2], first_id=-40)
    assert find_oldest_version_ending_in_block(longer, versions, LARGE) == longer


def test_cyclic_base_ids_do_not_loop_forever() -> None:
    versions = make_version_chain([40, 40, 40])
    versions[1] = replace(versions[1], base_id=3)
    assert find_oldest_version_ending_in_block(versions[3], versions, LARGE) == versions[1]
    alone = replace(versions[1], base_id=1)
    assert find_oldest_version_ending_in_block(alone, {1: alone}, LARGE) == alone


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60))
def test_shown_version_never_moves_back_and_lags_less_than_one_block(steps: list[int]) -> None:
    ends = [sum(steps[: number + 1]) for number in range(len(steps))]
    for block in BLOCKS:
        found = list_ends_of_shown_versions(make_version_chain(ends), block)
        assert found == sorted(found)
        assert all(0 <= end - old < block for end, old in zip(ends, found, strict=True))


def test_shows_all_messages_after_summary_version() -> None:
    said = make_turns([(f"q{number}", f"a{number}") for number in range(1, 11)])
    version = make_version_chain([12])[1]
    assert [message.id for message in select_messages_to_show_after_summary(version, said, 4) or ()] == list(
        range(5, 21)
    ), "with the turns it ends with"
    rolling = replace(version, policy="rolling")
    assert [message.id for message in select_messages_to_show_after_summary(rolling, said, 4) or ()] == list(
        range(13, 21)
    )
    assert select_messages_to_show_after_summary(version, said[12:], 4) is None, "there may be a hole"


@pytest.mark.parametrize("archived_turns", [1, 3, 4])
def test_archived_turns_are_shown_all_or_not_at_all_and_take_no_room_from_snippets(archived_turns: int) -> None:
    frame = TOKENS.count(prompts.format_remembered_snippets([], NOW)) + 2
    active = make_turns([("And now?", "Now it rests.")], first=9)
    were_shown = []
    for length in range(10, 400, 10):
        archived = make_turns([("What about the boat?", "The boat sails. " * length)] * archived_turns, chunk=1)
        builder = PromptBuilder(
            tokenizer=TOKENS,
            budgets=FULL.scale_to_fit(3000),
            incoming=make_incoming("Where is it?"),
            system_prompt="Be brief and kind. " * 200,
            now=NOW,
        )
        builder.add_last_turns(active)
        builder.add_profile(make_profile("Anna sails. " * 90))
        builder.add_summaries([make_summary(1, 1, 8, "They talked about boats. " * 140)])
        room = builder.remaining_snippet_tokens
        builder.add_archived_turns(archived)
        shown = builder.message_ids_in_prompt - {message.id for message in active}
        assert shown in (set(), {message.id for message in archived})
        assert not shown or builder.remaining_snippet_tokens >= room - frame
        were_shown.append(bool(shown))
    assert were_shown == sorted(were_shown, reverse=True), "shorter turns are shown, longer ones are not"
    assert set(were_shown) == {True, False}
