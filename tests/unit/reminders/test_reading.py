"""A model parses a reminder with a schema, and an invalid answer yields None."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from locales.catalog import use_language
from records.reminders import NewReminder
from reminders.reading import format_due_time
from tests.peers.openai_server import Behaviour
from tests.support.talk import ChatHarness, open_chat_harness


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path / "data") as made:
        yield made


async def test_parses_reminder_with_model_and_schema(talk: ChatHarness) -> None:
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


@pytest.mark.parametrize(
    "answer",
    [
        '```json\n{"text": "call mum", "in_minutes": 90}\n```',
        'Here it is:\n{"text": "call mum", "in_minutes": 90,} // in an hour and a half',
        "{'text': 'call mum', 'in_minutes': 90}",
    ],
)
async def test_reads_reminder_of_model_that_writes_more_than_json(talk: ChatHarness, answer: str) -> None:
    talk.server.script_schema("remind", Behaviour(text=answer))
    found = await talk.services.reminder_reader.parse_reminder_with_model(7, "in neunzig Minuten", talk.moment[0])
    assert found is not None
    assert (found.text, found.due_at - talk.moment[0]) == ("call mum", timedelta(minutes=90))


@pytest.mark.parametrize("behaviour", [Behaviour(text="I cannot."), Behaviour(text="[]"), Behaviour(status=401)])
async def test_invalid_model_answer_yields_no_reminder(talk: ChatHarness, behaviour: Behaviour) -> None:
    talk.server.script_schema("remind", behaviour)
    assert (
        await talk.services.reminder_reader.parse_reminder_with_model(7, "some day, call mum", talk.moment[0]) is None
    )


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "Monday, 30 November 2026, 9:05 (UTC)"),
        ("de", "Montag, 30. November 2026, 9:05 Uhr (UTC)"),
        ("zh", "2026年11月30日星期一 9:05（UTC）"),
        ("ar", "\u2068الاثنين، 30 نوفمبر 2026\u2069، \u20689:05\u2069 (\u2068UTC\u2069)"),
    ],
)
def test_due_time_uses_punctuation_of_language(language: str, shown: str) -> None:
    due_at = datetime(2026, 11, 30, 9, 5, tzinfo=UTC)
    with use_language(language):
        assert format_due_time(NewReminder(text="call mum", due_at=due_at, local=None), UTC) == shown
