"""The parts that formats share: conversations, messages, dates, branches, forwarded text, polls and reactions."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from itertools import count, pairwise, repeat
from typing import Any, NamedTuple

from locales.catalog import tr
from records.messages import Role
from text.characters import collapse_to_single_line, find_grapheme_start
from text.written_dates import AMBIGUOUS_ORDERS, POSSIBLE_YEARS, WrittenDate, find_date_order_unless_ambiguous
from transfer.formats.history import (
    NO_DATE,
    ImportedFact,
    ImportedHistory,
    ImportedMessage,
    ImportQuestion,
    ReadContext,
    SkipElement,
    SourceFile,
)
from transfer.formats.json_stream import JsonStream, NotJson
from transfer.formats.members import MAX_DEPTH, ROLES, find_time, select_start_times
from transfer.formats.values import InvalidElement, as_text, make_element_error, read_reactions, require_object

MAX_SPEAKERS = 20  # people offered as answers to the question which of them is the user
_UNSHOWN = re.compile(
    r"<grok:render\s(?s:.*?)(?:</grok:render>|\Z)"
    r"|\n(?:Powered by ChatGPT Exporter[^\n]*+|#++ Turn \d++|\*Exported on \d[^\n]*+|\n-{8,}+)\s*+\Z"
)  # what programs add to the words. Ids are made with it.
_SKIPPED = ("here", "wordless", "service", "temporary")
_SHOWN = 40  # characters of a damaged conversation's title that are shown
FACTS_A_PAGE = 20  # facts of another assistant on one page
PAGE = 2_500  # characters of facts on one page. Telegram allows 4,096 in a message.
MAX_OFFERED = 500  # facts of one file that are offered
MAX_OFFERED_CHARS = 500  # characters of one offered fact
MAX_TITLE_CHARS = 200  # characters
REACTIONS = "\n[Reactions: "  # between the words of a message and its reactions


class ImportedTurn(NamedTuple):
    """A message of a conversation with an assistant, as it was read from the file."""

    role: object
    words: str | None  # None if the message was never shown
    name: str = ""  # its id in the file
    speaker: str = ""  # the assistant's own name, if it has one
    shown: str | None = None  # the words to store, if they differ from those of which the id is made


class HistoryBuilder:
    """Collects the conversations of one import, and counts the items that were skipped."""

    NOBODY = "Deleted account"  # the speaker of messages whose account no longer exists

    def __init__(self, name: str, context: ReadContext) -> None:
        self.reading = context
        self.skipped: Counter[str] = Counter()
        self.facts: list[ImportedFact] = []
        self.questions: list[ImportQuestion] = []
        self.notes: list[str] = []  # sentences for the person
        self.written_dates: list[WrittenDate] = []  # those whose order of day and month is open
        self._name = name
        self._conversations: list[list[ImportedMessage]] = []
        self._counts: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._place: tuple[str, JsonStream | None, int] = "", None, -1
        self._damaged = 0
        self._first_damaged = ""
        self._broken: NotJson | None = None

    def append_chat(self, messages: list[ImportedMessage], title: object = "", kind: str = "conversations") -> None:
        """Append a conversation, unless it is empty, and count it under `kind`."""
        if messages:
            self._conversations.append(add_title(messages, as_text(title)))
            self._counts[kind] += 1

    def read_files(self, files: Iterable[SourceFile], read_object: Callable[[Any], None], json_key: str = "") -> None:
        """Call `read_object` with each object in these JSON or JSONL files.

        If an object or list contains objects with the member named `json_key`, only those inner objects are read.
        """
        for file in files:
            stream = file.open_json()
            try:
                for location, at, line in stream.iterate_names_offsets_and_streams():
                    with self.skip_failures(location, stream, at):
                        raw = stream.read_value() if line is stream else _read_json_line(line)
                        for part in list(_iterate_objects_with_key(raw, json_key)) or [raw]:
                            title = as_text(part.get("title", part.get("name"))) if isinstance(part, dict) else ""
                            with self.skip_failures(f" {tr('shared-quoted', text=title[:_SHOWN])}" if title else ""):
                                if part is not None:
                                    read_object(part)
            except NotJson as broken:  # what was read before stays
                self._broken = self._broken or broken
                with self.skip_failures(file.path, stream, stream.at):
                    require_object(None)

    def read_messages(
        self, items: Iterable[Any] | JsonStream, read_message: Callable[[Any], ImportedMessage], json_path: str = ""
    ) -> list[ImportedMessage]:
        """Read each item, or each element of a stream's next array, with `read_message`.

        If that raises SkipElement or InvalidElement, skip and count the item. `json_path` is the path of the array.
        """
        made: list[ImportedMessage] = []
        stream = items if isinstance(items, JsonStream) else None
        values = repeat(None) if isinstance(items, JsonStream) else items
        for number, value in zip(stream.iterate_element_indexes() if stream else count(), values, strict=False):
            with self.skip_failures(f"{json_path}[{number}]", stream, stream.at if stream else -1):
                made.append(read_message(stream.read_value() if stream else value))
        return made

    def add_conversation(
        self,
        raw: Mapping[str, Any],
        messages: Iterable[Any],
        read_turn: Callable[[Any, datetime], ImportedTurn],
        key: str = "",
        json_path: str = ".messages",
    ) -> None:
        """Add a conversation with an assistant. `json_path` is the path of `messages` within `raw`, for error messages.

        A message without a time gets that of the previous message or of `raw`, or counts as undated if there is none. A
        message without an id gets a hash of `key` (default: the first message), its position and its text.
        """
        numbers, last, known = count(), self.reading.now, None
        with self.skip_failures(""):
            last = self.find_past_time(raw) or last
            known = self.find_past_time(select_start_times(raw))

        def read_message(value: object) -> ImportedMessage:
            nonlocal key, last, known
            number, given = next(numbers), require_object(value)
            known = self.find_past_time(given) or known
            last = known or last
            role, words, name, speaker, shown = read_turn(given, last)
            if role == "":  # so it is not understood who speaks
                raise InvalidElement(".sender")
            own = ROLES.get(role.lower()) if isinstance(role, str) else None
            if own is None or words is None:
                raise SkipElement
            if not (shown := _UNSHOWN.sub("", shown or words).strip()):
                raise SkipElement("wordless")
            key = key or hash_parts(words)
            name = name or make_unique_id(self._seen, key, number, own, words)
            return self.make_message(name, own, shown, last, speaker=speaker, is_undated=known is None)

        said = make_times_monotonic(self.read_messages(messages, read_message, json_path))
        self.append_chat(said, raw.get("title") or raw.get("name"))

    def make_message(
        self, name: str, role: Role, text: str, said_at: datetime, reactions: object = None, **extra_fields: Any
    ) -> ImportedMessage:
        """Return a message with the id `name`. An assistant's message counts as the answer to the previous message."""
        source, answers = f"import:{self._name}:{name}", role == "assistant"
        text = f"{text}{REACTIONS}{shown}]" if (shown := read_reactions(reactions)) else text
        return ImportedMessage(
            source=source, role=role, content=text, created_at=said_at, answers=answers, **extra_fields
        )

    def find_past_time(self, value: Mapping[str, Any], zone: tzinfo | None = None) -> datetime | None:
        """Return the time of an object, or None if it is missing or lies in the future. `zone` is of its dates."""
        zone, now = zone or self.reading.zone, self.reading.now
        made = find_time(value, zone, self.reading.date_order, self.written_dates)
        return made if made is None or now == NO_DATE or made <= now + timedelta(days=1) else None

    def choose_date_order(self, dates: Sequence[WrittenDate], year_range: range = POSSIBLE_YEARS) -> str:
        """Return the order of day and month used by all dates of an import. Ask the user if the dates are ambiguous."""
        if (order := find_date_order_unless_ambiguous(dates, year_range)) is not None:
            return order
        first, second, _ = next(numbers for numbers, known in dates if not known)
        labels = tuple(tr(f"import-order-{name}", example=f"{first}/{second}") for name in AMBIGUOUS_ORDERS)
        return AMBIGUOUS_ORDERS[next(iter(self.ask(ImportQuestion(name="order", options=labels))), 0)]

    def ask(self, question: ImportQuestion) -> tuple[int, ...]:
        """Add a question. Return the indexes of the options that the person chose, or else of the default options."""
        self.questions.append(question)
        return self.reading.find_chosen_option_indexes(question) or ()

    def ask_which_speaker_is_user(self, *, bots: Collection[str] = (), is_required: bool = True) -> None:
        """Ask which speaker is importing the chats. If `is_required`, nothing is imported without an answer."""

        def is_from_person(message: ImportedMessage) -> bool:
            return message.role == "user" and message.origin != "forwarded" and bool(message.speaker)

        said = (message.speaker for chat in self._conversations for message in chat if is_from_person(message))
        speakers = Counter(name for name in said if name not in bots).most_common(MAX_SPEAKERS)
        options = [tr("import-chat-held", name=name[:40], count=number) for name, number in speakers]
        nobody = None if is_required else (len(options),)
        question = ImportQuestion(name="speaker", options=(*options, tr("import-nobody")), chosen=nobody)
        self.questions += [question] if speakers else []
        chosen = self.reading.find_chosen_option_indexes(question)
        own = dict(enumerate(name for name, _ in speakers)).get(chosen[0]) if chosen else None
        for chat in self._conversations:
            chat[:] = [replace(said, is_own=said.speaker == own) if is_from_person(said) else said for said in chat]

    @contextmanager
    def skip_failures(self, json_path: str, stream: JsonStream | None = None, offset: int = -1) -> Iterator[None]:
        """Count the element at `json_path`, which begins at `offset`, as skipped or damaged if the block fails."""
        outer = self._place
        self._place = (f"{outer[0]}{json_path}".lstrip(), *((stream, offset) if stream else outer[1:]))
        try:
            yield
        except SkipElement as left:
            self.skipped[str(left)] += 1
        except InvalidElement as wrong:
            place, inside, begins = self._place
            if not self._damaged:
                line = inside.find_line_number(begins) if inside else 0
                self._first_damaged = wrong.describe_place(place, line) if line else f"{place}{wrong.location}"
            self._damaged += 1
        finally:
            self._place = outer

    def make_history(self) -> ImportedHistory:
        """Return all conversations, sorted by when they began. Raise ImportRefused if all are damaged."""
        if self._damaged and not self._conversations and not self.facts:
            raise self._broken or make_element_error(self._first_damaged)
        self._conversations.sort(key=lambda conversation: conversation[0].created_at)
        told = list(self.notes)
        told += [tr(f"import-talks-{kind}", count=number) for kind, number in self._counts.items() if number > 1]
        told += [tr(f"import-left-{kind}", count=self.skipped[kind]) for kind in _SKIPPED if self.skipped[kind]]
        if self._damaged:
            told.append(tr("import-damaged-skipped", count=self._damaged, first=self._first_damaged))
        facts = self._offer_facts()
        return ImportedHistory(
            format=self._name,
            messages=[message for conversation in self._conversations for message in conversation],
            notes=tuple(told),
            questions=tuple(self.questions),
            facts=facts,
        )

    def _offer_facts(self) -> tuple[ImportedFact, ...]:
        """Offer the facts page by page. Return those that the person has chosen so far."""
        known: dict[str, ImportedFact] = {}
        for fact in self.facts:
            text = collapse_to_single_line(fact.text)[:MAX_OFFERED_CHARS]
            if text and len(known) < MAX_OFFERED:
                known.setdefault(text, replace(fact, text=text))
        pages: list[list[str]] = []
        for text in known:
            if not pages or len(pages[-1]) == FACTS_A_PAGE or sum(map(len, pages[-1])) + len(text) > PAGE:
                pages.append([])
            pages[-1].append(text)
        chosen: list[ImportedFact] = []
        for number, page in enumerate(pages):
            question = ImportQuestion(name="facts", number=number, options=tuple(page), several=True, is_long=True)
            chosen += [known[page[index]] for index in self.ask(question)]
        return tuple(chosen)


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportFormat:
    """A format that can be imported. `read` adds the files of one import to a history, or raises ImportRefused."""

    name: str
    marks: tuple[str, ...] = ()  # alternatives of members of its objects in JSON, or columns of its table
    fits: Callable[[SourceFile], bool] = lambda _: False  # asked again with every member name
    read: Callable[[Sequence[SourceFile], HistoryBuilder], None] | None  # None for our own exports
    product: str = ""  # the program that writes it; without one, `import-title-NAME` in locales is its title
    members: re.Pattern[str] = re.compile("(?!)")  # of its files in an archive: folder/name in lower case


def _iterate_objects_with_key(value: object, key: str, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects with the member named `key` in a value or its parts."""
    if isinstance(value, dict) and key in value:
        yield value
    elif isinstance(value, dict | list) and key and depth < MAX_DEPTH:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _iterate_objects_with_key(part, key, depth + 1)


def _read_json_line(stream: JsonStream) -> Any:
    try:
        value = stream.read_value()
        stream.expect_end()
    except NotJson:
        raise InvalidElement from None
    return value


def add_title(messages: Sequence[ImportedMessage], title: str) -> list[ImportedMessage]:
    title = title.strip()[:MAX_TITLE_CHARS]
    return [replace(messages[0], title=title), *messages[1:]] if messages and title else list(messages)


def make_times_monotonic(messages: Sequence[ImportedMessage]) -> list[ImportedMessage]:
    """Return a conversation in the order of its file, with times that never decrease.

    Times in a file may be out of order, because some programs date an answer before its question and clocks may be
    changed. If a file begins with its newest message and that message is an answer, reverse the order.
    """
    times = [said.created_at for said in messages if not said.is_undated] or [said.created_at for said in messages]
    is_falling = len(set(times)) > 1 and all(a >= b for a, b in pairwise(times)) and messages[0].role == "assistant"
    ordered = list(reversed(messages)) if is_falling and messages[-1].role == "user" else list(messages)
    latest = next((said.created_at for said in ordered if not said.is_undated), min(times, default=NO_DATE))
    for number, message in enumerate(ordered):
        latest = latest if message.is_undated else max(latest, message.created_at)
        ordered[number] = message if message.created_at == latest else replace(message, created_at=latest)
    return ordered


def hash_parts(*parts: object) -> str:
    """Return a hash of these parts, to serve as a stable id for a message without an id."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:32]


def make_unique_id(id_counts: Counter[str], *parts: object) -> str:
    """Return a hash of these parts. Append a number to a hash that was returned before, so that each is unique."""
    name = hash_parts(*parts)
    id_counts[name] += 1
    return f"{name}:{id_counts[name]}" if id_counts[name] > 1 else name


def merge_duplicates(messages: Sequence[ImportedMessage], assistant_name: str) -> Sequence[ImportedMessage]:
    """Drop repeated messages. If messages with the same id have different texts, give the later ones new ids.

    A nameless assistant gets the name `assistant_name`, which distinguishes its messages from those of this bot.
    """
    made: dict[tuple[Role, str], ImportedMessage] = {}
    for given in messages:
        is_nameless = given.role == "assistant" and not given.speaker
        message = replace(given, speaker=assistant_name) if is_nameless else given
        held = made.setdefault((message.role, message.source), message)
        if held.content != message.content:
            other = replace(message, source=f"{message.source}:{hash_parts(message.content)}")
            made.setdefault((message.role, other.source), other)
    return list(made.values())


def split_long_messages(messages: Sequence[ImportedMessage], max_chars: int) -> Sequence[ImportedMessage]:
    """Split messages longer than `max_chars`. The first piece keeps the source, so that a second import finds it."""
    made: list[ImportedMessage] = []
    for message in messages:
        for number, content in enumerate(_split_text(message.content, max_chars)):
            piece = replace(message, content=content)
            if number:
                source, also = f"{message.source}#{number}", message.also and f"{message.also}#{number}"
                piece = replace(piece, source=source, also=also, number=None, title="", answers=True)
            made.append(piece)
    return made


def _split_text(text: str, max_chars: int) -> Iterator[str]:
    start = 0
    while len(text) - start > max_chars:
        gap = max(text.rfind(mark, start + max_chars // 2, start + max_chars) for mark in (" ", "\n"))
        end = gap + 1 if gap > start else find_grapheme_start(text, start + max_chars, start)
        yield text[start:end]
        start = end
    yield text[start:]


def find_path_to_leaf(parents: Mapping[str, str], leaf: object, get_time: Callable[[str], Any]) -> list[str]:
    """Return the path from the root of a tree to the node `leaf`, or to the newest leaf if there is no such node.

    `parents` maps each node to its parent. Raise InvalidElement if the tree has a cycle.
    """
    if not isinstance(leaf, str) or leaf not in parents:
        followed = set(parents.values())
        leaves = [name for name in parents if name not in followed]
        leaf = max(reversed(leaves or list(parents)), key=get_time, default="")
    found: dict[str, None] = {}
    node = str(leaf)
    while node in parents:
        if node in found:
            raise InvalidElement(f"[{node[:40]!r}]")
        found[node] = None
        node = parents[node]
    return list(found)[::-1]


def format_forwarded_text(name: str, text: str) -> str:
    return f"[Forwarded from {name or 'somebody'}]\n{text}"


def format_poll(question: str, answers: Sequence[tuple[str, bool]]) -> str:
    """Format a poll as text. Each answer comes with True if the person chose it."""
    return "\n".join([f"[Poll] {question}", *(f"- {text}{' (chosen)' if chosen else ''}" for text, chosen in answers)])
