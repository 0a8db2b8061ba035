"""The memory panel of a person with some history: two levels of summaries, a prompt with its explanation."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from playground.panel import (
    ContextAccount,
    ContextCut,
    ContextPart,
    ContextSnippet,
    MemoryPanel,
    OwnerState,
    PanelFact,
    PanelHistoryExtraction,
    PanelMessage,
    PanelProfile,
    PanelSummary,
)

BEGIN = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
CHUNKS, CHUNK_SIZE, ACTIVE = 8, 12, 7
WORDS = ("My sister Mara moved to Porto in March.", "The reading group meets on the first Thursday.")


def sample_panel() -> MemoryPanel:
    """96 archived messages in 8 chunks under 8 L1 (5 of them folded into one L2), and 7 active messages."""
    messages = tuple(_message(number) for number in range(1, CHUNKS * CHUNK_SIZE + ACTIVE + 1))
    level1 = tuple(_level1(chunk) for chunk in range(1, CHUNKS + 1))
    level2 = PanelSummary(
        id=CHUNKS + 1,
        level=2,
        text="Anna settled in Lisbon, found a reading group and will visit her sister Mara in Porto in June.",
        first=level1[0].first,
        last=level1[4].last,
        count=5 * CHUNK_SIZE,
        active=True,
        chunk_ids=(),  # the page follows source_ids
        source_ids=(1, 2, 3, 4, 5),
        created_at=BEGIN + timedelta(hours=13),
        base_id=4,
        policy="rolling",
        reason="threshold",
        score=0.82,
        details={"retention": 0.9, "novelty": 0.75},
        model="summary-model",
        milliseconds=1200,
        tokens_in=900,
        tokens_out=120,
        compressed=2,
    )
    owner = OwnerState(
        enabled=True,
        storage="SQLite",
        every_n=6,
        total=len(messages),
        archived=CHUNKS * CHUNK_SIZE,
        unfolded_turns=4,
    )
    return MemoryPanel(
        owner=owner,
        messages=messages,
        summaries=(*level1, level2),
        summaries_total=CHUNKS + 1,
        facts=(_fact(3, "Anna keeps bees.", pinned=True), _fact(2, "Anna lives in Lisbon."), _former()),
        history_extraction=PanelHistoryExtraction(state="running", read=20, total=1045),
        profiles=(_profile(2, "Anna lives in Lisbon and keeps bees."), _profile(1, "Anna lives in Faro.")),
        context=_account(),
    )


def _fact(number: int, text: str, *, pinned: bool = False) -> PanelFact:
    return PanelFact(
        id=number,
        text=text,
        kind="personal",
        since=BEGIN,
        until=None,
        superseded_by=None,
        pinned=pinned,
        deleted=False,
        origin="",
        importance=0.7,
        source_ids=(number,),
    )


def _former() -> PanelFact:
    return replace(_fact(1, "Anna lives in Faro."), until=BEGIN + timedelta(days=1), superseded_by=2)


def _profile(number: int, text: str) -> PanelProfile:
    return PanelProfile(id=number, text=text, created_at=BEGIN + timedelta(days=number), model="summary-model")


def _message(number: int) -> PanelMessage:
    chunk = (number - 1) // CHUNK_SIZE + 1
    return PanelMessage(
        id=number,
        role="user" if number % 2 else "assistant",
        speaker="Anna" if number % 2 else "Keepsake",
        text=WORDS[number % len(WORDS)],
        created_at=BEGIN + timedelta(minutes=7 * number),
        chunk_id=chunk if chunk <= CHUNKS else None,
    )


def _level1(chunk: int) -> PanelSummary:
    return PanelSummary(
        id=chunk,
        level=1,
        text=f"Part {chunk}: Anna told of her sister Mara in Porto and asked for books about the sea.",
        first=BEGIN + timedelta(minutes=7 * CHUNK_SIZE * (chunk - 1)),
        last=BEGIN + timedelta(minutes=7 * CHUNK_SIZE * chunk),
        count=CHUNK_SIZE,
        active=chunk > 5,
        chunk_ids=(chunk,),
        source_ids=(),
        created_at=BEGIN + timedelta(hours=2 * chunk),
    )


def _account() -> ContextAccount:
    parts = (
        ContextPart(name="System prompt", tokens=214, budget=1500),
        ContextPart(name="Summaries", tokens=612, budget=2000),
        ContextPart(name="Recent turns", tokens=1480, budget=3000),
        ContextPart(name="Snippets", tokens=240, budget=1500),
        ContextPart(name="Your message", tokens=31, budget=None),
    )
    snippet = ContextSnippet(
        message_id=14,
        date=BEGIN + timedelta(minutes=98),
        speaker="Anna",
        text="My sister Mara moved to Porto in March.",
        why="shares “sister” and “Porto” with the question",
    )
    cut = ContextCut(what="Recent turns", first=3, last=9)
    return ContextAccount(
        ceiling=8000, parts=parts, total=sum(part.tokens for part in parts), cut=(cut,), snippets=(snippet,)
    )
