"""Read conversations and questions from files in LoCoMo's format."""

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
LINE_INTERVAL = timedelta(seconds=1)  # small, because two sessions may begin a minute apart


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One message. `line_id` is LoCoMo's `dia_id`, such as "D1:3" for the third message of session 1."""

    line_id: str
    speaker: str
    role: Role
    text: str
    said_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class LocomoQuestion:
    """A question, its answer, and the ids of the lines that contain the answer.

    `in_place_of` is the id of the line that the question replaces, or "" if it is asked after the last line.
    """

    text: str
    answer: str
    evidence: tuple[str, ...]
    category: str
    in_place_of: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LocomoConversation:
    """A conversation with its `sessions` in order, their starting times, and its questions."""

    sample_id: str
    sessions: tuple[tuple[Line, ...], ...]
    questions: tuple[LocomoQuestion, ...]
    session_starts: Mapping[int, datetime]

    @property
    def lines(self) -> Iterator[Line]:
        return (line for session in self.sessions for line in session)

    def count_lines_before(self, line_id: str) -> int:
        """Count the lines before line `line_id`, which need not exist, or all lines if it is ""."""
        if not line_id:
            return sum(map(len, self.sessions))
        return sum(parse_line_id(line.line_id) < parse_line_id(line_id) for line in self.lines)

    def compute_line_time(self, line_id: str) -> datetime | None:
        """Return the time of line `line_id`, which need not exist, or None if its session has no date."""
        session, turn = parse_line_id(line_id)
        return self.session_starts[session] + (turn - 1) * LINE_INTERVAL if session in self.session_starts else None

    @property
    def ended_at(self) -> datetime:
        return max(line.said_at for line in self.lines)


def parse_line_id(line_id: str) -> tuple[int, int]:
    """Parse a line's id, and return the number of its session and its number within the session."""
    session, turn = line_id.removeprefix("D").split(":")
    return int(session), int(turn)


def read_samples(path: Path) -> list[LocomoConversation]:
    """Read all conversations of a file. Raise ValueError or KeyError if it is not in LoCoMo's format."""
    return [_parse_sample(raw) for raw in json.loads(path.read_text(encoding="utf-8"))]


def parse_conversations_path(name: str) -> Path:
    """Parse an argument that names a file in LoCoMo's format."""
    _read_samples_argument(name)
    return Path(name)


def parse_questions_path(name: str) -> Path:
    """Parse an argument that names a file in LoCoMo's format with at least one question."""
    if not any(sample.questions for sample in _read_samples_argument(name)):
        raise ArgumentTypeError(f"{name} contains no questions")
    return Path(name)


def _read_samples_argument(name: str) -> list[LocomoConversation]:
    """Read the file that an argument names. Raise ArgumentTypeError if that fails."""
    try:
        return read_samples(Path(name))
    except OSError as error:
        raise ArgumentTypeError(f"{name} cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ArgumentTypeError(f"{name} is not in LoCoMo's format") from None


def parse_evidence_ids(raw_ids: Iterator[str] | list[str], known_ids: frozenset[str]) -> tuple[str, ...]:
    """Parse ids in LoCoMo's various spellings ("D8:6; D9:17", "D:11:26", "D30:05"). Skip those not in `known_ids`."""
    found = (f"D{int(session)}:{int(turn)}" for text in raw_ids for session, turn in _ID.findall(text))
    return tuple(dict.fromkeys(line_id for line_id in found if line_id in known_ids))


def _parse_sample(raw: Mapping[str, Any]) -> LocomoConversation:
    conversation = raw["conversation"]
    numbers = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    session_starts = {number: _parse_start_time(conversation, number) for number in numbers}
    sessions = [_parse_session(conversation, number, session_starts[number]) for number in numbers]
    sessions = sorted((lines for lines in sessions if lines), key=lambda lines: lines[0].said_at)
    known = frozenset(line.line_id for lines in sessions for line in lines)
    questions = (
        LocomoQuestion(
            text=asked["question"],
            answer=str(asked.get("answer", "")),
            in_place_of=asked.get("at", ""),
            evidence=parse_evidence_ids(asked.get("evidence", []), known),
            category=str(asked["category"]),
        )
        for asked in raw["qa"]
        if asked["category"] != ADVERSARIAL
    )
    return LocomoConversation(
        sample_id=raw["sample_id"],
        sessions=tuple(sessions),
        session_starts=session_starts,
        questions=tuple(
            {question.text: question for question in reversed(list(questions)) if question.evidence}.values()
        )[::-1],
    )


def _parse_start_time(conversation: Mapping[str, Any], number: int) -> datetime:
    return datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _parse_session(conversation: Mapping[str, Any], number: int, start: datetime) -> tuple[Line, ...]:
    """Parse the lines of a session. Space their times by LINE_INTERVAL, because only sessions have a date."""
    return tuple(
        Line(
            line_id=line["dia_id"],
            speaker=line["speaker"],
            role="user" if line["speaker"] == conversation["speaker_a"] else "assistant",
            text=_make_line_text(line),
            said_at=start + (parse_line_id(line["dia_id"])[1] - 1) * LINE_INTERVAL,
        )
        for line in conversation[f"session_{number}"]
    )


def _make_line_text(line: Mapping[str, Any]) -> str:
    """Return the text of a line, followed by the caption of its picture if it has one."""
    return f"{line['text']} ({line['blip_caption']})" if line.get("blip_caption") else str(line["text"])
