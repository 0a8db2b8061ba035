"""Something to find in a memory of any size: the chats of benchmarks/data among invented messages.

Owns what is planted, and the vectors of the messages around it: made from real ones, since embedding a million
messages takes a day. Does not know how anything is found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from benchmarks.locomo import read
from llm.embeddings import Embedder, Vectors, normalised
from records.messages import Message, NewMessage
from records.scopes import Scope
from storage.protocol import MemoryStore
from storage.search.protocol import Floats, MessageVectors

CHATS = tuple(sorted((Path(__file__).parent / "data").glob("chat-*.json")))
FARTHEST = 0.9
BATCH = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question, and the ids of the messages that answer it."""

    text: str
    evidence: frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Planted:
    """The messages that were planted, and what is asked about them."""

    messages: Sequence[Message]
    questions: Sequence[Asked]


async def plant(store: MemoryStore, scope: Scope, chats: Sequence[Path] = CHATS) -> Planted:
    """Store the chats as the scope's newest messages; what was planted before is not stored again."""
    messages: list[Message] = []
    questions: list[Asked] = []
    for sample in (sample for path in chats for sample in read(path)):
        ids: dict[str, int] = {}
        for line in sample.lines:
            turn = messages[-1].turn if line.role == "assistant" else None
            source = f"planted:{sample.sample_id}:{line.dia_id}"
            draft = NewMessage(
                role=line.role,
                content=line.text,
                created_at=line.said_at,
                speaker=line.speaker,
                turn=turn,
                source=source,
            )
            (message,) = await store.append(scope, [draft])
            messages.append(message)
            ids[line.dia_id] = message.id
        questions += [
            Asked(text=asked.text, evidence=frozenset(ids[one] for one in asked.evidence)) for asked in sample.questions
        ]
    return Planted(messages=messages, questions=questions)


class MadeVectors:
    """Vectors for invented messages: each is a real one, moved by the difference of two others.

    So they lie where real ones lie, as crowded in some places and as thin in others. What answers a question is not
    among those that are moved: a thousand near copies of it would hide it from any search.
    """

    def __init__(self, real: Floats, *, seed: int = 9) -> None:
        self._real = real
        self._chance = np.random.default_rng(seed)

    def some(self, count: int) -> Floats:
        """This many vectors [n, d]."""
        begin, there, here = self._chance.integers(0, len(self._real), (3, count))
        far = self._chance.uniform(0.25, FARTHEST, (count, 1)).astype(np.float32)
        return normalised(self._real[begin] + far * (self._real[there] - self._real[here]))


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedded:
    """The planted messages' vectors by id, the questions' by text, and others for the messages around them."""

    model: str
    messages: Mapping[int, Floats]
    questions: Mapping[str, Floats]
    others: MadeVectors


async def embedded(what: Planted, embedder: Embedder) -> Embedded:
    vectors = await embedder.passages([f"{one.speaker}: {one.content}" for one in what.messages])
    answers = {number for question in what.questions for number in question.evidence}
    others = [row for row, message in enumerate(what.messages) if message.id not in answers]
    return Embedded(
        model=embedder.name,
        messages={message.id: vector for message, vector in zip(what.messages, vectors, strict=True)},
        questions={question.text: await embedder.query(question.text) for question in what.questions},
        others=MadeVectors(vectors[others]),
    )


async def give_vectors(store: MemoryStore, scope: Scope, known: Embedded) -> None:
    """A vector for every message that has none: its own where it was planted, else one that was made."""
    while found := await store.vectors.backlog(known.model, BATCH):
        made = known.others.some(len(found))
        vectors = [known.messages.get(message.id, other) for (_, message), other in zip(found, made, strict=True)]
        await store.vectors.put(
            known.model,
            [
                MessageVectors(seq=seq, message=message, passages=vector[None])
                for (seq, message), vector in zip(found, vectors, strict=True)
            ],
        )


class Known:
    """An Embedder whose questions were embedded before, so that searching is measured by itself.

    What it does not know it answers with the vectors that it knows, in turn.
    """

    def __init__(self, known: Embedded) -> None:
        self.name = known.model
        self._known = known.questions
        self._others: Iterator[Floats] = iter(())

    @property
    def dimensions(self) -> int:
        return len(next(iter(self._known.values())))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    async def passages(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError("only questions are asked")

    async def query(self, text: str) -> Vectors:
        vector = self._known.get(text)
        while vector is None:
            vector = next(self._others, None)
            if vector is None:
                self._others = iter(self._known.values())
        return vector
