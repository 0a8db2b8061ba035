"""Snippets into a budget: what is shown of a message, and which messages fit. Pure.

Does not know how messages were ranked, nor what else is in the prompt.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime

import prompts
from records import Snippet
from tokens import sentence_ends

Count = Callable[[str], int]

TOO_SMALL = 8
"""Tokens left that no snippet fits into."""
PATIENCE = 60
"""After so many candidates that did not fit, none is looked for any more."""
ANYWAY = 300
"""Tokens of snippets that are shown however weak they are; beyond them only what stands out."""
STANDS_OUT = 0.75
"""The score from which on a message stands out among so many as FEW twice."""
FEW = 100
"""Messages of a scope. Among so few whatever is nearer to the question than the average is worth its tokens."""


def least_score(messages: int) -> float:
    """The score below which a message that was judged by its meaning is not worth tokens in a scope of so many.

    Among many some are always a little nearer than the average, and what answers a question stands out further.
    """
    return STANDS_OUT * min(1.0, math.log2(max(1.0, messages / FEW)))


class Packing:
    """The best snippets that fit into `room` tokens, greedily in the order given, skipping what does not fit.

    A message pays its line, and its day's heading if it is the first of that day. A text that is shown already (the
    same words said again) is skipped; so is, beyond the first tokens, what was judged by its meaning and scores below
    `least`. What words alone brought is never that: the answer is often among what they hardly find. `taken`: what
    fits, best first. `is_full`: no more need be offered.
    """

    def __init__(self, *, room: int, now: datetime, count: Count, least: float = -math.inf) -> None:
        self._room = room
        self._anyway = room - ANYWAY
        self._least = least
        self._now = now
        self._count = count
        self._days: set[date] = set()
        self._texts: set[str] = set()
        self._misses = 0
        self.taken: list[Snippet] = []

    @property
    def is_full(self) -> bool:
        return self._room < TOO_SMALL or self._misses > PATIENCE

    def offer(self, snippets: Iterable[Snippet]) -> None:
        for snippet in snippets:
            if self.is_full:
                break
            self._offer(snippet)

    def _offer(self, snippet: Snippet) -> None:
        moment = snippet.message.created_at.astimezone(self._now.tzinfo)
        line = prompts.snippet_line(snippet.message, snippet.text)
        if line in self._texts:
            return
        if self._room <= self._anyway and "meaning" in snippet.score and sum(snippet.score.values()) < self._least:
            self._misses += 1
            return
        # A word is a token at least; counting tokens is most of what packing costs.
        if len(line.split()) > self._room:
            self._misses += 1
            return
        cost = self._count(line + "\n")
        if moment.date() not in self._days:
            cost += self._count(prompts.snippet_heading(moment, self._now) + "\n")
        if cost > self._room:
            self._misses += 1
            return
        self._room -= cost
        self._days.add(moment.date())
        self._texts.add(line)
        self.taken.append(snippet)


def pack(
    snippets: Iterable[Snippet], *, room: int, now: datetime, count: Count, least: float = -math.inf
) -> list[Snippet]:
    """Those that a Packing takes."""
    packing = Packing(room=room, now=now, count=count, least=least)
    packing.offer(snippets)
    return packing.taken


def sentences(text: str) -> list[str]:
    """The text in pieces that joined are the text; a line is a piece of its own."""
    pieces = []
    start = 0
    for end in sentence_ends(text):
        if text[start:end].strip():
            pieces.append(text[start:end])
            start = end
    if text[start:].strip():
        pieces.append(text[start:])
    return pieces


def clipped(pieces: Sequence[str], scores: Sequence[float], *, tokens: int, count: Count) -> str:
    """The best-scored pieces that fit into `tokens` (at least one), in their order, every cut marked with "…"."""
    left, kept = tokens - 4, set[int]()
    for index in sorted(range(len(pieces)), key=lambda index: (-scores[index], index)):
        cost = count(pieces[index]) + 1
        if cost <= left or not kept:
            kept.add(index)
            left -= cost
    shown, last = "", -1
    for index in sorted(kept):
        if index == last + 1:
            shown += pieces[index]
        else:
            shown = f"{shown.rstrip()} … {pieces[index].strip()}" if shown else f"… {pieces[index].strip()}"
        last = index
    return shown.strip() + ("" if last == len(pieces) - 1 else " …")
