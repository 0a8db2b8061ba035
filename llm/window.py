"""How much a model takes in one request, and how it counts, as far as its endpoint has told.

Owns how refusals of many servers are read, and what is left of a window for a prompt. Does not know what is asked.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

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

_NUMBER = re.compile(r"\d[\d,_]*")
_LIMIT = re.compile(
    r"> (\d[\d,_]{1,12})"  # Anthropic
    r"|(\d[\d,_]{1,12}) maximum context"  # Mistral
    # OpenAI, vLLM, OpenRouter, xAI, llama.cpp, Gemini, LM Studio, Groq
    r"|(?:maximum|context (?:length|size|window)|allowed|limit)"
    r"(?: (?!maximum|context|allowed|limit)[a-z]{1,20}){0,3}:? \(?(\d[\d,_]{1,12}+)(?! \+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """What a refusal says, in the endpoint's tokens: `limit`, of its window; `size`, of the prompt. None: nothing."""

    limit: int | None = None
    size: int | None = None


def room_for_answer(window: int) -> int:
    """Tokens of a window that are left free for the answer."""
    return min(MOST_ANSWER, window // ANSWER_SHARE)


def read_refusal(error: Mapping[str, object], message: str) -> Refusal:
    """The sizes in a refusal: in the fields of the error (llama.cpp), else in its words, where the greatest number is
    about the size of the prompt.
    """
    limits = (next(filter(None, match.groups())) for match in _LIMIT.finditer(message))
    limit = _believed(error.get("n_ctx")) or next(filter(None, map(_number, limits)), None)
    numbers = [number for number in map(_number, _NUMBER.findall(message)) if number and number != limit]
    return Refusal(limit=limit, size=_believed(error.get("n_prompt_tokens")) or max(numbers, default=None))


def _number(written: str) -> int | None:
    return _believed(int(re.sub(r"\D", "", written)[:12]))


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

    def note_usage(self, counted: int, reported: int) -> None:
        """A prompt of so many tokens, as counted here, has so many by the endpoint's own account."""
        if counted < LEAST_COUNTED or not reported:
            return
        ratio = min(MOST_RATIO, max(LEAST_RATIO, reported / counted))
        self.ratio = ratio if ratio > self.ratio else self.ratio + SLOWLY * (ratio - self.ratio)

    def note_refusal(self, counted: int, refusal: Refusal) -> None:
        """A prompt of so many tokens, as counted here, was refused as too long."""
        if refusal.size is not None and refusal.size <= MOST_RATIO * counted:
            self.ratio = max(self.ratio, refusal.size / counted)
        if refusal.limit is not None:
            self.tokens = refusal.limit
        if refusal.limit is None or (self.prompt or 0) >= counted:
            self.most = max(LEAST, min(int(counted * SHORTER), self.most or counted))
