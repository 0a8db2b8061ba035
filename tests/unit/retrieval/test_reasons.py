"""Tests of the reasons that /why gives for a message, with sixty questions in four languages.

Each reason is compared with the scores that ranked the message, and with the messages themselves. Wrong explanations
show that each check can fail.
"""

import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Self

import numpy as np
import pytest

from benchmarks.locomo import Line, LocomoConversation, read_samples
from benchmarks.recall import SCOPE, open_conversation, recall_snippets
from locales.catalog import LANGUAGES, tr, use_language
from locales.sentences import MIN_SIGNAL, SIGNALS, format_match_reason
from records.context import Snippet
from records.messages import Message
from retrieval.question import Question, contains_name
from settings import Settings
from storage.search.protocol import Floats
from tests.paths import ROOT
from text.analyzer import list_search_terms

DATA = ROOT / "benchmarks/data"
SPOKEN = {"en": "And yesterday?", "es": "¿Y ayer?", "ru": "А вчера?", "zh": "昨天呢？"}
"""The languages of the data, each with a question that only names a time."""
ASKED = 15
"""The number of questions from each file. Every fifth of them is asked again with the user's name added."""
RANKED = frozenset({"words", "meaning", "nearby", "speaker", "time", "opening", "recent"})
"""The signals that rank messages. All other signals concern facts and replies."""
SPEAKERS = {"User": "Xenia", "Assistant": "Quentin"}


class TrigramEmbedder(AbstractAsyncContextManager["TrigramEmbedder"]):
    """A cheap embedder: texts that share letter trigrams are similar."""

    name, dimensions = "shared-letters", 128

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        return None

    async def embed_query(self, text: str) -> Floats:
        made = np.full(self.dimensions, 1e-6, np.float32)
        for place in range(len(text)):
            made[zlib.crc32(text[place : place + 3].casefold().encode()) % self.dimensions] += 1
        return np.asarray(made / np.linalg.norm(made), np.float32)

    async def embed_passages(self, texts: Sequence[str]) -> Floats:
        return np.stack([await self.embed_query(text) for text in texts])


@dataclass(frozen=True, kw_only=True)
class RecallCase:
    """A question, the snippets retrieved for it, and all messages of the conversation.

    `close` has the ids of the messages with a passage that is closer to the question in meaning than the average one.
    """

    question: Question
    snippets: Sequence[Snippet]
    said: Sequence[Message]
    close: frozenset[int]

    def list_messages_of_day(self, message: Message) -> list[Message]:
        return [other for other in self.said if other.created_at.date() == message.created_at.date()]

    def fits(self, message: Message) -> bool:
        return message.id in self.close or shares_words(self, message)


def shares_words(given: RecallCase, message: Message) -> bool:
    return bool({*given.question.terms} & {*list_search_terms(message.content)})


def is_next_to_what_fits(given: RecallCase, message: Message) -> bool:
    return any(abs(case.id - message.id) == 1 and given.fits(case) for case in given.list_messages_of_day(message))


def is_of_the_one_who_is_named(given: RecallCase, message: Message) -> bool:
    named = {
        message
        for message in {message.speaker for message in given.said}
        if contains_name(given.question.text, message)
    }
    return named == {message.speaker}


def is_of_a_time_that_is_named(given: RecallCase, message: Message) -> bool:
    return any(time.start <= message.created_at < time.end for time in given.question.times)


def opens_its_day(given: RecallCase, message: Message) -> bool:
    first, *others = given.list_messages_of_day(message)
    return first.id == message.id and any(map(given.fits, others))


def is_of_the_last_weeks(given: RecallCase, message: Message) -> bool:
    return given.question.now - message.created_at < timedelta(weeks=3)


TRUE: Mapping[str, Callable[[RecallCase, Message], bool]] = {
    "words": shares_words,
    "meaning": lambda given, message: message.id in given.close,
    "nearby": is_next_to_what_fits,
    "speaker": is_of_the_one_who_is_named,
    "time": is_of_a_time_that_is_named,
    "opening": opens_its_day,
    "recent": is_of_the_last_weeks,
}
"""A check for each signal that its reason is true of a message. The checks do not use the scores."""


def find_reason_fault(given: RecallCase, snippet: Snippet, told: str) -> str:
    """Return what is wrong with a reason, or "" if it names the strongest signal and is true."""
    raised = {name: value for name, value in snippet.score.items() if name in SIGNALS and value >= MIN_SIGNAL}
    if not raised:
        return "" if told == tr("why-loosely") else "no signal is strong enough"
    strongest = [name for name, value in raised.items() if value == max(raised.values())]
    said = [name for name in strongest if told == tr(f"why-for-{name}")]
    if not said:
        return f"the strongest is {strongest}"
    return "" if TRUE[said[0]](given, snippet.message) else f"it is not true: {said[0]}"


def rename_speaker(line: Line) -> Line:
    return replace(line, speaker=SPEAKERS[line.speaker])


async def answers(language: str) -> list[RecallCase]:
    [whole] = read_samples(DATA / f"chat-{language}.json")
    sample: LocomoConversation = replace(
        whole, sessions=tuple(tuple(map(rename_speaker, session)) for session in whole.sessions)
    )
    texts = [question.text for question in sample.questions[:ASKED]]
    embedder, given = TrigramEmbedder(), []
    async with open_conversation(sample, Settings(), embedder=embedder) as memory:
        await memory.advance_to("")
        said = await memory.store.read_messages(SCOPE, sorted(memory.ids))
        speakers = await memory.store.list_speakers(SCOPE)
        for number, text in enumerate([SPOKEN[language], *texts, *(f"{text} Xenia?" for text in texts[::5])]):
            # Some are asked the next day: of weeks ago nothing was said lately.
            memory.clock.now = sample.ended_at + timedelta(days=21 if number % 2 else 1)
            _, snippets = await recall_snippets(text, memory)
            question = Question.analyze(text, previous_text="", now=memory.clock.now, speakers=speakers)
            close = await memory.store.vectors.compute_similarities(
                SCOPE, embedder.name, await embedder.embed_query(question.meant), len(said)
            )
            assert close is not None
            above = {said[int(seq) - 1].id for seq in close.seqs[close.cosines > close.mean]}  # seqs count from 1
            given.append(RecallCase(question=question, snippets=snippets, said=said, close=frozenset(above)))
    return given


@pytest.fixture(scope="module")
def get_cases() -> Callable[[str], Awaitable[list[RecallCase]]]:
    """Return a function that gives the cases of a language. Each memory is filled once."""
    made: dict[str, list[RecallCase]] = {}

    async def get(language: str) -> list[RecallCase]:
        if language not in made:
            made[language] = await answers(language)
        return made[language]

    return get


Asked = Callable[[str], Awaitable[list[RecallCase]]]


@pytest.mark.parametrize("language", SPOKEN)
async def test_reason_names_strongest_signal_and_is_true(language: str, get_cases: Asked) -> None:
    given = await get_cases(language)
    assert len(given) >= ASKED
    for case in given:
        assert case.snippets, case.question.text
        for snippet in case.snippets:
            assert find_reason_fault(case, snippet, format_match_reason(snippet.score)) == "", (
                case.question.text,
                snippet,
            )
            # What a message cannot have by chance is there exactly where it is true.
            for name in ("speaker", "time"):
                assert (name in snippet.score) == TRUE[name](case, snippet.message), (case.question.text, snippet)


async def test_every_signal_occurs_as_reason_and_false_reasons_are_detected(get_cases: Asked) -> None:
    seen, refused = set[str](), set[str]()
    for case in [given for language in SPOKEN for given in await get_cases(language)]:
        for snippet in case.snippets:
            told = format_match_reason(snippet.score)
            for name in RANKED:
                if told == tr(f"why-for-{name}"):
                    seen.add(name)
                else:
                    assert find_reason_fault(case, snippet, tr(f"why-for-{name}"))
                # An explanation with a made-up figure: the message itself contradicts it.
                claimed = replace(snippet, score={**snippet.score, name: 100.0})
                if find_reason_fault(case, claimed, format_match_reason(claimed.score)) == f"it is not true: {name}":
                    refused.add(name)
            if told != tr("why-loosely"):
                assert find_reason_fault(case, snippet, tr("why-loosely"))
    assert refused == RANKED
    assert seen == RANKED


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_are_distinct_and_at_most_six_words_long(language: str) -> None:
    with use_language(language):
        reasons = [tr("why-loosely"), *(format_match_reason({name: 1.0}) for name in SIGNALS)]
        assert len(set(reasons)) == len(reasons)
        assert [reason for reason in reasons if len(reason.split()) > 6] == []


def test_fact_reason_has_no_minimum_score() -> None:
    assert format_match_reason({"words": 0.2, "importance": 0.3}, min_score=0) == tr("why-for-words")
    assert format_match_reason({"meaning": -1.0, "assistant": -0.5}) == tr("why-loosely")
