"""How a summary that is longer than it may be is made to fit: by whole sentences, those that tell least. Pure.

A small model asked for a summary of five summaries gives back all five; cut at its end, the text would lose the newest.
Does not know models or tokens (`count` does).
"""

import re
from collections.abc import Callable, Sequence

from summaries.quality_score import Source, details
from summaries.sources import sentences_of, stamps
from text import told_words

ASKED = 0.4
"""What a sentence that tells of a question is worth next to one that tells of a person."""
_STAMP = re.compile(r"\[([^\]\n]{4,80})\] ?")


def without_headings(text: str, sources: Sequence[Source]) -> str:
    """A text without the headings of its sources, which a small model copies."""
    known = stamps(sources)
    return _STAMP.sub(lambda copied: "" if copied[1] in known else copied[0], text)


def shortened(text: str, limit: int, *, count: Callable[[str], int]) -> str:
    """The sentences that tell most for their length, in their order, within so many tokens; the text where it fits, or
    where no whole sentence does.
    """
    if count(text) <= limit:
        return text
    parts = [part.strip() for part in sentences_of(text)]
    sizes = [count(part) + 1 for part in parts]
    worth = [_worth(part) / size for part, size in zip(parts, sizes, strict=True)]
    kept = set(range(len(parts)))
    for number in sorted(kept, key=lambda one: (worth[one], one)):
        if sum(sizes[one] for one in kept) <= limit:
            break
        kept.discard(number)
    return " ".join(parts[one] for one in sorted(kept)) or text


def _worth(sentence: str) -> float:
    """Its names and numbers, and something for what it says besides."""
    told = 2 + len(details(f"- {sentence}"))
    return told * (ASKED if told_words.says_asked(sentence) else 1.0)
