"""Fuzzing's large inputs, below 1 MB each: what parsers stumble over, repeated, at the entry points where a person's
input can be so long. They go the way that the program takes with them. Does not judge what they cost.
"""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC
from pathlib import Path
from typing import Any

from chat.tools import TOOL_NAMES
from llm import text_calls
from llm.thoughts import remove_thoughts
from records.errors import ImportRefused
from records.scopes import Scope
from telegram_ui.sending import formatting
from telegram_ui.sending.streaming import convert_without_blocking
from tests.fuzz.values import ATOMS, Chance
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from transfer.formats import detection
from transfer.formats.history import ReadContext
from transfer.reading import FileReader

Make = Callable[[Chance], object]
Feed = Callable[[Any], Awaitable[None]]

LARGEST = 1_000_000
UNPACKED = 15_000_000
"""Bytes of what an archive holds: as much as is read of any."""
MAX_MESSAGE_CHARS = 4096
"""Characters that Telegram lets a person send in one message."""
SHAPES: tuple[Callable[[str], str], ...] = (
    lambda many: f'{{"type": "saved_messages", "id": 7, "messages": [{many}{{}}]}}',
    lambda many: f'{{"about": [{many}0], "type": "saved_messages", "id": 7, "messages": []}}',
    lambda many: f'{{"type": "a", "id": 7, "messages": [{{"id": 1, "date": "2020-01-01", "text": [{many}""]}}]}}',
    lambda many: f'{{"format": "keepsake-export", "version": 1, "owner": 7, "facts": [{many}{{}}]}}',
    lambda many: f'{{"format": "keepsake-export", "version": 1, "owner": 7, "messages": [{many}{{}}]}}',
    lambda many: f'[{{"mapping": {{"a": {{"message": {{"content": {{"parts": [{many}""]}}}}}}}}}}]',
    lambda many: f"[{many}{{}}]",
)
"""Files of every format that say the same many times."""
ELEMENTS = ("{},", "[],", "0,", '"",', "null,", '{"a":{}},', '{"id":1,"date":"2020-01-01","text":"x"},', "[[[[[]]]]],")


class LargeEntryPoints:
    """The assembled program, without Telegram, and the reading of files."""

    def __init__(self, talk: ChatHarness) -> None:
        self._talk = talk
        self._files = FileReader()

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path) -> AsyncIterator["LargeEntryPoints"]:
        async with open_chat_harness(folder) as talk:
            await talk.turn_on_memory(every_n=5)
            yield cls(talk)

    def all(self) -> dict[str, tuple[float, Make, Feed]]:
        """By name: the entry point's share of the inputs, what makes an input, and what is measured while it is fed."""
        return {
            "large files": (0.0002, _file, self._file),
            "large files, in this process": (0.0001, _file, self._file_here),
            "large files, plans": (0.0001, _file, self._plan),
            "long answers": (0.0005, _answer, self._answer),
            "long messages": (0.0005, _message, self._message),
        }

    async def _file(self, data: Any) -> None:
        """A file as the program reads it: most in a process of its own."""
        with suppress(ImportRefused):
            await self._files.read(data, ReadContext(person=ANNA.id, zone=UTC))

    async def _file_here(self, data: Any) -> None:
        """The same in a thread of this process, whose memory is measured."""
        with suppress(ImportRefused):
            await asyncio.to_thread(lambda: detection.parse_file(data, ReadContext(person=ANNA.id, zone=UTC)))

    async def _plan(self, data: Any) -> None:
        """A file as /import takes it."""
        with suppress(ImportRefused):
            await self._talk.services.importer.plan(Scope(owner=ANNA.id), ANNA.id, data)

    async def _answer(self, text: Any) -> None:
        """What a model says, as it is read and sent."""
        text_calls.find_calls_in_text(remove_thoughts(text), dict.fromkeys(TOOL_NAMES, ()), is_whole=True)
        assert (
            len(await convert_without_blocking(formatting.convert_markdown_if_short, text)) <= formatting.MAX_MESSAGES
        )

    async def _message(self, text: Any) -> None:
        """A whole turn about the longest message that a person can send, and all that follows it."""
        await self._talk.run_turn(text)


def _file(chance: Chance) -> bytes:
    shape, element = chance.choice(SHAPES), chance.choice(ELEMENTS)
    if chance.random() < 0.4:
        element = json.dumps({"id": 1, "date": "2020-01-01", "text": _repeated(chance, 20_000)}) + ","
    packed = chance.random() < 0.1
    size = chance.randrange(1, (UNPACKED if packed else LARGEST) - 100_000)
    data = shape(element * (size // len(element))).encode("utf-8", "surrogatepass")
    return gzip.compress(data, 1)[:LARGEST] if packed else data


def _answer(chance: Chance) -> str:
    return _repeated(chance, LARGEST if chance.random() < 0.2 else formatting.MAX_MARKDOWN_CHARS)


def _message(chance: Chance) -> str:
    return _repeated(chance, MAX_MESSAGE_CHARS) or "Hello."


def _repeated(chance: Chance, most: int) -> str:
    """One to three pieces that mean something to some parser, again and again; sometimes each time another."""
    unit = "".join(chance.choice(ATOMS) for _ in range(chance.randrange(1, 4)))
    times = int(chance.random() * most / len(unit.encode("utf-8", "surrogatepass")))
    if chance.random() < 0.3:
        return "".join(f"{unit}{number}" for number in range(times))[:most]
    return (unit * times)[:most]
