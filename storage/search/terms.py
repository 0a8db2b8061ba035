"""How the terms of a message stand in an index: as tokens that carry their scope, and as 32 bits for counting.

Every token carries its scope ("u42t0x" + term), so that a search reads the postings of its own scope alone, however
many owners there are, and document frequencies are a scope's own. Pure. Does not know where tokens are kept.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from records.scopes import Scope
from storage.files.sql import Value

MOST_TERMS = 64
"""At most so many terms of a question are looked up, since a pasted page would make a query of thousands."""
LAST_CHARACTER = "\U0010ffff"
"""Sorts behind every other."""
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
    def tokens(self) -> list[str]:
        """Its tokens in order, repetitions too."""
        prefix = prefix_of(self.scope)
        return [prefix + term for term in self.terms]

    def row(self) -> tuple[Value, ...]:
        """The values of its row in `places`."""
        # Of `place` and `session`, which older versions counted, nothing is read any more: order is time.
        where = (self.seq, self.scope.owner, self.scope.thread, self.seq, 0, self.said_at)
        what = (self.role == "user", len(self.terms), self.id, self.role == "assistant", self.speaker, self.size)
        return *where, *what, hashes(self.terms)


def wanted(terms: Iterable[str]) -> list[str]:
    """The terms that are looked up."""
    # A query of FTS5 ends at its first NUL, even inside quotes.
    return [term for term in dict.fromkeys(terms) if term and "\0" not in term][:MOST_TERMS]


def token(scope: Scope, term: str) -> str:
    """The token that the index has for a term of a scope."""
    return prefix_of(scope) + bare_token(term)


def bare_token(term: str) -> str:
    """A term as one token of FTS5, without its scope: letters, numbers and marks only."""
    if term.isalnum():
        return term
    return "".join(one if unicodedata.category(one)[0] in "LNM" else _INNER for one in term)


def prefix_of(scope: Scope) -> str:
    """Letters and digits only, so that the tokenizer keeps it with its term; "n" is the minus of a group's id."""
    return f"u{scope.owner}t{scope.thread}x".replace("-", "n")


def term_hash(term: str) -> int:
    """32 bits that stand for a term in the column `marks` of `places` (CRC-32), so that counting needs no text."""
    return crc32(bare_token(term).encode())


def hashes(tokens: Iterable[str]) -> bytes:
    """The column `marks`: the hashes of terms that are tokens already, little-endian."""
    return np.array([crc32(token.encode()) for token in tokens], "<u4").tobytes()


class Wanted:
    """Hashes that are looked for in many marks at once."""

    def __init__(self, wanted_hashes: Iterable[int]) -> None:
        self.hashes = np.array(list(wanted_hashes), "<u4")
        self.known = frozenset(self.hashes.tolist())
        self.distinct = np.array(sorted(self.known), "<u4")
        self.which = np.searchsorted(self.distinct, self.hashes)
        # Of tens of thousands hardly any is wanted: first those with the right 16 bits.
        self.low_bits = np.zeros(2**16, np.bool_)
        self.low_bits[self.hashes & 0xFFFF] = True


class Marks:
    """The hashes of the terms of some texts, as the column `marks` holds them, one text after the other. `lengths`:
    [texts], in terms.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._count = len(texts)
        self.hashes = np.frombuffer(b"".join(texts), "<u4")
        self.lengths = np.array(list(map(len, texts)), np.int64) // 4
        self._ends = np.cumsum(self.lengths)

    def counts(self, wanted: Wanted) -> npt.NDArray[np.float64]:
        """[wanted hashes, texts]: how often each hash is among those of each text."""
        texts, rows = self._matches(wanted)
        shape = (len(wanted.distinct), self._count)
        counted = np.bincount(rows * self._count + texts, minlength=shape[0] * shape[1])
        return counted.reshape(shape)[wanted.which].astype(np.float64)

    def holding(self, wanted: Wanted) -> npt.NDArray[np.bool_]:
        """[texts]: whether a text has one of these hashes or more."""
        found = np.zeros(self._count, np.bool_)
        found[self._matches(wanted)[0]] = True
        return found

    def _matches(self, wanted: Wanted) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """For each hash that is wanted, the text that it is in, and which of the distinct ones it is."""
        at = np.flatnonzero(wanted.low_bits.take(self.hashes.astype(np.uint16)))
        hashes = self.hashes[at]
        rows = np.searchsorted(wanted.distinct, hashes)
        are_wanted = wanted.distinct[np.minimum(rows, len(wanted.distinct) - 1)] == hashes
        return np.searchsorted(self._ends, at[are_wanted], side="right"), rows[are_wanted]
