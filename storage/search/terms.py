"""How an index stores the terms of a message: as tokens with their scope, and as 32-bit hashes for counting.

Every token carries its scope ("u42t0x" + term). A search therefore reads the postings of its own scope alone, and
document frequencies are those of the scope.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from records.scopes import Scope
from storage.engine.protocol import Value

MAX_TERMS = 64  # terms of a question that are looked up: a pasted page has thousands
MAX_POSTINGS = 5_000  # the rarest terms of a question are searched until so many messages hold them
# Replaces characters at which FTS5's tokenizer would split a term (5:30, a@b.c). The tokenizer counts it as a letter.
_INNER = "\ue000"
BORDER = 0  # stands between the hashes of two passages; no term has this hash


@dataclass(frozen=True, slots=True)
class TermsEntry:
    """An analysed message.

    `terms` come from its date, speaker, title and text. `begins` are the positions in `terms` at which the passages of
    a long message begin.
    """

    seq: int
    scope: Scope
    id: int
    role: str
    speaker: str
    size: int
    said_at: float
    terms: tuple[str, ...]
    begins: tuple[int, ...] = ()

    @property
    def tokens(self) -> list[str]:
        prefix = make_prefix(self.scope)
        return [prefix + term for term in self.terms]

    def make_row(self) -> tuple[Value, ...]:
        where = (self.seq, self.scope.owner, self.scope.thread, self.id, self.said_at)
        what = (self.role == "user", self.role == "assistant", self.speaker, len(self.terms), self.size)
        return *where, *what, encode_marks(self.terms, self.begins)


def select_searchable_terms(terms: Iterable[str]) -> list[str]:
    """Return at most MAX_TERMS distinct terms that can be looked up."""
    # A query of FTS5 ends at its first NUL, even inside quotes.
    return [term for term in dict.fromkeys(terms) if term and "\0" not in term][:MAX_TERMS]


def select_rarest_terms(
    frequency: Mapping[str, int], max_postings: int = MAX_POSTINGS, *, at_least: int = 1
) -> dict[str, int]:
    """Return the rarest known terms with at most `max_postings` in total, but no fewer than `at_least` terms."""
    chosen: dict[str, int] = {}
    postings = 0
    for term, count in sorted(frequency.items(), key=lambda item: item[1]):
        postings += count
        if len(chosen) >= at_least and postings > max_postings:
            break
        if count:
            chosen[term] = count
    return chosen


def make_token(scope: Scope, term: str) -> str:
    return make_prefix(scope) + strip_token(term)


def strip_token(term: str) -> str:
    """Replace the characters of a term at which FTS5 would split it."""
    if term.isalnum():
        return term
    return "".join(letter if unicodedata.category(letter)[0] in "LNM" else _INNER for letter in term)


def make_prefix(scope: Scope) -> str:
    """Return the prefix of a scope's tokens, in letters and digits only. "n" is the minus of a group's id."""
    return f"u{scope.owner}t{scope.thread}x".replace("-", "n")


def hash_term(term: str) -> int:
    """Return the CRC-32 that stands for a term in `places.marks`, so that counting needs no text."""
    return crc32(strip_token(term).encode())


def encode_marks(terms: Sequence[str], begins: Sequence[int] = ()) -> bytes:
    """Return the value of `places.marks`: little-endian hashes of stripped terms, with a BORDER before each passage."""
    return np.insert(np.array([crc32(term.encode()) for term in terms], "<u4"), list(begins), BORDER).tobytes()


class TermHashes:
    """The hashed terms of some messages, passage by passage. A short message has one passage.

    The arrays have one entry for each passage. `messages` is the index of its message and `parts` its place there.
    `lengths` counts its terms, with those of date and speaker.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._messages_count = len(texts)
        hashes = np.frombuffer(b"".join(texts), "<u4")
        sizes = np.array(list(map(len, texts)), np.int64) // 4
        of = np.repeat(np.arange(len(texts)), sizes)
        borders = hashes == BORDER
        passed = np.cumsum(borders)
        had = np.concatenate([[0], passed])[np.concatenate([[0], np.cumsum(sizes)])]
        inside = np.diff(had)
        counts = np.maximum(inside, 1)
        firsts = np.cumsum(counts) - counts
        self.messages = np.repeat(np.arange(len(texts)), counts)
        self.parts = np.arange(len(self.messages)) - firsts[self.messages]
        # Terms before the first border belong to every passage.
        is_heading = (passed == had[:-1][of]) & (inside[of] > 0)
        rows = firsts[of] + np.maximum(passed - had[:-1][of] - 1, 0)
        self._of, self._heading = of[is_heading], hashes[is_heading]
        is_text = ~is_heading & ~borders
        self._rows, self._text = rows[is_text], hashes[is_text]
        ahead = np.bincount(self._of, minlength=len(texts))
        self.lengths = np.bincount(self._rows, minlength=len(self.messages)) + ahead[self.messages]

    def count_terms(self, terms: Iterable[str]) -> npt.NDArray[np.float64]:
        """Count each term in each passage: [terms, passages]."""
        wanted = np.array([hash_term(term) for term in terms], "<u4")
        in_headings = _count_hashes(wanted, self._heading, self._of, self._messages_count)
        return _count_hashes(wanted, self._text, self._rows, len(self.messages)) + in_headings[:, self.messages]


def _count_hashes(
    wanted: npt.NDArray[np.uint32], hashes: npt.NDArray[np.uint32], rows: npt.NDArray[np.intp], count: int
) -> npt.NDArray[np.float64]:
    """Return how often each wanted hash occurs in each row, [wanted, count]. `rows` holds the row of each hash."""
    distinct, places = np.unique(wanted, return_inverse=True)
    if not len(distinct):
        return np.zeros((0, count))
    which = np.minimum(np.searchsorted(distinct, hashes), len(distinct) - 1)
    is_wanted = distinct[which] == hashes
    counted = np.bincount(which[is_wanted] * count + rows[is_wanted], minlength=len(distinct) * count)
    return counted.reshape(len(distinct), count)[places].astype(np.float64)
