"""Are standing instructions in the prompt when they apply? `python -m benchmarks.standing [--data FILE]`

Plays labelled dialogues through the program: what is told is stored, noted and answered as in a chat, and of each
question it is counted which instructions its prompt carried. Prints one JSON object. No model is asked, and nothing is
embedded: the rules alone are measured. Does not know how they work.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assembly import open_services
from benchmarks.measure import report
from chat.services import Services
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import Incoming, Piece
from settings import Settings

DATA = Path(__file__).parent / "data" / "standing.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """What a person says; of a question, words of each instruction that its prompt should carry (None: not checked)."""

    text: str
    carried: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialogue:
    id: str
    language: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """One question: how many instructions apply, how many of these its prompt carried, how many of all that were ever
    given do not apply, and how many of those it carried.
    """

    dialogue: Dialogue
    question: str
    apply: int
    carried: int
    others: int
    wrong: int


def read(path: Path) -> list[Dialogue]:
    """The dialogues of a file, one JSON object a line."""
    return [
        Dialogue(
            id=one["id"],
            language=one["language"],
            steps=tuple(
                Step(text=step["say"]) if "say" in step else Step(text=step["ask"], carried=tuple(step["carried"]))
                for step in one["steps"]
            ),
        )
        for one in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


async def measured(dialogues: Sequence[Dialogue], *, storage: StorageType = StorageType.SQLITE) -> list[Checked]:
    """Each dialogue by an owner of its own, in one fresh store."""
    moment = [datetime(2026, 3, 2, 9, 0, tzinfo=UTC)]
    with tempfile.TemporaryDirectory(prefix="keepsake-standing-") as folder:
        settings = Settings(data_dir=Path(folder), embedding_model="none")
        async with open_services(settings, clock=lambda: moment[0], offline=True) as services:
            checked = []
            for owner, dialogue in enumerate(dialogues, start=1):
                await services.memory.configure(owner, storage=storage, every_n=50)
                for number, step in enumerate(dialogue.steps):
                    moment[0] += timedelta(minutes=1)
                    if number == len(dialogue.steps) - 1:
                        await services.facts.learn(Scope(owner=owner))
                    checked += await _played(services, owner, dialogue, step, f"1:{owner}-{number}", moment[0])
            return checked


async def _played(
    services: Services, owner: int, dialogue: Dialogue, step: Step, source: str, at: datetime
) -> list[Checked]:
    scope = Scope(owner=owner)
    incoming = Incoming(
        scope=scope,
        person=Person(id=owner, name="Anna"),
        pieces=(Piece(text=step.text, source=source, sent_at=at),),
    )
    reply = await services.conversation.reply(incoming)
    if step.carried is None:
        return []
    if reply.context is None:
        raise ValueError(f"no prompt for {dialogue.id}: {reply.text}")
    given = {one.id: one.text for one in await services.facts.known(owner) if one.is_standing}
    carried = {one.fact.id for one in reply.context.facts if one.fact.is_standing}
    # Of several wishes with the same word the newest is meant: it took the place of the others.
    wanted = {max((id_ for id_, text in given.items() if word in text), default=-1) for word in step.carried}
    return [
        Checked(
            dialogue=dialogue,
            question=step.text,
            apply=len(step.carried),
            carried=len(wanted & carried),
            others=max(1, len(given.keys() - wanted)),
            wrong=len(carried - wanted),
        )
    ]


def figures(checked: Sequence[Checked]) -> dict[str, object]:
    """Of the instructions that apply, the share that was carried; of the others, the same; in percent."""

    def shares(some: Sequence[Checked]) -> dict[str, float]:
        return {
            "carried": round(100 * sum(one.carried for one in some) / max(1, sum(one.apply for one in some)), 1),
            "wrongly": round(100 * sum(one.wrong for one in some) / max(1, sum(one.others for one in some)), 1),
        }

    languages = list(dict.fromkeys(one.dialogue.language for one in checked))
    return {
        "dialogues": len({one.dialogue.id for one in checked}),
        "questions": len(checked),
        **shares(checked),
        "by_language": {name: shares([one for one in checked if one.dialogue.language == name]) for name in languages},
        "faults": [f"{one.dialogue.id}: {one.question}" for one in checked if one.carried < one.apply or one.wrong],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA)
    report(figures(asyncio.run(measured(read(parser.parse_args(arguments).data)))))


if __name__ == "__main__":
    main()
