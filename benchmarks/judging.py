"""Judges which messages count as found, by how much of them the prompt shows."""

import math
import re
from collections.abc import Collection, Mapping, Sequence

ENOUGH = 0.6
"""The share of a message's words, or of those of them that the answer has, that must be shown."""
FIRST = 10
_IDLE = frozenset(
    "the a an of in to and for on at is was it i you he she they with by from or as that this my your me".split()  # noqa: SIM905
)
_UNSPACED = re.compile(r"[\u3040-\u9fff]")


def split_words(text: str) -> frozenset[str]:
    """Return the distinct words of a text, or its characters for Chinese and Japanese."""
    lower = text.lower()
    return frozenset(re.findall(r"\w" if _UNSPACED.search(lower) else r"\w+", lower))


def is_found(said: str, shown: str, answer: str) -> bool:
    """Return True if enough of a message is shown, of all its words or of those that answer the question."""
    have, whole = split_words(shown), split_words(said)
    telling = (split_words(answer) - _IDLE) & whole
    return any(some and len(some & have) >= ENOUGH * len(some) for some in (whole, telling))


def find_shown_ids(shown: Mapping[str, str], said: Mapping[str, str], answer: str) -> frozenset[str]:
    """Return the ids of the messages of which enough is shown."""
    return frozenset(id_ for id_, text in shown.items() if is_found(said.get(id_, ""), text, answer))


def session(dia_id: str) -> str:
    return dia_id.partition(":")[0]


def compute_session_figures(ranked: Sequence[str], evidence: Collection[str]) -> tuple[float, float]:
    """Return recall and NDCG of the first ten sessions, ordered by their best-ranked message."""
    first = list(dict.fromkeys(map(session, ranked)))[:FIRST]
    wanted = {session(id_) for id_ in evidence}
    gain = sum(1 / math.log2(rank + 2) for rank, id_ in enumerate(first) if id_ in wanted)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(FIRST, len(wanted))))
    return len(wanted.intersection(first)) / len(wanted), gain / ideal
