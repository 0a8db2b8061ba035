"""Decisions of owners about facts. They overrule earlier statements, also after the facts were erased."""

import json
import secrets
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from records.facts import LASTING, Decision, Fact
from storage.engine.protocol import Reader, Transaction
from storage.schema.portable_tables import DECISIONS
from storage.schema.rows import DECISION_ROWS, parse_fact
from text.fingerprint import find_topics

ROWS = "SELECT * FROM decisions WHERE user_id = ? ORDER BY id"


def make_decision(fact: Fact, decided_at: datetime, key: str) -> Decision:
    """Return a decision about a fact, with its terms hashed under `key`. An empty key leaves them as plain text."""
    # A value that another fact has replaced says nothing about that fact's value.
    subject = fact.subject if fact.kind not in LASTING and not fact.superseded_by else ""
    return Decision(
        id=fact.id,
        owner=fact.owner,
        key=key,
        terms=tuple(sorted(_hash_terms(find_topics(fact.text), key))),
        subject=_hash_subject(subject, fact.person_id if fact.owner < 0 else 0, key),
        source_ids=fact.source_ids,
        decided_at=decided_at,
    )


def list_decisions_about(facts: Iterable[Fact], erased: Iterable[Decision]) -> list[Decision]:
    """Return the decisions about `facts`, preceded by the `erased` decisions."""
    return [*erased, *(make_decision(fact, fact.decided_at, "") for fact in facts if fact.decided_at is not None)]


def is_overruled_by(
    decisions: Iterable[Decision],
    text: str,
    subject: str,
    *,
    sources: Collection[int],
    said_at: datetime,
    person_id: int = 0,
) -> bool:
    """Return True if a statement is older than a decision about the same thing."""
    return any(
        said_at <= decision.decided_at and _is_about_same_thing(decision, text, subject, sources, person_id)
        for decision in decisions
    )


def _is_about_same_thing(decision: Decision, text: str, subject: str, sources: Collection[int], person_id: int) -> bool:
    terms, decided = _hash_terms(find_topics(text), decision.key), frozenset(decision.terms)
    if not terms or not decided:
        return False
    # The same message may be put into other words when it is read again ("lives in Porto", "moved to Porto").
    is_told_again = 2 * len(terms & decided) >= len(decided) and not set(decision.source_ids).isdisjoint(sources)
    member = person_id if decision.owner < 0 else 0
    is_same_value = bool(decision.subject) and decision.subject == _hash_subject(subject, member, decision.key)
    return terms <= decided or decided <= terms or is_told_again or is_same_value


@lru_cache(maxsize=10_000)
def _hash_terms(terms: frozenset[str], key: str) -> frozenset[str]:
    """Return keyed hashes of the terms. If `key` is empty, return the terms unchanged."""
    return frozenset(_hash_text(term, key) for term in terms) if key else terms


def _hash_subject(subject: str, member_id: int, key: str) -> str:
    """Return a keyed hash of a subject, or plain text if `key` is empty. Each group member has separate subjects."""
    words = " ".join(sorted(find_topics(subject)))
    if words and member_id:
        words = f"{words} of {member_id}"
    return _hash_text(f"subject {words}", key) if words and key else words


def _hash_text(text: str, key: str) -> str:
    return blake2b(text.encode(), key=bytes.fromhex(key), digest_size=8).hexdigest()


async def store_decisions(
    tx: Transaction, owner: int, fact_ids: Sequence[int], *, decided_at: datetime | None = None
) -> None:
    """Store the decisions about facts that are to be erased. `decided_at` overrides the time of each decision."""
    known = map(parse_fact, await tx.rows(_FACTS, owner, json.dumps(fact_ids)))
    decided = [(fact, moment) for fact in known if (moment := decided_at or fact.decided_at) is not None]
    if not decided:
        return
    earlier = await read_decisions(tx, owner)
    key = earlier[0].key if earlier else secrets.token_hex(16)
    kept = [make_decision(fact, moment, key) for fact, moment in decided]
    await tx.execute_many(DECISIONS.upsert, [DECISIONS.to_values(DECISION_ROWS.to_row(decision)) for decision in kept])


async def delete_decisions_without_sources(tx: Transaction, owner: int, erased_ids: Collection[int]) -> None:
    """Delete the decisions whose last source message has been erased."""
    for decision in await read_decisions(tx, owner):
        is_touched = not set(decision.source_ids).isdisjoint(erased_ids)
        if is_touched and not await tx.row(_ANY_MESSAGE, owner, json.dumps(decision.source_ids)):
            await tx.rows("DELETE FROM decisions WHERE user_id = ? AND id = ?", owner, decision.id)


async def read_decisions(reader: Reader, owner: int) -> list[Decision]:
    """Return an owner's decisions about facts that have been erased."""
    return [DECISION_ROWS.parse(row) for row in await reader.rows(ROWS, owner)]


_ANY_MESSAGE = "SELECT 1 FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) LIMIT 1"
_FACTS = "SELECT * FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
