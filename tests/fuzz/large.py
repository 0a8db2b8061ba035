"""Large fuzzing inputs, below 1 MB each: repeated text that parsers may stumble over.

They are fed to the entry points where a person's input can be so long, in the same way as in the program. Their costs
are judged elsewhere.
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
from llm.written import calls as text_calls
from llm.written.thoughts import remove_thoughts
from records.errors import ImportRefused
from records.scopes import Scope
from telegram_ui.sending import formatting
from tests.fuzz.values import ATOMS, Chance
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from transfer.formats import detection
from transfer.formats.history import ReadContext
from transfer.reading import FileReader

Make = Callable[[Chance], object]
Feed = Callable[[Any], Awaitable[None]]

LARGEST = 1_000_000
UNPACKED = 15_000_000
"""The most bytes that a packed file unpacks to: as many as the program reads from any archive."""
MAX_MESSAGE_CHARS = 4096
"""Telegram's limit for one message, in characters."""
SHAPES: tuple[Callable[[str], str], ...] = (
    lambda many: f'{{"type": "saved_messages", "id": 7, "messages": [{many}{{}}]}}',
    lambda many: f'{{"about": [{many}0], "type": "saved_messages", "id": 7, "messages": []}}',
    lambda many: f'{{"type": "a", "id": 7, "messages": [{{"id": 1, "date": "2020-01-01", "text": [{many}""]}}]}}',
    lambda many: f'{{"format": "keepsake-export", "version": 1, "owner": 7, "facts": [{many}{{}}]}}',
    lambda many: f'{{"format": "keepsake-export", "version": 1, "owner": 7, "messages": [{many}{{}}]}}',
    lambda many: f'[{{"mapping": {{"a": {{"message": {{"content": {{"parts": [{many}""]}}}}}}}}}}]',
    lambda many: f"[{many}{{}}]",
)
"""Functions that fill a file of each format with repeated elements."""
ELEMENTS = ("{},", "[],", "0,", '"",', "null,", '{"a":{}},', '{"id":1,"date":"2020-01-01","text":"x"},', "[[[[[]]]]],")


class LargeEntryPoints:
    """The large entry points: the assembled program without Telegram, and the reading of files."""

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
        """Return, by name, the share of the inputs, the function that makes one, and the function that is measured."""
        return {
            "large files": (0.0002, _file, self._file),
            "large files, in this process": (0.0001, _file, self._file_here),
            "large files, plans": (0.0001, _file, self._plan),
            "long answers": (0.0005, _answer, self._answer),
            "long messages": (0.0005, _message, self._message),
        }

    async def _file(self, data: Any) -> None:
        """Read a file as the program does, which uses a separate process for most files."""
        with suppress(ImportRefused):
            await self._files.read(data, ReadContext(person=ANNA.id, zone=UTC))

    async def _file_here(self, data: Any) -> None:
        """Parse a file in a thread of this process, whose memory is measured."""
        with suppress(ImportRefused):
            await asyncio.to_thread(lambda: detection.parse_file(data, ReadContext(person=ANNA.id, zone=UTC)))

    async def _plan(self, data: Any) -> None:
        """Plan the import of a file as /import does."""
        with suppress(ImportRefused):
            await self._talk.services.importer.plan(Scope(owner=ANNA.id), ANNA.id, data)

    async def _answer(self, text: Any) -> None:
        """Parse and convert a model's answer as the program does before sending it."""
        text_calls.find_calls_in_text(remove_thoughts(text), dict.fromkeys(TOOL_NAMES, ()), is_whole=True)
        assert len(await asyncio.to_thread(formatting.convert_markdown_if_short, text)) <= formatting.MAX_MESSAGES

    async def _message(self, text: Any) -> None:
        """Run a turn about a message of up to Telegram's limit, with all tasks that follow it."""
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
    """Return one to three atoms that some parser reacts to, repeated, and sometimes numbered."""
    unit = "".join(chance.choice(ATOMS) for _ in range(chance.randrange(1, 4)))
    times = int(chance.random() * most / len(unit.encode("utf-8", "surrogatepass")))
    if chance.random() < 0.3:
        return "".join(f"{unit}{number}" for number in range(times))[:most]
    return (unit * times)[:most]
