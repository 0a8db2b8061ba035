"""Which snippets fit into a budget. Pure.

Does not know how messages were ranked, how one is cut, or what else is in the prompt.
"""

import math
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from datetime import date, datetime

from llm import prompts
from records.context import Snippet

Count = Callable[[str], int]
Cut = Callable[[Snippet, int], str]
"""A snippet and a number of tokens → what at most so many tokens show of it."""

TOO_SMALL = 12
"""Hardly a snippet fits into fewer tokens: of 250 that were tried one did."""
SURELY_WORDS = 300
"""While there is so much room it is not looked at whether a line has more words."""
PATIENCE = 60
"""After so many candidates that did not fit, no more are tried."""
ANYWAY = 300
"""So many tokens of snippets are shown however weak they are; beyond them, only what stands out."""
STANDS_OUT = 0.75
"""The score from which a message stands out among twice FEW messages or more."""
FEW = 1_000
"""In a scope of fewer messages the budget is filled: the line below costs recall there (1.1 points on unseen chats)."""


def least_score(messages: int) -> float:
    """The score below which a message that was judged by its meaning is not worth tokens in a scope of so many
    messages.

    Among many messages some are always a little nearer than the average; one that answers the question stands out more.
    """
    if messages < FEW:
        return -math.inf
    return STANDS_OUT * min(1.0, math.log2(messages / FEW))


class Packing:
    """The best snippets that fit into `room` tokens, taken greedily in the order offered. What does not fit is skipped,
    but a `required` one, by id, is shortened with `cut`.

    A message costs its line, and the heading of its day if it is the first of that day. A text that is shown already
    (the same words said again) is skipped. Beyond the first tokens, so is a message that was judged by its meaning and
    scores below `least`; not one that words alone found, where the answer is often among the weakest. `taken`: what
    fits, best first. `is_full`: nothing more need be offered.
    """

    def __init__(
        self,
        *,
        room: int,
        now: datetime,
        count: Count,
        least: float = -math.inf,
        required: Set[int] = frozenset(),
        cut: Cut = lambda snippet, tokens: snippet.text,
    ) -> None:
        self._room = room
        self._anyway = room - ANYWAY
        self._least = least
        self._now = now
        self._count = count
        self._required = required
        self._cut = cut
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
        line = prompts.snippet_line(snippet, self._now)
        if line in self._texts:
            return
        if self._room <= self._anyway and "meaning" in snippet.score and sum(snippet.score.values()) < self._least:
            self._misses += 1
            return
        moment = snippet.message.created_at.astimezone(self._now.tzinfo)
        # A word is at least one token; counting tokens is most of what packing costs.
        may_fit = self._room >= SURELY_WORDS or len(line.split()) <= self._room
        cost = self._cost(line, moment) if may_fit else math.inf
        if cost > self._room:
            shown = self._fitting(snippet, moment) if snippet.message.id in self._required else None
            if shown is None:
                self._misses += 1
                return
            snippet = shown
            line = prompts.snippet_line(snippet, self._now)
            cost = self._cost(line, moment)
        self._room -= int(cost)
        self._days.add(moment.date())
        self._texts.add(line)
        self.taken.append(snippet)

    def _fitting(self, snippet: Snippet, moment: datetime) -> Snippet | None:
        """As much of a snippet as fits into the room that is left."""
        tokens = self._room - self._cost(prompts.snippet_line(replace(snippet, text=""), self._now), moment)
        while tokens >= TOO_SMALL:
            shown = replace(snippet, text=self._cut(snippet, tokens))
            over = self._cost(prompts.snippet_line(shown, self._now), moment) - self._room
            if over <= 0:
                return shown
            tokens -= over
        return None

    def _cost(self, line: str, moment: datetime) -> int:
        """Tokens of a line, and of its day's heading where that is not there yet."""
        cost = self._count(line + "\n")
        if moment.date() not in self._days:
            cost += self._count(prompts.snippet_heading(moment, self._now) + "\n")
        return cost


def pack(
    snippets: Iterable[Snippet], *, room: int, now: datetime, count: Count, least: float = -math.inf
) -> list[Snippet]:
    """The snippets that a Packing takes."""
    packing = Packing(room=room, now=now, count=count, least=least)
    packing.offer(snippets)
    return packing.taken
