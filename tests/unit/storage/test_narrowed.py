"""Ranking by words in PostgreSQL: what is left out of a search among many messages changes nothing of what it finds."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from storage.search import postgres_full_text as full_text
from storage.search import word_index
from storage.search.postgres_full_text import TsVector
from storage.search.terms import TermsEntry
from storage.stores.postgres import PostgresStore, open_postgres_database
from tests.contract.conftest import ANNA, config
from tests.support.postgres_server import address

WORDS = [f"w{number}" for number in range(40)]
COMMON_FIRST = [1 / (1 + number) for number in range(len(WORDS))]


def entries(chance: random.Random, count: int) -> list[TermsEntry]:
    """Messages of 1 to 30 words, some of them everywhere and some hardly anywhere."""
    return [
        TermsEntry(
            seq=seq,
            scope=ANNA,
            id=seq,
            role="user",
            speaker="",
            size=1,
            said_at=float(seq),
            terms=tuple(chance.choices(WORDS, COMMON_FIRST, k=chance.choice((1, 3, 10, 30)))),
        )
        for seq in range(1, count + 1)
    ]


async def test_the_best_among_many_messages_are_the_best_of_all(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, saved = random.Random(7), 0  # noqa: S311 - not a secret
    async with open_postgres_database(address(postgres_url, tmp_path)) as database:
        store = PostgresStore(database)
        await store.put_owner(config(store, ANNA.owner))
        said = entries(chance, 1_200)
        async with database.write(ANNA.owner) as tx:
            await tx.run(lambda connection: word_index.put(connection, said))
        rows: list[int] = []
        scores = full_text.Ranking.scores

        def counted(self: full_text.Ranking, question: str) -> full_text.Scored:
            found = scores(self, question)
            rows.append(len(found.seqs))
            return found

        monkeypatch.setattr(full_text.Ranking, "scores", counted)

        async def best(terms: Sequence[str], limit: int, *, narrowed: bool) -> list[tuple[int, float]]:
            monkeypatch.setattr(full_text, "NARROWED", 0 if narrowed else 10**9)
            rows.clear()
            async with database.read(ANNA.owner) as reader:
                return await reader.run(lambda connection: TsVector().best(connection, ANNA, terms, limit))

        for _ in range(60):
            terms = chance.sample([*WORDS, "nowhere"], chance.randint(1, 8))
            limit = chance.choice((1, 10, 30, 5_000))
            whole = await best(terms, limit, narrowed=False)
            [read_by_all] = rows
            assert await best(terms, limit, narrowed=True) == whole, (terms, limit)
            saved += sum(rows) < read_by_all / 2
    assert saved > 3, "it should sometimes read less than half"
