"""A model reads a reminder by a schema; what is no reminder is none."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from locales.catalog import use_language
from records.reminders import NewReminder
from reminders.reading import format_due_time
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


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "Monday, 30 November 2026, 9:05 (UTC)"),
        ("de", "Montag, 30. November 2026, 9:05 Uhr (UTC)"),
        ("zh", "2026年11月30日星期一 9:05（UTC）"),
        ("ar", "\u2068الاثنين، 30 نوفمبر 2026\u2069، \u20689:05\u2069 (\u2068UTC\u2069)"),
    ],
)
def test_a_due_time_has_the_punctuation_of_its_language(language: str, shown: str) -> None:
    due_at = datetime(2026, 11, 30, 9, 5, tzinfo=UTC)
    with use_language(language):
        assert format_due_time(NewReminder(text="call mum", due_at=due_at, local=None), UTC) == shown
