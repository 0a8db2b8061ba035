"""Headings are no source for what was said, and nobody gets what was said of somebody else."""

import pytest

from summaries import quality_gate
from summaries.quality_score import Source
from summaries.sources import is_misattributed, spoken, without_opening_dates


def source(*words: str, day: str = "2026-11-22", clock: str = "09:12", name: str = "Anna") -> list[Source]:
    return [Source(text=f"[{day} {clock}] {name}: {text}") for text in words]


def invented(text: str, *words: str) -> list[str]:
    sources = source(*words)
    own = without_opening_dates(text, sources)
    return quality_gate.objections(own, spoken(sources), tokens=0, source_tokens=0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The exam is on 12 February.", "My exam is in February."),
        ("Her mother turns 70 on 22 November.", "My mother turns 70 soon."),
        ("She gets up at 9.", "I get up early."),
    ],
)
def test_clock_times_and_dates_of_headings_are_no_source(text: str, words: str) -> None:
    assert invented(text, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("On 22 November 2026 Anna bought a boat.", "I bought a boat."),
        ("On 2026-11-22 Anna bought a boat.", "I bought a boat."),
        ("22 ноября 2026 Анна купила лодку.", "Я купила лодку."),
        ("Anna bought a boat on 21 November 2026.", "Yesterday I bought a boat."),
        ("Anna flies on 27 November.", "I fly on Friday."),
        ("The exam is on 12 February 2027.", "My exam is on 12 February."),
    ],
)
def test_when_it_was_said_and_what_follows_from_it_may_be_told(text: str, words: str) -> None:
    assert not invented(text, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Tom lives in Porto.", "My sister Mara lives in Porto and my brother Tom in Lisbon."),
        ("Mara lives in Lisbon.", "My sister Mara lives in Porto and my brother Tom in Lisbon."),
        (
            "Boris is allergic to Penicillin.",
            "My friend Olga is allergic to Penicillin, and my friend Boris hates cats.",
        ),
        ("Anna lives in Porto.", "My sister Mara lives in Porto."),
    ],
)
def test_what_was_said_of_another_is_caught(text: str, words: str) -> None:
    assert is_misattributed(text, [*source("It rains here."), *source(words)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Mara lives in Porto, Tom in Lisbon.", "My sister Mara lives in Porto and my brother Tom in Lisbon."),
        ("Anna visited Oslo.", "Anna and Boris visited Oslo."),
        ("Anna visits Porto every May.", "My sister Mara lives in Porto. I visit her there each May."),
        ("Anna moved to Oslo.", "My friend Boris recommended Oslo. Now I live there."),
        ("Yesterday they met in Oslo.", "Yesterday was fine. My friend Boris met Olga in Oslo."),
        ("The user lives in Porto.", "I live in Porto."),
    ],
)
def test_what_may_be_right_passes(text: str, words: str) -> None:
    assert not is_misattributed(text, [*source("It rains here."), *source(words)])
