"""Labelled dialogues: what people say, what a model extracts from it, and which facts must result.

`turns`: the day, the person's messages, and the scripted answer (facts in short form, or words that are no list). In
a scripted fact, `replaces` names a known fact by its text, and `message` is the number of the message that says it
(1: the first). That message is quoted whole unless `quote` says otherwise.
`valid`, `past` (text → text of its successor, or null), `sources` (text → how many messages it was learned from): all
facts that may be known afterwards.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "dialogues.jsonl"


@dataclass(frozen=True)
class Stage:
    """The messages of one day, and the facts that the model extracts from them."""

    day: datetime
    said: tuple[str, ...]
    told: Sequence[Mapping[str, Any]] | str

    def answer(self, ids: Sequence[int], known: Mapping[str, int]) -> str:
        """Return the model's answer, with the ids of the messages and facts that it refers to."""
        if isinstance(self.told, str):
            return self.told
        return json.dumps({"facts": [_whole(told, self.said, ids, known) for told in self.told]}, ensure_ascii=False)


@dataclass(frozen=True)
class Dialogue:
    id: str
    language: str
    about: str
    stages: tuple[Stage, ...]
    valid: tuple[str, ...]
    past: Mapping[str, str | None]
    sources: Mapping[str, int]


def _whole(
    told: Mapping[str, Any], said: Sequence[str], ids: Sequence[int], known: Mapping[str, int]
) -> dict[str, Any]:
    named, place = told.get("replaces"), told.get("message", 1) - 1
    return {
        "message": ids[place],
        "quote": told.get("quote", said[place]),
        "about": told.get("about"),
        "attribute": told.get("attribute"),
        "is_single": told.get("is_single", False),
        "text": told["text"],
        "type": told.get("type", "fact"),
        "replaces": None if named is None else int(named) if named.isdigit() else known[named],
    }


def read_dialogues() -> list[Dialogue]:
    """Return all dialogues of dialogues.jsonl."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        stages = tuple(
            Stage(datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC), tuple(said), told)
            for day, said, told in one["turns"]
        )
        found.append(
            Dialogue(
                id=one["id"],
                language=one["language"],
                about=one["about"],
                stages=stages,
                valid=tuple(one["valid"]),
                past=one["past"],
                sources=one.get("sources", {}),
            )
        )
    return found
