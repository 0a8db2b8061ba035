"""Tests that background requests about dense texts stay within the token limit: facts, folds, the profile."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.end_to_end.harness import SUMMARIES, check_requests, open_local_servers
from tests.support.dense import ALPHABETS, make_dense_text

PIECES = {500: 3, 8000: 4}
"""By token limit: the pieces of 4,096 characters in which Telegram delivers the paste.

Together they are several times the lower limit, and one and a half times the higher one.
"""
LETTERS = {500: 1000, 8000: 3000}
"""By token limit: the characters of each later text.

With two of the alphabets, a text exceeds the lower limit or comes near the higher one.
"""
AGAIN = "An earlier attempt was refused"


async def test_background_requests_for_dense_texts_stay_below_token_ceiling(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Both bots run at once, because most of the time is spent waiting for further pieces of a paste."""
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
    async with open_local_servers(folder) as servers:
        known = {
            "text": "Ann likes dense texts.",
            "quote": "I like dense texts",
            "type": "preference",
            "message": 0,
            "replaces": None,
        }
        servers.model.script_schema("facts", json.dumps({"facts": [known]}))
        servers.model.set_default_schema_answer("facts", "No list. " + make_dense_text(ALPHABETS[0], 6000, 2))
        servers.model.set_default_schema_answer(
            "profile", json.dumps({"profile": "They like " + make_dense_text(ALPHABETS[1], 2400, 3)})
        )
        servers.model.set_default_answer(SUMMARIES, at_the_second_attempt)
        ann = servers.add_person()
        async with servers.run_bot(**settings) as bot:
            await ann.set_up_memory("SQLite", 2)
            await ann.ask("I like dense texts.")
            since, asked = ann.last_event, len(servers.model.list_schema_requests("facts"))
            ann.say(make_dense_text(ALPHABETS[0], PIECES[max_prompt_tokens] * 4096, 1))
            await ann.wait_for_message("Noted.", since=since)
            pieces = [message["id"] for message in servers.memory.list_messages(ann.id) if message["role"] == "user"][
                1:
            ]
            assert len(pieces) == PIECES[max_prompt_tokens]
            for version in (1, 2):  # of the profile, each after a fold
                for number, alphabet in enumerate(ALPHABETS[3 * version - 2 : 3 * version + 1], 3 * version):
                    await ann.ask("?" + make_dense_text(alphabet, LETTERS[max_prompt_tokens], number), "Noted.")
                await bot.wait_for_log_line(f"distilled version {version} of the profile")
            await bot.wait_for_log_line(f"from messages up to {servers.memory.list_messages(ann.id)[-1]['id']}")
        async with servers.run_bot(**settings):  # no fold is under way in a new process
            since = ann.last_event
            await ann.ask("/summary_rebuild", "Making all summaries again")
            await ann.wait_for_message("are made again (", since=since)
        check_requests(servers, max_prompt_tokens=max_prompt_tokens)
        bodies = [
            "\n".join(message["content"] for message in request.messages)
            for request in servers.model.list_schema_requests("facts")
        ]
        assert all(any(f"#{id_} [" in body for body in bodies[asked:]) for id_ in pieces), "each piece is learned from"
        assert any("That was not the JSON object" in body for body in bodies)
        assert any(AGAIN in request[0]["content"] for request in servers.list_summary_requests())


def at_the_second_attempt(messages: Sequence[Mapping[str, str]]) -> str:
    """Return a summary that the quality gate refuses for its number, and at the second attempt one that it accepts."""
    return "They talked of texts." if AGAIN in messages[0]["content"] else "They spoke of 98,765,432 things."
