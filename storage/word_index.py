"""The index of words: which messages of one scope hold which terms, and how well they match.

Owns the `words` table. Every term carries its scope ("u42t0x" + term), so that a search reads the postings of its own
scope alone, however many owners there are. Does not know how text becomes terms (words.py) or what is done with hits.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import words
from records import Scope
from storage.driver import Row, sqlite3

if TYPE_CHECKING:
    # The door opens files by the migrations, which index words.
    from storage.database import Reader, Transaction

_INSERT = "INSERT INTO words (rowid, terms) VALUES (?, ?)"
# The index is asked first, and by itself: joined freely, SQLite may walk the scope's messages and ask the index about
# each, which takes seconds at 10,000. A term carries its scope, so the limit falls on the scope's own hits.
_SEARCH = """
SELECT messages.*, -found.score AS score
FROM (
  SELECT rowid AS seq, bm25(words) AS score FROM words WHERE words MATCH ?1 ORDER BY score, rowid DESC LIMIT ?4
) AS found CROSS JOIN messages ON messages.seq = found.seq
WHERE messages.user_id = ?2 AND messages.thread_id = ?3
ORDER BY score DESC, messages.id DESC
"""
# At most this many terms of a question are looked up; a pasted page would otherwise make a query of thousands.
MOST_TERMS = 64


async def index(tx: "Transaction", scope: Scope, seq: int, row: Mapping[str, object]) -> None:
    """Index one new message; `seq` is its rowid in `messages`, `row` its columns."""
    await tx.insert(_INSERT, seq, _entry(scope, row))


async def index_many(tx: "Transaction", rows: Sequence[tuple[int, Mapping[str, object]]]) -> None:
    """Index many new messages, (seq, row) each; the analysis runs beside the event loop."""
    await tx.many(_INSERT, await asyncio.to_thread(_entries, rows))


async def remove(tx: "Transaction", owner: int) -> None:
    """Remove an owner's messages from the index, before they are removed from `messages`.

    FTS5 keeps the terms of deleted rows until segments are merged, so all are merged: erased words leave the file.
    """
    await tx.rows("DELETE FROM words WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ?)", owner)
    await tx.rows("INSERT INTO words (words) VALUES ('optimize')")


async def search(reader: "Reader", scope: Scope, terms: Iterable[str], limit: int) -> list[tuple[Row, float]]:
    """Rows of `messages` that hold one of the terms or more, best first, with BM25 (larger is better)."""
    # A query ends at its first NUL, in the middle of the quotes.
    wanted = [term for term in dict.fromkeys(terms) if term and "\0" not in term][:MOST_TERMS]
    if not wanted or limit <= 0:
        return []
    prefix = _prefix(scope)
    # Always quoted: raw terms may be read as operators of FTS5's query language.
    question = " OR ".join('"' + prefix + term.replace('"', '""') + '"' for term in wanted)
    rows = await reader.rows(
        _SEARCH,
        question,
        scope.owner,
        scope.thread,
        limit,
    )
    return [(row, float(row["score"])) for row in rows]


def rebuild(connection: sqlite3.Connection) -> None:
    """Index every message of a file anew, inside the caller's transaction."""
    connection.execute("DELETE FROM words")
    last = 0
    while True:
        rows = connection.execute("SELECT * FROM messages WHERE seq > ? ORDER BY seq LIMIT 500", (last,)).fetchall()
        if not rows:
            return
        connection.executemany(_INSERT, _entries([(row["seq"], dict(row)) for row in rows]))
        last = rows[-1]["seq"]


def index_now(connection: sqlite3.Connection, seq: int, row: Mapping[str, object]) -> None:
    """Index one message inside the caller's transaction, replacing its entry."""
    connection.execute("DELETE FROM words WHERE rowid = ?", (seq,))
    connection.executemany(_INSERT, _entries([(seq, row)]))


def forget_now(connection: sqlite3.Connection, owner: int, message: int) -> None:
    """Remove one message from the index inside the caller's transaction, before it is removed from `messages`."""
    connection.execute(
        "DELETE FROM words WHERE rowid = (SELECT seq FROM messages WHERE user_id = ? AND id = ?)",
        (owner, message),
    )


def _entries(rows: Sequence[tuple[int, Mapping[str, object]]]) -> list[tuple[int, str]]:
    return [
        (seq, _entry(Scope(owner=int(str(row["user_id"])), thread=int(str(row["thread_id"]))), row))
        for seq, row in rows
    ]


def _entry(scope: Scope, row: Mapping[str, object]) -> str:
    # Date and speaker are searched with the words: +3 points of coverage on LoCoMo (knowledge/recall.md).
    prefix = _prefix(scope)
    text = f"{str(row['created_at'])[:10]} {row['speaker']}: {row['content']}"
    return " ".join(prefix + term for term in words.analyse(text))


def _prefix(scope: Scope) -> str:
    """Letters and digits only, so that the tokenizer keeps it on its term; "n" is the minus of a group's id."""
    return f"u{scope.owner}t{scope.thread}x".replace("-", "n")
