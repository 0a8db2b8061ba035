"""Candidates for a question: the messages that match its words best or mean nearly the same, and their neighbours.

Owns what is read for ranking, which is everything but the text. Does not know how words are indexed (word_index.py),
or how candidates are ranked.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.search import full_text
from storage.search.protocol import Candidates
from storage.search.terms import HashFilter, TermHashes, hash_term, select_wanted

MAX_POSTINGS = 10_000
"""The rarest terms of a question are searched until this many messages hold them; the others count in the score only.
"""
RANKED_WHOLE = 400
"""In a scope of up to so many messages all are candidates: what no word finds may still be what is meant."""
ALWAYS = 20  # so many messages that hold the question's rarest words are candidates, however well others match
OF_A_TIME = 50  # the newest messages of each time that a question names
MIN_PREFIX_CHARS = 4  # A shorter beginning is that of too many other words
MAX_COMPLETIONS = 8  # terms that stand for one that no message holds
MAX_ECHOES = 3  # messages that hold a word and may all be the question itself and what came after it
_APART = 3  # between the positions of messages that have others between them
REACH = 2  # messages before and after each that are read with it
OF_LATE = 1_000  # the newest messages whose speakers take part in the talk

_COLUMNS = """
near.seq, near.message_id, near.said_at, near.is_assistant, near.speaker, near.marks
"""
# CROSS JOIN keeps this order; SQLite would otherwise begin with all rows of all scopes. `marks` are hashes of terms.
# The signs let SQLite look both columns up in the index: what another table's column is compared with it takes for a
# number of another type, and would walk through all messages of one moment, of which an import can make any number.
_WINDOWS = """
WITH hit AS MATERIALIZED (
  SELECT said_at, message_id FROM json_each(?1) AS given CROSS JOIN places
  WHERE places.seq = given.value AND user_id = ?2 AND thread_id = ?3
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
FROM span CROSS JOIN places AS a CROSS JOIN places AS b WHERE a.seq = first AND b.seq = last
ORDER BY a.said_at, a.message_id
"""
_AROUND = f"""
SELECT {_COLUMNS}
FROM json_each(?, '$') AS run CROSS JOIN places AS a CROSS JOIN places AS b CROSS JOIN places AS near
WHERE a.seq = CAST(json_extract(run.value, '$[0]') AS BIGINT)
  AND b.seq = CAST(json_extract(run.value, '$[1]') AS BIGINT)
  AND near.user_id = ? AND near.thread_id = ?
  AND (near.said_at, near.message_id) >= (+a.said_at, +a.message_id)
  AND (near.said_at, near.message_id) <= (+b.said_at, +b.message_id)
"""  # noqa: S608
_EVERYTHING = f"SELECT {_COLUMNS} FROM places AS near WHERE user_id = ? AND thread_id = ?"  # noqa: S608
_DURING = """
SELECT seq FROM places WHERE user_id = ? AND thread_id = ? AND said_at >= ? AND said_at < ?
ORDER BY said_at DESC, message_id DESC LIMIT ?
"""
_FIRST_OF_DAYS = f"""
SELECT {_COLUMNS} FROM json_each(?1) AS day CROSS JOIN places AS near
WHERE near.user_id = ?2 AND near.thread_id = ?3 AND near.seq = (
  SELECT seq FROM places WHERE user_id = ?2 AND thread_id = ?3 AND said_at >= day.value
  ORDER BY said_at, message_id LIMIT 1
)
"""  # noqa: S608
_SPEAKERS = """
SELECT DISTINCT speaker FROM (
  SELECT speaker FROM places WHERE user_id = ? AND thread_id = ? ORDER BY said_at DESC, message_id DESC LIMIT ?
) AS newest WHERE speaker <> '' ORDER BY speaker
"""
_EARLIER = """
SELECT 1 FROM places WHERE user_id = ? AND thread_id = ? AND message_id < ?
AND seq IN (SELECT value FROM json_each(?)) LIMIT 1
"""
_TIME = itemgetter(2, 1)
DAY = 24 * 3600


def candidates(
    connection: Connection,
    scope: Scope,
    terms: Sequence[str],
    *,
    limit: int,
    nearest: Sequence[int] = (),
    times: Sequence[tuple[float, float]] = (),
    before: int | None = None,
    most_postings: int = MAX_POSTINGS,
) -> Candidates:
    """Return the `limit` messages that match the terms best, those that hold the rarest of them, `nearest` (seqs) and
    those of some `times`, with the messages around each. `before`: without those from this id on, which are not counted
    either.
    """
    words, looked_up = full_text.of(connection), select_wanted(terms)
    turns, total, person_turns, person_terms = _read_sums(connection, scope)
    frequency = words.frequency(connection, scope, looked_up)
    if turns <= RANKED_WHOLE:
        rows, firsts = sorted(_fetch_rows(connection, _EVERYTHING, *scope), key=_TIME), set[int]()
    else:
        hits = {*nearest}
        if rarest := _select_rarest(frequency, most_postings):
            hits.update(seq for seq, _ in words.best(connection, scope, rarest, limit))
        if always := _select_rarest(frequency, ALWAYS, at_least=0):
            hits.update(words.holding(connection, [scope], always, ALWAYS))
        for start, end in times:
            hits.update(seq for (seq,) in _fetch_rows(connection, _DURING, *scope, start, end, OF_A_TIME))
        if len(hits) < limit:
            hits.update(_find_newest(connection, scope, limit - len(hits)))
        rows, firsts = _add_openings(connection, scope, *_find_neighbours(connection, scope, hits))
    if before is not None:
        later = [row for row in rows if row[1] >= before]
        rows = [row for row in rows if row[1] < before]
        for row in later:
            often = TermHashes([row[5]]).counts(HashFilter(map(hash_term, frequency))).sum(axis=1)
            frequency = {term: count - bool(held) for (term, count), held in zip(frequency.items(), often, strict=True)}
    columns = list(zip(*rows, strict=True)) or [()] * 6
    marks = TermHashes(columns[5])
    return Candidates(
        seqs=np.array(columns[0], np.int64),
        ids=np.array(columns[1], np.int64),
        positions=np.arange(len(rows)) + _APART * np.cumsum([row[0] in firsts for row in rows], dtype=np.int64),
        said_at=np.array(columns[2], np.float64),
        by_assistant=np.array(columns[3], np.bool_),
        speakers=columns[4],
        messages=marks.messages,
        parts=marks.parts,
        lengths=marks.lengths,
        counts=marks.counts(HashFilter(map(hash_term, frequency))),
        frequency=frequency,
        turns=turns,
        person_mean=person_terms / max(1, person_turns),
        assistant_mean=(total - person_terms) / max(1, turns - person_turns),
    )


def completions(
    connection: Connection, scope: Scope, terms: Sequence[str], *, before: int | None = None
) -> dict[str, tuple[str, ...]]:
    """By term that no message holds, those that begin with it, the shortest first: compounds and endings.

    For a search by words alone: meaning finds a "house key number" for a "house key" by itself. `before`: messages from
    this id on, of which one is the question, do not count.
    """
    words = full_text.of(connection)

    def is_unknown(term: str, count: int) -> bool:
        if not count or before is None or count > MAX_ECHOES:
            return not count
        held = words.holding(connection, [scope], [term], MAX_ECHOES)
        return connection.execute(_EARLIER, (*scope, before, json.dumps(held))).fetchone() is None

    frequency = words.frequency(connection, scope, select_wanted(terms))
    begun = [term for term in frequency if len(term) >= MIN_PREFIX_CHARS and term.isalpha()]
    unknown = [term for term in begun if is_unknown(term, frequency[term])]
    found = {term: sorted(words.beginning_with(connection, scope, term), key=len) for term in unknown}
    return {term: tuple(longer[:MAX_COMPLETIONS]) for term, longer in found.items() if longer}


def speakers(connection: Connection, scope: Scope) -> list[str]:
    """Return the names under which something was said of late."""
    return [name for (name,) in _fetch_rows(connection, _SPEAKERS, *scope, OF_LATE)]


def _read_sums(connection: Connection, scope: Scope) -> tuple[int, int, int, int]:
    row = connection.execute(
        "SELECT turns, terms, person_turns, person_terms FROM scope_words WHERE user_id = ? AND thread_id = ?",
        tuple(scope),
    ).fetchone()
    return (row[0], row[1], row[2], row[3]) if row is not None else (0, 0, 0, 0)


def _select_rarest(frequency: Mapping[str, int], most_postings: int, *, at_least: int = 1) -> list[str]:
    """Return the rarest terms that so many messages hold together; `at_least` so many of those that
    any message holds.
    """
    taken: list[str] = []
    postings = 0
    for term in sorted((term for term, count in frequency.items() if count), key=lambda term: frequency[term]):
        postings += frequency[term]
        if len(taken) >= at_least and postings > most_postings:
            break
        taken.append(term)
    return taken


def _find_newest(connection: Connection, scope: Scope, limit: int) -> list[int]:
    """Return the seqs of the newest messages, newest first."""
    newest = "SELECT seq FROM places WHERE user_id = ? AND thread_id = ? ORDER BY said_at DESC, message_id DESC LIMIT ?"
    return [seq for (seq,) in _fetch_rows(connection, newest, *scope, limit)]


def _find_neighbours(
    connection: Connection, scope: Scope, seqs: Collection[int]
) -> tuple[list[tuple[Any, ...]], set[int]]:
    """Return the messages around each of `seqs`, in order of time, and the first seqs of the runs between which others
    lie.
    """
    runs: list[tuple[int, int]] = []
    end: tuple[float, int] | None = None
    for first, last, *times in _fetch_rows(connection, _WINDOWS, json.dumps(list(seqs)), *scope, REACH - 1):
        begins, ends = (times[0], times[1]), (times[2], times[3])
        if end is None or begins > end:
            runs.append((first, last))
            end = ends
        elif ends > end:
            runs[-1] = (runs[-1][0], last)
            end = ends
    rows = sorted(_fetch_rows(connection, _AROUND, json.dumps(runs), *scope), key=_TIME)
    return rows, {first for first, _ in runs}


def _add_openings(
    connection: Connection, scope: Scope, rows: list[tuple[Any, ...]], firsts: set[int]
) -> tuple[list[tuple[Any, ...]], set[int]]:
    """With the first message of each day, which says what that day's talk is about."""
    known = {row[0] for row in rows}
    days = sorted({int(row[2] // DAY) * DAY for row in rows})
    openings = [row for row in _fetch_rows(connection, _FIRST_OF_DAYS, json.dumps(days), *scope) if row[0] not in known]
    return sorted([*rows, *openings], key=_TIME), firsts | {row[0] for row in openings}


def _fetch_rows(connection: Connection, sql: str, *values: float | str) -> list[tuple[Any, ...]]:
    """Return the rows as plain tuples: there are hundreds, and each is taken apart at once."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(sql, values).fetchall()
