"""What the process keeps of many people. `python -m benchmarks.owners [--people 10000]`

Everybody configures a memory and holds one turn with a model that answers at once, by Conversation itself; printed is
the memory that the process holds before, at every tenth of the people, and after. Does not know Telegram.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assembly import open_services
from benchmarks.arguments import number, settings_of
from benchmarks.invented import Clock, Talk
from benchmarks.measure import machine, progress, report, resident_megabytes, without_embedding
from llm.chat_model import OnText
from llm.offline import ExtractiveSummarizer
from records.model_calls import Completion, PromptMessage, Usage
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import Incoming, Piece
from runtime.heap import keep_in_one_piece
from settings import Settings

TENTHS = 10
AT_ONCE = 64


class Answering:
    """A model that answers at once and remembers nothing."""

    name = "invented"

    def __init__(self) -> None:
        self._talk = Talk(seed=5)

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        return Completion(text=self._talk.answer(), model=self.name, usage=Usage(completion=100))

    async def check(self) -> str:
        return "invented answers: nothing to reach"


async def measure(settings: Settings, people: int) -> dict[str, object]:
    """The figures, from a fresh data directory."""
    clock, talk = Clock(), Talk(seed=6)
    async with open_services(settings, clock=clock, models=(Answering(), ExtractiveSummarizer())) as services:

        async def turn(owner: int) -> None:
            await services.memory.configure(owner, storage=StorageType.SQLITE, every_n=20)
            scope = Scope(owner=owner)
            said = (Piece(text=talk.question(), source=f"bench:{owner}", sent_at=clock.now),)
            person = Person(id=owner, name=f"Person {owner}")
            reply = await services.conversation.reply(Incoming(scope=scope, person=person, pieces=said))
            if reply.is_error:
                raise RuntimeError(reply.text)
            await services.conversation.settle(scope)

        await turn(1)
        held = [(1, resident_megabytes())]
        step = max(1, people // TENTHS)
        for first in range(2, people + 1, AT_ONCE):
            last = min(people, first + AT_ONCE - 1)
            await asyncio.gather(*map(turn, range(first, last + 1)))
            if last // step > held[-1][0] // step or last == people:
                held.append((last, resident_megabytes()))
                progress(f"{last} people: {held[-1][1]} MB")
    return {"people": people, "rss_mb": dict(held), "kb_a_person": round((held[-1][1] - held[0][1]) * 1024 / people, 1)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.owners", description=__doc__)
    parser.add_argument("--people", type=number(2), default=10_000)
    options = parser.parse_args(arguments)
    settings = settings_of(parser, without_embedding)
    keep_in_one_piece()
    with tempfile.TemporaryDirectory(prefix="keepsake-owners-") as name:
        figures = asyncio.run(measure(replace(settings, data_dir=Path(name)), options.people))
    report({"benchmark": "owners", "machine": machine(), **figures})


if __name__ == "__main__":
    main()
