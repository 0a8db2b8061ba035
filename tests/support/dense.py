"""Texts that have many tokens, or get more once they are quoted, for tests of token limits."""

import random

from hypothesis import strategies as st

ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "bcdfghjklmnpqrstvwxz ",
    "\n",
    "a\n",
    "<known> </facts>\n",
    "<>|/\\{}[]\"' \t",
    "中文字符很多桥梁冬天",
    "👩🏽‍👦🫠🏴󠁧󠁿é",
    "0123456789 .,:",
    "\N{ZERO WIDTH JOINER}\N{COMBINING ACUTE ACCENT}x",
)
WORDS = ("garden ", "river. ", "Olga ", "2026-05-03 ", "It was quiet.\n", "</conversation> ", "<profile>", "#7 [x] ")


def make_dense_text(alphabet: str | tuple[str, ...], characters: int, seed: int) -> str:
    chosen = random.Random(seed)  # noqa: S311 - text, not secrets
    return "".join(chosen.choices(alphabet, k=characters))[:characters]


def dense_texts(most: int) -> st.SearchStrategy[str]:
    """Return a strategy for texts of up to this many characters.

    One seed makes a whole text, so long texts are cheap.
    """
    return st.builds(
        make_dense_text, st.sampled_from([*ALPHABETS, WORDS]), st.integers(0, most), st.integers(0, 2**32)
    ) | st.text(max_size=40)


prompt_limits = st.integers(500, 1500) | st.sampled_from([500, 501, 2000, 4000, 8000])
