"""A scripted conversation with its facts and questions, read from a JSON file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

DATA = Path(__file__).parent.parent / "data" / "real.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class StatedFact:
    """A fact that a turn states. A text contains it if it has at least one word of each group in `words`."""

    id: str
    words: Sequence[Sequence[str]]

    def is_stated_in(self, text: str) -> bool:
        folded = text.casefold()
        return all(any(word in folded for word in group) for group in self.words)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedTurn:
    """A turn that states `facts`. `ends` lists the ids of earlier facts that are no longer true after it."""

    said_at: datetime
    text: str
    answer: str
    facts: tuple[StatedFact, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScriptedQuestion:
    """A question. An answer is right if it contains a word of `right` and none of `wrong`."""

    text: str
    right: Sequence[str]
    wrong: Sequence[str]

    def is_right(self, answer: str) -> bool:
        folded = answer.casefold()
        return any(word in folded for word in self.right) and not any(word in folded for word in self.wrong)


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """A scripted conversation of the person named `person`, and questions about it."""

    person: str
    lines: tuple[ScriptedTurn, ...]
    questions: tuple[ScriptedQuestion, ...]

    def take_first_lines(self, count: int) -> "Script":
        """Return a script with only the first `count` lines, and the questions that they answer."""
        lines = self.lines[:count]
        said = "\n".join(line.text for line in lines).casefold()
        questions = tuple(question for question in self.questions if any(word in said for word in question.right))
        return Script(person=self.person, lines=lines, questions=questions)

    def split_facts_by_validity(self) -> tuple[list[StatedFact], list[StatedFact]]:
        """Return the facts that are true at the end, and those that are no longer true."""
        ended = {id_ for line in self.lines for id_ in line.ends}
        facts = [fact for line in self.lines for fact in line.facts]
        return [fact for fact in facts if fact.id not in ended], [fact for fact in facts if fact.id in ended]


def read_script() -> Script:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    start = datetime.fromisoformat(data["begins"])
    lines = (
        ScriptedTurn(
            said_at=start + timedelta(days=turn["day"], minutes=number),
            text=turn["say"],
            answer=turn["answer"],
            facts=tuple(StatedFact(**fact) for fact in turn["facts"]),
            ends=tuple(turn["ends"]),
        )
        for number, turn in enumerate(data["turns"])
    )
    questions = (
        ScriptedQuestion(text=asked["ask"], right=asked["right"], wrong=asked["wrong"]) for asked in data["questions"]
    )
    return Script(person=data["person"], lines=tuple(lines), questions=tuple(questions))
