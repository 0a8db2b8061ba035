"""A count of one is written in the singular."""

import re
from dataclasses import replace

from records.status import Counts, Status
from telegram_ui.commands.importing import REPORT_SECONDS, ImportProgress
from telegram_ui.commands.summaries import format_status

SEVERAL_OF_ONE = re.compile(r"\b1 (messages|parts|times|requests|days|tokens)\b")


def test_status_uses_singular_for_one_message() -> None:
    counts = Counts(total=1, archived=0, active_turns=1, active_by_level={})
    status = Status(config=None, counts=counts, indexed=(0, 1), rebuilding=(0, 1))
    told = format_status(status)
    assert "Search index: 0 of 1 message\n" in told
    assert "Making all summaries again: 0 of 1." in told
    assert SEVERAL_OF_ONE.search(told) is None
    assert "0 of 2 messages" in format_status(replace(status, indexed=(0, 2)))


async def test_import_progress_uses_singular_for_one_message() -> None:
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    progress = ImportProgress(show, lambda: REPORT_SECONDS)
    await progress.report(0, 1)
    assert shown == ["Importing… 0 of 1 message."]
