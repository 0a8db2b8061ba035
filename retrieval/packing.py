"""Snippets into a budget: which messages fit. Pure.

Does not know how messages were ranked, how one is cut, nor what else is in the prompt.
"""

import math
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from datetime import date, datetime

from llm import prompts
from records.context import Snippet

Count = Callable[[str], int]
Cutting = Callable[[Snippet, int], str]
"""What at most so many tokens show of a snippet."""

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
    """The best snippets that fit into `room` tokens, greedily in the order given, skipping what does not fit; one of
    those `sought`, by id, is cut by `cutting`.

    A message pays its line, and its day's heading if it is the first of that day. A text that is shown already (the
    same words said again) is skipped; so is, beyond the first tokens, what was judged by its meaning and scores below
    `least`. What words alone brought is never that: the answer is often among what they hardly find. `taken`: what
    fits, best first. `is_full`: no more need be offered.
    """

    def __init__(
        self,
        *,
        room: int,
        now: datetime,
        count: Count,
        least: float = -math.inf,
        sought: Set[int] = frozenset(),
        cutting: Cutting = lambda snippet, tokens: snippet.text,
    ) -> None:
        self._room = room
        self._anyway = room - ANYWAY
        self._least = least
        self._now = now
        self._count = count
        self._sought = sought
        self._cutting = cutting
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
        line = prompts.snippet_line(snippet.message, snippet.text)
        if line in self._texts:
            return
        if self._room <= self._anyway and "meaning" in snippet.score and sum(snippet.score.values()) < self._least:
            self._misses += 1
            return
        moment = snippet.message.created_at.astimezone(self._now.tzinfo)
        # A word is a token at least; counting tokens is most of what packing costs.
        cost = self._cost(line, moment) if len(line.split()) <= self._room else math.inf
        if cost > self._room:
            shown = self._fitting(snippet, moment) if snippet.message.id in self._sought else None
            if shown is None:
                self._misses += 1
                return
            snippet = shown
            line = prompts.snippet_line(snippet.message, snippet.text)
            cost = self._cost(line, moment)
        self._room -= int(cost)
        self._days.add(moment.date())
        self._texts.add(line)
        self.taken.append(snippet)

    def _fitting(self, snippet: Snippet, moment: datetime) -> Snippet | None:
        """What of a snippet fits into the room that is left."""
        tokens = self._room - self._cost(prompts.snippet_line(snippet.message, ""), moment)
        while tokens >= TOO_SMALL:
            shown = replace(snippet, text=self._cutting(snippet, tokens))
            over = self._cost(prompts.snippet_line(shown.message, shown.text), moment) - self._room
            if over <= 0:
                return shown
            tokens -= over
        return None

    def _cost(self, line: str, moment: datetime) -> int:
        """Of a line, and of its day's heading where that does not stand there yet."""
        cost = self._count(line + "\n")
        if moment.date() not in self._days:
            cost += self._count(prompts.snippet_heading(moment, self._now) + "\n")
        return cost


def pack(
    snippets: Iterable[Snippet], *, room: int, now: datetime, count: Count, least: float = -math.inf
) -> list[Snippet]:
    """Those that a Packing takes."""
    packing = Packing(room=room, now=now, count=count, least=least)
    packing.offer(snippets)
    return packing.taken
