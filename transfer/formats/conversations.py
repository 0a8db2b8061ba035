"""What formats have in common: conversations, their messages, dates and branches; forwarded words, polls, reactions.

A conversation that is damaged is skipped, counted and named; only a file without any other is refused.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, tzinfo
from typing import Any

from locales.catalog import tr
from records.messages import Role
from transfer.formats.history import (
    ImportedFact,
    ImportedHistory,
    ImportedMessage,
    Question,
    Reading,
    SourceFile,
    WrongElement,
    offered,
    wrong_at,
)
from transfer.formats.json_stream import JsonStream

ROLES: Mapping[object, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "chatgpt": "assistant",
}
_SKIPPED = ("here", "wordless", "service")
_SHOWN = 40
"""Characters of a title by which a damaged conversation is named."""
_MILLISECONDS = 10**11
"""A number of seconds from here on would be in the year 5138: it is one of milliseconds."""
_MARKED = re.compile("\ue200entity\ue202([^\ue200\ue201]*)\ue201")
_CITED = re.compile("\ue200[^\ue200\ue201]*\ue201?|【[^【】†\n]{0,80}†[^【】\n]{0,200}】|[\ue200-\ue206]")


class Conversations:
    """The conversations of one import, as they are read."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._talks: list[list[ImportedMessage]] = []
        self._damaged = 0
        self._first_damaged = ""
        self.skipped: Counter[str] = Counter()
        self.facts: list[ImportedFact] = []
        self.seen: Counter[str] = Counter()

    def add(self, talk: list[ImportedMessage]) -> None:
        if talk:
            self._talks.append(talk)

    def read(self, files: Sequence[SourceFile], read_one: Callable[[object], list[ImportedMessage]]) -> None:
        """Add the conversation that `read_one` makes of each object of these files."""
        for file in files:
            walk = file.walk()
            for where, at, raw in _each_object(walk):
                if raw is None:
                    continue
                title = text_of(raw.get("title", raw.get("name"))) if isinstance(raw, dict) else ""
                named = f"{where} {tr('shared-quoted', text=title[:_SHOWN])}" if title else where
                with self.each(named, walk, at):
                    self.add(read_one(raw))

    @contextmanager
    def each(self, where: str, walk: JsonStream | None = None, at: int = 0) -> Iterator[None]:
        """Around the reading of a conversation or a message that begins `at`: what is wrong with it is remembered."""
        try:
            yield
        except WrongElement as wrong:
            if not self._damaged:
                self._first_damaged = wrong.place(where, walk.line_of(at)) if walk else f"{where}{wrong.where}"
            self._damaged += 1

    def history(self, reading: Reading, *notes: str, questions: Sequence[Question] = ()) -> ImportedHistory:
        """Conversations in the order of their beginnings. Raises ImportRefused where all of them are damaged."""
        if self._damaged and not self._talks and not self.facts:
            raise wrong_at(self._first_damaged)
        self._talks.sort(key=lambda talk: talk[0].created_at)
        told = list(notes)
        if len(self._talks) > 1:
            told.append(tr("import-holds-conversations", count=len(self._talks)))
        told += [tr(f"import-left-{kind}", count=self.skipped[kind]) for kind in _SKIPPED if self.skipped[kind]]
        if self._damaged:
            told.append(tr("import-damaged-skipped", count=self._damaged, first=self._first_damaged))
        offers, facts = offered(self.facts, reading)
        return ImportedHistory(
            format=self._name,
            messages=[one for talk in self._talks for one in talk],
            notes=tuple(told),
            questions=(*questions, *offers),
            facts=facts,
        )


def _each_object(walk: JsonStream) -> Iterator[tuple[str, int, Any]]:
    """The objects of a file: the elements of its array, or itself, or one a line; each with its place."""
    if walk.peek() == "[":
        for number in walk.elements():
            at = walk.at
            yield f"[{number}]", at, walk.value()
        walk.end()
        return
    number = 0
    while walk.peek():
        at = walk.at
        value = walk.value()
        yield (f"[{number}]" if number or walk.peek() else ""), at, value
        number += 1


def is_numbered(name: str, kind: str) -> bool:
    """Whether a file is called KIND.json or KIND-000.json."""
    return name == f"{kind}.json" or (
        name.startswith(f"{kind}-") and name.removeprefix(f"{kind}-").removesuffix(".json").isdecimal()
    )


def moment(value: object, where: str, zone: tzinfo = UTC) -> datetime | None:
    """A date in ISO 8601, or seconds or milliseconds since 1970; None where there is none."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            made = datetime.fromisoformat(value)
            return (made.replace(tzinfo=zone) if made.tzinfo is None else made).astimezone(UTC)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise WrongElement(where)
        seconds = float(value)
        return datetime.fromtimestamp(seconds / 1000 if abs(seconds) >= _MILLISECONDS else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise WrongElement(where) from None


def demand_moment(value: object, where: str, zone: tzinfo = UTC) -> datetime:
    made = moment(value, where, zone)
    if made is None:
        raise WrongElement(where)
    return made


def moment_in(text: str, forms: Iterable[str], zone: tzinfo) -> datetime | None:
    """A date that is written in one of these forms of `strptime`."""
    for form in forms:
        with suppress(ValueError, OverflowError):
            made = datetime.strptime(text, form)  # noqa: DTZ007 - a form without a zone means the person's
            return (made if made.tzinfo else made.replace(tzinfo=zone)).astimezone(UTC)
    return None


def demand_object(value: object, where: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongElement(where)
    return value


def demand_list(value: object, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise WrongElement(where)
    return value


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def without_citations(text: str) -> str:
    """Without the marks of sources in private characters; a marked name stays."""
    if "\ue200" not in text and "†" not in text and not re.search("[\ue201-\ue206]", text):
        return text
    return _CITED.sub("", _MARKED.sub(_entity, text))


def _entity(found: re.Match[str]) -> str:
    """The visible name of a marked thing: ["city","Bern"]."""
    try:
        held = json.loads(found[1])
    except (ValueError, RecursionError):
        return ""
    names = [one for one in held if isinstance(one, str)] if isinstance(held, list) else []
    return names[1] if len(names) > 1 else ""


def branch(nodes: Mapping[str, Any], leaf: object, parent: str, age: Callable[[str], Any] = lambda _: 0) -> list[str]:
    """The nodes of a tree from its root down to `leaf`, or, where there is no such node, to the newest one that no
    other follows; of equals, to the last. `parent`: the member that names the node before. Raises WrongElement where
    the tree leads in a circle.
    """
    if not isinstance(leaf, str) or leaf not in nodes:
        followed = {text_of(one.get(parent)) for one in nodes.values()}
        leaves = [name for name in nodes if name not in followed]
        leaf = max(reversed(leaves or list(nodes)), key=age, default=None)
    found: list[str] = []
    seen: set[str] = set()
    node: object = leaf
    while isinstance(node, str) and node in nodes:
        if node in seen:
            raise WrongElement(f"[{node[:40]!r}]")
        seen.add(node)
        found.append(node)
        node = nodes[node].get(parent)
    return found[::-1]


def turn(source: str, role: Role, words: str, said_at: datetime) -> ImportedMessage:
    """A message of a talk of two; what the assistant says answers what was said before."""
    return ImportedMessage(source=source, role=role, content=words, created_at=said_at, answers=role == "assistant")


def unhashable_free(value: object) -> object:
    """A value that may stand in a set: what JSON gives for a name is not always a text."""
    return value if isinstance(value, str) else None


DELETED = "Deleted account"
"""What Telegram calls somebody who is no longer there."""


def forwarded(name: str, words: str) -> str:
    return f"[Forwarded from {name or 'somebody'}]\n{words}"


def reacted(words: str, emoji: Sequence[str]) -> str:
    """The words with the reactions below them; without words nothing."""
    shown = " ".join(filter(None, emoji))
    return f"{words}\n[Reactions: {shown}]" if words and shown else words


def poll(question: str, answers: Sequence[tuple[str, bool]]) -> str:
    """`answers`: each with whether the person chose it."""
    return "\n".join([f"[Poll] {question}", *(f"- {text}{' (chosen)' if chosen else ''}" for text, chosen in answers)])
