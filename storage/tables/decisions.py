"""What owners decided by hand about facts, and that nothing which was said before such a decision undoes it.

Owns the SQL of `decisions`: a fact that is erased leaves its decision without a word of the fact. Its words are hashed
with a key of the owner's, so they can be recognised but not read.
"""

import json
import secrets
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from records.facts import LASTING, Decision, Fact
from records.forgetting import Forgetting
from storage.engine.protocol import Reader, Transaction
from storage.schema.portable_tables import DECISIONS
from storage.schema.rows import DECISION_ROWS, parse_fact
from text.fingerprint import find_topics

ROWS = "SELECT * FROM decisions WHERE user_id = ? ORDER BY id"


def make_decision(fact: Fact, decided_at: datetime, key: str) -> Decision:
    """Return what is kept of a decision about a fact."""
    return Decision(
        id=fact.id,
        owner=fact.owner,
        key=key,
        terms=tuple(sorted(_hash_terms(find_topics(fact.text), key))),
        subject=_hash_subject(fact.subject, key) if fact.kind not in LASTING else "",
        source_ids=fact.source_ids,
        decided_at=decided_at,
    )


def select_decisions_on(facts: Iterable[Fact], erased: Iterable[Decision]) -> list[Decision]:
    """Return the decisions about these facts, and those about facts that were erased."""
    return [*erased, *(make_decision(fact, fact.decided_at, "") for fact in facts if fact.decided_at is not None)]


def is_undone_by(
    decisions: Iterable[Decision], text: str, subject: str, *, sources: Collection[int], said_at: datetime
) -> bool:
    """Return True if a fact was said before a decision about the same thing."""
    return any(said_at <= decision.decided_at and _is_about(decision, text, subject, sources) for decision in decisions)


def _is_about(decision: Decision, text: str, subject: str, sources: Collection[int]) -> bool:
    terms, decided = _hash_terms(find_topics(text), decision.key), frozenset(decision.terms)
    if not terms or not decided:
        return False
    # The same message, read again, may be told in other words ("lives in Porto", "moved to Porto").
    is_told_again = 2 * len(terms & decided) >= len(decided) and not set(decision.source_ids).isdisjoint(sources)
    is_same_value = bool(decision.subject) and decision.subject == _hash_subject(subject, decision.key)
    return terms <= decided or decided <= terms or is_told_again or is_same_value


@lru_cache(maxsize=10_000)
def _hash_terms(terms: frozenset[str], key: str) -> frozenset[str]:
    """Return the terms hashed with the key; without one (of a fact that is still there) as they are."""
    return frozenset(_hash_text(term, key) for term in terms) if key else terms


def _hash_subject(subject: str, key: str) -> str:
    words = " ".join(sorted(find_topics(subject)))
    return _hash_text(f"subject {words}", key) if words and key else words


def _hash_text(text: str, key: str) -> str:
    return blake2b(text.encode(), key=bytes.fromhex(key), digest_size=8).hexdigest()


async def settle(
    tx: Transaction, owner: int, what: Forgetting, facts: Sequence[int], messages: Collection[int]
) -> None:
    """Keep the decisions about facts that are erased because they were deleted some time ago, or because their messages
    expire. Of what the owner forgets on purpose nothing is kept, and decisions go with the last of their messages.
    """
    if what.is_expiry or what.what == "archives":
        await _keep_decisions(tx, owner, facts)
    else:
        await _drop_decisions(tx, owner, messages)


async def _keep_decisions(tx: Transaction, owner: int, facts: Sequence[int]) -> None:
    rows = await tx.rows(_FACTS, owner, json.dumps(list(facts)))
    if not rows:
        return
    known = await tx.row(f"{ROWS} LIMIT 1", owner)
    key = str(known["key"]) if known else secrets.token_hex(16)
    decided = [(fact, fact.decided_at) for fact in map(parse_fact, rows) if fact.decided_at is not None]
    kept = [make_decision(fact, decided_at, key) for fact, decided_at in decided]
    await tx.many(DECISIONS.upsert, [DECISIONS.stored(DECISION_ROWS.row(decision)) for decision in kept])


async def _drop_decisions(tx: Transaction, owner: int, messages: Collection[int]) -> None:
    gone = frozenset(messages)
    for row in await tx.rows(ROWS, owner):
        sources = DECISION_ROWS.of(row).source_ids
        if sources and gone.issuperset(sources):
            await tx.rows("DELETE FROM decisions WHERE user_id = ? AND id = ?", owner, row["id"])


async def read_erased(reader: Reader, owner: int) -> list[Decision]:
    """Return the decisions about facts that were erased."""
    return [DECISION_ROWS.of(row) for row in await reader.rows(ROWS, owner)]


_FACTS = "SELECT * FROM facts WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
