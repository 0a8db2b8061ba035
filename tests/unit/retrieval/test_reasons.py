"""The reason that /why gives for a message, against the figures that ranked it: sixty questions, four languages."""

from dataclasses import replace

import pytest

from benchmarks.locomo import read
from benchmarks.recall import SCOPE, embedding, remembered
from locales.catalog import LANGUAGES, speaking, tr
from locales.told import LEAST, SIGNALS, reason
from settings import Settings
from tests.paths import ROOT
from text.analyzer import analyse

DATA = ROOT / "benchmarks/data"
ASKED = 15
"""Questions of each file."""
REMEMBERED = 3
"""Its sessions that are remembered: a reason is true of a few hundred messages as of all, and embedding takes time."""


@pytest.mark.parametrize("language", ["en", "es", "ru", "zh"])
async def test_a_reason_is_the_strongest_signal_and_true(language: str) -> None:
    [whole] = read(DATA / f"chat-{language}.json")
    sample = replace(whole, sessions=whole.sessions[:REMEMBERED])
    settings = Settings()
    async with embedding(settings, None) as embedder, remembered(sample, settings, embedder=embedder) as memory:
        await memory.until("")
        for question in sample.questions[:ASKED]:
            recall = await memory.services.retrieval.recall(question.text, store=memory.store, scope=SCOPE)
            assert recall.snippets, question.text
            for snippet in recall.snippets:
                raised = {name: value for name, value in snippet.score.items() if name in SIGNALS and value >= LEAST}
                told = reason(snippet.score)
                if not raised:
                    assert told == tr("why-loosely")
                    continue
                name = next(one for one in raised if told == tr(f"why-for-{one.replace(' ', '-')}"))
                assert raised[name] == max(raised.values())
                if name == "words":
                    assert {*analyse(question.text)} & {*analyse(snippet.message.content)}, snippet.message.content


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reason_has_at_most_six_words(language: str) -> None:
    with speaking(language):
        reasons = [tr("why-loosely"), *(reason({name: 1.0}) for name in SIGNALS)]
        assert len(set(reasons)) == len(reasons)
        assert [one for one in reasons if len(one.split()) > 6] == []


def test_a_fact_is_there_for_a_reason_however_weak() -> None:
    assert reason({"words": 0.2, "importance": 0.3}, least=0) == tr("why-for-words")
    assert reason({"meaning": -1.0, "assistant": -0.5}) == tr("why-loosely")
