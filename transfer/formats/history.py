"""The values that every import format is read into, and the description of a format."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeVar

from records.facts import FactKind
from records.messages import Origin, Role
from runtime.cooperative import yielding_gil
from text.characters import find_boundary, replace_surrogates
from transfer.formats.json_stream import JsonStream

MAX_MESSAGE_CHARS = 16_000  # the most characters of one message. A longer one is split into several of the same turn.
SAMPLED = 20_000  # characters at the beginning of a file that are looked at to recognise its format


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedMessage:
    """One message. `source` ("import:…") identifies it for ever; `also` is another source that it may be stored under.

    `is_own`: False for the messages of anyone but the person whose history it is and their bot. `answers`: it belongs
    to the turn of the message before it; `turn`: to the turn that the file gives this number. `number`: its id in the
    file, where other rows of the file refer to it. `title`: of the conversation that it begins.
    """

    source: str
    role: Role
    content: str
    created_at: datetime
    speaker: str = ""
    origin: Origin = "imported"
    is_own: bool = True
    answers: bool = False
    turn: int | None = None
    thread: int = 0
    also: str | None = None
    number: int | None = None
    title: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFact:
    """A fact that another assistant remembers about the person. `observed_at` is None if the file gives no date."""

    text: str
    observed_at: datetime | None = None
    kind: FactKind = "personal"


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportQuestion:
    """What the person decides before a file is imported, by buttons; the text is `import-ask-NAME` in locales.

    `chosen`: the options that count until it is answered; None: nothing is imported before. One that can wait, and has
    one answer, is a button under what would be imported. `several`: whether more
    than one may be chosen. `is_long`: the options are whole sentences, shown above buttons with their numbers.
    `number`: which of several questions of this name it is.
    """

    name: str
    options: tuple[str, ...]
    chosen: tuple[int, ...] | None = None
    several: bool = False
    is_long: bool = False
    number: int = 0

    @property
    def key(self) -> str:
        return f"{self.name}{self.number}"

    @property
    def can_wait(self) -> bool:
        return self.chosen is not None and not self.several


NO_DATE = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileReading:
    """For whom a file is read. `person`, `bot`: Telegram ids; `zone`: of dates that name none; `now`: the date of what
    has none; `name`: of the file as it was sent, "" for a pasted text; `answers`: the options chosen, by the key of
    their question.
    """

    person: int
    zone: tzinfo = UTC
    name: str = ""
    bot: int = 0
    now: datetime = NO_DATE
    answers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def chosen(self, question: ImportQuestion) -> tuple[int, ...] | None:
        """Return the options chosen, or the default ones until then."""
        given = self.answers.get(question.key, question.chosen)
        return given and tuple(one for one in given if 0 <= one < len(question.options))


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedHistory:
    """What a file holds, oldest first within each conversation.

    `format`: the name of its format; `notes`: what else the person should know about it; `questions`: what the person
    decides; `facts`: of those that another assistant kept, the ones that the person chose.
    Of an export of ours: `rows`, everything in it, table by table; `owner`, whose it is; `export`, what all of its
    files are called by (None: an earlier version wrote them); `part`, which of them it is, and whether the last;
    `seal`, the digest and the signature of the file.
    """

    format: str
    messages: Sequence[ImportedMessage]
    notes: tuple[str, ...] = ()
    questions: tuple[ImportQuestion, ...] = ()
    facts: tuple[ImportedFact, ...] = ()
    rows: Mapping[str, Sequence[Mapping[str, object]]] | None = None
    owner: int | None = None
    export: str | None = None
    part: int = 1
    is_last: bool = True
    seal: tuple[str, str] = ("", "")

    @property
    def is_whole(self) -> bool:
        """Return True if this one file is the whole export."""
        return self.part == 1 and self.is_last


@dataclass(kw_only=True, slots=True)
class Sample:
    """The beginning of a file, by which its format is recognised.

    `path`: its name, or its path in the archive. `text`: its first characters. `opening`: the first one, where the file
    is JSON, else "". `names`: the members that its first objects have, as far as they were read.
    """

    path: str
    text: str
    opening: str
    names: set[str] = field(default_factory=set)


@dataclass(slots=True)
class SourceFile:
    """One file, alone or out of an archive. At most `most` JSON values are read from it."""

    path: str
    text: str
    most: int

    def walk(self) -> JsonStream:
        """Open the file as JSON from its beginning."""
        return JsonStream(self.text, most=self.most)


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportFormat:
    """A format that can be imported.

    `product`: the program that writes it; a format without one is called `import-title-NAME` in locales. `fits`:
    whether a file is of this format; asked after each name of a member. `read`: takes all files of the format that
    were sent together; raises ImportRefused. `members`: whether a file of an archive is called like this format's, by
    its folder and its name (lower case); where none is, each file of the archive is looked at.
    `is_alone`: of several in one archive none is read. `longest_message`: characters; longer are split.
    """

    name: str
    fits: Callable[[Sample], bool]
    read: Callable[[Sequence[SourceFile], FileReading], ImportedHistory]
    product: str = ""
    members: Callable[[str, str], bool] = lambda _folder, _name: False
    is_alone: bool = False
    longest_message: int = MAX_MESSAGE_CHARS


_TEXTS = ("source", "content", "speaker", "title", "also", "text")
_Part = TypeVar("_Part", ImportedMessage, ImportedFact)


def make_well_formed(history: ImportedHistory) -> ImportedHistory:
    """Replace lone surrogates, which JSON can spell but no file or message can hold, by U+FFFD."""
    return replace(
        history,
        messages=[_make_well_formed(message) for message in yielding_gil(history.messages)],
        questions=tuple(
            replace(question, options=tuple(map(replace_surrogates, question.options)))
            for question in history.questions
        ),
        facts=tuple(map(_make_well_formed, history.facts)),
        notes=tuple(map(replace_surrogates, history.notes)),
    )


def _make_well_formed(one: _Part) -> _Part:
    texts = {name: value for name in _TEXTS if isinstance(value := getattr(one, name, None), str)}
    whole: dict[str, Any] = {name: replace_surrogates(value) for name, value in texts.items()}
    return one if whole == texts else replace(one, **whole)


def list_sources(history: ImportedHistory) -> list[tuple[Role, str]]:
    """Return every source under which a message of the file may be stored."""
    found: list[tuple[Role, str]] = []
    for message in yielding_gil(history.messages):
        found.append((message.role, message.source))
        if message.also:
            found.append((message.role, message.also))
    return found


def make_import_source(name: str) -> str:
    """What a message of an export is stored under, which anybody may have written: its own source may name an update
    that is still to come, and the file's answer would be given instead of the model's.
    """
    return name if name.startswith("import:") else f"import:keepsake:{name}"


def select_without_source(history: ImportedHistory) -> tuple[dict[int, ImportedMessage], set[int]]:
    """Return the messages of our own export without a source, by number, and their threads."""
    found: dict[int, ImportedMessage] = {}
    for message in yielding_gil(history.messages):
        if message.number is not None and message.also is None:
            found[message.number] = message
    return found, {one.thread for one in found.values()}


def split_long(messages: Sequence[ImportedMessage], longest: int = MAX_MESSAGE_CHARS) -> Sequence[ImportedMessage]:
    """Return the same messages, the long ones in several pieces that joined are the whole.

    The first piece keeps source and number, so that a file that is imported again is known.
    """
    if all(len(message.content) <= longest for message in yielding_gil(messages)):
        return messages
    made: list[ImportedMessage] = []
    for message in yielding_gil(messages):
        for number, content in enumerate(_pieces(message.content, longest)):
            if not number:
                made.append(replace(message, content=content))
                continue
            also = message.also and f"{message.also}#{number}"
            source = f"{message.source}#{number}"
            later = replace(message, content=content, source=source, also=also, number=None, title="", answers=True)
            made.append(later)
    return made


def _pieces(text: str, longest: int) -> Iterator[str]:
    start = 0
    while len(text) - start > longest:
        gap = max(text.rfind(mark, start + longest // 2, start + longest) for mark in (" ", "\n"))
        end = gap + 1 if gap > start else find_boundary(text, start + longest, start)
        yield text[start:end]
        start = end
    yield text[start:]
