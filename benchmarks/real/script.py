"""The scripted conversation with its facts and questions, read from a JSON file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data" / "real.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A fact that a turn states. A text has it if it contains at least one word of each group in `words`."""

    id: str
    words: tuple[tuple[str, ...], ...]

    def is_in(self, text: str) -> bool:
        folded = text.casefold()
        return all(any(word in folded for word in group) for group in self.words)


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A turn. `keys` has its names, numbers and dates. `ends` has the ids of facts that no longer hold from here on."""

    said_at: datetime
    text: str
    answer: str
    facts: tuple[Told, ...]
    keys: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question. An answer is right if it has a word of `right` and none of `wrong`."""

    text: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]

    def is_right(self, answer: str) -> bool:
        folded = answer.casefold()
        return any(word in folded for word in self.right) and not any(word in folded for word in self.wrong)


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """The lines and questions. `searches` are requests that make a model call its search tool."""

    person: str
    lines: tuple[Line, ...]
    questions: tuple[Asked, ...]
    searches: tuple[str, ...]

    def first(self, lines: int) -> "Script":
        """Return the first lines, and the questions that they answer."""
        kept = self.lines[:lines]
        said = "\n".join(line.text for line in kept).casefold()
        questions = tuple(question for question in self.questions if any(word in said for word in question.right))
        return Script(person=self.person, lines=kept, questions=questions, searches=self.searches)

    def facts(self) -> tuple[list[Told], list[Told]]:
        """Return the facts that hold at the end, and those that no longer hold."""
        ended = {id_ for line in self.lines for id_ in line.ends}
        told = [fact for line in self.lines for fact in line.facts]
        return [line for line in told if line.id not in ended], [line for line in told if line.id in ended]


def read(path: Path = DATA) -> Script:
    data = json.loads(path.read_text(encoding="utf-8"))
    begins = datetime.fromisoformat(data["begins"])
    return Script(
        person=data["person"],
        lines=tuple(_line(turn, begins, number) for number, turn in enumerate(data["turns"])),
        questions=tuple(
            Asked(text=question["ask"], right=tuple(question["right"]), wrong=tuple(question["wrong"]))
            for question in data["questions"]
        ),
        searches=tuple(data["searches"]),
    )


def _line(one: Mapping[str, Any], begins: datetime, number: int) -> Line:
    return Line(
        said_at=begins + timedelta(days=one["day"], minutes=number),
        text=one["say"],
        answer=one["answer"],
        facts=tuple(Told(id=fact["id"], words=_groups(fact["words"])) for fact in one["facts"]),
        keys=tuple(one["keys"]),
        ends=tuple(one["ends"]),
    )


def _groups(words: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(group) for group in words)
