"""Reads conversations and questions from files in LoCoMo's format."""

import json
import re
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from records.messages import Role

ADVERSARIAL = 5  # LoCoMo's category of questions that have no answer in the conversation
_ID = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")


BETWEEN = timedelta(seconds=1)  # two lines of a session: two sessions may begin a minute apart


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One message of a conversation."""

    dia_id: str
    speaker: str
    role: Role
    text: str
    said_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, its answer, and the ids of the lines that hold it.

    `at` is the id of the message in whose place it is asked, or "" if it is asked at the end.
    """

    text: str
    answer: str
    evidence: tuple[str, ...]
    category: str
    at: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A conversation by session, in order of time, and its questions. `began` has the start of each session."""

    sample_id: str
    sessions: tuple[tuple[Line, ...], ...]
    questions: tuple[Question, ...]
    began: Mapping[int, datetime]

    @property
    def lines(self) -> Iterator[Line]:
        return (line for session in self.sessions for line in session)

    def before(self, dia_id: str) -> int:
        """Count the lines before the message with this id, which may be missing. "" counts all lines."""
        if not dia_id:
            return sum(map(len, self.sessions))
        return sum(parse_place(line.dia_id) < parse_place(dia_id) for line in self.lines)

    def moment(self, dia_id: str) -> datetime | None:
        """Return the time of a message, which may be missing, or None if its session has no date."""
        session, turn = parse_place(dia_id)
        return self.began[session] + (turn - 1) * BETWEEN if session in self.began else None

    @property
    def ended_at(self) -> datetime:
        return max(line.said_at for line in self.lines)


def parse_place(dia_id: str) -> tuple[int, int]:
    """Return the numbers of a message's session and of its turn in it."""
    session, turn = dia_id.removeprefix("D").split(":")
    return int(session), int(turn)


def read(path: Path) -> list[Sample]:
    """Read every conversation of a file. Raise ValueError or KeyError if it is not in the format."""
    return [_sample(raw) for raw in json.loads(path.read_text(encoding="utf-8"))]


def parse_talk_file(name: str) -> Path:
    """Parse an argument that names a file to `read`."""
    _samples(name)
    return Path(name)


def parse_data_file(name: str) -> Path:
    """Parse an argument that names a file with questions."""
    if not any(sample.questions for sample in _samples(name)):
        raise ArgumentTypeError(f"{name} holds no question")
    return Path(name)


def _samples(name: str) -> list[Sample]:
    try:
        return read(Path(name))
    except OSError as error:
        raise ArgumentTypeError(f"{name} cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ArgumentTypeError(f"{name} is not in LoCoMo's format") from None


def parse_evidence_ids(raw: Iterator[str] | list[str], known: frozenset[str]) -> tuple[str, ...]:
    """Return the known ids in LoCoMo's spellings ("D8:6; D9:17", "D:11:26", "D30:05")."""
    found = (f"D{int(session)}:{int(turn)}" for text in raw for session, turn in _ID.findall(text))
    return tuple(dict.fromkeys(dia_id for dia_id in found if dia_id in known))


def _sample(raw: Mapping[str, Any]) -> Sample:
    conversation = raw["conversation"]
    numbers = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    began = {number: _began(conversation, number) for number in numbers}
    sessions = [_session(conversation, number, began[number]) for number in numbers]
    sessions = sorted((lines for lines in sessions if lines), key=lambda lines: lines[0].said_at)
    known = frozenset(line.dia_id for lines in sessions for line in lines)
    questions = (
        Question(
            text=asked["question"],
            answer=str(asked.get("answer", "")),
            at=asked.get("at", ""),
            evidence=parse_evidence_ids(asked.get("evidence", []), known),
            category=str(asked["category"]),
        )
        for asked in raw["qa"]
        if asked["category"] != ADVERSARIAL
    )
    return Sample(
        sample_id=raw["sample_id"],
        sessions=tuple(sessions),
        began=began,
        questions=tuple(
            {question.text: question for question in reversed(list(questions)) if question.evidence}.values()
        )[::-1],
    )


def _began(conversation: Mapping[str, Any], number: int) -> datetime:
    return datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _session(conversation: Mapping[str, Any], number: int, began: datetime) -> tuple[Line, ...]:
    """Return the lines of a session, BETWEEN apart, since the format dates sessions only."""
    return tuple(
        Line(
            dia_id=line["dia_id"],
            speaker=line["speaker"],
            role="user" if line["speaker"] == conversation["speaker_a"] else "assistant",
            text=_text(line),
            said_at=began + (parse_place(line["dia_id"])[1] - 1) * BETWEEN,
        )
        for line in conversation[f"session_{number}"]
    )


def _text(line: Mapping[str, Any]) -> str:
    """Return the text of a line with the caption of its picture."""
    return f"{line['text']} ({line['blip_caption']})" if line.get("blip_caption") else str(line["text"])
