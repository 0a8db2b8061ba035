"""Facts that fall with what is forgotten, and how what stays closes over them.

Owns that no fact keeps a word that nobody says any more, and that a fact which was over only because of one that goes
holds again. So do earlier words where an edit is taken back. Does not know messages but as sources, nor summaries.
"""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import words
from records import Scope
from storage import study_table, word_index
from storage.driver import Row
from storage.stale import Learned, unfounded
from storage.transaction import Reader, Transaction

LOOKED_AT = 50
"""Messages with a word that are looked at for one that stays."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FallenFacts:
    """`again`: by thread, the first message that is to be learned from once more."""

    gone: tuple[Learned, ...] = ()
    again: Mapping[int, int] = field(default_factory=dict)

    @property
    def ids(self) -> list[int]:
        return [one.id for one in self.gone]


async def fallen_facts(reader: Reader, owner: int, messages: Set[int], chosen: Iterable[int]) -> FallenFacts:
    """Those that are chosen or built on these messages, with those that took their place and repeat them."""
    rows = {int(row["id"]): row for row in await reader.rows(_FACTS, owner)}
    learned = {number: _learned(row) for number, row in rows.items()}
    gone = (set(unfounded(learned.values(), messages)) | set(chosen)) & rows.keys()
    again: dict[int, int] = {}
    waiting = sorted(gone)
    while waiting:
        before = rows[waiting.pop()]
        after = rows.get(before["superseded_by"])
        if after is None or after["id"] in gone or after["origin"] == "owner":
            continue
        sources = await reader.rows(_SOURCES, owner, after["source_ids"])
        if await _repeats(reader, owner, after["text"], before["text"], sources, messages):
            gone.add(after["id"])
            waiting.append(after["id"])
            for source in sources:
                again[source["thread_id"]] = min(source["id"], again.get(source["thread_id"], source["id"]))
    # The words that an edit by hand replaced stand in rows of their own.
    gone |= {number for number, row in rows.items() if row["origin"] == "earlier" and row["superseded_by"] in gone}
    return FallenFacts(gone=tuple(learned[number] for number in sorted(gone)), again=again)


async def _repeats(
    reader: Reader, owner: int, text: str, gone: str, sources: Sequence[Row], messages: Set[int]
) -> bool:
    """Whether a fact has a word of one that goes which neither its own sources nor any message that stays says."""
    own = {term for row in sources for part in (row["speaker"], row["content"]) for term in words.analyse(part)}
    for term in set(words.analyse(text)) & set(words.analyse(gone)) - own:
        for thread in {int(row["thread_id"]) for row in sources} or {0}:
            scope = Scope(owner=owner, thread=thread)
            hits = await word_index.search(reader, scope, [term], LOOKED_AT)
            if all(row["id"] in messages for row, _ in hits):
                return True
    return False


async def erase_facts(tx: Transaction, owner: int, fallen: FallenFacts, *, keeps_ends: bool) -> None:
    """`keeps_ends`: a fact that one of them had replaced stays over; otherwise it is as if that had not been said."""
    rows = {int(row["id"]): row for row in await tx.rows(_FACTS, owner)}
    gone = set(fallen.ids)
    for number, row in rows.items():
        if number in gone or row["superseded_by"] not in gone:
            continue
        before = rows[row["superseded_by"]]
        after: Row | None = before
        while after is not None and after["id"] in gone:
            after = rows.get(after["superseded_by"])
        end = row["valid_to"]
        if end == max(before["since"], row["since"]) and not (keeps_ends and after is None):
            # It was over only because of the one that goes.
            end = None if after is None else max(after["since"], row["since"])
        values = (None if after is None else after["id"], end)
        await tx.rows(
            "UPDATE facts SET superseded_by = ?, valid_to = ? WHERE user_id = ? AND id = ?", *values, owner, number
        )
    await tx.rows(
        "DELETE FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))", owner, json.dumps(fallen.ids)
    )
    for thread, first in fallen.again.items():
        await learn_again(tx, Scope(owner=owner, thread=thread), first)


async def edits(reader: Reader, owner: int, earlier: Sequence[int]) -> list[Learned]:
    """The edits by hand that put others in the place of these earlier words, as if each were a fact by itself."""
    rows = await reader.rows(_EARLIER, owner, json.dumps(earlier))
    return [Learned(id=row["id"], sources=frozenset(), made_at=row["valid_to"]) for row in rows]


async def take_back(tx: Transaction, owner: int, earlier: Sequence[int]) -> None:
    """These words are their facts' again; what had taken their place by hand is nowhere any more."""
    for row in reversed(await tx.rows(_EARLIER, owner, json.dumps(earlier))):
        fact, is_first = row["superseded_by"], not await tx.row(_EARLIER_STILL, owner, row["superseded_by"], row["id"])
        origin = "" if is_first and json.loads(row["source_ids"]) else "owner"
        await tx.rows(
            "UPDATE facts SET text = ?, origin = ? WHERE user_id = ? AND id = ?", row["text"], origin, owner, fact
        )
        await tx.rows("DELETE FROM facts WHERE user_id = ? AND id = ?", owner, row["id"])


async def learn_again(tx: Transaction, scope: Scope, first: int) -> None:
    """Facts are learned once more from this message on; imported ones (below 1) are learned from by themselves."""
    if first < 1:
        await study_table.learn_again(tx, scope, first)
        return
    await tx.rows(
        "UPDATE progress SET learned_id = min(learned_id, ?1) WHERE user_id = ?2 AND thread_id = ?3",
        first - 1,
        scope.owner,
        scope.thread,
    )


def _learned(row: Row) -> Learned:
    return Learned(id=row["id"], sources=frozenset(json.loads(row["source_ids"])), made_at=row["created_at"])


_FACTS = """
SELECT id, text, source_ids, created_at, origin, superseded_by, valid_to, COALESCE(valid_from, observed_at) AS since
FROM facts WHERE user_id = ?
"""
_EARLIER = """
SELECT id, text, source_ids, superseded_by, valid_to FROM facts
WHERE user_id = ? AND origin = 'earlier' AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_EARLIER_STILL = "SELECT 1 FROM facts WHERE user_id = ? AND origin = 'earlier' AND superseded_by = ? AND id < ?"
_SOURCES = """
SELECT id, thread_id, speaker, content FROM messages
WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
