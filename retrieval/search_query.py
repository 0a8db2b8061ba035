"""What a person types after /search: words, and phrases in quotes that are meant literally. Pure."""

import re
from dataclasses import dataclass

from text.analyzer import analyse, content_terms, normal

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」")
_GAPS = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchQuery:
    """`text`: as typed, without the quotes; `phrases`: what was in quotes, normalised; `terms`: of all the words."""

    text: str
    phrases: tuple[str, ...]
    terms: tuple[str, ...]

    @classmethod
    def of(cls, typed: str) -> "SearchQuery":
        phrases = [plain(next(group for group in match.groups() if group)) for match in _QUOTED.finditer(typed)]
        text = _GAPS.sub(" ", _QUOTED.sub(lambda match: next(group for group in match.groups() if group), typed))
        return cls(
            text=text.strip(),
            phrases=tuple(dict.fromkeys(phrase for phrase in phrases if phrase)),
            terms=tuple(content_terms(text)),
        )

    def matches(self, text: str) -> bool:
        """Whether a text holds every phrase, whatever its case and spacing."""
        whole = plain(text)
        return all(phrase in whole for phrase in self.phrases)

    def holds_words(self, text: str) -> int:
        """How many of the query's terms a text holds."""
        return len(set(self.terms) & set(analyse(text)))

    def weight(self, piece: str) -> float:
        """How relevant a sentence is to the query: a whole phrase counts more than its words."""
        whole = plain(piece)
        return self.holds_words(piece) + 10.0 * sum(phrase in whole for phrase in self.phrases)


def plain(text: str) -> str:
    """A text as phrases are compared: one case, one form of each letter, single spaces."""
    return _GAPS.sub(" ", normal(text)).strip()
