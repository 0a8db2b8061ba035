"""Finds later answers, facts, summaries and profiles that repeat forgotten words without being built on their message.

Looks in the index of words for the words that came into the memory with what is forgotten. Whether a quote goes too is
decided by deletion_cascade.py.
"""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from storage.engine.protocol import Reader, Row
from storage.search import word_index
from text import analyzer

MOST_WORDS = 300
"""Words of what is forgotten that are looked for: those with digits and the long ones first."""
MOST_TEXT = 200_000
"""Characters of what is forgotten that are read for its words."""
MIN_DIGITS = 4
"""Of a number that is a quote: "3 eggs" quotes nobody's three."""
MOST_HOLDERS = 1_000
"""A word that more messages hold says nothing about one of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quotes:
    """Ids of what stays and repeats words of what is forgotten. `messages`: answers, ascending.

    `holders`: all messages that stay and hold such a word, also because somebody said it there. `is_complete` False:
    there were too many words to look for all.
    """

    messages: tuple[int, ...] = ()
    facts: frozenset[int] = frozenset()
    summaries: frozenset[int] = frozenset()
    profiles: frozenset[int] = frozenset()
    holders: frozenset[int] = frozenset()
    is_complete: bool = True

    def __bool__(self) -> bool:
        return bool(self.messages or self.facts or self.summaries or self.profiles)


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """Ids of what goes anyway, so that nothing of it is a quote that stays."""

    messages: Set[int]
    facts: Set[int] = frozenset()
    summaries: Set[int] = frozenset()
    profiles: Set[int] = frozenset()


@dataclass(slots=True)
class _Words:
    """The words of what is forgotten. `since`: when each was first said, as text that sorts, and in which message (or
    fact); `variants`: what a word may be in a text of another language; `new`: those that nobody had said before.
    """

    since: dict[str, tuple[str, int]] = field(default_factory=dict)
    variants: Mapping[str, Sequence[str]] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)
    is_complete: bool = True

    def forms(self, word: str) -> tuple[str, ...]:
        return (word, *self.variants.get(word, ()))

    def new_in(self, text: str, at: str) -> set[str]:
        """The new words that a text of then holds."""
        terms = set(analyzer.analyse(text))
        return {word for word in self.new if self.since[word][0] <= at and not terms.isdisjoint(self.forms(word))}


@dataclass(slots=True)
class _Said:
    """By message that stays: its row, and the new words in it or in an earlier text of it."""

    rows: dict[int, Row] = field(default_factory=dict)
    words: dict[int, set[str]] = field(default_factory=dict)

    def note(self, row: Row, words: Iterable[str]) -> None:
        self.rows[row["id"]] = row
        self.words.setdefault(row["id"], set()).update(words)

    def answers(self) -> tuple[int, ...]:
        """Those that hold a new word which their own question does not."""
        asked: dict[tuple[int, int], set[str]] = {}
        for number, row in self.rows.items():
            if row["role"] == "user":
                asked.setdefault((row["thread_id"], row["turn_id"]), set()).update(self.words[number])
        return tuple(
            number
            for number, row in sorted(self.rows.items())
            if row["role"] != "user" and self.words[number] - asked.get((row["thread_id"], row["turn_id"]), set())
        )

    def by_people(self, among: Iterable[int] | None = None) -> set[str]:
        """The new words that people say in these messages; None: in any that stays."""
        ids = self.rows.keys() if among is None else self.rows.keys() & set(among)
        return set().union(*(self.words[one] for one in ids if self.rows[one]["role"] == "user"))


async def quotes_of(reader: Reader, owner: int, going: Taken, *, facts: Collection[int] = ()) -> Quotes:
    """Find what quotes the messages that go; or, where none goes, these facts."""
    words = await _words(reader, owner, going.messages, facts)
    said, holders = await _said(reader, owner, words, going.messages)
    if not words.new:
        return Quotes(holders=frozenset(holders), is_complete=words.is_complete)

    async def quoting(sql: str, gone: Set[int]) -> set[int]:
        rows = [row for row in await reader.rows(sql, owner) if row["id"] not in gone]
        return await asyncio.to_thread(
            lambda: {
                row["quoted_id"]
                for row in rows
                if words.new_in(row["text"], row["created_at"]) - said.by_people(json.loads(row["source_ids"]))
            }
        )

    return Quotes(
        messages=said.answers(),
        facts=frozenset(await quoting(_FACTS, going.facts) - going.facts),
        summaries=frozenset(await quoting(_SUMMARIES, going.summaries)),
        profiles=frozenset(await quoting(_PROFILES, going.profiles)),
        holders=frozenset(holders),
        is_complete=words.is_complete,
    )


async def _words(reader: Reader, owner: int, messages: Set[int], facts: Collection[int]) -> _Words:
    ids = json.dumps(sorted(messages))
    rows = await reader.rows(_TEXTS, owner, ids)
    rows += await reader.rows(_FACT_TEXTS, owner, json.dumps([*facts]))
    # An answer is forgotten for its own words only where nobody's question goes with it.
    asked = {row["turn"] for row in rows if row["role"] == "user"}
    rows = [row for row in rows if row["role"] == "user" or row["turn"] not in asked]
    return await asyncio.to_thread(_words_of, [(str(row["content"]), (str(row["at"]), int(row["id"]))) for row in rows])


def _words_of(texts: Sequence[tuple[str, tuple[str, int]]]) -> _Words:
    words, left = _Words(), MOST_TEXT
    read = []
    for text, at in texts:
        words.is_complete = words.is_complete and len(text) <= left
        if left > 0:
            read.append(text[:left])
            for term in analyzer.analyse(read[-1]):
                if not term.isdecimal() or len(term) >= MIN_DIGITS:
                    words.since[term] = min(at, words.since.get(term, at))
        left -= len(text)
    chosen = sorted(words.since, key=lambda term: (not _has_digit(term), -len(term)))[:MOST_WORDS]
    words.is_complete = words.is_complete and len(chosen) == len(words.since)
    words.since = {term: words.since[term] for term in chosen}
    words.variants = analyzer.other_stems(chosen, *read)
    return words


async def _said(reader: Reader, owner: int, words: _Words, going: Set[int]) -> tuple[_Said, set[int]]:
    """Find the messages that say the new words, and all that hold a new or a rare one. Notes which words are new."""
    said, holders = _Said(), set[int]()
    threads = [int(row[0]) for row in await reader.rows("SELECT thread_id FROM scopes WHERE user_id = ?", owner)]
    for word, since in words.since.items():
        rows = await word_index.holders(reader, owner, threads, words.forms(word), MOST_HOLDERS)
        if rows is None:
            words.is_complete = words.is_complete and not _has_digit(word)
            continue
        staying = [row for row in rows if row["id"] not in going]
        is_new = all((row["created_at"], row["id"]) >= since for row in staying)
        # A word that was in use before still points at what is forgotten where few messages hold it.
        if is_new or len(staying) <= 5:
            holders.update(row["id"] for row in staying)
        if is_new:
            words.new.add(word)
            for row in staying:
                said.note(row, [word])
    for row in await reader.rows(_VERSIONS, owner) if words.new else ():
        if row["id"] not in going and (found := words.new_in(row["content"], row["written_at"])):
            said.note(row, found)
            holders.add(row["id"])
    return said, holders


def _has_digit(word: str) -> bool:
    return any(one.isdigit() for one in word)


_TEXTS = """
SELECT id, role, turn_id AS turn, content, created_at AS at FROM messages
WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2))
UNION ALL
SELECT messages.id, messages.role, messages.turn_id, versions.content, versions.written_at FROM versions
JOIN messages ON messages.user_id = versions.user_id AND messages.id = versions.message_id
WHERE versions.user_id = ?1 AND versions.message_id IN (SELECT value FROM json_each(?2))
"""
_FACT_TEXTS = """
SELECT id, 'user' AS role, id AS turn, text AS content, created_at AS at FROM facts
WHERE user_id = ?1 AND (id IN (SELECT value FROM json_each(?2))
  OR origin = 'earlier' AND superseded_by IN (SELECT value FROM json_each(?2)))
"""
_FACTS = """
SELECT id, CASE WHEN origin = 'earlier' THEN superseded_by ELSE id END AS quoted_id, text, created_at, source_ids
FROM facts WHERE user_id = ?
"""
_SUMMARIES = """
SELECT id, id AS quoted_id, summary_text AS text, created_at, 'null' AS source_ids FROM summaries WHERE user_id = ?
"""
_PROFILES = """
SELECT id, id AS quoted_id, text, created_at, 'null' AS source_ids FROM profiles WHERE user_id = ?
"""
_VERSIONS = """
SELECT messages.id, messages.thread_id, messages.turn_id, messages.role, messages.created_at, versions.content,
  versions.written_at
FROM versions JOIN messages ON messages.user_id = versions.user_id AND messages.id = versions.message_id
WHERE versions.user_id = ?
"""
