"""How much a model takes in one request, and how it counts, as far as its endpoint has told.

Owns how refusals of many servers are read, and what is left of a window for a prompt. Does not know what is asked.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

LEAST = 256
"""Tokens that a prompt may always have: with fewer there is no room for a question."""
ANSWER_SHARE, MOST_ANSWER = 4, 1024
"""One in 4 tokens of a window is left free for the answer, at most 1,024."""
SHORTER = 0.6
"""What is tried of a prompt that was refused as too long by an endpoint that did not say how long it may be."""
LEAST_RATIO, MOST_RATIO = 0.5, 3.0
"""Between these the endpoint's tokens for one of ours are believed; measured: 0.9 to 1.9, by tokenizer and language."""
LEAST_COUNTED = 100
"""Tokens of a prompt from which the ratio is taken: of a shorter one most is the server's own template."""
SLOWLY = 0.2
"""How far the ratio follows a smaller one; a greater one counts at once, for then a prompt may not fit."""
SMALLEST, LARGEST = 64, 10**8
"""Windows that are believed."""

_NUMBER = r"\(?(\d[\d,_]*)"
_LIMITS = (
    rf"maximum (?:context|prompt|input|sequence)(?: \w+)?(?: is| of|:)? {_NUMBER}",  # OpenAI, vLLM, OpenRouter, xAI
    rf"available context size {_NUMBER}",  # llama.cpp
    rf"configured limit of {_NUMBER}",  # OpenAI's newer models
    rf"\d tokens > {_NUMBER}",  # Anthropic
    rf"exceed context limit: [\d\s+]+> {_NUMBER}",  # Anthropic
    rf"maximum number of (?:input )?tokens allowed(?: is)? {_NUMBER}",  # Gemini
    r"(\d[\d,_]*) maximum context",  # Mistral
    rf"context (?:length|size|window) of(?: only)? {_NUMBER}",  # LM Studio
    rf"\blimit:? {_NUMBER}, requested",  # Groq
)
_SIZES = (
    rf"requested (?:about )?\d+ tokens \({_NUMBER} (?:in the messages|in your prompt|of text input|in the prompt)",
    rf"prompt contains at least {_NUMBER} input",
    rf"your request has {_NUMBER} input",
    rf"messages resulted in {_NUMBER}",
    rf"request {_NUMBER} tokens\)",
    rf"prompt is too long: {_NUMBER}",
    rf"exceed context limit: {_NUMBER}",
    rf"input token count(?: of)? {_NUMBER}",
    rf"(?:prompt|request) contains {_NUMBER}",
    rf"\blimit:? [\d,_]+, requested {_NUMBER}",
)
_LIMIT = re.compile("|".join(_LIMITS), re.IGNORECASE)
_SIZE = re.compile("|".join(_SIZES), re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """What a refusal says, in the endpoint's tokens: `limit`, of its window; `size`, of the prompt. None: nothing."""

    limit: int | None = None
    size: int | None = None


def room_for_answer(window: int) -> int:
    """Tokens of a window that are left free for the answer."""
    return min(MOST_ANSWER, window // ANSWER_SHARE)


def read_refusal(error: Mapping[str, object], message: str) -> Refusal:
    """The sizes in a refusal: in the fields of the error, else in its words."""
    return Refusal(
        limit=_believed(error.get("n_ctx")) or next(_numbers(_LIMIT, message), None),
        size=_believed(error.get("n_prompt_tokens")) or next(_numbers(_SIZE, message), None),
    )


def _numbers(pattern: re.Pattern[str], words: str) -> Iterator[int]:
    for match in pattern.finditer(words):
        written = next(group for group in match.groups() if group)
        if number := _believed(int(re.sub(r"\D", "", written)[:12])):
            yield number


def _believed(number: object) -> int | None:
    return number if isinstance(number, int) and SMALLEST <= number <= LARGEST else None


@dataclass
class Window:
    """What is known of one model's window; None: nothing is known.

    `tokens`: of prompt and answer, in the endpoint's tokens. `ratio`: the endpoint's tokens for one that is counted
    here. `most`: of a prompt, counted here, where a refusal did not say a number that explains it.
    """

    tokens: int | None = None
    ratio: float = 1.0
    most: int | None = None

    @property
    def prompt(self) -> int | None:
        """Tokens that a prompt may have, as they are counted here; None where no limit is known."""
        known = [self.most] if self.most is not None else []
        if self.tokens is not None:
            room = self.tokens - room_for_answer(self.tokens)
            known.append(int(room / self.ratio))
        return max(LEAST, min(known)) if known else None

    def left(self, counted: int) -> int | None:
        """Tokens of the window, in the endpoint's own, that such a prompt leaves; None where it is not known."""
        return None if self.tokens is None else self.tokens - ceil(counted * self.ratio)

    def note_usage(self, counted: int, reported: int) -> None:
        """A prompt of so many tokens, as counted here, has so many by the endpoint's own account."""
        if counted < LEAST_COUNTED or not reported:
            return
        ratio = min(MOST_RATIO, max(LEAST_RATIO, reported / counted))
        self.ratio = ratio if ratio > self.ratio else self.ratio + SLOWLY * (ratio - self.ratio)

    def note_refusal(self, counted: int, refusal: Refusal) -> None:
        """A prompt of so many tokens, as counted here, was refused as too long."""
        if refusal.size is not None and counted:
            self.ratio = max(self.ratio, min(MOST_RATIO, refusal.size / counted))
        if refusal.limit is not None:
            self.tokens = refusal.limit
        if refusal.limit is None or (self.prompt or 0) >= counted:
            self.most = max(LEAST, min(int(counted * SHORTER), self.most or counted))
