"""The values that every import format produces, and the files that it reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import PurePosixPath

from records.facts import FactKind
from records.messages import Origin, Role
from transfer.formats.json_stream import JsonStream, starts_like_json

MAX_MESSAGE_CHARS = 16_000  # characters of one message. A longer one is split into several messages of the same turn.
SAMPLED = 20_000  # characters at the beginning of a file from which its format is recognised


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedMessage:
    """A message from an imported file."""

    source: str  # "import:…", a permanent id
    role: Role
    content: str
    created_at: datetime
    speaker: str = ""
    origin: Origin = "imported"
    is_own: bool = True  # False unless the importing person or their bot said it
    answers: bool = False  # True if it belongs to the turn of the previous message
    turn: int | None = None  # the file's number of its turn
    thread: int = 0
    also: str | None = None  # another source under which it may be stored
    number: int | None = None  # its id in the file, to which other rows refer
    title: str = ""  # of the conversation that it begins
    is_undated: bool = False  # True if the file does not say when it was said, so that `created_at` is a guess


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFact:
    """A fact that another assistant remembers about the person, with its date if the file has one."""

    text: str
    observed_at: datetime | None = None
    kind: FactKind = "personal"


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportQuestion:
    """A question about a file, answered with buttons. Its text is the message `import-ask-NAME` in locales."""

    name: str
    options: tuple[str, ...]
    chosen: tuple[int, ...] | None = None  # the default options; None if nothing is imported without an answer
    several: bool = False  # True if more than one option can be chosen
    is_long: bool = False  # True if options are sentences, shown above numbered buttons
    number: int = 0  # tells questions with the same name apart

    @property
    def key(self) -> str:
        return f"{self.name}{self.number}"

    @property
    def can_be_answered_later(self) -> bool:
        return self.chosen is not None and not self.several


NO_DATE = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadContext:
    """The context in which a file is read: the person, their settings and their answers to questions."""

    person: int  # a Telegram id
    zone: tzinfo = UTC  # of dates without a zone
    name: str = ""  # the file's name, "" for a pasted text
    bot: int = 0  # the Telegram id of this bot
    now: datetime = NO_DATE  # used for messages without a date
    date_order: str = ""  # of day and month in "03/04/2025", once it is known
    answers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # chosen options by question key

    def find_chosen_option_indexes(self, question: ImportQuestion) -> tuple[int, ...] | None:
        """Return the indexes of the options that the person chose, or else of the default options."""
        given = self.answers.get(question.key, question.chosen)
        return given and tuple(number for number in given if 0 <= number < len(question.options))


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedHistory:
    """An imported file's content. Each conversation is in chronological order. Only our own exports have `rows`."""

    format: str
    messages: Sequence[ImportedMessage]
    notes: tuple[str, ...] = ()  # sentences for the person
    questions: tuple[ImportQuestion, ...] = ()
    facts: tuple[ImportedFact, ...] = ()  # of another assistant's facts, those that the person chose
    rows: Mapping[str, Sequence[Mapping[str, object]]] | None = None  # by table
    owner: int | None = None
    export: str | None = None  # the name that all files of an export share; None if an early version wrote it
    part: int = 1
    is_last: bool = True
    signature: tuple[str, str] = ("", "")  # digest and signature

    @property
    def is_complete(self) -> bool:
        """True if this file alone is the complete export."""
        return self.part == 1 and self.is_last

    @property
    def is_restorable(self) -> bool:
        return self.is_complete or self.export is not None


@dataclass(slots=True, eq=False)  # compared by identity, as texts may be long
class SourceFile:
    """A file that was sent alone or in an archive. At most `max_values` JSON values are read from it."""

    path: str
    text: str
    max_values: int
    names: set[str] = field(default_factory=set)  # of the members of its first objects or the columns of its table

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def folder(self) -> str:
        return PurePosixPath(self.path).parent.name

    @property
    def first_char(self) -> str:
        """The first character if the text is JSON or HTML, or else ""."""
        first = self.text[:SAMPLED].lstrip()[:1]
        return first if first == "<" or starts_like_json(self.text) else ""

    @property
    def is_json(self) -> bool:
        return self.first_char in ("{", "[")

    @property
    def sample(self) -> str:
        """The text used to recognise the format: a whole page (it may begin with styles), or else the beginning."""
        return self.text if self.first_char == "<" else self.text[:SAMPLED]

    def open_json(self) -> JsonStream:
        return JsonStream(self.text, max_values=self.max_values)


class SkipElement(Exception):  # noqa: N818 - reads as the state it is
    """Raised to skip an element that is not a message. Its argument, if any, is the name of the counter to increase."""


def list_message_sources(history: ImportedHistory) -> list[tuple[Role, str]]:
    """Return the role and the source id of each message. A message with two possible source ids appears twice."""
    return [(message.role, name) for message in history.messages for name in (message.source, message.also) if name]


def add_import_prefix(source: str) -> str:
    """Return a source id with a prefix, so that a forged export cannot mark a future Telegram update as answered."""
    return source if source.startswith("import:") else f"import:keepsake:{source}"
