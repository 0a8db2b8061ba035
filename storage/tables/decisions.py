"""Owners' decisions about facts. They overrule earlier statements, even after the facts have been erased."""

import json
import math
import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import chain

from records.facts import LASTING, Decision, Fact, NewFact
from storage.engine.protocol import Reader, Transaction
from storage.schema.portable_tables import DECISIONS
from storage.schema.rows import DECISION_ROWS, parse_fact
from text.characters import split_sentences_with_spaces
from text.fingerprint import find_topics, is_negated

ROWS = "SELECT * FROM decisions WHERE user_id = ? ORDER BY id"
_AFFIRMED = frozenset({"+"})  # the additional term of a decision that takes back a fact that denies nothing


def make_decision(fact: Fact, decided_at: datetime, key: str) -> Decision:
    """Return a decision about a fact, with its terms hashed under `key`. An empty key leaves them as plain text."""
    is_kept = fact.is_valid and fact.decided_at is not None  # what denied it before is overruled
    terms = find_topics(fact.text) | (frozenset() if is_kept or is_negated(fact.text) else _AFFIRMED)
    # A value that another fact has replaced says nothing about that fact's value.
    subject = "" if fact.superseded_by else _hash_subject(fact, key, is_group=fact.owner < 0)
    return Decision(
        id=fact.id,
        owner=fact.owner,
        key=key,
        terms=tuple(sorted(_hash_terms(terms, key))),
        quote_terms=tuple(sorted(_hash_terms(find_topics(fact.quote), key))),
        subject=subject,
        source_ids=fact.source_ids,
        decided_at=decided_at,
    )


def collect_decisions(facts: Iterable[Fact], erased_fact_decisions: Iterable[Decision]) -> list[Decision]:
    """Return the decisions about erased facts, and about stored facts decided by hand or replaced by such a fact."""
    by_id = {fact.id: fact for fact in facts}
    times = {fact.id: _find_decision_time(fact, by_id) for fact in by_id.values()}
    return [
        *erased_fact_decisions,
        *(make_decision(by_id[id_], time, "") for id_, time in times.items() if time is not None),
    ]


def _find_decision_time(fact: Fact, facts_by_id: Mapping[int, Fact]) -> datetime | None:
    """Return the time of the last decision about a fact or one of its successors."""
    chain = {fact.id: fact}
    while (fact_after := facts_by_id.get(fact.superseded_by or 0)) is not None and fact_after.id not in chain:
        fact = chain[fact_after.id] = fact_after
    return max((fact.decided_at for fact in chain.values() if fact.decided_at is not None), default=None)


def make_decisions_about_replaced_facts(facts: Iterable[Fact]) -> list[Decision]:
    """Return a decision for each replaced fact, made at the time when its successor was stated."""
    by_id = {fact.id: fact for fact in facts}
    replaced = [fact for fact in by_id.values() if fact.superseded_by in by_id]
    return [make_decision(fact, by_id[fact.superseded_by or 0].observed_at, "") for fact in replaced]


class DecisionIndex:
    """One owner's decisions, indexed by word, so that a fact is compared with only a few decisions."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        known = list(decisions)
        self._keys = {(decision.key, decision.owner < 0) for decision in known}
        # By the words and the subject of a decision, which are strings, and by the ids of its sources.
        self._holding = defaultdict[str | int, list[Decision]](list)
        self._by_rarest_word = defaultdict[str, list[Decision]](list)
        for decision in known:
            words = {*decision.terms, *decision.quote_terms, decision.subject}
            for held in chain[str | int](words, decision.source_ids):
                self._holding[held].append(decision)
        for decision in known:
            for text in filter(None, (_find_decided_topics(decision), decision.quote_terms)):
                self._by_rarest_word[self._find_rarest_word(text)].append(decision)

    def overrules(self, fact: NewFact) -> bool:
        """Return True if a decision about this fact is newer than the fact.

        An older decision counts too if the fact comes from a question, or its sentence does not restate the fact.
        """
        decisions = self.find_decisions_about(fact)
        return any(
            fact.is_in_question or fact.observed_at <= decision.decided_at or not _is_stated_again(decision, fact)
            for decision in decisions
        )

    def find_decisions_about_text(self, text: str) -> list[Decision]:
        at = datetime.min.replace(tzinfo=UTC)
        return self.find_decisions_about(
            NewFact(text=text, quote=text, kind="personal", subject="", source_ids=(), observed_at=at, valid_from=at)
        )

    def find_decisions_about(self, fact: NewFact) -> list[Decision]:
        """Return the decisions about facts that have similar words or the same subject as this fact."""
        # Such a decision has the fact's subject or a source of it, or one of the two has all words of the other: then
        # the rarest of these words is in both.
        near = [decision for id_ in fact.source_ids for decision in self._holding.get(id_, ())]
        for key, is_group in self._keys:
            if subject := _hash_subject(fact, key, is_group=is_group):
                near += self._holding.get(subject, ())
            texts = fact.text, fact.quote, fact.line
            for words in filter(None, (_hash_terms(find_topics(text), key) for text in texts)):
                near += self._holding.get(self._find_rarest_word(words), ())
                near += chain.from_iterable(self._by_rarest_word.get(word, ()) for word in words)
        distinct = {id(decision): decision for decision in near}.values()
        return [decision for decision in distinct if _is_about_same_fact(decision, fact)]

    def _find_rarest_word(self, words: Collection[str]) -> str:
        return min(words, key=lambda word: len(self._holding.get(word, ())))


def _is_about_same_fact(decision: Decision, fact: NewFact) -> bool:
    """Return True if a decision is about this fact, judged by words, subject, sources and quote.

    The other fields are not compared, because a model fills them in differently each time it reads a message.
    """
    key = decision.key
    subject = _hash_subject(fact, key, is_group=decision.owner < 0)
    if subject and subject == decision.subject:
        return True
    terms, decided = _hash_terms(find_topics(fact.text), key), _find_decided_topics(decision)
    if not terms or not decided:
        return False
    if terms <= decided and is_negated(fact.text) and is_negated(fact.quote):
        return not _hash_terms(_AFFIRMED, key) <= {*decision.terms}  # "has no dog" is not what "has a dog" says
    if terms <= decided or decided <= terms:
        return True
    is_same_source = not set(decision.source_ids).isdisjoint(fact.source_ids)
    said, decided_quote = find_topics(fact.quote), frozenset(decision.quote_terms)
    # A short quote may be stemmed as another language than its sentence: "Vivo en Sevilla".
    in_line = frozenset(word for word in find_topics(fact.line) if any(word[:3] == each[:3] for each in said))
    quoted = max((_hash_terms(words, key) for words in (said, in_line)), key=lambda each: len(each & decided_quote))
    leading = _hash_terms(find_topics(fact.text.split(" ")[0]), key)  # the name of the person, as a rule
    leading = leading if terms - leading else frozenset()  # in a script without spaces, it is the whole text
    is_of_owner = decision.owner > 0 and not leading & quoted
    if not (is_same_source or leading & decided or is_of_owner):
        return False
    told, decided = terms - leading, decided - leading
    if is_same_source and told & decided and 2 * len(told & decided) >= len(decided):
        return True
    # One quote may carry several facts, with other words of it in each.
    is_other = bool(told & quoted) and bool(decided & decided_quote) and not told & quoted & decided
    is_same_quote = quoted <= decided_quote or decided_quote <= quoted
    return is_same_quote and len(quoted & decided_quote) > 1 and not is_other


def _is_stated_again(decision: Decision, fact: NewFact) -> bool:
    if is_negated(fact.text) and not is_negated(fact.line):
        return False  # "I saw a film about gluten" does not say that one eats none
    key, quoted, decided = decision.key, frozenset(decision.quote_terms), _find_decided_topics(decision)
    terms, unsaid = _hash_terms(find_topics(fact.text), key), _hash_terms(fact.unsaid, key)
    if not (terms <= decided or decided <= terms) or decided.isdisjoint(unsaid):
        return True
    # "Tengo un perro" says "tiene un perro" again if it was learned from these words.
    own = quoted - decided
    return bool(own) and own <= _hash_terms(find_topics(fact.line), key) and unsaid.isdisjoint(quoted)


def _find_decided_topics(decision: Decision) -> frozenset[str]:
    return frozenset(decision.terms) - _hash_terms(_AFFIRMED, decision.key)


@lru_cache(maxsize=10_000)
def _hash_terms(terms: frozenset[str], key: str) -> frozenset[str]:
    return frozenset(_hash_text(term, key) for term in terms) if key else terms


def _hash_subject(fact: Fact | NewFact, key: str, *, is_group: bool) -> str:
    """Return the words of a fact's attribute and, in a group, its member. Hash them if `key` is not empty."""
    words = " ".join(sorted(find_topics(fact.subject))) if fact.kind not in LASTING else ""
    if words and is_group and fact.person_id:
        words = f"{words} of {fact.person_id}"
    return _hash_text(f"subject {words}", key) if words and key else words


def _hash_text(text: str, key: str) -> str:
    return blake2b(text.encode(), key=bytes.fromhex(key), digest_size=8).hexdigest()


def remove_overruled_sentences(
    text: str, facts: Sequence[Fact], decisions: Iterable[Decision], *, max_topics_per_term: float = math.inf
) -> str:
    """Return a text without the sentences that an owner's decisions or newer facts overrule.

    Ignore decisions about facts that are still valid or were stated again. Keep a sentence with more than
    `max_topics_per_term` topics for each term of a decision, because it is mostly about other things.
    """
    valid = {fact.id: fact for fact in facts if fact.is_valid}
    by_id = {fact.id: fact for fact in facts}
    decided = {decision.id: decision for decision in collect_decisions(facts, decisions)}
    known = {decision.id: decision for decision in make_decisions_about_replaced_facts(facts)} | decided
    overruling = [decision for id_, decision in known.items() if id_ not in valid]
    if not overruling:
        return text
    index = DecisionIndex(overruling)

    def is_current(fact_id: int, words: frozenset[str]) -> bool:
        """Return True if `words` contain the whole new value ("left Porto for Oslo") or nothing of the old value."""
        old = find_topics(by_id[fact_id].text)
        new = find_topics(by_id[by_id[fact_id].superseded_by or 0].text)
        return (bool(new - old) and new - old <= words) or words.isdisjoint(old - new)

    def find_decision_ids(text: str, max_topics_per_term: float = max_topics_per_term) -> set[int]:
        words = find_topics(text)
        about = index.find_decisions_about_text(text)
        found = {each.id for each in about if 1 < len(words) <= max_topics_per_term * len(_find_decided_topics(each))}
        return {id_ for id_ in found if id_ in decided or not is_current(id_, words)}

    lines = []
    restated: set[int] | None = None
    for line in text.splitlines():
        kept = ""
        for sentence in split_sentences_with_spaces(line):
            against = find_decision_ids(sentence) | find_decision_ids(sentence.partition(": ")[2])  # behind a label
            if against and restated is None:
                restated = set().union(*(find_decision_ids(fact.text, math.inf) for fact in valid.values()))
            kept += sentence if against <= (restated or set()) else ""
        indent = line[: len(line) - len(line.lstrip())]  # of a nested list
        lines += [(indent + kept.strip()).rstrip()] if kept.strip() or not line.strip() else []
    return "\n".join(lines)


async def preserve_decisions(
    tx: Transaction, owner: int, fact_ids: Collection[int], *, decided_at: datetime | None = None
) -> None:
    """Store the decisions about facts that are about to be erased. `decided_at` overrides the time of each decision."""
    known = {fact.id: fact for fact in map(parse_fact, await tx.fetch_rows(_FACTS, owner))} if fact_ids else {}
    gone = [known[id_] for id_ in fact_ids if id_ in known]
    # Nobody took back a pinned fact that is only too old to keep, but its attribute stays decided.
    gone = [replace(fact, text="", quote="") if fact.is_valid and not decided_at else fact for fact in gone]
    decided = [(fact, time) for fact in gone if (time := decided_at or _find_decision_time(fact, known)) is not None]
    if not decided:
        return
    earlier = await read_decisions(tx, owner)
    key = earlier[0].key if earlier else secrets.token_hex(16)
    kept = [make_decision(fact, moment, key) for fact, moment in decided]
    rows = [DECISIONS.to_params(DECISION_ROWS.to_row(decision)) for decision in kept]
    await tx.execute_many(DECISIONS.upsert_sql, rows)


async def delete_decisions_without_sources(tx: Transaction, owner: int, erased_ids: Collection[int]) -> None:
    """Delete the decisions whose source messages are all gone after the erasure of `erased_ids`."""
    for decision in await read_decisions(tx, owner):
        shares_topic = not set(decision.source_ids).isdisjoint(erased_ids)
        if shares_topic and not await tx.fetch_row(_ANY_MESSAGE, owner, json.dumps(decision.source_ids)):
            await tx.execute("DELETE FROM decisions WHERE user_id = ? AND id = ?", owner, decision.id)


async def read_decisions(reader: Reader, owner: int) -> list[Decision]:
    """Return an owner's decisions about facts that have been erased."""
    return [DECISION_ROWS.parse(row) for row in await reader.fetch_rows(ROWS, owner)]


_ANY_MESSAGE = "SELECT 1 FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)) LIMIT 1"
_FACTS = "SELECT * FROM facts WHERE user_id = ? ORDER BY id"
