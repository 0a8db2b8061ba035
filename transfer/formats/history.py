"""The messages of a file from elsewhere: the values that every format is read into, and what a format is.

Does not know stores, or which messages are known already.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Literal

from locales.catalog import tr
from records.errors import ImportRefused
from records.messages import Role
from runtime.cooperative import yielding_gil
from text.characters import boundary, well_formed
from transfer.formats.json_stream import JsonStream

LONGEST_MESSAGE = 16_000
"""Characters of one message; a longer one becomes several, of one turn. Telegram's own have at most 4,096."""


class WrongElement(Exception):  # noqa: N818 - reads as the state it is
    """What is wrong with one element of a file, in its reader's words. `where`: in which part of the element; who reads
    the file adds which element it is.
    """

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.where = where

    def refusal(self, element: str, line: int) -> ImportRefused:
        """The error that the person reads. `line`: of the file, counted from 1."""
        return ImportRefused(tr("import-wrong", where=f"{element}{self.where}", line=str(line), why=self.why))


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedMessage:
    """One message. `source` ("import:…") identifies it for ever; `also` is another source that it may be stored under.

    `is_own`: False for the messages of anyone but the person whose history it is and their bot. `answers`: it belongs
    to the turn of the message before it; `turn`: to the turn that the file gives this number. `number`: its id in the
    file, where other rows of the file refer to it.
    """

    source: str
    role: Role
    content: str
    created_at: datetime
    speaker: str = ""
    origin: Literal["imported", "forwarded"] = "imported"
    is_own: bool = True
    answers: bool = False
    turn: int | None = None
    thread: int = 0
    also: str | None = None
    number: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedHistory:
    """What a file holds, oldest first within each conversation.

    `format`: the name of its format; `notes`: what else the person should know about it.
    Of an export of ours: `rows`, everything in it, table by table; `owner`, whose it is; `export`, what all of its
    files are called by (None: an earlier version wrote them); `part`, which of them it is, and whether the last.
    """

    format: str
    messages: Sequence[ImportedMessage]
    notes: tuple[str, ...] = ()
    rows: Mapping[str, Sequence[Mapping[str, object]]] | None = None
    owner: int | None = None
    export: str | None = None
    part: int = 1
    is_last: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether this one file is all of it."""
        return self.part == 1 and self.is_last


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportFormat:
    """A format that can be imported.

    What an import of it, and its file, are called to a person: `import-title-NAME` and `import-file-NAME` in locales.
    `files`: how its file names begin.
    `opening`: the first character of its JSON. `fits`: whether an object with members of these names is of this
    format; asked after each name. `read`: takes the text, the Telegram id of the person who imports, and the zone of
    dates that name none; raises ImportRefused. `is_alone`: of several in one archive none is read. `longest_message`:
    characters; longer messages are split.
    """

    name: str
    files: tuple[str, ...]
    opening: Literal["{", "["]
    fits: Callable[[Collection[str]], bool] = lambda _: True
    read: Callable[[JsonStream, int, tzinfo], ImportedHistory]
    is_alone: bool = False
    longest_message: int = LONGEST_MESSAGE


def well_formed_history(history: ImportedHistory) -> ImportedHistory:
    """JSON may spell out half a surrogate pair, which no file, query or message can hold: it becomes U+FFFD."""
    messages = [_well_formed(message) for message in yielding_gil(history.messages)]
    return replace(history, messages=messages, notes=tuple(map(well_formed, history.notes)))


def _well_formed(one: ImportedMessage) -> ImportedMessage:
    texts = (one.source, one.content, one.speaker, one.also or "")
    source, content, speaker, also = map(well_formed, texts)
    if (source, content, speaker, also) == texts:  # as nearly always
        return one
    return replace(one, source=source, content=content, speaker=speaker, also=also or None)


def sources(history: ImportedHistory) -> list[tuple[Role, str]]:
    """Every source that a message of the file may be stored under."""
    found: list[tuple[Role, str]] = []
    for one in yielding_gil(history.messages):
        found.append((one.role, one.source))
        if one.also:
            found.append((one.role, one.also))
    return found


def without_source(history: ImportedHistory) -> tuple[dict[int, ImportedMessage], set[int]]:
    """The messages of our own export that have a number but no source, by number, and the threads that hold them."""
    found: dict[int, ImportedMessage] = {}
    for one in yielding_gil(history.messages):
        if one.number is not None and one.also is None:
            found[one.number] = one
    return found, {one.thread for one in found.values()}


def split(messages: Sequence[ImportedMessage], longest: int = LONGEST_MESSAGE) -> Sequence[ImportedMessage]:
    """The same messages, the long ones in several pieces that joined are the whole.

    The first piece keeps source and number, so that a file that is imported again is known.
    """
    if all(len(one.content) <= longest for one in yielding_gil(messages)):
        return messages
    made: list[ImportedMessage] = []
    for one in yielding_gil(messages):
        for number, content in enumerate(_pieces(one.content, longest)):
            if not number:
                made.append(replace(one, content=content))
                continue
            also = one.also and f"{one.also}#{number}"
            source = f"{one.source}#{number}"
            made.append(replace(one, content=content, source=source, also=also, number=None, answers=True))
    return made


def _pieces(text: str, longest: int) -> Iterator[str]:
    start = 0
    while len(text) - start > longest:
        gap = max(text.rfind(mark, start + longest // 2, start + longest) for mark in (" ", "\n"))
        end = gap + 1 if gap > start else boundary(text, start + longest, start)
        yield text[start:end]
        start = end
    yield text[start:]
