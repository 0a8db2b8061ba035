"""Requests for facts and profiles fit every token limit, whatever their contents, and omit no message."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facts.requests import MAX_TURNS, ExtractionRequest, RequestBuilder
from facts.schemas import FACTS_SCHEMA, NO_FACTS, PROFILE_SCHEMA, TYPES
from llm import prompts
from records.facts import Fact, Profile
from records.messages import Message, Role
from records.reminders import REPEATS
from records.scopes import Scope
from records.summaries import Summary
from tests.support.dense import dense_texts, prompt_limits
from text.tokenizer import Tokenizer

TOKENS = Tokenizer.for_encoding("o200k_base")
SCOPE = Scope(owner=7)
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
WITH_SCHEMA = 1200
"""Lowest token limit that also includes the schema, in tokens."""

said = st.tuples(st.sampled_from(["user", "user", "assistant"]), dense_texts(4096))
turns = st.lists(st.lists(said, min_size=1, max_size=8), min_size=1, max_size=5)
whom = st.sampled_from([prompts.describe_owner(7), prompts.describe_owner(-7)])


def make_turns(turns: Sequence[Sequence[tuple[Role, str]]], speaker: str = "Anna") -> list[list[Message]]:
    """Return turns with high message ids and at least one user message each."""
    made, id_ = [], 987_654_000
    for turn in turns:
        pieces = list(turn) if any(role == "user" for role, _ in turn) else [*turn, ("user", "Yes.")]
        first = id_ + 1
        messages = []
        for role, content in pieces:
            id_ += 1
            messages.append(
                Message(id=id_, scope=SCOPE, role=role, content=content, created_at=NOW, turn=first, speaker=speaker)
            )
        made.append(messages)
    return made


def make_facts(contents: Sequence[str]) -> list[Fact]:
    return [
        Fact(
            id=100_000 + number,
            owner=7,
            text=text[:300],
            kind="personal",
            subject=text[:60],
            source_ids=(),
            observed_at=NOW,
            valid_from=NOW,
            created_at=NOW,
        )
        for number, text in enumerate(contents)
    ]


def make_summaries(contents: Sequence[str]) -> list[Summary]:
    return [
        Summary(
            id=number,
            scope=SCOPE,
            level=1,
            text=text,
            created_at=NOW,
            source_chunk_ids=(number,),
            source_ids=(),
            is_active=True,
            first_id=number,
            last_id=number,
            first_at=NOW,
            last_at=NOW + timedelta(days=2),
            message_count=40,
        )
        for number, text in enumerate(contents)
    ]


def make_all_requests(
    requests: RequestBuilder, turns: Sequence[Sequence[Message]], known: Sequence[Fact], who: str
) -> list[ExtractionRequest]:
    """Return the requests that read all turns, made one after another as in learning.py."""
    made = []
    waiting = [list(turn) for turn in turns]
    while waiting:
        request = requests.make_extraction_request(waiting, known, owner_description=who, zone=UTC)
        made.append(request)
        assert request.messages, "each request reads on"
        rest = [[message for message in turn if message.id > request.until] for turn in waiting]
        waiting = [turn for turn in rest if any(message.role == "user" for message in turn)]
        assert request.is_all == (not waiting)
    return made


@given(
    prompt_limits,
    turns,
    st.lists(dense_texts(400), max_size=6),
    whom,
    st.text(max_size=80) | dense_texts(80),
    dense_texts(6000),
)
def test_extraction_and_repair_requests_fit_token_limit(
    max_prompt_tokens: int,
    said: Sequence[Sequence[tuple[Role, str]]],
    known: Sequence[str],
    who: str,
    speaker: str,
    answer: str,
) -> None:
    requests = RequestBuilder(TOKENS, lambda: max_prompt_tokens)
    schema = TOKENS.count(str(FACTS_SCHEMA)) if max_prompt_tokens >= WITH_SCHEMA else 0
    waiting = make_turns(said, speaker)
    made = make_all_requests(requests, waiting, make_facts(known), who)
    for request in made:
        assert TOKENS.count_request_tokens(request.request) + schema <= max_prompt_tokens
        assert TOKENS.count_request_tokens(requests.make_repair_request(request, answer)) + schema <= max_prompt_tokens
    wanted = [message.id for turn in waiting for message in turn if message.role == "user"]
    assert [message.id for request in made for message in request.messages] == wanted


@pytest.mark.parametrize("max_prompt_tokens", [500, 1000, 2000, 8000])
def test_large_paste_is_split_across_requests(max_prompt_tokens: int) -> None:
    words = "Xq7 vR2 kp9 Lw4 zT1 "
    pieces: list[tuple[Role, str]] = [("user", f"Piece {number}. {words * 200}") for number in range(8)]
    made = make_all_requests(
        RequestBuilder(TOKENS, lambda: max_prompt_tokens),
        make_turns([[*pieces, ("assistant", "Noted.")]]),
        [],
        "the user",
    )
    seen = "".join(request.request[1].content for request in made)
    assert all(f": Piece {number}." in seen for number in range(8))
    assert 1 < len(made) <= 8


def test_assistant_answer_is_not_sent() -> None:
    (request,) = make_all_requests(
        RequestBuilder(TOKENS, lambda: 8000),
        make_turns([[("user", "What now?"), ("assistant", "It is noted.")]]),
        [],
        "the user",
    )
    assert "It is noted." not in request.request[1].content


def test_request_shows_only_known_facts_sharing_terms_with_user_messages() -> None:
    """A small model once repeated the known facts and found none in the messages."""
    turns = make_turns([[("user", "My rent, called warm, is 980 euros."), ("assistant", "No hazelnuts, then.")]])
    known = make_facts(["Anna is allergic to hazelnuts.", "Anna's rent is 940 euros.", "Anna's cat is called Biscuit."])
    request = RequestBuilder(TOKENS, lambda: 8000).make_extraction_request(
        turns, known, owner_description="the user", zone=UTC
    )
    assert [fact.text for fact in request.shown] == ["Anna's rent is 940 euros."]
    assert "hazelnuts" not in request.request[1].content


def test_request_leaves_out_code_and_block_quotes_that_are_not_own_words() -> None:
    """A strong model that learned from them had its facts refused, and was then taken for a weak one."""
    said = ["On Monday Tom wrote:\n> I have two cats\nHow do I answer?", "> I live in Rome"]
    turns = make_turns([[("user", text)] for text in said])
    made = RequestBuilder(TOKENS, lambda: 8000).make_extraction_request(
        turns, [], owner_description="the user", zone=UTC
    )
    shown = made.request[1].content
    assert "How do I answer?" in shown
    assert "two cats" not in shown
    assert "Rome" not in shown
    assert [message.content for message in made.messages] == said  # compared with the store when facts are stored


def test_small_turns_share_a_request() -> None:
    turns: list[list[tuple[Role, str]]] = [
        [("user", f"Point {number}."), ("assistant", "Noted.")] for number in range(30)
    ]
    made = make_all_requests(RequestBuilder(TOKENS, lambda: 8000), make_turns(turns), [], "the user")
    assert [len(request.messages) for request in made] == [MAX_TURNS, 30 - MAX_TURNS]
    few = RequestBuilder(TOKENS, lambda: 8000).make_extraction_request(
        make_turns(turns), [], owner_description="the user", zone=UTC, max_turns=4
    )
    assert (len(few.messages), len(few.turns), few.is_all) == (4, 4, False)


@pytest.mark.parametrize("max_prompt_tokens", [500, 700, 1000])
def test_short_message_is_not_cut_at_smallest_token_limits(max_prompt_tokens: int) -> None:
    words = "I moved to Oslo in May and work at the harbour."
    (request,) = make_all_requests(
        RequestBuilder(TOKENS, lambda: max_prompt_tokens), make_turns([[("user", words)]]), [], "the user"
    )
    assert words in request.request[1].content


@given(
    prompt_limits,
    dense_texts(8000),
    st.lists(dense_texts(3000), max_size=8),
    st.lists(dense_texts(400), max_size=8),
    whom,
)
def test_profile_request_fits_token_limit(
    max_prompt_tokens: int, before: str, told: Sequence[str], known: Sequence[str], who: str
) -> None:
    version = Profile(id=1, owner=7, text=before, created_at=NOW)
    asked = RequestBuilder(TOKENS, lambda: max_prompt_tokens).make_profile_request(
        version, make_summaries(told), make_facts(known), owner_description=who, now=NOW
    )
    assert "Today is 2026-11-21." in asked.request[0].content
    assert TOKENS.count_request_tokens(asked.request) + TOKENS.count(str(PROFILE_SCHEMA)) <= max_prompt_tokens


def test_schema_enums_match_supported_values() -> None:
    properties = prompts.FACT_PROPERTIES
    assert isinstance(properties["type"], dict)
    assert properties["type"]["enum"] == [*TYPES, *NO_FACTS]
    assert prompts.TOOLS["remind"]["properties"]["repeat"]["enum"] == [*REPEATS]
