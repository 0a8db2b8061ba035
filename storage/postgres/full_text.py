"""Words in PostgreSQL: terms in a tsvector with a GIN index, found by it and ranked by our own BM25.

The analysis is ours and each term carries its scope, as in SQLite, so both find the same messages. How often a term
stands in a message is read from `places.marks`. Does not know how text becomes terms.
"""

import math
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from records.scopes import Scope
from storage.files.sql import Connection
from storage.search.terms import LAST_CHARACTER, Entry, Marks, Wanted, prefix_of, term_hash, token

MOST_BYTES = 1_000
"""A longer token stands there cut, with its hash: a lexeme may have 2,046 bytes."""
MOST_LEXEMES = 600_000
"""Bytes of tokens of one message that are indexed: a tsvector may have 1 MB."""
K1, B = 1.2, 0.75
"""Of BM25, as in FTS5."""
LEAST_WEIGHT = 1e-6
"""Of a term that more than half of the messages hold, as in FTS5."""


class TsVector:
    """The index of words of the PostgreSQL store."""

    def put(self, connection: Connection, entries: Sequence[Entry]) -> None:
        connection.executemany(
            "INSERT INTO words (user_id, seq, terms) VALUES (?, ?, array_to_tsvector(string_to_array(?, ' ')))",
            [(entry.scope.owner, entry.seq, " ".join(_lexemes(entry.tokens))) for entry in entries],
        )

    def remove(self, connection: Connection, owner: int) -> None:
        connection.execute("DELETE FROM words WHERE user_id = ?", (owner,))

    def forget(self, connection: Connection, owner: int, ids: str) -> None:
        connection.execute(_FORGOTTEN, (owner, ids))

    def take_out(self, connection: Connection, owner: int, seq: int) -> None:
        connection.execute("DELETE FROM words WHERE user_id = ? AND seq = ?", (owner, seq))

    def merge(self, connection: Connection) -> None:
        """Nothing: the server's own cleaning (VACUUM) removes what was deleted."""

    def tidy(self, connection: Connection) -> None:
        """Nothing: the server keeps the index in one piece."""

    def rename(self, connection: Connection, old: int, new: int) -> None:
        before, after = (prefix_of(Scope(owner=owner)).partition("t")[0] + "t" for owner in (old, new))
        connection.execute(_RENAMED, (new, f"^{before}", after, old))
        connection.execute(_COUNTS_RENAMED, (new, f"^{before}", after, old))

    def frequency(self, connection: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
        tokens = {_lexeme(token(scope, term)): term for term in terms}
        found = connection.execute(_FREQUENCY, (scope.owner, " ".join(tokens)))
        return dict.fromkeys(tokens.values(), 0) | {tokens[one]: count for one, count in found}

    def beginning_with(self, connection: Connection, scope: Scope, term: str, limit: int) -> dict[str, int]:
        least = token(scope, term)
        found = connection.execute(_BEGINNING, (scope.owner, least, least + LAST_CHARACTER, limit))
        start = len(prefix_of(scope))
        return {longer[start:]: count for longer, count in found}

    def best(
        self, connection: Connection, scope: Scope, terms: Sequence[str], limit: int, *, among: Sequence[str] = ()
    ) -> list[tuple[int, float]]:
        sums = connection.execute(
            "SELECT turns, terms FROM scope_words WHERE user_id = ? AND thread_id = ?", tuple(scope)
        ).fetchone()
        if sums is None or not sums[0]:
            return []
        asked = _question([scope], terms)
        if among:
            asked = f"({asked}) & ({_question([scope], among)})"
        cursor = connection.cursor()
        cursor.row_factory = None  # of thousands of rows no column is read by its name
        rows = cursor.execute(_MATCHES, (scope.owner, asked)).fetchall()
        if not rows:
            return []
        looked_up = [*dict.fromkeys((*terms, *among))]
        held = self.frequency(connection, scope, looked_up)
        seqs, lengths = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
        often = Marks([row[2] for row in rows]).counts(Wanted(map(term_hash, looked_up)))
        weights = np.array([_weight(held.get(term, 0), sums[0]) for term in looked_up])
        mean = sums[1] / sums[0]
        scores = weights @ (often * (K1 + 1) / (often + K1 * (1 - B + B * lengths / max(mean, 1e-9))))
        order = np.lexsort((-seqs, -scores))[:limit]
        return list(zip(seqs[order].tolist(), scores[order].tolist(), strict=True))

    def holding(self, connection: Connection, scopes: Sequence[Scope], terms: Sequence[str], limit: int) -> list[int]:
        owner = scopes[0].owner  # scopes of one owner
        found = connection.execute(_HOLDING, (owner, _question(scopes, terms), limit))
        return [seq for (seq,) in found]


def _weight(held: int, messages: int) -> float:
    """The inverse document frequency of BM25 (Robertson and Spärck Jones)."""
    if held * 2 >= messages:
        return LEAST_WEIGHT
    return math.log((messages - held + 0.5) / (held + 0.5))


def _lexemes(tokens: Iterable[str]) -> list[str]:
    made, left = [], MOST_LEXEMES
    for one in dict.fromkeys(map(_lexeme, tokens)):
        left -= len(one.encode())
        if left < 0:
            break
        made.append(one)
    return made


def _lexeme(one: str) -> str:
    raw = one.encode()
    if len(raw) <= MOST_BYTES:
        return one
    return raw[: MOST_BYTES // 2].decode(errors="ignore") + blake2b(raw, digest_size=16).hexdigest()


def _question(scopes: Sequence[Scope], terms: Sequence[str]) -> str:
    """The messages of these scopes that hold one of the terms or more, as text of a tsquery."""
    # Tokens are letters, digits and marks only, so quotes are enough.
    return " | ".join(f"'{_lexeme(token(scope, term))}'" for scope in scopes for term in terms)


_FORGOTTEN = """
DELETE FROM words WHERE user_id = ?1 AND seq IN (
  SELECT seq FROM messages WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2)))
"""
_FREQUENCY = "SELECT term, messages FROM word_counts WHERE user_id = ? AND term = ANY (string_to_array(?, ' '))"
_BEGINNING = """
SELECT term, messages FROM word_counts WHERE user_id = ? AND term > ? AND term < ? ORDER BY term LIMIT ?
"""
# Joined, the places of all of an owner's messages would be read.
_MATCHES = """
SELECT seq, length, marks FROM places
WHERE user_id = ?1 AND seq = ANY (ARRAY(SELECT seq FROM words WHERE user_id = ?1 AND terms @@ ?2::tsquery))
"""
# OFFSET: otherwise all messages are read in order, and compared with the question, until the limit is reached.
_HOLDING = """
SELECT seq FROM (SELECT seq FROM words WHERE user_id = ? AND terms @@ ?::tsquery OFFSET 0) AS found
ORDER BY seq LIMIT ?
"""
_RENAMED = """
UPDATE words SET user_id = ?1, terms = (
  SELECT COALESCE(array_to_tsvector(array_agg(regexp_replace(lexeme, ?2, ?3))), '') FROM unnest(terms)
) WHERE user_id = ?4
"""
_COUNTS_RENAMED = "UPDATE word_counts SET user_id = ?1, term = regexp_replace(term, ?2, ?3) WHERE user_id = ?4"
