"""the token limit of every background request after a chat of dense texts: facts, their repair, folds, the profile."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.end_to_end.harness import SUMMARIES, check_requests, open_house
from tests.support.dense import ALPHABETS, dense

PIECES = {500: 3, 8000: 4}
"""Of a paste under each token limit, as Telegram delivers it: together several times that, or half as much again."""
LETTERS = {500: 1000, 8000: 3000}
"""The length of each following text: two of these alphabets are above a limit, or near the other one."""
AGAIN = "An earlier attempt was refused"


async def test_no_request_behind_a_dense_talk_passes_the_ceiling(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Several bots at once, since most of the time is spent waiting for further pieces of a paste."""
    await asyncio.gather(
        *(talk_under(max_prompt_tokens, tmp_path_factory.mktemp("max_prompt_tokens")) for max_prompt_tokens in PIECES)
    )


async def talk_under(max_prompt_tokens: int, folder: Path) -> None:
    settings = {
        "MAX_CONTEXT_TOKENS": str(max_prompt_tokens),
        "FACTS_BATCH_TURNS": "1",
        "PROFILE_EVERY_SUMMARIES": "1",
        "PROFILE_KEEP_SUMMARIES": "0",
    }
    async with open_house(folder) as house:
        known = {
            "text": "Ann likes dense texts.",
            "quote": "I like dense texts",
            "type": "preference",
            "message": 0,
            "replaces": None,
        }
        house.model.script_schema("facts", json.dumps({"facts": [known]}))
        house.model.default_schema("facts", "No list. " + dense(ALPHABETS[0], 6000, 2))
        house.model.default_schema("profile", json.dumps({"profile": "They like " + "中文字符很多" * 400}))
        house.model.default(SUMMARIES, at_the_second_attempt)
        ann = house.person()
        async with house.bot(**settings) as bot:
            await ann.sets_up("SQLite", 2)
            await ann.asks("I like dense texts.")
            since, asked = ann.now, len(house.model.asked_for("facts"))
            ann.says(dense(ALPHABETS[0], PIECES[max_prompt_tokens] * 4096, 1))
            await ann.hears("Noted.", since=since)
            pieces = [message["id"] for message in house.memory.messages(ann.id) if message["role"] == "user"][1:]
            assert len(pieces) == PIECES[max_prompt_tokens]
            for version in (1, 2):  # of the profile, each after a fold
                for number, alphabet in enumerate(ALPHABETS[3 * version - 2 : 3 * version + 1], 3 * version):
                    await ann.asks("?" + dense(alphabet, LETTERS[max_prompt_tokens], number), "Noted.")
                await bot.logged(f"distilled version {version} of the profile")
            await bot.logged(f"from messages up to {house.memory.messages(ann.id)[-1]['id']}")
        async with house.bot(**settings):  # no fold is under way in a new process
            since = ann.now
            await ann.asks("/summary_rebuild", "Making all summaries again")
            await ann.hears("are made again (", since=since)
        check_requests(house, max_prompt_tokens=max_prompt_tokens)
        bodies = [
            "\n".join(message["content"] for message in request.messages) for request in house.model.asked_for("facts")
        ]
        assert all(any(f"#{id_} [" in body for body in bodies[asked:]) for id_ in pieces), "each piece is learned from"
        assert any("That was not the JSON object" in body for body in bodies)
        assert any(AGAIN in request[0]["content"] for request in house.summary_requests())


def at_the_second_attempt(messages: Sequence[Mapping[str, str]]) -> str:
    """A summary that the quality gate refuses for its number, then one that it accepts."""
    return "They talked of texts." if AGAIN in messages[0]["content"] else "They spoke of 98,765,432 things."
