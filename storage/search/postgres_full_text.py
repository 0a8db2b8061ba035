"""Words in PostgreSQL: terms in a tsvector with a GIN index, found by it and ranked by our own BM25.

The analysis is ours and each term carries its scope, as in SQLite, so both find the same messages. How often a term
stands in a message is read from `places.marks`.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
from attrs import define

from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.search.full_text import K1, LAST_CHARACTER, MAX_COMPLETIONS_READ, B, weigh
from storage.search.terms import HashFilter, TermHashes, TermsEntry, hash_term, make_prefix, make_token

MAX_TOKEN_BYTES = 1_000  # A longer token stands there cut, with its hash: a lexeme may have 2,046 bytes
MAX_LEXEMES_BYTES = 600_000  # bytes of tokens of one message that are indexed: a tsvector may have 1 MB
NARROWED, MAX_NARROWED = 3_000, 16
"""Where a question's terms stand in more messages than this, taken together, those that cannot be among the best are
left out; not where it has more terms, since their pairs would take as long.
"""


class TsVector:
    """The index of words of the PostgreSQL store."""

    def put(self, connection: Connection, entries: Sequence[TermsEntry]) -> None:
        connection.executemany(
            "INSERT INTO words (user_id, seq, terms) VALUES (?, ?, array_to_tsvector(string_to_array(?, ' ')))",
            [(entry.scope.owner, entry.seq, " ".join(_format_lexemes(entry.tokens))) for entry in entries],
        )

    def remove(self, connection: Connection, owner: int) -> None:
        connection.execute("DELETE FROM words WHERE user_id = ?", (owner,))

    def forget(self, connection: Connection, owner: int, ids: str) -> None:
        connection.execute(_FORGOTTEN, (owner, ids))

    def take_out(self, connection: Connection, owner: int, seq: int) -> None:
        connection.execute("DELETE FROM words WHERE user_id = ? AND seq = ?", (owner, seq))

    def merge(self, connection: Connection) -> None:
        """Nothing: the server's own cleaning (VACUUM) removes what was deleted."""

    def optimize(self, connection: Connection) -> None:
        """Nothing: the server keeps the index in one piece."""

    def rename(self, connection: Connection, old: int, new: int) -> None:
        before, after = (make_prefix(Scope(owner=owner)).partition("t")[0] + "t" for owner in (old, new))
        connection.execute(_RENAMED, (new, f"^{before}", after, old))
        connection.execute(_COUNTS_RENAMED, (new, f"^{before}", after, old))

    def frequency(self, connection: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
        tokens = {_format_lexeme(make_token(scope, term)): term for term in terms}
        found = connection.execute(_FREQUENCY, (scope.owner, " ".join(tokens)))
        return dict.fromkeys(tokens.values(), 0) | {tokens[one]: count for one, count in found}

    def beginning_with(self, connection: Connection, scope: Scope, prefix: str) -> list[str]:
        start = _format_lexeme(make_token(scope, prefix))
        found = connection.execute(_BEGINNING, (scope.owner, start, start + LAST_CHARACTER, MAX_COMPLETIONS_READ))
        return [one.removeprefix(make_prefix(scope)) for (one,) in found]

    def best(self, connection: Connection, scope: Scope, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        sums = connection.execute(
            "SELECT turns, terms FROM scope_words WHERE user_id = ? AND thread_id = ?", tuple(scope)
        ).fetchone()
        if sums is None or not sums[0]:
            return []
        held = self.frequency(connection, scope, terms)
        ranking = Ranking(connection, scope, held, messages=sums[0], mean_length=sums[1] / sums[0])
        asked = _make_ts_query([scope], terms)
        if sum(held.values()) <= NARROWED or len(terms) > MAX_NARROWED:
            found = ranking.scores(asked)
        else:
            found = ranking.narrowed(limit)
        order = np.lexsort((-found.seqs, -found.scores))[:limit]
        return list(zip(found.seqs[order].tolist(), found.scores[order].tolist(), strict=True))

    def holding(self, connection: Connection, scopes: Sequence[Scope], terms: Sequence[str], limit: int) -> list[int]:
        owner = scopes[0].owner  # scopes of one owner
        found = connection.execute(HOLDING, (owner, _make_ts_query(scopes, terms), limit))
        return [seq for (seq,) in found]


@define(eq=False)
class Scored:
    """[messages]: their seqs, and their scores."""

    seqs: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]

    def least(self, limit: int) -> float:
        """Return the score that the best `limit` reach; 0.0 where there are fewer."""
        return 0.0 if len(self.scores) < limit else float(np.partition(self.scores, -limit)[-limit])

    def add_scores(self, other: "Scored") -> "Scored":
        """With those of another search that are not among these."""
        new = ~np.isin(other.seqs, self.seqs)
        return Scored(np.append(self.seqs, other.seqs[new]), np.append(self.scores, other.scores[new]))


class Ranking:
    """Messages of a scope by BM25. `held`: the terms, and in how many messages each stands."""

    def __init__(
        self, connection: Connection, scope: Scope, held: Mapping[str, int], *, messages: int, mean_length: float
    ) -> None:
        self._connection, self._scope, self._held, self._mean = connection, scope, held, max(mean_length, 1e-9)
        self._weights = {term: weigh(count, messages) for term, count in held.items()}

    def scores(self, asked: str) -> Scored:
        """Return all messages for which a tsquery holds."""
        cursor = self._connection.cursor()
        cursor.row_factory = None  # of thousands of rows no column is read by its name
        rows = cursor.execute(MATCHES, (self._scope.owner, asked)).fetchall()
        seqs, lengths = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
        marks = TermHashes([row[2] for row in rows])
        often = _sum_by_message(marks.counts(HashFilter(map(hash_term, self._weights))), marks.messages, len(rows))
        each = often * (K1 + 1) / (often + K1 * (1 - B + B * lengths / self._mean))
        # Row by row: a product of matrices may round the same message differently among others.
        return Scored(seqs, (np.array(list(self._weights.values()))[:, None] * each).sum(axis=0))

    def narrowed(self, limit: int) -> Scored:
        """Return the messages among which the best `limit` are, without most of those that hold one common term and no
        other.

        However often a term stands in a message, it adds less than K1 + 1 times its weight (MaxScore: Turtle and Flood,
        1995). So those that hold a rare term, or two, are scored first; then of the others only those that hold one
        whose weight may still bring them among the best.
        """
        rarest = sorted(self._held, key=self._held.__getitem__)
        reached = np.cumsum([self._held[term] for term in rarest])
        first = 1 + int(np.searchsorted(reached, 2 * limit))
        common = rarest[first:]
        found = self.scores(" | ".join([self._format_any_query(rarest[:first]), *self._format_two_of(common)]))
        least = found.least(limit)
        further = [term for term in common if (K1 + 1) * self._weights[term] >= least]
        return found.add_scores(self.scores(self._format_any_query(further))) if further else found

    def _format_any_query(self, terms: Sequence[str]) -> str:
        return f"({_make_ts_query([self._scope], terms)})"

    def _format_two_of(self, terms: Sequence[str]) -> list[str]:
        """Return the questions of which one holds where two of the terms stand or more."""
        if len(terms) < 2:
            return []
        half = len(terms) // 2
        one, other = terms[:half], terms[half:]
        return [
            f"({self._format_any_query(one)} & {self._format_any_query(other)})",
            *self._format_two_of(one),
            *self._format_two_of(other),
        ]


def _sum_by_message(
    counts: npt.NDArray[np.float64], messages: npt.NDArray[np.intp], count: int
) -> npt.NDArray[np.float64]:
    """[terms, messages], of [terms, passages]."""
    made = np.zeros((count, len(counts)))
    np.add.at(made, messages, counts.T)
    return made.T


def _format_lexemes(tokens: Iterable[str]) -> list[str]:
    made, left = [], MAX_LEXEMES_BYTES
    for fromkey in dict.fromkeys(map(_format_lexeme, tokens)):
        left -= len(fromkey.encode())
        if left < 0:
            break
        made.append(fromkey)
    return made


def _format_lexeme(one: str) -> str:
    raw = one.encode()
    if len(raw) <= MAX_TOKEN_BYTES:
        return one
    return raw[: MAX_TOKEN_BYTES // 2].decode(errors="ignore") + blake2b(raw, digest_size=16).hexdigest()


def _make_ts_query(scopes: Sequence[Scope], terms: Sequence[str]) -> str:
    """Return the messages of these scopes that hold one of the terms or more, as text of a tsquery."""
    # Tokens are letters, digits and marks only, so quotes are enough.
    return " | ".join(f"'{_format_lexeme(make_token(scope, term))}'" for scope in scopes for term in terms)


_FORGOTTEN = """
DELETE FROM words WHERE user_id = ?1 AND seq IN (
  SELECT seq FROM messages WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2)))
"""
_FREQUENCY = "SELECT term, messages FROM word_counts WHERE user_id = ? AND term = ANY (string_to_array(?, ' '))"
_BEGINNING = "SELECT term FROM word_counts WHERE user_id = ? AND term > ? AND term < ? ORDER BY term LIMIT ?"
# Joined, the places of all of an owner's messages would be read.
MATCHES = """
SELECT seq, length, marks FROM places
WHERE user_id = ?1 AND seq = ANY (ARRAY(SELECT seq FROM words WHERE user_id = ?1 AND terms @@ ?2::tsquery))
"""
# OFFSET: otherwise all messages are read in order, and compared with the question, until the limit is reached.
HOLDING = """
SELECT seq FROM (SELECT seq FROM words WHERE user_id = ? AND terms @@ ?::tsquery OFFSET 0) AS found
ORDER BY seq LIMIT ?
"""
_RENAMED = """
UPDATE words SET user_id = ?1, terms = (
  SELECT COALESCE(array_to_tsvector(array_agg(regexp_replace(lexeme, ?2, ?3))), '') FROM unnest(terms)
) WHERE user_id = ?4
"""
_COUNTS_RENAMED = "UPDATE word_counts SET user_id = ?1, term = regexp_replace(term, ?2, ?3) WHERE user_id = ?4"
