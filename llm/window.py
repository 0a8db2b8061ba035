"""Learns how long a model's prompts may be, from the settings and from refusals."""

import re
from dataclasses import dataclass

MIN_WINDOW_TOKENS = 256  # tokens that a prompt may always have: with fewer there is no room for a question
ANSWER_SHARE, MAX_ANSWER_TOKENS = 4, 1024  # one in 4 tokens of a window is left free for the answer, at most 1,024
SHORTER = 0.4
"""The share of a prompt that is tried after a refusal that tells no size: twice that is a sixth, three times a 16th."""
SMALLEST, MAX_WINDOW_TOKENS = 64, 10**8  # sizes that are believed
SMALLEST_ALONE = 512
"""A smaller size is not believed where the refusal tells no other: it may be the number of anything."""
_NUMBER = re.compile(r"\b\d{1,3}(?:,\d{3}){1,2}\b|\b\d{2,9}\b")


def reserve_answer_tokens(window: int) -> int:
    """Return the tokens of a window that are left free for the answer."""
    return min(MAX_ANSWER_TOKENS, window // ANSWER_SHARE)


@dataclass
class Window:
    """What is known about a model's context window.

    `tokens` is its size and `ratio` its tokens for one counted here. `most` is the prompt limit, counted here, after a
    refusal.
    """

    tokens: int | None = None
    ratio: float = 1.0
    most: int | None = None

    @property
    def prompt(self) -> int | None:
        """The most tokens of a prompt, as counted here. None if no limit is known."""
        known = [self.most] if self.most is not None else []
        if self.tokens is not None:
            known.append(int((self.tokens - reserve_answer_tokens(self.tokens)) / self.ratio))
        return max(MIN_WINDOW_TOKENS, min(known)) if known else None

    def note_refusal(self, counted: int, words: str) -> None:
        """Lower the limit after a prompt of `counted` tokens was refused.

        If the refusal names two sizes, they are the prompt's and the limit. A single smaller size is the limit.
        """
        sizes = {int(number.replace(",", "")) for number in _NUMBER.findall(words)}
        sizes = {size for size in sizes if SMALLEST <= size <= MAX_WINDOW_TOKENS}
        limit, size = min(sizes, default=0), max(sizes, default=0)
        share = SHORTER
        if len(sizes) == 2:
            share = (limit - reserve_answer_tokens(limit)) / size
        elif len(sizes) == 1 and SMALLEST_ALONE <= limit < counted:
            share = min(SHORTER * 2, (limit - reserve_answer_tokens(limit)) / counted)
        self.most = max(MIN_WINDOW_TOKENS, min(int(share * counted), self.most or counted))
