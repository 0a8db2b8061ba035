"""Keep the word index and the table `places` up to date with the messages."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from records.scopes import Scope
from runtime.tasks import run_in_thread_if_long
from storage.engine.protocol import Connection, Row
from storage.schema.rows import AnyRow, parse_moment
from storage.search import full_text
from storage.search.terms import TermsEntry, mask_separators, select_rarest_terms_with_counts, select_searchable_terms
from text import analyzer
from text.passages import split_into_passages

MAX_CHARS_ON_LOOP = 400  # characters analysed on the event loop, which takes less time than a thread costs
_PLACE = """
INSERT INTO places (seq, user_id, thread_id, message_id, said_at, is_person, is_assistant, speaker, length, size, marks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SEQS = "SELECT seq FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
_REMOVE = "DELETE FROM places WHERE user_id = ? AND seq IN (SELECT value FROM json_each(?))"
_FOUND = "SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND seq IN (SELECT value FROM json_each(?))"


async def extract_terms_from_rows(rows: Sequence[tuple[int, AnyRow]]) -> list[TermsEntry]:
    """Analyse (seq, row) pairs of messages for `index_entries`, in a thread unless they are short."""
    size = sum(len(str(row["content"])) for _, row in rows)
    return await run_in_thread_if_long(
        lambda: [extract_message_terms(seq, row) for seq, row in rows], size, MAX_CHARS_ON_LOOP
    )


def unindex_owner(connection: Connection, owner: int) -> None:
    """Remove an owner's messages from the index. Call this before deleting them from `messages`."""
    full_text.get_word_index(connection).remove_owner(connection, owner)
    for table in ("places", "scope_words"):
        connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (owner,))  # noqa: S608


def unindex_messages(connection: Connection, owner: int, ids_json: str) -> None:
    """Remove messages, given as a JSON array of ids. Call this before deleting them from `messages`."""
    _remove_entries(connection, owner, [row[0] for row in connection.execute(_SEQS, (owner, ids_json))])
    connection.execute("DELETE FROM scope_words WHERE user_id = ? AND turns = 0", (owner,))


def reindex_message(connection: Connection, seq: int, row: AnyRow) -> None:
    """Replace the index entry of a message, or add it if the message is new."""
    entry = extract_message_terms(seq, row)
    _remove_entries(connection, entry.scope.owner, [seq])
    index_entries(connection, [entry])


def _remove_entries(connection: Connection, owner: int, seqs: Sequence[int]) -> None:
    given = json.dumps(seqs)
    full_text.get_word_index(connection).remove_messages(connection, owner, given)
    connection.execute(_REMOVE, (owner, given))


def search_messages(connection: Connection, scope: Scope, terms: Iterable[str], limit: int) -> list[Row]:
    """Return up to `limit` rows of `messages` that contain any of the rarest terms, ranked by BM25."""
    wanted = select_searchable_terms(terms)
    if not wanted or limit <= 0:
        return []
    index = full_text.get_word_index(connection)
    rarest = select_rarest_terms_with_counts(index.count_messages_by_term(connection, scope, wanted))
    seqs = index.rank_messages(connection, scope, rarest, limit) if rarest else []
    rows = {row["seq"]: row for row in connection.execute(_FOUND, (*scope, json.dumps(seqs)))}
    return [rows[seq] for seq in seqs if seq in rows]


def index_entries(connection: Connection, entries: Sequence[TermsEntry]) -> None:
    """Add new messages to the word index and to the table `places`."""
    full_text.get_word_index(connection).insert_entries(connection, entries)
    connection.executemany(_PLACE, [entry.make_row() for entry in entries])


def extract_message_terms(seq: int, row: AnyRow) -> TermsEntry:
    """Analyse a message row, and return the entry that `index_entries` adds to the word index."""
    # Date and speaker are searched too: 3 points of coverage on LoCoMo (docs/recall.md). They are analysed separately,
    # since they would hide the language of the text.
    content, terms = str(row["content"]), list_heading_terms(row)
    parts = split_into_passages(content)
    passage_starts = []
    for part in parts:
        passage_starts.append(len(terms))
        terms += analyzer.list_search_terms(part)
    return TermsEntry(
        seq=seq,
        scope=Scope(owner=int(str(row["user_id"])), thread=int(str(row["thread_id"]))),
        id=int(str(row["id"])),
        role=str(row["role"]),
        speaker=str(row["speaker"]),
        size=len(content.encode()),
        said_at=parse_moment(row["created_at"]).timestamp(),
        terms=tuple(map(mask_separators, terms)),
        passage_starts=tuple(passage_starts) if len(parts) > 1 else (),
    )


def list_heading_terms(row: AnyRow) -> list[str]:
    """Return the terms in a message's date, speaker name and conversation title."""
    day, title = parse_moment(row["created_at"]).date(), str(row["title"])
    heading = (f"{day.day} {day:%B} {day.year}", str(row["speaker"]), title)
    return [term for text in heading for term in _list_terms_cached(text)]


@lru_cache(maxsize=2_000)
def _list_terms_cached(text: str) -> tuple[str, ...]:
    return tuple(analyzer.list_search_terms(text))
