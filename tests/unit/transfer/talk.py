"""The conversation that every sample export contains, and functions that write such files without any parser."""

import html
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

ME, OTHER = 7, 99
ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
ANNA, TOM = "Anna Berg", "Tom Bär"
_TEXTS = (
    "Where is the spare key?",
    "Under the blue flowerpot: not the red one.\nThe second line, with 12:30 - and a colon: here",
    '<b>no</b> markup & "quotes" \\ backslash \' and {braces} [x]',
    "مرحبا بالعالم ، 第三行， привет",
    "👩‍👩‍👧‍👦🎉",
    "Walnuts\n\nafter an empty line",
    "- a list\n- of two",
    "I said that 50% of 1,000 = 500.",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedMessage:
    """A message as the parser must return it. `number` is its position in the conversation, from 1."""

    number: int
    is_mine: bool
    text: str
    at: datetime

    @property
    def name(self) -> str:
        return ANNA if self.is_mine else TOM

    @property
    def local(self) -> datetime:
        return self.at.astimezone(ZONE)


TALK = tuple(
    ExpectedMessage(
        number=number,
        is_mine=number % 2 == 1,
        text=text,
        at=datetime(2024, 5, 10, 18, 30, tzinfo=UTC) + (number - 1) * timedelta(hours=30),
    )
    for number, text in enumerate(_TEXTS, start=1)
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleFile:
    """A file to import, and its expected contents.

    `sources` are the ids of its messages if the file gives them, `name` is its name as sent, and `answers` are the
    person's answers to the questions about it. `has_date` is True if it says when each message was written.
    `assistant_name` is the assistant's name if the file gives one.
    """

    data: bytes
    sources: Sequence[str] = ()
    name: str = ""
    has_date: bool = True
    answers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    expected_messages: Sequence[ExpectedMessage] = TALK
    assistant_name: str = ""


def zip_files(files: Mapping[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def page_text(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")


VARIETIES: dict[str, list[Callable[[], SampleFile]]] = {}
"""The writers of sample files by format. Each writes a variety that occurs in real files."""


def register_variety(name: str) -> Callable[[Callable[[], SampleFile]], Callable[[], SampleFile]]:
    """Register the decorated function as a writer of sample files of this format."""

    def add(make: Callable[[], SampleFile]) -> Callable[[], SampleFile]:
        VARIETIES.setdefault(name, []).append(make)
        return make

    return add
