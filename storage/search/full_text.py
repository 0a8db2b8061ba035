"""The index of words in a database: which messages of a scope hold which terms. FTS5 here; other engines bring theirs.

Owns the tables `words` and `word_counts`.
"""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.search.terms import TermsEntry, make_prefix, make_token

ALIKE = 2  # so many segments of one size are joined, so that there is at most one of each
TIDIED = 64  # pages that are written at once: a millisecond, and as much as some twenty messages need in the long run
K1, B = 1.2, 0.75  # of BM25, as in FTS5
MIN_WEIGHT = 1e-6  # of a term that more than half of the messages hold, as in FTS5
MAX_COMPLETIONS_READ = 200  # terms that are read of those that begin alike: a short word begins thousands
LAST_CHARACTER = "\U0010ffff"  # comes after every letter, in SQLite and in PostgreSQL's collation "C"


class FullText(Protocol):
    """Search by words, inside the caller's transaction. All scores are BM25's, larger is better."""

    def put(self, connection: Connection, entries: Sequence[TermsEntry]) -> None:
        """Index new messages."""

    def remove(self, connection: Connection, owner: int) -> None:
        """Remove an owner's messages, before they are removed from `messages`."""

    def forget(self, connection: Connection, owner: int, ids: str) -> None:
        """Remove messages (a JSON array of ids), before they are removed from `messages`. Traces stay until `merge`."""

    def take_out(self, connection: Connection, owner: int, seq: int) -> None:
        """Remove one message."""

    def merge(self, connection: Connection) -> None:
        """Remove the traces of what was removed."""

    def optimize(self, connection: Connection) -> None:
        """Join a little of what many writes left in pieces, which each search reads one by one."""

    def rename(self, connection: Connection, old: int, new: int) -> None:
        """Give the terms of an owner's messages another owner's id, while the messages are still the old one's."""

    def frequency(self, connection: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
        """Count the messages of the scope that hold each term."""
        ...

    def beginning_with(self, connection: Connection, scope: Scope, prefix: str) -> list[str]:
        """Find longer terms of the scope that begin so, in order, at most MAX_COMPLETIONS_READ."""
        ...

    def best(self, connection: Connection, scope: Scope, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Return the seqs of the messages that hold one of the terms, with their scores: best first, of equals the
        newest.
        """
        ...

    def holding(self, connection: Connection, scopes: Sequence[Scope], terms: Sequence[str], limit: int) -> list[int]:
        """Return the seqs of messages of these scopes that hold one of the terms."""
        ...


def of(connection: Connection) -> FullText:
    """Return the index of the database that a connection leads to."""
    found: FullText = getattr(connection, "full_text", _FTS5)
    return found


def weigh(held: int, messages: int) -> float:
    """Return the inverse document frequency of BM25 (Robertson and Spärck Jones), of a term that so
    many messages hold.
    """
    if held * 2 >= messages:
        return MIN_WEIGHT
    return math.log((messages - held + 0.5) / (held + 0.5))


class _Fts5:
    """SQLite's own. It keeps the terms of deleted rows until its segments are merged."""

    def put(self, connection: Connection, entries: Sequence[TermsEntry]) -> None:
        connection.executemany(
            "INSERT INTO words (rowid, terms) VALUES (?, ?)", [(entry.seq, " ".join(entry.tokens)) for entry in entries]
        )

    def remove(self, connection: Connection, owner: int) -> None:
        connection.execute("DELETE FROM words WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ?)", (owner,))
        self.merge(connection)

    def forget(self, connection: Connection, owner: int, ids: str) -> None:
        connection.execute(_FORGOTTEN, (owner, ids))

    def take_out(self, connection: Connection, owner: int, seq: int) -> None:
        connection.execute("DELETE FROM words WHERE rowid = ?", (seq,))

    def merge(self, connection: Connection) -> None:
        # FTS5's option 'secure-delete' would make this unnecessary, but no SQLite before 3.42 could read the file.
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")

    def optimize(self, connection: Connection) -> None:
        # Every commit adds a segment. By itself FTS5 lets 15 of the smallest stand, and 3 of each larger size.
        if (
            connection.execute("SELECT 1 FROM words_config WHERE k = 'usermerge' AND v = ?", (ALIKE,)).fetchone()
            is None
        ):
            connection.execute("INSERT INTO words (words, rank) VALUES ('usermerge', ?)", (ALIKE,))
        connection.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (TIDIED,))

    def rename(self, connection: Connection, old: int, new: int) -> None:
        for (thread,) in connection.execute("SELECT thread_id FROM scopes WHERE user_id = ?", (old,)).fetchall():
            before, after = (make_prefix(Scope(owner=owner, thread=thread)) for owner in (old, new))
            connection.execute(_RENAMED, (before, after, old, thread))

    def frequency(self, connection: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
        tokens = {make_token(scope, term): term for term in terms}
        found = connection.execute(_FREQUENCY, (json.dumps(list(tokens)),))
        return dict.fromkeys(tokens.values(), 0) | {tokens[one]: count for one, count in found}

    def beginning_with(self, connection: Connection, scope: Scope, prefix: str) -> list[str]:
        start = make_token(scope, prefix)
        found = connection.execute(_BEGINNING, (start, start + LAST_CHARACTER, MAX_COMPLETIONS_READ))
        return [one.removeprefix(make_prefix(scope)) for (one,) in found]

    def best(self, connection: Connection, scope: Scope, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        found = connection.execute(_BEST, (_make_match_query([scope], terms), limit))
        return [(seq, -rank) for seq, rank in found]

    def holding(self, connection: Connection, scopes: Sequence[Scope], terms: Sequence[str], limit: int) -> list[int]:
        found = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", (_make_match_query(scopes, terms), limit)
        )
        return [seq for (seq,) in found]


def _make_match_query(scopes: Sequence[Scope], terms: Sequence[str]) -> str:
    """Return the messages of these scopes that hold one of the terms or more, in FTS5's query language."""
    # Always quoted: raw terms may be read as its operators.
    return " OR ".join(f'"{make_token(scope, term)}"' for scope in scopes for term in terms)


_FTS5 = _Fts5()
_FORGOTTEN = """
DELETE FROM words WHERE rowid IN (
  SELECT seq FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)))
"""
_RENAMED = """
UPDATE words SET terms = replace(terms, ?, ?)
WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ? AND thread_id = ?)
"""
_FREQUENCY = "SELECT term, doc FROM word_counts WHERE term IN (SELECT value FROM json_each(?))"
_BEGINNING = "SELECT term FROM word_counts WHERE term > ? AND term < ? LIMIT ?"
_BEST = "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank, rowid DESC LIMIT ?"
