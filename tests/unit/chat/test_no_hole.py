"""A message that is cut from the prompt is found by its rarest word in the same turn, at least in part.

This holds for every storage, token limit, snippet budget and kind of text.
"""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from records.context import Context
from records.messages import Message
from records.scopes import Scope
from tests.support.storages import FILE_STORAGES
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)
LETTERS = "abcdefgh"
COMMON = ["garden", "river", "stone", "bread", "window", "morning", "letter", "music", "bridge", "winter", "paper"]
HAN = "山水田人口手日月木火土金石竹米"


def sentences(chance: random.Random) -> str:
    return " ".join(" ".join(chance.choices(COMMON, k=9)).capitalize() + "." for _ in range(chance.randrange(30)))


def words(chance: random.Random) -> str:
    return " ".join(f"{chance.choice(COMMON)}{chance.randrange(100)}" for _ in range(chance.randrange(120)))


def unspaced(chance: random.Random) -> str:
    return "".join(chance.choices(HAN, k=chance.randrange(200)))


def says(context: Context, word: str) -> bool:
    """Return True if the word is in the prompt apart from the question."""
    *before, last = (message.content for message in context.messages)
    return any(word in text for text in before) or last.count(word) > 1


def is_cut(context: Context, message: Message) -> bool:
    told = [(gap.first_id, gap.last_id) for gap in context.cut]
    told += [(summary.first_id, summary.last_id) for summary in context.summaries]
    return any(first <= message.id <= last for first, last in told)


async def everything(talk: ChatHarness) -> Sequence[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.timeline.read_page(SCOPE, limit=10_000)


@pytest.mark.parametrize("filler", [sentences, words, unspaced])
@pytest.mark.parametrize(("max_prompt_tokens", "snippets"), [(600, 1500), (1000, 300), (8000, 60)])
async def test_message_cut_from_prompt_is_found_by_its_rarest_word(
    tmp_path: Path, filler: Callable[[random.Random], str], max_prompt_tokens: int, snippets: int
) -> None:
    chance = random.Random(f"{filler(random.Random(1))} {max_prompt_tokens} {snippets}")  # noqa: S311 - repeatable, not secret
    storage = chance.choice(FILE_STORAGES)
    async with open_chat_harness(
        tmp_path,
        max_context_tokens=max_prompt_tokens,
        snippet_budget=snippets,
        system_prompt="Be brief.",
        recent_budget=900,
    ) as talk:
        await talk.turn_on_memory(every_n=500, storage=storage)
        marks = [f"q{letter}x{number}" for number in (7, 8) for letter in LETTERS]
        for asked, answered in zip(marks[::2], marks[1::2], strict=True):
            talk.server.script("chat-model", f"{filler(chance)} {answered} {filler(chance)}".strip())
            await talk.say(f"{filler(chance)} {asked} {filler(chance)}".strip())
        talk.server.set_default_answer("chat-model", "Well.")
        said = await everything(talk)
        found = 0
        asked_again = chance.sample(marks, len(marks) // 2)
        for mark in asked_again:
            [message] = [message for message in said if mark in message.content]
            question = chance.choice([f"{mark} ?", f"What was that of {mark}?", f"Tell me about {mark} again, please."])
            reply = await talk.say(question)
            assert reply.context is not None
            assert reply.context.token_count <= max_prompt_tokens
            assert is_cut(reply.context, message) or message in reply.context.recent
            assert says(reply.context, mark), f"{question} {message.role} {len(message.content)}"
            found += is_cut(reply.context, message)
        assert found > len(asked_again) // 2
