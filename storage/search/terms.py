"""Encode a message's terms for an index, as tokens prefixed with the scope, and as 32-bit hashes for counting."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from records.scopes import Scope
from storage.engine.protocol import Value

MAX_TERMS = 64  # terms of a question to look up; a pasted page has thousands
MAX_POSTINGS = 5_000  # the total number of messages in which the rarest terms of a question may occur
# Replaces characters at which FTS5's tokenizer would split a term (5:30, a@b.c). The tokenizer counts it as a letter.
_INNER = "\ue000"
BORDER = 0  # stands between the hashes of two passages; no term has this hash


@dataclass(frozen=True, slots=True)
class TermsEntry:
    """The index entry of a message: its terms and metadata."""

    seq: int
    scope: Scope
    id: int
    role: str
    speaker: str
    size: int
    said_at: float
    terms: tuple[str, ...]  # of its date, speaker, title and text
    passage_starts: tuple[int, ...] = ()  # the positions in `terms` at which the passages of a long message begin

    @property
    def tokens(self) -> list[str]:
        prefix = make_scope_prefix(self.scope)
        return [prefix + term for term in self.terms]

    def make_row(self) -> tuple[Value, ...]:
        where = (self.seq, self.scope.owner, self.scope.thread, self.id, self.said_at)
        what = (self.role == "user", self.role == "assistant", self.speaker, len(self.terms), self.size)
        return *where, *what, encode_term_hashes_with_borders(self.terms, self.passage_starts)


def select_searchable_terms(terms: Iterable[str]) -> list[str]:
    """Return up to MAX_TERMS distinct terms, without those that FTS5 cannot search for."""
    # A query of FTS5 ends at its first NUL, even inside quotes.
    return [term for term in dict.fromkeys(terms) if term and "\0" not in term][:MAX_TERMS]


def select_rarest_terms_with_counts(
    doc_freq: Mapping[str, int], max_postings: int = MAX_POSTINGS, *, min_terms: int = 1
) -> dict[str, int]:
    """Return the rarest terms with their counts. Beyond `min_terms`, the counts add up to at most `max_postings`."""
    chosen: dict[str, int] = {}
    postings = 0
    for term, count in sorted(doc_freq.items(), key=lambda item: item[1]):
        postings += count
        if len(chosen) >= min_terms and postings > max_postings:
            break
        if count:
            chosen[term] = count
    return chosen


def make_index_token(scope: Scope, term: str) -> str:
    return make_scope_prefix(scope) + mask_separators(term)


def mask_separators(term: str) -> str:
    """Mask the characters at which FTS5 would split a term."""
    if term.isalnum():
        return term
    return "".join(letter if unicodedata.category(letter)[0] in "LNM" else _INNER for letter in term)


def make_scope_prefix(scope: Scope) -> str:
    """Return the prefix that marks the tokens of a scope. "n" replaces the minus sign of a negative id."""
    return f"u{scope.owner}t{scope.thread}x".replace("-", "n")


def encode_term_hashes_with_borders(terms: Sequence[str], border_indexes: Sequence[int] = ()) -> bytes:
    """Hash a message's terms with CRC-32. Insert BORDER at each index in `border_indexes`, where a passage begins."""
    return np.insert(np.array([crc32(term.encode()) for term in terms], "<u4"), list(border_indexes), BORDER).tobytes()


class TermHashes:
    """The hashes of the terms in several messages, grouped by passage. A short message is a single passage."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        places: list[tuple[int, int]] = []
        passages: list[npt.NDArray[np.uint32]] = []
        for message, text in enumerate(texts):
            hashes = np.frombuffer(text, "<u4")
            borders = np.flatnonzero(hashes == BORDER)
            # Terms before the first border belong to every passage.
            heading, *pieces = np.split(hashes, borders) if len(borders) else (hashes, hashes[:0])
            places += [(message, part) for part in range(len(pieces))]
            passages += [np.concatenate([heading, piece[1:]]) for piece in pieces]
        # By passage: the index of its message, its place there, and its number of terms with those of the heading.
        self.messages, self.parts = np.array(places, np.int64).reshape(-1, 2).T
        self.lengths = np.array(list(map(len, passages)), np.int64)
        self._hashes = np.concatenate([*passages, np.zeros(0, "<u4")])
        self._rows = np.repeat(np.arange(len(passages)), self.lengths)

    def count_terms_by_passage(self, terms: Iterable[str]) -> npt.NDArray[np.float64]:
        """Return an array of shape [terms, passages] with the number of occurrences."""
        hashes, count = np.array([crc32(mask_separators(term).encode()) for term in terms], "<u4"), len(self.messages)
        distinct, places = np.unique(hashes, return_inverse=True)
        if not len(distinct):
            return np.zeros((0, count))
        nearest = np.minimum(np.searchsorted(distinct, self._hashes), len(distinct) - 1)
        is_wanted = distinct[nearest] == self._hashes
        cells = nearest[is_wanted] * count + self._rows[is_wanted]
        return (
            np.bincount(cells, minlength=len(distinct) * count).reshape(len(distinct), count)[places].astype(np.float64)
        )
