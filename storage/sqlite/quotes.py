"""What quotes forgotten words without being built on their message: later answers, facts, summaries, profiles.

Owns which words came into the memory with a message, and who repeats them without having heard them elsewhere. Does not
know what is built on a message (dependents.py), nor whether a quote is to go (deletion_cascade.py).
"""

import asyncio
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from storage.files.sql import Reader, Row
from storage.search import word_index
from storage.sqlite.fact_table import EARLIER
from text import analyzer

MOST_WORDS = 300
"""Words of what is forgotten that are looked for: those with digits and the long ones first."""
MOST_TEXT = 200_000
"""Characters of what is forgotten that are read for its words."""
MOST_HOLDERS = 1_000
"""A word that more messages hold says nothing about one of them."""
FEW = 5
"""A word that was in use before still points at what is forgotten where so few messages hold it."""


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
    """The words of what is forgotten. `since`: when each was first said, as text that sorts, and
    in which message (or fact); `texts`: those of each text;
    `readings`: what a word may be in a text of another language; `new`: those that nobody had said before.
    """

    since: dict[str, tuple[str, int]] = field(default_factory=dict)
    texts: list[frozenset[str]] = field(default_factory=list)
    readings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)
    is_complete: bool = True

    def forms(self, word: str) -> tuple[str, ...]:
        return (word, *self.readings.get(word, ()))

    def new_in(self, text: str, at: str) -> set[str]:
        """The new words that a text of then holds."""
        terms = set(analyzer.analyse(text))
        return {word for word in self.new if self.since[word][0] <= at and not terms.isdisjoint(self.forms(word))}


@dataclass(slots=True)
class _Said:
    """By message that stays: its row, and the new words in it. `versions`: those with them in an earlier text."""

    rows: dict[int, Row] = field(default_factory=dict)
    words: dict[int, set[str]] = field(default_factory=dict)
    versions: set[int] = field(default_factory=set)

    def by_people(self, ids: Iterable[int]) -> set[str]:
        """The new words that people say in these messages."""
        said = [self.words[one] for one in ids if one in self.rows and self.rows[one]["role"] == "user"]
        return set().union(*said)


async def quotes_of(reader: Reader, owner: int, going: Taken, *, facts: Collection[int] = ()) -> Quotes:
    """What quotes the messages that go; or, where none goes, these facts."""
    words = await _words(reader, owner, going.messages, facts)
    said, holders = await _said(reader, owner, words, going.messages)
    if not words.new:
        return Quotes(holders=frozenset(holders), is_complete=words.is_complete)
    fact_rows = [row for row in await reader.rows(_FACTS, owner) if row["id"] not in going.facts]
    summary_rows = [row for row in await reader.rows(_SUMMARIES, owner) if row["id"] not in going.summaries]
    profile_rows = [row for row in await reader.rows(_PROFILES, owner) if row["id"] not in going.profiles]
    in_facts, in_summaries, in_profiles = await asyncio.to_thread(
        lambda: [_found(words, rows) for rows in (fact_rows, summary_rows, profile_rows)]
    )
    quoting_facts = {
        row["superseded_by"] if row["origin"] == EARLIER else row["id"]
        for row in fact_rows
        if in_facts.get(row["id"], set()) - said.by_people(json.loads(row["source_ids"]))
    }
    held = _Held(
        summaries={row["id"] for row in summary_rows} - in_summaries.keys(),
        facts={row["id"] for row in fact_rows} - in_facts.keys(),
        profiles={row["id"] for row in profile_rows} - in_profiles.keys(),
    )
    accounts = {row["id"]: json.loads(row["account"]) for row in await reader.rows(_ACCOUNTS, owner)}
    turns = await reader.rows(_TURNS, owner, json.dumps(sorted(going.messages)))
    answers = _answers(words, said, held, accounts, going.messages, {(row[0], row[1]) for row in turns})
    quoting_summaries = {
        row["id"]
        for row in summary_rows
        if in_summaries.get(row["id"], set())
        - said.by_people(one for one, at in said.rows.items() if _covers(row, at) and one not in answers)
    }
    elsewhere = [found for number, found in in_facts.items() if number not in quoting_facts]
    elsewhere += [found for number, found in in_summaries.items() if number not in quoting_summaries]
    known = set[str]().union(*elsewhere)
    return Quotes(
        messages=tuple(sorted(answers)),
        facts=frozenset(quoting_facts - going.facts),
        summaries=frozenset(quoting_summaries),
        profiles=frozenset(number for number, found in in_profiles.items() if found - known),
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
            words.texts.append(frozenset(analyzer.analyse(read[-1])))
            for term in words.texts[-1]:
                words.since[term] = min(at, words.since.get(term, at))
        left -= len(text)
    chosen = sorted(words.since, key=lambda term: (not _has_digit(term), -len(term)))[:MOST_WORDS]
    words.is_complete = words.is_complete and len(chosen) == len(words.since)
    words.since = {term: words.since[term] for term in chosen}
    words.readings = analyzer.other_readings(chosen, *read)
    return words


async def _said(reader: Reader, owner: int, words: _Words, going: Set[int]) -> tuple[_Said, set[int]]:
    """Who says the new words; and all that hold a new or a rare one. Notes which words are new."""
    said, holders = _Said(), set[int]()
    threads = [int(row[0]) for row in await reader.rows("SELECT thread_id FROM scopes WHERE user_id = ?", owner)]
    for word, since in words.since.items():
        rows = await word_index.holders(reader, owner, threads, words.forms(word), MOST_HOLDERS)
        if rows is None:
            words.is_complete = words.is_complete and not _has_digit(word)
            continue
        staying = [row for row in rows if row["id"] not in going]
        is_new = all((row["created_at"], row["id"]) >= since for row in staying)
        if is_new or len(staying) <= FEW:
            holders.update(row["id"] for row in staying)
        if is_new:
            words.new.add(word)
            for row in staying:
                said.rows[row["id"]] = row
                said.words.setdefault(row["id"], set()).add(word)
    for row in await reader.rows(_VERSIONS, owner) if words.new else ():
        if row["id"] not in going and (found := words.new_in(row["content"], row["written_at"])):
            said.rows[row["id"]] = row
            said.words.setdefault(row["id"], set()).update(found)
            said.versions.add(row["id"])
            holders.add(row["id"])
    return said, holders


@dataclass(frozen=True, kw_only=True, slots=True)
class _Held:
    """What stays and holds none of the words: the rest that a prompt had may have handed them on."""

    summaries: Set[int]
    facts: Set[int]
    profiles: Set[int]


def _answers(
    words: _Words,
    said: _Said,
    held: _Held,
    accounts: Mapping[int, Mapping[str, object]],
    going: Set[int],
    turns: Set[tuple[int, int]],
) -> set[int]:
    """Answers that hold a new word which their own question does not, or half of all that a text brought; where it is
    known what they were made from, only those that could know it from there.
    """
    asked: dict[tuple[int, int], set[str]] = {}
    for number, row in said.rows.items():
        if row["role"] == "user":
            asked.setdefault((row["thread_id"], row["turn_id"]), set()).update(said.words[number])
    quoting: set[int] = set()
    for number in sorted(said.rows, key=lambda one: (str(said.rows[one]["created_at"]), one)):
        row, found = said.rows[number], said.words[number]
        turn = (row["thread_id"], row["turn_id"])
        if row["role"] == "user" or not (found - asked.get(turn, set()) or _is_half(found, words)):
            continue
        account = accounts.get(number) if number not in said.versions else None
        if account is None or turn in turns or _could_know(account, held, going | quoting):
            quoting.add(number)
    return quoting


def _is_half(found: Set[str], words: _Words) -> bool:
    for text in words.texts:
        new = text & words.new
        if len(found & new) >= 2 and 2 * len(found & new) >= len(new):
            return True
    return False


def _could_know(account: Mapping[str, object], held: _Held, messages: Set[int]) -> bool:
    """Whether a prompt (retrieval/explanation.py has the form of its account) held one of these messages, or anything
    that is not known to be free of the words. What it held that no store has is not known.
    """
    named = {*_ids(account.get("snippets")), *_ids(account.get("looked_up"))}
    runs = account.get("recent")
    recent = any(
        isinstance(run, list) and len(run) == 2 and any(run[0] <= one <= run[1] for one in messages)
        for run in (runs if isinstance(runs, list) else ())
    )
    profile = account.get("profile")
    return bool(
        account.get("here")
        or recent
        or named & messages
        or set(_ids(account.get("summaries"))) - held.summaries
        or set(_ids(account.get("facts"))) - held.facts
        or (profile is not None and profile not in held.profiles)
    )


def _ids(value: object) -> Iterator[int]:
    """The ids of a list of ids, or of lists that begin with one."""
    for one in value if isinstance(value, list) else ():
        first = one[0] if isinstance(one, list) and one else one
        if isinstance(first, int):
            yield first


def _found(words: _Words, rows: Iterable[Row]) -> dict[int, set[str]]:
    """By id, the new words in these texts, where there are any."""
    found = {row["id"]: words.new_in(str(row["text"]), str(row["created_at"])) for row in rows}
    return {number: held for number, held in found.items() if held}


def _covers(summary: Row, message: Row) -> bool:
    return bool(
        summary["thread_id"] == message["thread_id"]
        and summary["first_at"] <= message["created_at"] <= summary["last_at"]
    )


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
_FACTS = "SELECT id, text, created_at, source_ids, origin, superseded_by FROM facts WHERE user_id = ?"
_SUMMARIES = """
SELECT id, summary_text AS text, created_at, thread_id, first_at, last_at FROM summaries WHERE user_id = ?
"""
_PROFILES = "SELECT id, text, created_at FROM profiles WHERE user_id = ?"
_ACCOUNTS = "SELECT id, account FROM accounts WHERE user_id = ?"
_TURNS = """
SELECT DISTINCT thread_id, turn_id FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))
"""
_VERSIONS = """
SELECT messages.id, messages.thread_id, messages.turn_id, messages.role, messages.created_at, versions.content,
  versions.written_at
FROM versions JOIN messages ON messages.user_id = versions.user_id AND messages.id = versions.message_id
WHERE versions.user_id = ?
"""
