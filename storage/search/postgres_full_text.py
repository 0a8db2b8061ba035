"""The word index of PostgreSQL: a tsvector with a GIN index, ranked by our own BM25."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

import numpy as np

from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.search.full_text import LAST_CHARACTER, MAX_COMPLETIONS_READ, FullTextIndex
from storage.search.terms import TermHashes, TermsEntry, make_index_token, make_scope_prefix

K1, B = 1.2, 0.75  # of BM25, as in FTS5
MIN_WEIGHT = 1e-6  # the weight of a term that occurs in more than half of the messages, as in FTS5
MAX_TOKEN_BYTES = 1_000  # a longer token is cut and gets its hash: a lexeme may have 2,046 bytes
MAX_LEXEMES_BYTES = 600_000  # bytes of tokens of one message that are indexed: a tsvector may have 1 MB


class TsVectorIndex(FullTextIndex):
    """The word index of the PostgreSQL store: a tsvector column with a GIN index."""

    def insert_entries(self, connection: Connection, entries: Sequence[TermsEntry]) -> None:
        connection.executemany(
            "INSERT INTO words (user_id, seq, terms) VALUES (?, ?, array_to_tsvector(string_to_array(?, ' ')))",
            [(entry.scope.owner, entry.seq, " ".join(_format_lexemes(entry.tokens))) for entry in entries],
        )

    def remove_owner(self, connection: Connection, owner: int) -> None:
        connection.execute("DELETE FROM words WHERE user_id = ?", (owner,))

    def remove_messages(self, connection: Connection, owner: int, seqs_json: str) -> None:
        connection.execute(_REMOVE, (owner, seqs_json))

    def merge_all_segments(self, connection: Connection) -> None:
        """Do nothing, since VACUUM removes deleted rows."""

    def rename_owner(self, connection: Connection, old_id: int, new_id: int) -> None:
        before, after = (make_scope_prefix(Scope(owner=owner)).partition("t")[0] + "t" for owner in (old_id, new_id))
        connection.execute(_RENAMED, (new_id, f"^{before}", after, old_id))
        connection.execute(_COUNTS_RENAMED, (new_id, f"^{before}", after, old_id))

    def count_messages_by_term(self, connection: Connection, scope: Scope, terms: Iterable[str]) -> dict[str, int]:
        tokens = {_format_lexeme(make_index_token(scope, term)): term for term in terms}
        rows = connection.execute(_FREQUENCY, (scope.owner, " ".join(tokens)))
        return dict.fromkeys(tokens.values(), 0) | {tokens[token]: count for token, count in rows}

    def find_completions(self, connection: Connection, scope: Scope, prefix: str) -> list[str]:
        start = _format_lexeme(make_index_token(scope, prefix))
        rows = connection.execute(_BEGINNING, (scope.owner, start, start + LAST_CHARACTER, MAX_COMPLETIONS_READ))
        return [token.removeprefix(make_scope_prefix(scope)) for (token,) in rows]

    def rank_messages(self, connection: Connection, scope: Scope, doc_freq: Mapping[str, int], limit: int) -> list[int]:
        sums = connection.execute(
            "SELECT turns, terms FROM scope_words WHERE user_id = ? AND thread_id = ?", tuple(scope)
        ).fetchone()
        if sums is None or not sums[0]:
            return []
        held = np.array(list(doc_freq.values()))
        # BM25's inverse document frequency (Robertson and Spärck Jones).
        weights = np.where(
            held * 2 >= sums[0], MIN_WEIGHT, np.log(np.maximum(sums[0] - held + 0.5, 0.5) / (held + 0.5))
        )
        rows = connection.execute(MATCHES, (scope.owner, _make_ts_query([scope], list(doc_freq)))).fetchall()
        seqs, lengths = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
        hashes = TermHashes([row[2] for row in rows])
        counts = np.zeros((len(rows), len(doc_freq)))
        np.add.at(counts, hashes.messages, hashes.count_terms_by_passage(doc_freq).T)
        length = K1 * (1 - B + B * lengths / max(sums[1] / sums[0], 1e-9))
        scores = (weights * counts * (K1 + 1) / (counts + length[:, None])).sum(axis=1)
        return [int(seq) for seq in seqs[np.lexsort((-seqs, -scores))[:limit]]]

    def find_seqs_of_messages_with_terms(
        self, connection: Connection, scopes: Sequence[Scope], terms: Sequence[str], limit: int
    ) -> list[int]:
        rows = connection.execute(HOLDING, (scopes[0].owner, _make_ts_query(scopes, terms), limit))
        return [seq for (seq,) in rows]


def _format_lexemes(tokens: Iterable[str]) -> list[str]:
    lexemes, left = [], MAX_LEXEMES_BYTES
    for lexeme in dict.fromkeys(map(_format_lexeme, tokens)):
        left -= len(lexeme.encode())
        if left < 0:
            break
        lexemes.append(lexeme)
    return lexemes


def _format_lexeme(token: str) -> str:
    raw = token.encode()
    if len(raw) <= MAX_TOKEN_BYTES:
        return token
    return raw[: MAX_TOKEN_BYTES // 2].decode(errors="ignore") + blake2b(raw, digest_size=16).hexdigest()


def _make_ts_query(scopes: Sequence[Scope], terms: Sequence[str]) -> str:
    # Tokens are letters, digits and marks only, so quotes are enough.
    return " | ".join(f"'{_format_lexeme(make_index_token(scope, term))}'" for scope in scopes for term in terms)


_REMOVE = "DELETE FROM words WHERE user_id = ? AND seq IN (SELECT value FROM json_each(?))"
_FREQUENCY = "SELECT term, messages FROM word_counts WHERE user_id = ? AND term = ANY (string_to_array(?, ' '))"
_BEGINNING = "SELECT term FROM word_counts WHERE user_id = ? AND term > ? AND term < ? ORDER BY term LIMIT ?"
# A join would read the places of all of an owner's messages.
MATCHES = """
SELECT seq, length, marks FROM places
WHERE user_id = ?1 AND seq = ANY (ARRAY(SELECT seq FROM words WHERE user_id = ?1 AND terms @@ ?2::tsquery))
"""
# Without OFFSET 0 the planner reads all messages in order and compares each with the query until the limit is reached.
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
