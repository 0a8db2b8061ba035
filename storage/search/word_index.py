"""The word index: which messages of one scope hold which terms, and which messages are neighbours.

Owns the tables `places` and `scope_words`, and that they and the index of words (full_text.py) tell of the same
messages. Does not know how text becomes terms (text/analyzer.py), what may answer a question (candidates.py) or how it
is ranked.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache

from records.scopes import Scope
from runtime.cooperative import yielding_gil
from storage.engine.protocol import Connection, Reader, Row, Transaction
from storage.schema.rows import AnyRow, parse_moment
from storage.search import full_text
from storage.search.terms import TermsEntry, select_wanted, strip_token
from text import analyzer
from text.passages import passages

SHORT = 4_000  # characters that are analysed at once; a thread of its own would cost more

_PLACE = """
INSERT INTO places (seq, user_id, thread_id, message_id, said_at, is_person, is_assistant, speaker, length, size, marks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_FORGOTTEN = """
DELETE FROM places WHERE user_id = ?1 AND seq IN (
  SELECT seq FROM messages WHERE user_id = ?1 AND id IN (SELECT value FROM json_each(?2)))
"""
_FOUND = """
SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND seq IN (SELECT value FROM json_each(?))
"""


async def index_rows(tx: Transaction, rows: Sequence[tuple[int, AnyRow]]) -> None:
    """Index new messages, (seq, row) each in ascending order; the analysis of many runs outside the event loop."""
    entries = await analyse_rows(rows)
    await tx.run(lambda connection: put(connection, entries))


async def analyse_rows(rows: Sequence[tuple[int, AnyRow]]) -> list[TermsEntry]:
    """Return the messages as `put` takes them; the analysis of many, or of much, runs outside the event loop."""
    is_short = len(rows) == 1 and len(str(rows[0][1]["content"])) <= SHORT
    return _make_entries(rows) if is_short else await asyncio.to_thread(_make_entries, rows)


def remove(connection: Connection, owner: int) -> None:
    """Remove an owner's messages from the index, before they are removed from `messages`."""
    full_text.of(connection).remove(connection, owner)
    for table in ("places", "scope_words"):
        connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (owner,))  # noqa: S608


def forget(connection: Connection, owner: int, ids: str) -> None:
    """Remove messages (a JSON array of ids) from the index, before they are removed from `messages`.

    Their terms stay in the file until `merge`.
    """
    full_text.of(connection).forget(connection, owner, ids)
    connection.execute(_FORGOTTEN, (owner, ids))
    connection.execute("DELETE FROM scope_words WHERE user_id = ? AND turns = 0", (owner,))


def reindex(connection: Connection, seq: int, row: AnyRow) -> None:
    """Index one message that is new or whose text changed."""
    entries = _make_entries([(seq, row)])
    owner = entries[0].scope.owner
    full_text.of(connection).take_out(connection, owner, seq)
    connection.execute("DELETE FROM places WHERE user_id = ? AND seq = ?", (owner, seq))
    put(connection, entries)


def merge(connection: Connection) -> None:
    """Remove the traces of words that were removed."""
    full_text.of(connection).merge(connection)


def optimize(connection: Connection) -> None:
    """Join a little of what many writes left in pieces."""
    full_text.of(connection).optimize(connection)


async def search(reader: Reader, scope: Scope, terms: Iterable[str], limit: int) -> list[tuple[Row, float]]:
    """Return the rows of `messages` that hold one of the terms or more, best first, with their BM25
    (larger is better).
    """
    looked_up = select_wanted(terms)
    if not looked_up or limit <= 0:
        return []

    def found(connection: Connection) -> list[tuple[Row, float]]:
        scores = dict(full_text.of(connection).best(connection, scope, looked_up, limit))
        rows = connection.execute(_FOUND, (*scope, json.dumps(list(scores)))).fetchall()
        return sorted(((row, scores[row["seq"]]) for row in rows), key=lambda one: (-one[1], -one[0]["id"]))

    return await reader.run(found)


def put(connection: Connection, entries: Sequence[TermsEntry]) -> None:
    """Index new messages inside the caller's transaction."""
    full_text.of(connection).put(connection, entries)
    connection.executemany(_PLACE, [entry.row() for entry in entries])


def _make_entries(rows: Sequence[tuple[int, AnyRow]]) -> list[TermsEntry]:
    return [make_entry(seq, row) for seq, row in (yielding_gil(rows) if len(rows) > 1 else rows)]


def make_entry(seq: int, row: AnyRow, said: Sequence[str] | None = None) -> TermsEntry:
    """Return a message as `put` takes it. `said`: the terms of its text, where they are known."""
    # The heading is searched with the words (date and speaker: +3 points of coverage on LoCoMo, docs/recall.md). It is
    # analysed apart from the text, whose language it would hide.
    content, terms = str(row["content"]), list_heading_terms(row)
    parts = passages(content) if said is None else [content]
    begins = []
    for part in parts:
        begins.append(len(terms))
        terms += analyzer.analyse_text(part) if said is None else said
    return TermsEntry(
        seq=seq,
        scope=Scope(owner=int(str(row["user_id"])), thread=int(str(row["thread_id"]))),
        id=int(str(row["id"])),
        role=str(row["role"]),
        speaker=str(row["speaker"]),
        size=len(content.encode()),
        said_at=parse_moment(row["created_at"]).timestamp(),
        terms=tuple(map(strip_token, terms)),
        begins=tuple(begins) if len(parts) > 1 else (),
    )


def list_heading_terms(row: AnyRow) -> list[str]:
    """Return the terms of a message's date, its speaker and the title of the conversation that it began."""
    day, title = parse_moment(row["created_at"]).date(), str(row["title"])
    return [
        *_list_day_words(day),
        *_terms_of_name(str(row["speaker"])),
        *(analyzer.analyse_text(title) if title else ()),
    ]


@lru_cache(maxsize=1_000)
def _list_day_words(day: date) -> tuple[str, ...]:
    """Return the terms of a date."""
    return tuple(analyzer.analyse_text(f"{day.day} {day:%B} {day.year}"))


@lru_cache(maxsize=1_000)
def _terms_of_name(text: str) -> tuple[str, ...]:
    """Return the terms of a name."""
    return tuple(analyzer.analyse_text(text))
