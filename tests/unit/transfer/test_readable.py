"""Tests of the export for people: its pages and archives are small enough for Telegram."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from tests.support.talk import ANNA, open_chat_harness
from tests.unit.transfer.test_importer import import_file, make_telegram_export
from transfer.readable import close_open_blocks

COUNT = 400


def list_message_numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"Message number (\d+) of many", text)]


async def test_large_readable_export_is_split_into_several_files(tmp_path: Path) -> None:
    """Every message appears once, in order. All archives can be unpacked into one folder."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await import_file(talk, make_telegram_export(COUNT))
        await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna plays the cello.")
        exporter = type(talk.services.exporter)(
            memory=talk.services.memory, clock=lambda: talk.moment[0], largest=12_000
        )
        async with exporter.export_for_people(ANNA.id) as files:
            assert [file.name for file in files if file.name.endswith("-1.zip")] == ["keepsake-2026-11-21-1.zip"]
            for file in files:
                assert file.file.seek(0, io.SEEK_END) < 60_000
                file.file.seek(0)
            assert sum(file.counts["messages"] for file in files) == 2 * COUNT
            assert [file.counts.get("facts", 0) for file in files] == [1, 1] + [0] * (len(files) - 2)
            unpacked: list[tuple[str, str]] = []
            pages: list[str] = []
            for file in files:
                if file.name.endswith(".html"):
                    pages.append(file.file.read().decode())
                elif not file.name.endswith("-page.zip"):
                    with zipfile.ZipFile(io.BytesIO(file.file.read())) as archive:
                        unpacked += [(name, archive.read(name).decode()) for name in archive.namelist()]
                else:
                    with zipfile.ZipFile(io.BytesIO(file.file.read())) as archive:
                        pages.append(archive.read(archive.namelist()[0]).decode())
    assert len(pages) > 2
    assert len({name for name, _ in unpacked}) == len(unpacked)
    expected = [number for number in range(1, COUNT + 1) if number != 17]
    assert [
        word for name, text in unpacked if name.startswith("talk/") for word in list_message_numbers(text)
    ] == expected
    said = [text for page in pages for text in re.findall(r'<p class="user" dir="auto">.*?</p>', page, re.DOTALL)]
    assert [word for text in said for word in list_message_numbers(text)] == expected


async def test_readable_export_sorts_summaries_by_date(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        for first in (5_000, 1):
            await import_file(talk, make_telegram_export(120, first=first))
        async with talk.services.exporter.export_for_people(ANNA.id) as files:
            with zipfile.ZipFile(io.BytesIO(files[0].file.read())) as archive:
                told = archive.read("summaries.md").decode()
    days = re.findall(r"^- (\d{4}-\d\d-\d\d)", told, re.MULTILINE)
    assert len(set(days)) > 1
    assert days == sorted(days)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("```python\nx = 1", "```python\nx = 1\n```"),
        ("````\n```\nx", "````\n```\nx\n````"),
        ("~~~\nx\n```", "~~~\nx\n```\n~~~"),
        ("```\nx\n```", "```\nx\n```"),
        ("`a` and ```b``` inline", "`a` and ```b``` inline"),
        ("before <!-- after", "before <!-- after -->"),
    ],
)
def test_closes_open_markdown_blocks(text: str, written: str) -> None:
    assert close_open_blocks(text) == written
