"""The word index: which messages of one scope hold which terms, and which messages are neighbours.

Owns the tables `words`, `places` and `scope_words`. Every term carries its scope ("u42t0x" + term), so that a search
reads the postings of its own scope alone, however many owners there are, and document frequencies are a scope's own.
Does not know how text becomes terms (text/analyzer.py), what may answer a question (candidates.py) or how it is ranked.
"""

import asyncio
import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np

from records.scopes import Scope
from runtime.cooperative import yielding_gil
from storage.files.rows import AnyRow, moment_of
from storage.files.sql import Connection, Reader, Row, Transaction, Value
from text import analyzer

MOST_TERMS = 64
"""At most so many terms of a question are looked up, since a pasted page would make a query of thousands."""
THREADS_AT_ONCE = 100
"""Threads that one query names."""
SHORT = 4_000
"""Characters that are analysed at once; a thread of its own would cost more."""

_INSERT = "INSERT INTO words (rowid, terms) VALUES (?, ?)"
_PLACE = """
INSERT INTO places (seq, user_id, thread_id, place, session, said_at, is_person, length, message_id, is_assistant,
  speaker, size, marks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REMOVED = (
    "DELETE FROM words WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ?)",
    "DELETE FROM places WHERE user_id = ?",
    "DELETE FROM scope_words WHERE user_id = ?",
)
_FORGOTTEN = tuple(
    f"""
    DELETE FROM {table} WHERE {key} IN (
      SELECT seq FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?)))
    """  # noqa: S608
    for table, key in (("words", "rowid"), ("places", "seq"))
)
_HOLDERS = """
SELECT messages.seq, messages.id, messages.thread_id, messages.turn_id, messages.role, messages.created_at,
  messages.speaker
FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?) AS found
CROSS JOIN messages ON messages.seq = found.rowid WHERE messages.user_id = ?
"""
_INCOMPLETE = """
SELECT places.seq, messages.id, messages.role, messages.speaker, messages.content, said.c0
FROM places JOIN messages ON messages.seq = places.seq JOIN words_content AS said ON said.id = places.seq
WHERE places.seq > ? ORDER BY places.seq LIMIT 500
"""
_COMPLETED = "UPDATE places SET message_id = ?, is_assistant = ?, speaker = ?, size = ?, marks = ? WHERE seq = ?"
# Characters inside a term at which FTS5's tokenizer would split it (5:30, a@b.c) become this, which it takes for a
# letter.
_INNER = "\ue000"


@dataclass(frozen=True, slots=True)
class Entry:
    """One message, analysed."""

    seq: int
    scope: Scope
    id: int
    role: str
    speaker: str
    size: int
    said_at: float
    terms: tuple[str, ...]

    @property
    def text(self) -> str:
        prefix = _prefix(self.scope)
        return " ".join(prefix + term for term in self.terms)

    def row(self) -> tuple[Value, ...]:
        # Of `place` and `session`, which older versions counted, nothing is read any more: order is time.
        where = (self.seq, self.scope.owner, self.scope.thread, self.seq, 0, self.said_at)
        what = (self.role == "user", len(self.terms), self.id, self.role == "assistant", self.speaker, self.size)
        return *where, *what, _hashes(self.terms)


async def index(tx: Transaction, rows: Sequence[tuple[int, AnyRow]]) -> None:
    """Index new messages, (seq, row) each in ascending order; the analysis of many runs outside the event loop."""
    entries = await analysed(rows)
    await tx.run(lambda connection: put(connection, entries))


async def analysed(rows: Sequence[tuple[int, AnyRow]]) -> list[Entry]:
    """Messages as `put` takes them; the analysis of many, or of much, runs outside the event loop."""
    is_short = len(rows) == 1 and len(str(rows[0][1]["content"])) <= SHORT
    return _entries(rows) if is_short else await asyncio.to_thread(_entries, rows)


def remove(connection: Connection, owner: int) -> None:
    """Remove an owner's messages from the index, before they are removed from `messages`.

    FTS5 keeps the terms of deleted rows until segments are merged, so all are merged: erased words leave the file.
    """
    for statement in _REMOVED:
        connection.execute(statement, (owner,))
    merge(connection)


def forget(connection: Connection, owner: int, ids: str) -> None:
    """Remove messages (a JSON array of ids) from the index, before they are removed from `messages`.

    Their terms stay in the file until `merge`.
    """
    for statement in _FORGOTTEN:
        connection.execute(statement, (owner, ids))
    connection.execute("DELETE FROM scope_words WHERE user_id = ? AND turns = 0", (owner,))


def reindex(connection: Connection, seq: int, row: AnyRow) -> None:
    """Index one message that is new or whose text changed."""
    entries = _entries([(seq, row)])
    connection.execute("DELETE FROM words WHERE rowid = ?", (seq,))
    connection.execute("DELETE FROM places WHERE seq = ?", (seq,))
    put(connection, entries)


def merge(connection: Connection) -> None:
    """Merge all segments of FTS5 into one: until then it keeps the terms of rows that were deleted.

    FTS5's option 'secure-delete' would make this unnecessary, but no SQLite before 3.42 could read the file any more.
    """
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")


async def rename(tx: Transaction, old: int, new: int) -> None:
    """The terms of an owner's messages carry another owner's id, while they are still the old one's."""
    for (thread,) in await tx.rows("SELECT thread_id FROM scopes WHERE user_id = ?", old):
        await tx.rows(
            """
            UPDATE words SET terms = replace(terms, ?, ?)
            WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ? AND thread_id = ?)
            """,
            _prefix(Scope(owner=old, thread=thread)),
            _prefix(Scope(owner=new, thread=thread)),
            old,
            thread,
        )


async def holders(
    reader: Reader, owner: int, threads: Sequence[int], terms: Sequence[str], most: int
) -> list[Row] | None:
    """Messages of these threads whose text, not only its date or speaker, holds one of the terms; None for more than
    `most`.
    """
    looked_up = wanted(terms)
    rows: list[Row] = []
    for first in range(0, len(threads) if looked_up else 0, THREADS_AT_ONCE):
        scopes = [Scope(owner=owner, thread=thread) for thread in threads[first : first + THREADS_AT_ONCE]]
        rows += await reader.rows(
            _HOLDERS, " OR ".join(question(scope, looked_up) for scope in scopes), most + 1, owner
        )
        if len(rows) > most:
            return None
    unsure = json.dumps([row["seq"] for row in rows if not _tokens(looked_up).isdisjoint(_tokens(_heading(row)))])
    if unsure == "[]":
        return rows
    texts = await reader.rows("SELECT seq, content FROM messages WHERE seq IN (SELECT value FROM json_each(?))", unsure)
    without = await asyncio.to_thread(
        lambda: {
            one["seq"] for one in texts if _tokens(looked_up).isdisjoint(_tokens(analyzer.analyse(one["content"])))
        }
    )
    return [row for row in rows if row["seq"] not in without]


def _tokens(terms: Iterable[str]) -> set[str]:
    return {_token(term) for term in terms}


async def search(reader: Reader, scope: Scope, terms: Iterable[str], limit: int) -> list[tuple[Row, float]]:
    """Rows of `messages` that hold one of the terms or more, best first, with FTS5's BM25 (larger is better)."""
    looked_up = wanted(terms)
    if not looked_up or limit <= 0:
        return []
    # CROSS JOIN: the words come first; SQLite would else walk through the scope's messages and probe each.
    rows = await reader.rows(
        """
        SELECT messages.*, -found.rank AS score
        FROM (SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank, rowid DESC LIMIT ?) AS found
        CROSS JOIN messages ON messages.seq = found.rowid
        WHERE messages.user_id = ? AND messages.thread_id = ?
        ORDER BY found.rank, messages.id DESC
        """,
        question(scope, looked_up),
        limit,
        *scope,
    )
    return [(row, float(row["score"])) for row in rows]


def rebuild(connection: Connection) -> None:
    """Index every message of a file again, inside the caller's transaction."""
    for table in ("words", "places", "scope_words"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
    seq = 0
    while rows := connection.execute("SELECT * FROM messages WHERE seq > ? ORDER BY seq LIMIT 500", (seq,)).fetchall():
        put(connection, _entries([(row["seq"], row) for row in rows]))
        seq = rows[-1]["seq"]


def complete(connection: Connection) -> None:
    """Add to rows of an earlier format what ranking reads, inside the caller's transaction, without analysing texts
    that are indexed; where none is, index every message.
    """
    seq = 0
    while rows := connection.execute(_INCOMPLETE, (seq,)).fetchall():
        connection.executemany(_COMPLETED, [_completed(*row) for row in rows])
        seq = rows[-1]["seq"]
    if not seq:
        rebuild(connection)


def _completed(seq: int, number: int, role: str, speaker: str, content: str, tokens: str) -> tuple[Value, ...]:
    terms = [token.partition("x")[2] for token in tokens.split(" ") if token]  # a prefix has no "x" but at its end
    return number, role == "assistant", speaker, len(content.encode()), _hashes(terms), seq


def put(connection: Connection, entries: Sequence[Entry]) -> None:
    """Index new messages inside the caller's transaction."""
    connection.executemany(_INSERT, [(entry.seq, entry.text) for entry in entries])
    connection.executemany(_PLACE, [entry.row() for entry in entries])


def _entries(rows: Sequence[tuple[int, AnyRow]]) -> list[Entry]:
    return [_entry(seq, row) for seq, row in (yielding_gil(rows) if len(rows) > 1 else rows)]


def _entry(seq: int, row: AnyRow) -> Entry:
    # Date and speaker are searched with the words (+3 points of coverage on LoCoMo: docs/recall.md). They are analysed
    # apart from the text, whose language they would hide.
    said = moment_of(row["created_at"])
    terms = [*_heading(row), *analyzer.analyse(str(row["content"]))]
    return Entry(
        seq=seq,
        scope=Scope(owner=int(str(row["user_id"])), thread=int(str(row["thread_id"]))),
        id=int(str(row["id"])),
        role=str(row["role"]),
        speaker=str(row["speaker"]),
        size=len(str(row["content"]).encode()),
        said_at=said.timestamp(),
        terms=tuple(_token(term) for term in terms),
    )


def _heading(row: AnyRow) -> list[str]:
    """The terms of a message's date and speaker."""
    said = moment_of(row["created_at"])
    return [*_analysed_often(f"{said.day} {said:%B} {said.year}"), *_analysed_often(str(row["speaker"]))]


@lru_cache(maxsize=1_000)
def _analysed_often(text: str) -> tuple[str, ...]:
    """The terms of a date or a name."""
    return tuple(analyzer.analyse(text))


def question(scope: Scope, terms: Iterable[str]) -> str:
    """The messages of a scope that hold one of the terms or more, in FTS5's query language."""
    # Always quoted: raw terms may be read as its operators.
    return " OR ".join(f'"{token(scope, term)}"' for term in terms)


def wanted(terms: Iterable[str]) -> list[str]:
    """The terms that are looked up."""
    # A query ends at its first NUL, even inside quotes.
    return [term for term in dict.fromkeys(terms) if term and "\0" not in term][:MOST_TERMS]


def token(scope: Scope, term: str) -> str:
    """The token that the index has for a term of a scope."""
    return _prefix(scope) + _token(term)


def term_hash(term: str) -> int:
    """32 bits that stand for a term in the column `marks` of `places` (CRC-32), so that counting needs no text."""
    return crc32(_token(term).encode())


def _hashes(tokens: Iterable[str]) -> bytes:
    """The column `marks`: the hashes of terms that are tokens already."""
    return np.array([crc32(token.encode()) for token in tokens], "<u4").tobytes()


def _token(term: str) -> str:
    """A term as one token of FTS5: letters, numbers and marks only."""
    if term.isalnum():
        return term
    return "".join(one if unicodedata.category(one)[0] in "LNM" else _INNER for one in term)


def _prefix(scope: Scope) -> str:
    """Letters and digits only, so that the tokenizer keeps it with its term; "n" is the minus of a group's id."""
    return f"u{scope.owner}t{scope.thread}x".replace("-", "n")
