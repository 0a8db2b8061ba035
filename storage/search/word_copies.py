"""Copies in RAM of the words of scopes in which people are talking, as their vectors are copied: a search there reads
two rows of the database, not hundreds.

Owns how a copy is made, grows and is found to be outdated. Does not know what may answer a question (candidates.py).
"""

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, field
from cachetools import LRUCache, TTLCache

from records.scopes import Scope
from storage.files.sql import Connection
from storage.search.full_text import K1, B, ScopeWords, weight
from storage.search.protocol import Ints
from storage.search.quantized_vectors import roomy
from storage.search.terms import Marks, Wanted, term_hash

LEAST, MOST_TERMS = 400, 1_000_000
"""A scope is copied if it has more messages than this (of fewer, all are candidates), and not more terms, repetitions
counted: 280,000 take 25 ms to copy, and 3.4 MB.
"""
COPIES_BYTES, IDLE = 32 * 2**20, 600.0
"""What all copies may take. Nobody's gives way to another's, which would be made anew for each question, until nothing
was searched there for so many seconds.
"""
MESSAGE_BYTES, TERM_BYTES = 64, 12
"""What a copy takes for each, about."""
SEARCHED_BEFORE = 1_000
"""So many scopes are remembered that were searched once; who asks a second thing is worth a copy."""
FEW, LATE = 100, 3600.0
"""A copy grows by at most so many messages; where more were said, it is made again. A message that is dated up to so
many seconds before the last one stands behind it in a copy: Telegram's clock is not this machine's.
"""
TAIL, TAIL_BYTES = 1_000, 200
"""So many terms that came last are looked up by themselves, until they are joined to all others; and about so many
bytes each takes there.
"""
MOST_KNOWN = 500
"""Of so many terms that were looked up in a copy the messages are kept."""

Sums = tuple[int, int, int, int]
"""Messages of a scope, their terms, messages of persons, their terms: the row of `scope_words`."""
Read = Callable[[Connection, Scope, float, int], Sequence[tuple[Any, ...]]]
"""Seq, id, size, moment, whether it is the assistant's, speaker and marks of the messages of a scope that were said
after a moment, and stored after a seq; in order of time.
"""
Held = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint16]]
"""The rows of the messages that hold a term, and how often each does."""
_COLUMNS = np.dtype(
    [
        ("id", "i8"),
        ("said_at", "f8"),
        ("size", "i8"),
        ("length", "i8"),
        ("session", "i8"),
        ("speaker", "i4"),
        ("by_assistant", "?"),
        ("standing", "?"),
    ]
)
"""Of a message: as in Pool, but `speaker`, which is the place of the name in `names`."""


@define(frozen=True, eq=False)
class _Postings:
    """Which messages hold which terms: [pairs] each, by hash, then by row. `counts`: how often."""

    hashes: npt.NDArray[np.uint32]
    rows: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint16]

    @classmethod
    def of(cls, hashes: npt.NDArray[np.uint32], rows: npt.NDArray[np.uint32]) -> "_Postings":
        keys = np.sort(hashes.astype(np.uint64) << np.uint64(32) | rows)
        firsts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
        counts = np.diff(firsts, append=len(keys)).clip(max=2**16 - 1)
        pairs = keys[firsts]
        return cls((pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32), counts.astype(np.uint16))

    def plus(self, others: "_Postings") -> "_Postings":
        """With those of later rows, which come behind these of the same hash."""
        at = np.searchsorted(self.hashes, others.hashes, side="right") + np.arange(len(others.hashes))
        is_old = np.ones(len(self.hashes) + len(others.hashes), np.bool_)
        is_old[at] = False

        def joined(mine: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> npt.NDArray[Any]:
            made = np.empty(len(is_old), mine.dtype)
            made[is_old], made[at] = mine, theirs
            return made

        return _Postings(
            joined(self.hashes, others.hashes), joined(self.rows, others.rows), joined(self.counts, others.counts)
        )

    @property
    def bytes(self) -> int:
        return self.hashes.nbytes + self.rows.nbytes + self.counts.nbytes


@define(eq=False)
class WordCopy:
    """The words of a scope at one moment. `seqs`, `columns`: [messages], in order of time; `in_order`: the seqs
    ascend. `names`: of speakers. `postings`: of the earlier messages; `tail`: of the later ones, by hash, their rows
    as often as each holds it.

    What grows out of it shares its arrays, and its tail, which therefore may have rows that it does not know.
    """

    sums: Sums
    seqs: Ints
    columns: npt.NDArray[np.void]
    in_order: bool
    names: tuple[str, ...]
    _postings: _Postings
    _tail: dict[int, list[int]] = field(factory=dict)
    _tail_terms: int = 0
    _known: dict[str, Held] = field(factory=dict, init=False)
    _has_grown: bool = field(default=False, init=False)

    def __len__(self) -> int:
        return len(self.seqs)

    @property
    def bytes(self) -> int:
        return self.seqs.nbytes + self.columns.nbytes + self._postings.bytes + TAIL * TAIL_BYTES

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]], sums: Sums, *, gap: float, standing: Wanted) -> "WordCopy":
        """Of all messages of a scope. A silence of `gap` seconds begins a new session; `standing`: the words of those
        who say what always holds.
        """
        seqs, ids, sizes, said_at, by_assistant, speakers, texts = zip(*rows, strict=True)
        marks, places = Marks(texts), dict[str, int]()
        columns = np.empty(len(rows), _COLUMNS)
        columns["id"], columns["size"], columns["said_at"], columns["by_assistant"] = ids, sizes, said_at, by_assistant
        columns["length"], columns["standing"] = marks.lengths, marks.holding(standing)
        columns["speaker"] = [places.setdefault(name, len(places)) for name in speakers]
        columns["session"] = np.cumsum(np.diff(columns["said_at"], prepend=said_at[0]) > gap)
        known = np.array(seqs, np.int64)
        return cls(
            sums,
            known,
            columns,
            in_order=bool((np.diff(known) > 0).all()),
            names=tuple(places),
            postings=_Postings.of(marks.hashes, np.repeat(np.arange(len(rows), dtype=np.uint32), marks.lengths)),
        )

    def grown(self, rows: Sequence[tuple[Any, ...]], sums: Sums, *, gap: float, standing: Wanted) -> "WordCopy | None":
        """With a few later messages; None where something has grown out of it already. One thread at a time.

        Without numpy's functions, each of which takes as long as a dozen steps without them.
        """
        if self._has_grown:
            return None
        self._has_grown = True
        places = {name: place for place, name in enumerate(self.names)}
        before, session, terms = self.columns["said_at"][-1].item(), self.columns["session"][-1].item(), 0
        made, in_order, newest = [], self.in_order, self.seqs[-1].item()
        for row, (seq, number, size, said_at, by_assistant, speaker, text) in enumerate(rows, len(self)):
            hashes = np.frombuffer(text, "<u4").tolist()
            for one in hashes:
                self._tail.setdefault(one, []).append(row)
            terms += len(hashes)
            session += abs(said_at - before) > gap
            place, is_standing = places.setdefault(speaker, len(places)), not standing.known.isdisjoint(hashes)
            made.append((number, said_at, size, len(hashes), session, place, by_assistant, is_standing))
            in_order, before, newest = in_order and seq > newest, said_at, seq
        longer = WordCopy(
            sums,
            _longer(self.seqs, np.array([row[0] for row in rows], np.int64)),
            _longer(self.columns, np.array(made, _COLUMNS)),
            in_order=in_order,
            names=tuple(places),
            postings=self._postings,
            tail=self._tail,
            tail_terms=self._tail_terms + terms,
        )
        return longer if longer._tail_terms <= TAIL else longer._joined()

    def _joined(self) -> "WordCopy":
        """The same without a tail."""
        hashes = np.repeat(np.array(list(self._tail), np.uint32), list(map(len, self._tail.values())))
        rows = np.array([row for rows in self._tail.values() for row in rows], np.uint32)
        postings = self._postings.plus(_Postings.of(hashes, rows))
        return WordCopy(self.sums, self.seqs, self.columns, in_order=self.in_order, names=self.names, postings=postings)

    def held(self, terms: Sequence[str]) -> list[Held]:
        """Which messages hold each term."""
        if len(self._known) > MOST_KNOWN:
            self._known = {}
        known = self._known  # other threads may replace it
        unknown = [term for term in dict.fromkeys(terms) if term not in known]
        if unknown:
            hashes, postings = list(map(term_hash, unknown)), self._postings
            wanted = np.array(hashes, np.uint32)
            firsts = np.searchsorted(postings.hashes, wanted).tolist()
            ends = np.searchsorted(postings.hashes, wanted, side="right").tolist()
            for term, one, first, end in zip(unknown, hashes, firsts, ends, strict=True):
                rows, counts = postings.rows[first:end], postings.counts[first:end]
                later = [row for row in self._tail.get(one, ()) if row < len(self)]
                if later:
                    mine = {row: later.count(row) for row in dict.fromkeys(later)}
                    rows = np.concatenate((rows, np.array(list(mine), np.uint32)))
                    counts = np.concatenate((counts, np.array(list(mine.values()), np.uint16)))
                known[term] = (rows, counts)
        return [known[term] for term in terms]

    def around(self, seqs: Iterable[int], reach: int) -> npt.NDArray[np.intp]:
        """The rows of these messages, and of up to `reach` before and after each."""
        by_seq = None if self.in_order else np.argsort(self.seqs)
        wanted = np.array(list(seqs), np.int64)
        middle = np.searchsorted(self.seqs, wanted, sorter=by_seq).clip(max=len(self) - 1)
        middle = middle if by_seq is None else by_seq[middle]
        middle = middle[self.seqs[middle] == wanted]  # others were erased in the meantime
        near = np.zeros(len(self) + 2 * reach, np.bool_)
        near[middle[:, None] + np.arange(2 * reach + 1)] = True
        return np.flatnonzero(near[reach : len(self) + reach])

    def counts(self, terms: Sequence[str], rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """[terms, rows]: how often each of these messages holds each term."""
        column = np.full(len(self), -1, np.int64)
        column[rows] = np.arange(len(rows))
        counted = np.zeros((len(terms), len(rows)))
        for line, (holders, counts) in zip(counted, self.held(terms), strict=True):
            at = column[holders]
            there = at >= 0
            line[at[there]] = counts[there]
        return counted

    def speakers(self, rows: npt.NDArray[np.intp]) -> tuple[str, ...]:
        return tuple([self.names[place] for place in self.columns["speaker"][rows].tolist()])


@dataclass(frozen=True)
class CopiedWords(ScopeWords):
    """The same from a copy, but for terms that begin alike."""

    copy: WordCopy

    def frequency(self, terms: Iterable[str]) -> dict[str, int]:
        wanted = list(terms)
        return {term: len(rows) for term, (rows, _) in zip(wanted, self.copy.held(wanted), strict=True)}

    def best(self, terms: Sequence[str], limit: int, *, among: Sequence[str] = ()) -> list[tuple[int, float]]:
        copy, held = self.copy, [one for one in self.copy.held(terms) if len(one[0])]
        if not held:
            return []
        rows = np.concatenate([rows for rows, _ in held])
        counts = np.concatenate([counts for _, counts in held])
        weights = np.repeat([weight(len(rows), len(copy)) for rows, _ in held], [len(rows) for rows, _ in held])
        length = copy.columns["length"][rows] / max(1e-9, copy.sums[1] / copy.sums[0])
        scores = np.bincount(
            rows, weights * counts * (K1 + 1) / (counts + K1 * (1 - B + B * length)), minlength=len(copy)
        )
        if among:
            allowed = np.zeros(len(copy), np.bool_)
            for others, _ in copy.held(among):
                allowed[others] = True
            scores *= allowed
        found = np.flatnonzero(scores)
        if len(found) > limit:
            found = found[scores[found] >= np.partition(scores[found], -limit)[-limit]]
        found = found[np.lexsort((-copy.seqs[found], -scores[found]))][:limit]
        return list(zip(copy.seqs[found].tolist(), scores[found].tolist(), strict=True))

    def holding(self, terms: Sequence[str], limit: int) -> list[int]:
        rows = {row for rows, _ in self.copy.held(terms) for row in rows.tolist()}
        return sorted(self.copy.seqs[list(rows)].tolist())[:limit]


def _longer(column: npt.NDArray[Any], added: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A column with more at its end, where there is room behind what is shown of it."""
    before, count = len(column), len(column) + len(added)
    room = roomy(column if column.base is None else column.base, before, count)
    room[before:count] = added
    return room[:count]


class WordCopies:
    """The copies of one database, used by several threads. `timer`: seconds."""

    def __init__(
        self, read: Read, *, gap: float, standing: Callable[[], Wanted], timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._gap = gap
        self._standing = standing
        self._lock = threading.Lock()
        self._drops = 0
        self._copies: TTLCache[Scope, WordCopy] = TTLCache(COPIES_BYTES, IDLE, timer, lambda one: one.bytes)
        self._searched: LRUCache[Scope, bool] = LRUCache(SEARCHED_BEFORE)

    def of(self, connection: Connection, scope: Scope, sums: Sums) -> WordCopy | None:
        """The words of a scope that has these sums in the caller's transaction, where it is worth a copy."""
        if sums[0] <= LEAST or sums[1] > MOST_TERMS:
            return None
        with self._lock:
            copy, drops = self._copies.get(scope), self._drops
            if copy is None and not self._may_have_one(scope, sums):
                return None
        made = copy
        if copy is not None and copy.sums != sums:
            made = self._grown(connection, scope, copy, sums)
        if made is None:
            rows = self._read(connection, scope, -math.inf, 0)
            made = WordCopy.of(rows, sums, gap=self._gap, standing=self._standing()) if rows else None
        if made is None or (made is not copy and not _is(made, sums)):
            return None
        with self._lock:
            if drops == self._drops and made.bytes <= COPIES_BYTES:
                self._copies[scope] = made  # again, since it was used now
        return made

    def drop(self, owner: int) -> None:
        """Drop an owner's copies, which may be outdated: words were removed, here or by another process."""
        with self._lock:
            self._drops += 1
            for scope in [scope for scope in self._copies if scope.owner == owner]:
                self._copies.pop(scope, None)

    def _may_have_one(self, scope: Scope, sums: Sums) -> bool:
        """Whether a scope was searched before, and there is room for a copy."""
        was_searched = self._searched.get(scope, False)
        self._searched[scope] = True
        self._copies.expire()
        needed = sums[0] * MESSAGE_BYTES + sums[1] * TERM_BYTES + TAIL * TAIL_BYTES
        return was_searched and self._copies.currsize + needed <= COPIES_BYTES

    def _grown(self, connection: Connection, scope: Scope, copy: WordCopy, sums: Sums) -> WordCopy | None:
        """The copy with what was said since; None where more has changed."""
        if not 0 < sums[0] - len(copy) <= FEW:
            return None
        since = copy.columns["said_at"][-1].item() - LATE
        rows = sorted(self._read(connection, scope, since, int(copy.seqs.max())))
        if len(copy) + len(rows) != sums[0]:
            return None
        with self._lock:
            made = copy.grown(rows, sums, gap=self._gap, standing=self._standing())
        return made if made is not None and _is(made, sums) else None


def _is(copy: WordCopy, sums: Sums) -> bool:
    """Whether a copy has as many messages and terms as its scope."""
    return (len(copy), int(copy.columns["length"].sum())) == sums[:2]
