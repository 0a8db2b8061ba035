"""Candidates for a question: the messages that match its words best, and what stands around them, column by column.

Owns what is read for ranking, which is everything but the text. Does not know how words are indexed (word_index.py),
or how candidates are ranked.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import cache
from itertools import compress
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from records.scopes import Scope
from storage.files.sql import Connection
from storage.search.full_text import ScopeWords
from storage.search.protocol import Matching, Pool, Readings
from storage.search.terms import Marks, Wanted, term_hash, wanted
from storage.search.word_copies import CopiedWords, Sums, WordCopies, WordCopy
from text import cues, word_parts

MOST_POSTINGS = 10_000
"""The rarest terms of a question are searched until this many messages hold them; the others count in the score only.
"""
RANKED_WHOLE = 400
"""In a scope of up to so many messages all are candidates: what no word finds may still be what is meant."""
RARE = 3
"""A term that no more messages hold is also looked up as other languages stem its word: where no message holds it, the
message may be in another language than the question; where a few do, these may be earlier questions.
"""
MOST_PARTED, MOST_PARTS, MOST_LONGER = 16, 3, 20
"""Of so many of a question's rare terms the parts and beginnings are looked up; so many of each are taken; of so many
that begin with one, the shortest come first."""
SELDOM = 0.05
"""A part that a larger share of the messages holds says nothing: "through" of "throughout"."""
ALWAYS = 20
"""So many messages that hold the question's rarest words are candidates, however well others match."""
STANDING = 10
"""So many messages that say what always holds, and hold one of the question's words, are candidates."""

LOOKED_UP_AFTER, SCOPES_HELD = 8, 1_000
"""After so many messages it is looked up again which words of what always holds a scope has; so many scopes are known.
"""

SESSION_GAP = 4 * 3600.0
"""Seconds of silence after which a new session begins."""
_APART = 3
"""Between the positions of messages that have others between them; ranking looks at most two messages far."""

_COLUMNS = """
near.seq, near.message_id, near.size, near.said_at, near.is_assistant, near.speaker, near.marks
"""
# CROSS JOIN keeps this order; SQLite would otherwise begin with all rows of all scopes. `marks` are hashes of terms.
# The signs let SQLite look both columns up in the index: what another table's column is compared with it takes for a
# number of another type, and would walk through all messages of one moment, of which an import can make any number.
_WINDOWS = """
WITH hit AS MATERIALIZED (
  SELECT said_at, message_id FROM json_each(?1) AS given CROSS JOIN places ON places.seq = given.value
  WHERE user_id = ?2 AND thread_id = ?3
),
span AS MATERIALIZED (
  SELECT COALESCE(
    (
      SELECT seq FROM places WHERE user_id = ?2 AND thread_id = ?3
      AND (said_at, message_id) < (+hit.said_at, +hit.message_id)
      ORDER BY said_at DESC, message_id DESC LIMIT 1 OFFSET ?4
    ),
    (SELECT seq FROM places WHERE user_id = ?2 AND thread_id = ?3 ORDER BY said_at, message_id LIMIT 1)
  ) AS first,
  COALESCE(
    (
      SELECT seq FROM places WHERE user_id = ?2 AND thread_id = ?3
      AND (said_at, message_id) > (+hit.said_at, +hit.message_id)
      ORDER BY said_at, message_id LIMIT 1 OFFSET ?4
    ),
    (SELECT seq FROM places WHERE user_id = ?2 AND thread_id = ?3 ORDER BY said_at DESC, message_id DESC LIMIT 1)
  ) AS last
  FROM hit
)
SELECT first, last, a.said_at, a.message_id, b.said_at, b.message_id
FROM span CROSS JOIN places AS a ON a.seq = first CROSS JOIN places AS b ON b.seq = last
ORDER BY a.said_at, a.message_id
"""
_AROUND = f"""
SELECT {_COLUMNS}
FROM json_each(?) AS run
CROSS JOIN places AS a ON a.seq = json_extract(run.value, '$[0]')
CROSS JOIN places AS b ON b.seq = json_extract(run.value, '$[1]')
CROSS JOIN places AS near ON near.user_id = ? AND near.thread_id = ?
  AND (near.said_at, near.message_id) >= (+a.said_at, +a.message_id)
  AND (near.said_at, near.message_id) <= (+b.said_at, +b.message_id)
"""  # noqa: S608
_SEQS = """
SELECT seq FROM json_each(?3) AS given CROSS JOIN messages ON messages.user_id = ?1 AND messages.id = given.value
WHERE thread_id = ?2
"""
_LATER = f"""
SELECT {_COLUMNS} FROM places AS near WHERE user_id = ? AND thread_id = ? AND said_at > ? AND seq > ?
ORDER BY said_at, message_id
"""  # noqa: S608
_EVERYTHING = f"SELECT {_COLUMNS} FROM places AS near WHERE user_id = ? AND thread_id = ?"  # noqa: S608
_TIME = itemgetter(3, 1)
HeldStanding = dict[tuple[Scope, int], Mapping[str, int]]
"""How many messages of a scope hold which words of what always holds, by the scope and about how many it has."""


def matching(
    connection: Connection,
    scope: Scope,
    terms: Sequence[str],
    *,
    limit: int,
    surely: Sequence[str] = (),
    readings: Readings | None = None,
    most_postings: int = MOST_POSTINGS,
    standing: HeldStanding | None = None,
    copies: WordCopies | None = None,
) -> Matching:
    """The `limit` messages that match the terms best, and those that hold the rarest of the terms `surely`.

    `standing`: what earlier calls found out, for this one and for later ones.
    """
    sums = _sums(connection, scope)
    turns, total, person_turns, person_terms = sums
    copy = copies.of(connection, scope, sums) if copies is not None else None
    words = ScopeWords(connection, scope) if copy is None else CopiedWords(connection, scope, copy)
    frequency = _frequency(words, terms)
    held = _readings(words, frequency, readings, turns) if readings is not None else {}
    frequency |= {term: count for counts in held.values() for term, count in counts.items()}
    surely = list(dict.fromkeys([*surely, *(reading for term in surely for reading in held.get(term, ()))]))
    if turns <= RANKED_WHOLE:
        seqs = _newest(connection, scope, turns)
    else:
        rare = [(frequency.get(term, 0), term) for term in surely]
        said = _held_standing(words, turns, {} if standing is None else standing)
        seqs = list(
            dict.fromkeys(
                [
                    *_best(words, frequency, limit, most_postings),
                    *_holding(words, rare),
                    *_standing_with(words, frequency, most_postings, said),
                ]
            )
        )
    return Matching(
        seqs=seqs,
        turns=turns,
        mean_length=total / max(1, turns),
        person_mean=person_terms / max(1, person_turns),
        assistant_mean=(total - person_terms) / max(1, turns - person_turns),
        frequency=frequency,
        readings={term: tuple(counts) for term, counts in held.items()},
    )


def pool(
    connection: Connection,
    scope: Scope,
    matched: Matching,
    *,
    reach: int,
    seeds: Sequence[int] = (),
    sources: Sequence[int] = (),
    copies: WordCopies | None = None,
) -> Pool:
    """What matched, the seeds, the messages `sources` (ids), and up to `reach` messages around each."""
    hits = {*matched.seqs, *seeds}
    if sources:
        hits.update(row[0] for row in connection.execute(_SEQS, (*scope, json.dumps(list(sources)))))
    copy = copies.of(connection, scope, _sums(connection, scope)) if copies is not None else None
    if copy is not None:
        return _pool_of(copy, matched, hits, reach)
    rows, firsts = _around(connection, scope, hits, reach, is_whole=len(hits) >= matched.turns)
    # One object for each column and not one for each candidate: of 900 candidates a dozen are shown.
    columns = list(zip(*rows, strict=True)) or [()] * 7
    seqs, said_at = np.array(columns[0], np.int64), np.array(columns[3], np.float64)
    runs = np.cumsum(np.fromiter(map(firsts.__contains__, columns[0]), np.int64, len(rows)))
    positions = np.arange(len(rows)) + _APART * runs
    silences = np.abs(np.diff(said_at, prepend=said_at[:1])) > SESSION_GAP
    near = _near(positions, np.fromiter(map(hits.__contains__, columns[0]), np.bool_, len(rows)), reach)
    by_assistant = np.array(columns[4], np.bool_)[near]
    marks = Marks(list(compress(columns[6], near)))
    return Pool(
        seqs=seqs[near],
        ids=np.array(columns[1], np.int64)[near],
        positions=positions[near],
        sessions=np.cumsum(silences, dtype=np.int64)[near],
        lengths=marks.lengths,
        sizes=np.array(columns[2], np.int64)[near],
        said_at=said_at[near],
        by_assistant=by_assistant,
        standing=marks.holding(_standing()) & ~by_assistant,
        speakers=tuple(compress(columns[5], near)),
        counts=marks.counts(Wanted(map(term_hash, matched.frequency))),
        matched=matched,
    )


def _pool_of(copy: WordCopy, matched: Matching, hits: Set[int], reach: int) -> Pool:
    """As `pool`, from a copy."""
    rows = copy.around(hits, reach)
    columns = copy.columns[rows]
    return Pool(
        seqs=copy.seqs[rows],
        ids=columns["id"],
        positions=rows,
        sessions=columns["session"],
        lengths=columns["length"],
        sizes=columns["size"],
        said_at=columns["said_at"],
        by_assistant=columns["by_assistant"],
        standing=columns["standing"] & ~columns["by_assistant"],
        speakers=copy.speakers(rows),
        counts=copy.counts(list(matched.frequency), rows),
        matched=matched,
    )


def _sums(connection: Connection, scope: Scope) -> Sums:
    row = connection.execute(
        "SELECT turns, terms, person_turns, person_terms FROM scope_words WHERE user_id = ? AND thread_id = ?",
        tuple(scope),
    ).fetchone()
    return (row[0], row[1], row[2], row[3]) if row is not None else (0, 0, 0, 0)


def copies() -> WordCopies:
    """Of the scopes of one database, none yet."""
    return WordCopies(_later, gap=SESSION_GAP, standing=_standing)


def _later(connection: Connection, scope: Scope, moment: float, seq: int) -> list[tuple[Any, ...]]:
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(_LATER, (scope.owner, scope.thread, moment, seq)).fetchall()


def _near(positions: npt.NDArray[np.int64], hits: npt.NDArray[np.bool_], reach: int) -> npt.NDArray[np.bool_]:
    """Which positions are at most `reach` from that of a hit."""
    at = positions[hits]
    if not len(at):
        return np.zeros(len(positions), np.bool_)
    after = np.searchsorted(at, positions).clip(max=len(at) - 1)
    before = (after - 1).clip(min=0)
    distance: npt.NDArray[np.int64] = np.minimum(np.abs(at[after] - positions), np.abs(at[before] - positions))
    return distance <= reach


def _readings(
    words: ScopeWords, frequency: Mapping[str, int], readings: Readings, turns: int
) -> Mapping[str, Mapping[str, int]]:
    """For each rare term, its other readings that any message holds, with how many hold each."""
    rare = [term for term, count in frequency.items() if count <= RARE]
    others = readings(rare) if rare else {}
    held_by = _frequency(words, [one for found in others.values() for one in found]) if others else {}
    held = {term: {one: held_by[one] for one in found if held_by.get(one)} for term, found in others.items()}
    unknown = [term for term in rare if not held.get(term)][:MOST_PARTED]
    most = max(RARE, int(SELDOM * turns))
    held |= {
        term: {part: count for part, count in found.items() if count <= most}
        for term, found in _parts(words, unknown).items()
    }
    return {term: found for term, found in held.items() if found}


def _parts(words: ScopeWords, terms: Sequence[str]) -> dict[str, dict[str, int]]:
    """For each term, what begins with it and what its parts are, among the terms that any message holds; the longest
    few, with how many hold each.
    """
    parts = {term: word_parts.parts(term) for term in terms}
    held_by = words.frequency(list(dict.fromkeys(part for found in parts.values() for part in found)))
    held = {}
    for term, found in parts.items():
        longer = words.beginning_with(term, MOST_LONGER) if word_parts.may_begin(term) else {}
        longest = sorted((part for part in found if held_by[part]), key=len, reverse=True)
        first = sorted(longer.items(), key=lambda one: len(one[0]))
        held[term] = dict([*first, *((part, held_by[part]) for part in longest)][:MOST_PARTS])
    return held


def _frequency(words: ScopeWords, terms: Iterable[str]) -> dict[str, int]:
    """How many messages of the scope hold each term."""
    return words.frequency(wanted(terms))


def _best(words: ScopeWords, frequency: Mapping[str, int], limit: int, most_postings: int) -> list[int]:
    """Seqs of the messages that match best by BM25, rarest terms first, so that twenty words cost as little as three.

    Where the words find fewer than `limit`, the newest messages are added.
    """
    taken = _rarest(frequency, most_postings)
    found = [seq for seq, _ in words.best(taken, limit)] if taken else []
    return found if len(found) >= limit else [*found, *_newest(words.connection, words.scope, limit - len(found))]


def _rarest(frequency: Mapping[str, int], most_postings: int) -> list[str]:
    """The rarest terms that so many messages hold; one at least where any message holds one."""
    taken: list[str] = []
    postings = 0
    for term in sorted((term for term, count in frequency.items() if count), key=lambda term: frequency[term]):
        postings += frequency[term]
        if taken and postings > most_postings:
            break
        taken.append(term)
    return taken


def _held_standing(words: ScopeWords, turns: int, known: HeldStanding) -> Mapping[str, int]:
    """The words of those who say what always holds that any message of the scope holds, with how many hold each.

    They are most of the terms that a search looks up, in many languages, of which a scope has one or two. What the
    newest messages hold may be missing: these stand in the prompt word for word.
    """
    key = (words.scope, turns // LOOKED_UP_AFTER)
    held = known.get(key)
    if held is None:
        found = _frequency(words, sorted(cues.standing_terms()))
        held = {term: count for term, count in found.items() if count}
        if len(known) >= SCOPES_HELD:
            known.clear()
        known[key] = held
    return held


def _standing_with(
    words: ScopeWords,
    frequency: Mapping[str, int],
    most_postings: int,
    standing: Mapping[str, int],
) -> list[int]:
    """Seqs of messages that say what always holds, and hold one of the question's terms."""
    said = _rarest(standing, most_postings)
    asked = _rarest(frequency, most_postings)
    if not said or not asked:
        return []
    return [seq for seq, _ in words.best(said, STANDING, among=asked)]


def _newest(connection: Connection, scope: Scope, limit: int) -> list[int]:
    """Seqs of the newest messages, newest first."""
    rows = connection.execute(
        "SELECT seq FROM places WHERE user_id = ? AND thread_id = ? ORDER BY said_at DESC, message_id DESC LIMIT ?",
        (scope.owner, scope.thread, limit),
    )
    return [row[0] for row in rows]


def _holding(words: ScopeWords, terms: Sequence[tuple[int, str]]) -> list[int]:
    """Seqs of all messages that hold one of the rarest of these terms; each term comes with how many hold it."""
    taken: list[str] = []
    left = ALWAYS
    for count, term in sorted(terms):
        left -= count
        if left < 0:
            break
        if count:
            taken.append(term)
    if not taken:
        return []
    return words.holding(taken, ALWAYS)


def _around(
    connection: Connection, scope: Scope, seqs: Collection[int], reach: int, *, is_whole: bool
) -> tuple[list[tuple[Any, ...]], Set[int]]:
    """The messages from `reach` + 1 before to `reach` + 1 after each of `seqs` in time, in order, whatever their
    session; and the first seqs of the runs between which others lie.

    One more on each side than is wanted, so that messages of two runs are never close enough to be neighbours.
    """
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples: hundreds, and each is taken apart at once
    if is_whole:
        return sorted(cursor.execute(_EVERYTHING, (scope.owner, scope.thread)), key=_TIME), set()
    given = (json.dumps(list(seqs)), scope.owner, scope.thread, reach)
    runs: list[tuple[int, int]] = []
    end: tuple[float, int] | None = None
    for first, last, *times in cursor.execute(_WINDOWS, given).fetchall():
        begins, ends = (times[0], times[1]), (times[2], times[3])
        if end is None or begins > end:
            runs.append((first, last))
            end = ends
        elif ends > end:
            runs[-1] = (runs[-1][0], last)
            end = ends
    rows = sorted(cursor.execute(_AROUND, (json.dumps(runs), scope.owner, scope.thread)), key=_TIME)
    return rows, {first for first, _ in runs}


@cache
def _standing() -> Wanted:
    """The words of those who say what always holds."""
    return Wanted(map(term_hash, sorted(cues.standing_terms())))
