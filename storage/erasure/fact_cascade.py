"""Delete the facts learned from forgotten messages, including facts that only repeat words of these messages."""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from records.scopes import Scope
from storage.engine.protocol import Reader, Row, Transaction
from storage.erasure.dependents import DatedFact
from storage.search import word_index
from storage.tables import history_extraction as history_extraction_table
from storage.tables.facts import EARLIER
from text import analyzer
from text.word_lists import EVERY_FUNCTION_WORD

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class FactCascade:
    """Facts to delete (`gone`) or never relearn (`decided`), and ids of messages to learn from again, by thread."""

    gone: tuple[DatedFact, ...] = ()
    decided: frozenset[int] = frozenset()
    again: Mapping[int, Sequence[int]] = field(default_factory=dict)

    @property
    def ids(self) -> list[int]:
        return [fact.id for fact in self.gone]


async def find_affected_facts(
    reader: Reader, owner: int, message_ids: Set[int], fact_ids: Iterable[int], *, keeps_decided_facts: bool = False
) -> FactCascade:
    """Find the facts in `fact_ids`, those learned from `message_ids`, and later facts that repeat their words."""
    rows = {int(row["id"]): row for row in await reader.fetch_rows(_FACTS, owner)}
    if keeps_decided_facts:
        rows = {number: row for number, row in rows.items() if row["decided_at"] is None}
    # Even if other messages support them too.
    learned = {number for number, row in rows.items() if not message_ids.isdisjoint(json.loads(row["source_ids"]))}
    decided = frozenset(learned | (set(fact_ids) & rows.keys()))
    repeating, again = await _find_repeats_and_sources(reader, owner, rows, dict.fromkeys(decided, _NONE), message_ids)
    gone = decided | repeating
    # The words that an edit by hand replaced are rows of their own.
    earlier = {number: row["superseded_by"] for number, row in rows.items() if row["origin"] == EARLIER}
    gone |= {number for number, fact in earlier.items() if fact in gone}
    decided |= {number for number, fact in earlier.items() if fact in decided}
    return FactCascade(gone=_list_dated_facts(rows, gone), decided=decided, again=again)


async def find_facts_repeating_edits(reader: Reader, owner: int, edit_ids: Sequence[int]) -> FactCascade:
    """Find the facts that repeat words from edits that are being undone."""
    rows = {int(row["id"]): row for row in await reader.fetch_rows(_FACTS, owner)}
    facts = {rows[number]["superseded_by"] for number in edit_ids if number in rows} & rows.keys()
    texts: dict[int, list[str]] = {fact: [] for fact in facts}
    for row in rows.values():
        if row["origin"] == EARLIER and row["superseded_by"] in facts:
            texts[row["superseded_by"]].append(row["text"])
    kept = {fact: _collect_terms(earlier_texts) for fact, earlier_texts in texts.items()}
    gone, again = await _find_repeats_and_sources(reader, owner, rows, kept, frozenset())
    return FactCascade(gone=_list_dated_facts(rows, gone), again=again)


async def _find_repeats_and_sources(
    reader: Reader, owner: int, rows: Mapping[int, Row], allowed_terms: Mapping[int, Set[str]], message_ids: Set[int]
) -> tuple[set[int], dict[int, list[int]]]:
    texts = {number: [row["text"]] for number, row in rows.items()}
    related: dict[int, list[Row]] = {}
    for row in rows.values():
        related.setdefault(row["known_id"], []).append(row)
        if row["origin"] == EARLIER and row["superseded_by"] in texts:
            texts[row["superseded_by"]].append(row["text"])
    gone: set[int] = set()
    again: dict[int, list[int]] = {}
    waiting = sorted(allowed_terms)
    while waiting:
        number = waiting.pop()
        terms = _collect_terms(texts[number]) - allowed_terms.get(number, _NONE)
        for after in (rows.get(rows[number]["superseded_by"]), *related.get(number, ())):
            if after is None or after["id"] in gone or after["id"] in allowed_terms or after["origin"] == "owner":
                continue
            sources = await reader.fetch_rows(_SOURCES, owner, after["source_ids"])
            if await _repeats_forgotten_words(reader, owner, after["text"], terms, sources, message_ids):
                gone.add(after["id"])
                waiting.append(after["id"])
                for source in sources:
                    if source["id"] not in message_ids:
                        again.setdefault(source["thread_id"], []).append(source["id"])
    return gone, again


def _collect_terms(texts: Iterable[str]) -> Set[str]:
    return frozenset(term for text in texts for term in analyzer.list_search_terms(text))


async def _repeats_forgotten_words(
    reader: Reader, owner: int, text: str, forgotten_terms: Set[str], source_rows: Sequence[Row], message_ids: Set[int]
) -> bool:
    """Return True if the text contains one of `forgotten_terms`, and no remaining message contains that term."""
    own = {
        term
        for row in source_rows
        for part in (row["speaker"], row["content"])
        for term in analyzer.list_search_terms(part)
    }
    for term in _collect_terms([text]) & forgotten_terms - own:
        for thread in {int(row["thread_id"]) for row in source_rows} or {0}:
            rows = await reader.run(word_index.search_messages, Scope(owner=owner, thread=thread), [term], 50)
            if all(row["id"] in message_ids for row in rows):
                return True
    return False


async def erase_facts(tx: Transaction, owner: int, cascade: FactCascade, *, keeps_replaced_invalid: bool) -> None:
    """Delete facts. The facts that they replaced become valid again, unless `keeps_replaced_invalid` is True."""
    rows = {int(row["id"]): row for row in await tx.fetch_rows(_FACTS, owner)}
    gone = set(cascade.ids)
    for number, row in rows.items():
        if number in gone or row["superseded_by"] not in gone:
            continue
        before = rows[row["superseded_by"]]
        after: Row | None = before
        passed: set[int] = set()  # a damaged file may hold facts that replace each other in a circle
        while after is not None and after["id"] in gone:
            passed.add(int(after["id"]))
            after = rows.get(after["superseded_by"])
            if after is not None and after["id"] in passed:
                after = None
        end = row["valid_to"]
        if end == max(before["since"], row["since"]) and not (keeps_replaced_invalid and after is None):
            # It had ended only because of the one that goes.
            end = None if after is None else max(after["since"], row["since"])
        values = (None if after is None else after["id"], end)
        await tx.execute(
            "UPDATE facts SET superseded_by = ?, valid_to = ? WHERE user_id = ? AND id = ?", *values, owner, number
        )
    await tx.execute(
        "DELETE FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))", owner, json.dumps(cascade.ids)
    )
    for thread, ids in cascade.again.items():
        await reschedule_learning(tx, Scope(owner=owner, thread=thread), ids)


async def list_edited_facts(reader: Reader, owner: int, edit_ids: Sequence[int]) -> list[DatedFact]:
    """Return the facts that these edits changed, with the times of the edits."""
    rows = await reader.fetch_rows(_EARLIER, owner, json.dumps(edit_ids))
    return [DatedFact(id=row["superseded_by"], made_at=row["valid_to"]) for row in rows]


async def undo_fact_edits(tx: Transaction, owner: int, edit_ids: Sequence[int]) -> None:
    """Undo edits of facts by restoring the earlier texts, and delete the rows that stored these texts."""
    for row in reversed(await tx.fetch_rows(_EARLIER, owner, json.dumps(edit_ids))):
        fact = row["superseded_by"]
        is_first = await tx.fetch_row(_EARLIER_STILL, owner, fact, row["id"]) is None
        origin = "" if is_first and json.loads(row["source_ids"]) else "owner"
        sql = "UPDATE facts SET text = ?, origin = ?, observed_at = ? WHERE user_id = ? AND id = ?"
        await tx.execute(sql, row["text"], origin, row["observed_at"], owner, fact)
        await tx.execute("DELETE FROM facts WHERE user_id = ? AND id = ?", owner, row["id"])


async def release_pinned_facts_without_words(tx: Transaction, owner: int, message_id: int, new_text: str) -> None:
    """Let a pinned fact go with its words, such as a number, if they are edited away in its only message."""
    for row in await tx.fetch_rows(_PINNED, owner, json.dumps([message_id])):
        text, quote, words = (set(analyzer.split_words(each)) for each in (row["text"], row["quote"], new_text))
        if not text & quote - EVERY_FUNCTION_WORD <= words:
            await tx.execute("UPDATE facts SET decided_at = NULL WHERE user_id = ? AND id = ?", owner, row["id"])


async def reschedule_learning(tx: Transaction, scope: Scope, message_ids: Sequence[int]) -> None:
    """Schedule learning from these messages again. Imported messages (ids below 1) are scheduled separately."""
    if past := [message for message in message_ids if message < 1]:
        await history_extraction_table.schedule_reextraction(tx, scope, past)
    if live := [message for message in message_ids if message >= 1]:
        await tx.execute(
            "UPDATE progress SET learned_id = min(learned_id, ?1) WHERE user_id = ?2 AND thread_id = ?3",
            min(live) - 1,
            *scope,
        )


def _list_dated_facts(rows: Mapping[int, Row], ids: Iterable[int]) -> tuple[DatedFact, ...]:
    return tuple(DatedFact(id=number, made_at=rows[number]["created_at"]) for number in sorted(ids))


_FACTS = """
SELECT id, text, quote, source_ids, created_at, origin, superseded_by, known_id, valid_to, decided_at,
COALESCE(valid_from, observed_at) AS since FROM facts WHERE user_id = ?
"""
_PINNED = f"{_FACTS} AND source_ids = ? AND is_pinned = 1 AND origin = '' AND valid_to IS NULL AND deleted_at IS NULL"
_EARLIER = """
SELECT id, text, source_ids, superseded_by, valid_to, observed_at FROM facts
WHERE user_id = ? AND origin = 'earlier' AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_EARLIER_STILL = "SELECT 1 FROM facts WHERE user_id = ? AND origin = 'earlier' AND superseded_by = ? AND id < ?"
_SOURCES = """
SELECT id, thread_id, speaker, content FROM messages
WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
