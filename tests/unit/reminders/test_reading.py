"""A model reads a reminder by a schema; what is no reminder is none."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.peers.openai_server import Behaviour
from tests.support.talk import Talk, talking


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path / "data") as made:
        yield made


async def test_words_in_no_plain_form_are_read_by_a_schema(talk: Talk) -> None:
    answer = '{"text": "call mum", "at": null, "in_minutes": 90, "repeat": "none"}'
    talk.server.script_schema("remind", Behaviour(text=answer))
    found = await talk.services.reminder_reader.parse_reminder_with_model(
        7, "an hour and a half from now, call mum", talk.moment[0]
    )
    assert found is not None
    assert (found.text, found.due_at - talk.moment[0]) == ("call mum", timedelta(minutes=90))
    request = talk.server.requests[-1].body
    assert request["response_format"]["json_schema"]["name"] == "remind"
    assert "an hour and a half from now" in str(request["messages"])


@pytest.mark.parametrize("behaviour", [Behaviour(text="I cannot."), Behaviour(text="[]"), Behaviour(status=401)])
async def test_what_is_no_reminder_is_none(talk: Talk, behaviour: Behaviour) -> None:
    talk.server.script_schema("remind", behaviour)
    assert (
        await talk.services.reminder_reader.parse_reminder_with_model(7, "some day, call mum", talk.moment[0]) is None
    )
