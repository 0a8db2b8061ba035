"""The terms of a message in an index: as tokens that carry their scope, and as 32 bits for counting.

Every token carries its scope ("u42t0x" + term), so that a search reads the postings of its own scope alone, however
many owners there are, and document frequencies are a scope's own. Pure.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from records.scopes import Scope
from storage.engine.protocol import Value

MAX_TERMS = 64  # at most so many terms of a question are looked up, since a pasted page would make a query of thousands
# Characters inside a term at which FTS5's tokenizer would split it (5:30, a@b.c) become this, which it takes for a
# letter.
_INNER = "\ue000"
BORDER = 0  # stands between the hashes of two passages; no term has it


@dataclass(frozen=True, slots=True)
class TermsEntry:
    """One message, analysed. `terms`: of its date, speaker, title and text; `begins`: of a long message, where among
    them each of its passages begins.
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
        """Its tokens in order, repetitions too."""
        prefix = make_prefix(self.scope)
        return [prefix + term for term in self.terms]

    def row(self) -> tuple[Value, ...]:
        """Return the values of its row in `places`."""
        where = (self.seq, self.scope.owner, self.scope.thread, self.id, self.said_at)
        what = (self.role == "user", self.role == "assistant", self.speaker, len(self.terms), self.size)
        return *where, *what, make_marks(self.terms, self.begins)


def select_wanted(terms: Iterable[str]) -> list[str]:
    """Return the terms that are looked up."""
    # A query of FTS5 ends at its first NUL, even inside quotes.
    return [term for term in dict.fromkeys(terms) if term and "\0" not in term][:MAX_TERMS]


def make_token(scope: Scope, term: str) -> str:
    """Return the token that the index has for a term of a scope."""
    return make_prefix(scope) + strip_token(term)


def strip_token(term: str) -> str:
    """Return a term as one token of FTS5, without its scope: letters, numbers and marks only."""
    if term.isalnum():
        return term
    return "".join(one if unicodedata.category(one)[0] in "LNM" else _INNER for one in term)


def make_prefix(scope: Scope) -> str:
    """Letters and digits only, so that the tokenizer keeps it with its term; "n" is the minus of a group's id."""
    return f"u{scope.owner}t{scope.thread}x".replace("-", "n")


def hash_term(term: str) -> int:
    """32 bits that stand for a term in the column `make_marks` of `places` (CRC-32), so that counting needs no text."""
    return crc32(strip_token(term).encode())


def make_marks(terms: Sequence[str], begins: Sequence[int] = ()) -> bytes:
    """Return the column `make_marks`: the hashes of terms that are tokens already, little-endian, with a BORDER before
    each passage.
    """
    return np.insert(np.array([crc32(term.encode()) for term in terms], "<u4"), list(begins), BORDER).tobytes()


class HashFilter:
    """Hashes that are looked for in many marks at once."""

    def __init__(self, wanted_hashes: Iterable[int]) -> None:
        self.hashes = np.array(list(wanted_hashes), "<u4")
        self.known = frozenset(self.hashes.tolist())
        self.distinct = np.array(sorted(self.known), "<u4")
        self.which = np.searchsorted(self.distinct, self.hashes)
        # Of tens of thousands hardly any is wanted: first those with the right 16 bits.
        self.low_bits = np.zeros(2**16, np.bool_)
        self.low_bits[self.hashes & 0xFFFF] = True


class TermHashes:
    """The terms of some messages, as the column `make_marks` holds them, passage by passage: a short message has one.

    `messages`: [passages], the message of each; `parts`: [passages], the place of each in its message; `lengths`:
    [passages], in terms, those of date and speaker included.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
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
        # What stands before the first border is of every passage.
        is_heading = (passed == had[:-1][of]) & (inside[of] > 0)
        rows = firsts[of] + np.maximum(passed - had[:-1][of] - 1, 0)
        self._of, self._heading = of[is_heading], hashes[is_heading]
        is_text = ~is_heading & ~borders
        self._rows, self._text = rows[is_text], hashes[is_text]
        ahead = np.bincount(self._of, minlength=len(texts))
        self.lengths = np.bincount(self._rows, minlength=len(self.messages)) + ahead[self.messages]

    def counts(self, wanted: HashFilter) -> npt.NDArray[np.float64]:
        """[wanted hashes, passages]: how often each hash is in each passage."""
        ahead = _count_terms(wanted, self._heading, self._of, int(self.messages[-1]) + 1 if len(self.messages) else 0)
        return _count_terms(wanted, self._text, self._rows, len(self.messages)) + ahead[:, self.messages]


def _count_terms(
    wanted: HashFilter, hashes: npt.NDArray[np.uint32], rows: npt.NDArray[np.intp], count: int
) -> npt.NDArray[np.float64]:
    at = np.flatnonzero(wanted.low_bits.take(hashes.astype(np.uint16)))
    which = np.searchsorted(wanted.distinct, hashes[at])
    found = wanted.distinct[np.minimum(which, len(wanted.distinct) - 1)] == hashes[at] if len(at) else at > 0
    shape = (len(wanted.distinct), count)
    counted = np.bincount(which[found] * count + rows[at[found]], minlength=shape[0] * shape[1])
    return counted.reshape(shape)[wanted.which].astype(np.float64)
