"""Regular expressions that are compiled when they are first needed: those of all languages took a sixth of a start.

An expression of words is searched for only where a text has one of the pieces that every match holds, which is faster
to find out: most questions match none of some hundred expressions. Does not know what they find.
"""

import re
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST_LETTERS = 8
"""A class of more characters than these tells too little of a text."""
_uncompiled: "list[Pattern | Family]" = []


class Pattern:
    """A regular expression, compiled at its first search, or before by whoever goes through `compiled_all`."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags
        _uncompiled.append(self)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    @cached_property
    def pieces(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Every match holds one of the second; in a text of ASCII, one of the first. None: nothing is known."""
        parsed = parser.parse(self._pattern, self._flags)
        found = None if parsed.state.flags & re.IGNORECASE else _pieces(parsed)
        if found is None or any(map(_is_common, found)):
            return None
        return tuple(filter(str.isascii, found)), found

    def search(self, text: str) -> re.Match[str] | None:
        return self.compiled.search(text) if self._may_match(text) else None

    def match(self, text: str) -> re.Match[str] | None:
        return self.compiled.match(text) if self._may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text) if self._may_match(text) else iter(())

    def _may_match(self, text: str) -> bool:
        if self.pieces is None:
            return True
        for piece in self.pieces[not text.isascii()]:  # noqa: SIM110 - with any() this takes twice as long
            if piece in text:
                return True
        return False


class Family:
    """Expressions of which few match any text: one pass over it finds those that may."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(patterns)
        _uncompiled.append(self)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Finds, wherever in a text one of the pieces begins, the shortest of them."""
        return re.compile(f"(?=({_tree([piece for one in self._patterns for piece in _known(one)])}))")

    @cached_property
    def _by_piece(self) -> dict[str, frozenset[Pattern]]:
        """By each piece, the expressions that have it, or one that begins with it."""
        found: dict[str, set[Pattern]] = {piece: set() for one in self._patterns for piece in _known(one)}
        for one in self._patterns:
            for piece in _known(one):
                for length in range(1, len(piece) + 1):
                    if piece[:length] in found:
                        found[piece[:length]].add(one)
        return {piece: frozenset(those) for piece, those in found.items()}

    @cached_property
    def _always(self) -> frozenset[Pattern]:
        return frozenset(one for one in self._patterns if one.pieces is None)

    def possible(self, text: str) -> Set[Pattern]:
        """Those that may match in a text."""
        return self._always.union(*(self._by_piece[piece] for piece in set(self.compiled.findall(text))))


def _known(pattern: Pattern) -> tuple[str, ...]:
    return () if pattern.pieces is None else pattern.pieces[1]


def _tree(pieces: Iterable[str]) -> str:
    """An expression for any of these pieces, the shortest first, that looks at each character of a text once."""
    by_first: dict[str, list[str]] = {}
    for piece in pieces:
        if not piece:
            return ""
        by_first.setdefault(piece[0], []).append(piece[1:])
    return f"(?:{'|'.join(re.escape(first) + _tree(rest) for first, rest in by_first.items())})"


def compiled_all() -> Iterator[re.Pattern[str]]:
    """All expressions of the program, each compiled when its turn comes unless it was."""
    while _uncompiled:
        one = _uncompiled.pop()
        if isinstance(one, Pattern):
            _ = one.pieces
        yield one.compiled


def _pieces(parsed: Iterable[tuple[Any, Any]]) -> tuple[str, ...] | None:
    """Texts of which every match holds at least one: of the parts that must be there, the part with the longest."""
    found: list[tuple[str, ...]] = []
    letters = ""
    for what, value in parsed:
        if what is sre.LITERAL:
            letters += chr(value)
            continue
        found.append((letters,))
        letters = ""
        pieces = _pieces_of(what, value)
        if pieces is not None:
            found.append(pieces)
    found.append((letters,))
    best = max(found, key=_worth)
    return tuple(dict.fromkeys(best)) if all(best) else None


def _worth(pieces: tuple[str, ...]) -> tuple[bool, bool, int, int]:
    """How much is told by a text's having one of them: longer is rarer, and nearly every text has any one letter."""
    shortest = min(map(len, pieces))
    return shortest > 0, not any(map(_is_common, pieces)), shortest, -len(pieces)


def _is_common(piece: str) -> bool:
    return len(piece) == 1 and piece.isascii()


def _pieces_of(what: Any, value: Any) -> tuple[str, ...] | None:
    """The same of one part of an expression."""
    if what is sre.BRANCH:
        branches = [_pieces(branch) for branch in value[1]]
        return None if None in branches else tuple(piece for branch in branches for piece in branch or ())
    if what is sre.SUBPATTERN:
        _, flags_set, _, inner = value
        return None if flags_set & re.IGNORECASE else _pieces(inner)
    if what in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, _, inner = value
        return _pieces(inner) if least else None
    if what is sre.IN and len(value) <= MOST_LETTERS and all(one is sre.LITERAL for one, _ in value):
        return tuple(chr(letter) for _, letter in value)
    return None
