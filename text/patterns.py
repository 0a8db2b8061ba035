"""Regular expressions that are compiled when they are first needed: those of all languages took a sixth of a start.

Does not know what they find.
"""

import re
from collections.abc import Iterator
from functools import cached_property

_uncompiled: "list[Pattern]" = []


class Pattern:
    """A regular expression, compiled at its first search, or before by whoever goes through `compiled_all`."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags
        _uncompiled.append(self)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self.compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self.compiled.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text)


def compiled_all() -> Iterator[re.Pattern[str]]:
    """All expressions of the program, each compiled when its turn comes unless it was."""
    while _uncompiled:
        yield _uncompiled.pop().compiled
