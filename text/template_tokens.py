"""Tokens of chat templates (<|im_start|>, [INST], <start_of_turn>, …) in anybody's words, made harmless.

Many servers parse them wherever they stand, so that a message could begin a turn in another role.
"""

import re

_JOINER = "\u200d"
"""Has no width, and is part of no such token."""
_OPENING = re.compile(
    r"<(?=[|｜][^\s<>|｜]{1,60}[|｜]>"  # ChatML, Llama 3, Phi, gpt-oss; DeepSeek
    r"|/?(?:s|bos|eos|pad|unk|mask|sop|eop|(?:start|end|begin)_of_[a-z_]{1,30}|unused\d{1,4})>"  # Llama 2, Gemma, GLM
    r"|</?SYS>>)"
    r"|\[(?=/?[A-Z][A-Z_]{2,30}\]|gMASK\])",  # Llama 2, Mistral; GLM
)


def defused(text: str) -> str:
    """A text in which each such token is divided by a sign that nobody sees. Done twice it is the same."""
    return _OPENING.sub(rf"\g<0>{_JOINER}", text) if "<" in text or "[" in text else text
