"""The word index of SQLite, which finds the messages of a scope by their terms. It uses FTS5."""

import json
from collections.abc import Iterable, Mapping, Sequence

from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.search.terms import TermsEntry, make_index_token, make_scope_prefix

MAX_COMPLETIONS_READ = 200  # a short prefix begins thousands of terms
LAST_CHARACTER = "\U0010ffff"  # sorts after every letter, in SQLite and in PostgreSQL's collation "C"


class FullTextIndex:
    """The SQLite word index, which uses FTS5. All methods run inside the caller's transaction."""

    def insert_entries(self, connection: Connection, entries: Sequence[TermsEntry]) -> None:
        connection.executemany(
            "INSERT INTO words (rowid, terms) VALUES (?, ?)", [(entry.seq, " ".join(entry.tokens)) for entry in entries]
        )

    def remove_owner(self, connection: Connection, owner: int) -> None:
        """Remove an owner's messages from the index. Call this before deleting them from `messages`."""
        connection.execute("DELETE FROM words WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ?)", (owner,))
        self.merge_all_segments(connection)

    def remove_messages(self, connection: Connection, owner: int, seqs_json: str) -> None:
        """Remove messages, given as a JSON array of seqs. Their terms stay in the file until `merge_all_segments`."""
        connection.execute("DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?))", (seqs_json,))

    def merge_all_segments(self, connection: Connection) -> None:
        """Merge all index segments into one, which erases the terms of removed messages from the file."""
        # FTS5's option 'secure-delete' would make this unnecessary, but no SQLite before 3.42 could read the file.
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")

    def rename_owner(self, connection: Connection, old_id: int, new_id: int) -> None:
        """Change the owner id in the index. Call this before changing it in `messages`."""
        for (thread,) in connection.execute("SELECT thread_id FROM scopes WHERE user_id = ?", (old_id,)).fetchall():
            before, after = (make_scope_prefix(Scope(owner=owner, thread=thread)) for owner in (old_id, new_id))
            connection.execute(_RENAMED, (before, after, old_id, thread))

    def count_messages_by_term(self, connection: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
        """Map each term to the number of messages of the scope that contain it."""
        tokens = {make_index_token(scope, term): term for term in terms}
        rows = connection.execute(_FREQUENCY, (json.dumps(list(tokens)),))
        return dict.fromkeys(tokens.values(), 0) | {tokens[token]: count for token, count in rows}

    def find_completions(self, connection: Connection, scope: Scope, prefix: str) -> list[str]:
        """Return up to MAX_COMPLETIONS_READ terms in the scope that begin with `prefix` and are longer than it."""
        start = make_index_token(scope, prefix)
        rows = connection.execute(_BEGINNING, (start, start + LAST_CHARACTER, MAX_COMPLETIONS_READ))
        return [token.removeprefix(make_scope_prefix(scope)) for (token,) in rows]

    def rank_messages(self, connection: Connection, scope: Scope, doc_freq: Mapping[str, int], limit: int) -> list[int]:
        """Return the seqs of up to `limit` messages that contain any of the terms, ranked by BM25."""
        rows = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank, rowid DESC LIMIT ?",
            (_make_match_query([scope], list(doc_freq)), limit),
        )
        return [seq for (seq,) in rows]

    def find_seqs_of_messages_with_terms(
        self, connection: Connection, scopes: Sequence[Scope], terms: Sequence[str], limit: int
    ) -> list[int]:
        """Return the seqs of up to `limit` messages that contain any of the terms, in no particular order."""
        rows = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?", (_make_match_query(scopes, terms), limit)
        )
        return [seq for (seq,) in rows]


_FTS5 = FullTextIndex()


def get_word_index(connection: Connection) -> FullTextIndex:
    """Return the word index for a connection: FTS5 for SQLite, tsvector for PostgreSQL."""
    index: FullTextIndex = getattr(connection, "full_text", _FTS5)
    return index


def _make_match_query(scopes: Sequence[Scope], terms: Sequence[str]) -> str:
    # Always quoted: raw terms could be read as operators.
    return " OR ".join(f'"{make_index_token(scope, term)}"' for scope in scopes for term in terms)


_RENAMED = """
UPDATE words SET terms = replace(terms, ?, ?)
WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ? AND thread_id = ?)
"""
_FREQUENCY = "SELECT term, doc FROM word_counts WHERE term IN (SELECT value FROM json_each(?))"
_BEGINNING = "SELECT term FROM word_counts WHERE term > ? AND term < ? LIMIT ?"
