"""Read a file in a child process with limits, so that a hostile file cannot harm the bot."""

import asyncio
import base64
import pickle
from collections.abc import Mapping
from contextlib import aclosing, suppress
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from locales.catalog import get_current_language, tr
from records.errors import ImportRefused
from runtime import subprocess_worker
from transfer.formats import detection
from transfer.formats.history import ImportedFact, ImportedHistory, ImportedMessage, ImportQuestion, ReadContext

READ_HERE = 64_000  # bytes; a smaller unpacked file is read in a thread
MAX_WAIT_SECONDS = 900.0  # seconds after which a child process is killed, even if it used little processor time
AT_ONCE = 2  # child processes at the same time, at most one for each person
_MOMENTS = ("created_at", "observed_at")
_Value = TypeVar("_Value", ImportedMessage, ImportedFact, ImportQuestion)
CHILD = subprocess_worker.make_child_script("transfer.reading_child")


class FileReader:
    """Reads the files that people send, one at a time for each person."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._of_each: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def read(self, data: bytes, context: ReadContext) -> ImportedHistory:
        """Read a file, in a child process unless it is small. Raise ImportRefused on failure."""
        is_packed = data.startswith((b"PK", b"\x1f\x8b")) or data[257:262] == b"ustar"  # which may hold others
        if len(data) <= READ_HERE and not is_packed:
            return await asyncio.to_thread(detection.parse_file, data, context)
        async with self._of_each.setdefault(context.person, asyncio.Lock()), self._slots:
            return await read_history_in_child(data, context)


async def read_history_in_child(data: bytes, context: ReadContext) -> ImportedHistory:
    """Read a file in a child process with limits. Raise ImportRefused if the file is unreadable or too large."""
    messages: list[ImportedMessage] = []
    rows: dict[str, list[Mapping[str, object]]] = {}
    arguments = (base64.b64encode(pickle.dumps(context)).decode(), str(len(data)), get_current_language())
    with suppress(subprocess_worker.ChildDied):
        async with aclosing(
            subprocess_worker.iterate_child_answers(CHILD, arguments, data, timeout=MAX_WAIT_SECONDS)
        ) as pieces:
            async for kind, value in pieces:
                if kind == "messages":
                    messages += (decode_dataclass(ImportedMessage, values) for values in value)
                elif kind == "refused":
                    raise ImportRefused(value)
                elif kind == "history":
                    has_rows = value.pop("has_rows")
                    value |= {"notes": tuple(value["notes"]), "signature": tuple(value["signature"])}
                    value["questions"] = tuple(decode_dataclass(ImportQuestion, asked) for asked in value["questions"])
                    value["facts"] = tuple(decode_dataclass(ImportedFact, fact) for fact in value["facts"])
                    return ImportedHistory(**value, messages=messages, rows=rows if has_rows else None)
                else:
                    rows.setdefault(kind.removeprefix("rows:"), []).extend(value)
    raise ImportRefused(tr("import-too-much"))


def decode_dataclass(data_type: type[_Value], fields: dict[str, Any]) -> _Value:
    """Build a message, fact or question from a child process's JSON. Convert dates and tuples, which JSON lacks."""
    moments: dict[str, Any] = {name: datetime.fromisoformat(fields[name]) for name in _MOMENTS if fields.get(name)}
    return data_type(
        **{**{name: tuple(held) if isinstance(held, list) else held for name, held in fields.items()}, **moments}
    )
