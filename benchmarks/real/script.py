"""A scripted conversation with its facts and questions, read from a JSON file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data" / "real.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class StatedFact:
    """A fact that a turn states. A text contains it if it has at least one word of each group in `words`."""

    id: str
    words: tuple[tuple[str, ...], ...]

    def is_stated_in(self, text: str) -> bool:
        folded = text.casefold()
        return all(any(word in folded for word in group) for group in self.words)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedTurn:
    """A turn of the script.

    `facts` lists the facts that it states, and `ends` lists the ids of earlier facts that are no longer true after it.
    `keys` lists its names, numbers and dates.
    """

    said_at: datetime
    text: str
    answer: str
    facts: tuple[StatedFact, ...]
    keys: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedQuestion:
    """A question. An answer is right if it contains a word of `right` and none of `wrong`."""

    text: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]

    def is_right(self, answer: str) -> bool:
        folded = answer.casefold()
        return any(word in folded for word in self.right) and not any(word in folded for word in self.wrong)


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """A script for the person named `person`. `searches` are requests that should make a model call its search tool."""

    person: str
    lines: tuple[ScriptedTurn, ...]
    questions: tuple[ScriptedQuestion, ...]
    searches: tuple[str, ...]

    def take_first_lines(self, count: int) -> "Script":
        """Return a script with only the first `count` lines, and the questions that they answer."""
        lines = self.lines[:count]
        said = "\n".join(line.text for line in lines).casefold()
        questions = tuple(question for question in self.questions if any(word in said for word in question.right))
        return Script(person=self.person, lines=lines, questions=questions, searches=self.searches)

    def split_facts_by_validity(self) -> tuple[list[StatedFact], list[StatedFact]]:
        """Return the facts that are true at the end, and those that are no longer true."""
        ended = {id_ for line in self.lines for id_ in line.ends}
        facts = [fact for line in self.lines for fact in line.facts]
        return [fact for fact in facts if fact.id not in ended], [fact for fact in facts if fact.id in ended]


def read_script(path: Path = DATA) -> Script:
    """Read a script from a JSON file."""
    data = json.loads(path.read_text(encoding="utf-8"))
    start = datetime.fromisoformat(data["begins"])
    return Script(
        person=data["person"],
        lines=tuple(_parse_scripted_turn(turn, start, number) for number, turn in enumerate(data["turns"])),
        questions=tuple(
            ScriptedQuestion(text=question["ask"], right=tuple(question["right"]), wrong=tuple(question["wrong"]))
            for question in data["questions"]
        ),
        searches=tuple(data["searches"]),
    )


def _parse_scripted_turn(turn: Mapping[str, Any], start: datetime, number: int) -> ScriptedTurn:
    return ScriptedTurn(
        said_at=start + timedelta(days=turn["day"], minutes=number),
        text=turn["say"],
        answer=turn["answer"],
        facts=tuple(StatedFact(id=fact["id"], words=_convert_to_tuples(fact["words"])) for fact in turn["facts"]),
        keys=tuple(turn["keys"]),
        ends=tuple(turn["ends"]),
    )


def _convert_to_tuples(word_groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(group) for group in word_groups)
