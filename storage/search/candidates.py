"""Read the messages that may answer a question, with everything that ranking needs except their texts."""

import json
from collections.abc import Collection, Sequence
from operator import itemgetter

import numpy as np

from records.scopes import Scope
from storage.engine.protocol import Connection, Row
from storage.search import full_text
from storage.search.protocol import Candidates
from storage.search.terms import TermHashes, select_rarest_terms_with_counts, select_searchable_terms

MAX_WHOLE_MESSAGES = 400  # in a scope with no more messages than this, all are candidates
MAX_RARE_HOLDERS = 20  # candidates that are included because they contain the question's rarest words
MAX_OF_NAMED_TIME = 50  # candidates of each time that a question names, the newest
MAX_RECENT_MESSAGES = 1_000  # the latest messages, whose speakers count as the speakers of the scope
MIN_PREFIX_CHARS = 4  # a shorter prefix begins too many other words
MAX_COMPLETIONS = 8  # known terms that replace a term that occurs in no message
MAX_ECHOES = 3  # a word in no more messages than this may occur only in the question itself or later messages
_APART = 3  # added to the position of a message after a gap, so that it counts as no neighbour
NEIGHBOURS = 2  # messages read before and after each found one

_COLUMNS = "near.seq, near.message_id, near.said_at, near.is_assistant, near.speaker, near.marks"
# CROSS JOIN keeps this order. SQLite would otherwise begin with all rows of all scopes.
# The unary plus lets SQLite use both columns of the index. Without it, the types of the compared columns differ, and it
# would walk through all messages of one moment, of which an import can bring any number.
_NEIGHBOURS = f"""
SELECT {_COLUMNS} FROM json_each(?1) AS given CROSS JOIN places AS hit CROSS JOIN places AS near
WHERE hit.seq = given.value AND hit.user_id = ?2 AND hit.thread_id = ?3 AND near.seq = (
  SELECT seq FROM places WHERE user_id = ?2 AND thread_id = ?3
  AND (said_at, message_id) %s (+hit.said_at, +hit.message_id)
  ORDER BY said_at %s, message_id %s LIMIT 1
)
"""  # noqa: S608
_SELF, _BEFORE, _AFTER = (
    _NEIGHBOURS % (comparison, order, order) for comparison, order in ((">=", "ASC"), ("<", "DESC"), (">", "ASC"))
)
_EVERYTHING = f"SELECT {_COLUMNS} FROM places AS near WHERE user_id = ? AND thread_id = ?"  # noqa: S608
_DURING = """
SELECT seq FROM places WHERE user_id = ? AND thread_id = ? AND said_at >= ? AND said_at < ?
ORDER BY said_at DESC, message_id DESC LIMIT ?
"""
_TOTALS = "SELECT turns, terms, person_turns, person_terms FROM scope_words WHERE user_id = ? AND thread_id = ?"
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


def find_candidate_messages(
    connection: Connection,
    scope: Scope,
    terms: Sequence[str],
    *,
    limit: int,
    nearest_seqs: Sequence[int] = (),
    time_ranges: Sequence[tuple[float, float]] = (),
    before_id: int | None = None,
) -> Candidates:
    """Return messages that may answer a question, and their neighbours, in chronological order.

    These are the `limit` best matches, messages with a rare term, those in `nearest_seqs`, and those sent within one of
    `time_ranges` (Unix timestamps). Messages whose id is `before_id` or higher are excluded.
    """
    words = full_text.get_word_index(connection)
    totals = connection.execute(_TOTALS, tuple(scope)).fetchone()
    turns, total, person_turns, person_terms = tuple(totals) if totals is not None else (0, 0, 0, 0)
    frequency = words.count_messages_by_term(connection, scope, select_searchable_terms(terms))
    if turns <= MAX_WHOLE_MESSAGES:
        rows, firsts = sorted(connection.execute(_EVERYTHING, tuple(scope)), key=_TIME), set[int]()
    else:
        hits = {*nearest_seqs}
        if rarest := select_rarest_terms_with_counts(frequency):
            hits.update(words.rank_messages(connection, scope, rarest, limit))
        if always := select_rarest_terms_with_counts(frequency, MAX_RARE_HOLDERS, min_terms=0):
            hits.update(words.find_seqs_of_messages_with_terms(connection, [scope], list(always), MAX_RARE_HOLDERS))
        for start, end in time_ranges:
            hits.update(seq for (seq,) in connection.execute(_DURING, (*scope, start, end, MAX_OF_NAMED_TIME)))
        rows, firsts = _fetch_with_neighbours_and_find_gaps(connection, scope, hits)
    if before_id is not None:
        later = [row for row in rows if row[1] >= before_id]
        rows = [row for row in rows if row[1] < before_id]
        for row in later:
            sums = TermHashes([row[5]]).count_terms_by_passage(frequency).sum(axis=1)
            frequency = {term: held - bool(count) for (term, held), count in zip(frequency.items(), sums, strict=True)}
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
        counts=marks.count_terms_by_passage(frequency),
        frequency=frequency,
        turns=turns,
        person_mean=person_terms / max(1, person_turns),
        assistant_mean=(total - person_terms) / max(1, turns - person_turns),
    )


def find_completions_by_term(
    connection: Connection, scope: Scope, terms: Sequence[str], *, before_id: int | None = None
) -> dict[str, tuple[str, ...]]:
    """Map each term that occurs in no message before `before_id` to known terms that begin with it."""
    words = full_text.get_word_index(connection)

    def is_new_term(term: str, use_count: int) -> bool:
        if not use_count or before_id is None or use_count > MAX_ECHOES:
            return not use_count
        holders = words.find_seqs_of_messages_with_terms(connection, [scope], [term], MAX_ECHOES)
        return connection.execute(_EARLIER, (*scope, before_id, json.dumps(holders))).fetchone() is None

    frequency = words.count_messages_by_term(connection, scope, select_searchable_terms(terms))
    prefixes = [term for term in frequency if len(term) >= MIN_PREFIX_CHARS and term.isalpha()]
    unknown = [term for term in prefixes if is_new_term(term, frequency[term])]
    found = {term: sorted(words.find_completions(connection, scope, term), key=len) for term in unknown}
    return {term: tuple(longer[:MAX_COMPLETIONS]) for term, longer in found.items() if longer}


def list_speakers(connection: Connection, scope: Scope) -> list[str]:
    """Return the names of the people who spoke recently in the scope."""
    return [name for (name,) in connection.execute(_SPEAKERS, (*scope, MAX_RECENT_MESSAGES))]


def _fetch_with_neighbours_and_find_gaps(
    connection: Connection, scope: Scope, seqs: Collection[int]
) -> tuple[list[Row], set[int]]:
    """Return the messages with these `seqs` and their neighbours by time, and the seqs of messages after a gap."""
    found = {row[0]: row for row in connection.execute(_SELF, (json.dumps(list(seqs)), *scope))}
    before = after = list(found)
    preceded = set[int]()
    for _ in range(NEIGHBOURS):
        preceded.update(before)
        earlier, later = (
            {row[0]: row for row in connection.execute(sql, (json.dumps(given), *scope))}
            for sql, given in ((_BEFORE, before), (_AFTER, after))
        )
        before, after = list(earlier), list(later)
        preceded.update(after)
        found |= earlier | later
    return sorted(found.values(), key=_TIME), found.keys() - preceded
