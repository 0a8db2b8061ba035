"""Judge which messages count as found, by the share of their words that the prompt shows."""

import math
import re
from collections.abc import Collection, Mapping, Sequence

MIN_SHOWN_SHARE = 0.6
"""The share that must be shown of all words of a message, or of its words that also occur in the answer."""
TOP_COUNT = 10  # results that count for recall and NDCG
_STOP_WORDS = frozenset(
    "the a an of in to and for on at is was it i you he she they with by from or as that this my your me".split()  # noqa: SIM905
)
_UNSPACED = re.compile(r"[\u3040-\u9fff]")


def collect_words(text: str) -> frozenset[str]:
    """Return the distinct words of a text, or its characters for Chinese and Japanese."""
    lower = text.lower()
    return frozenset(re.findall(r"\w" if _UNSPACED.search(lower) else r"\w+", lower))


def is_message_shown(full_text: str, shown_text: str, answer: str) -> bool:
    """Return True if the prompt shows enough of a message's words, or of the words that it shares with the answer."""
    shown, full = collect_words(shown_text), collect_words(full_text)
    answering = (collect_words(answer) - _STOP_WORDS) & full
    return any(words and len(words & shown) >= MIN_SHOWN_SHARE * len(words) for words in (full, answering))


def find_ids_shown_in_prompt(
    shown_texts: Mapping[str, str], full_texts: Mapping[str, str], answer: str
) -> frozenset[str]:
    """Return the ids of the messages that `is_message_shown` accepts. Both mappings hold texts by message id."""
    return frozenset(
        id_ for id_, text in shown_texts.items() if is_message_shown(full_texts.get(id_, ""), text, answer)
    )


def parse_session_id(line_id: str) -> str:
    """Return the session part of a LoCoMo message id: "D1" for "D1:3"."""
    return line_id.partition(":")[0]


def compute_session_recall_and_ndcg(ranked: Sequence[str], evidence: Collection[str]) -> tuple[float, float]:
    """Return recall and NDCG of the first ten sessions, ordered by their best-ranked message.

    `ranked` has message ids, best first. `evidence` has the ids of the messages to be found.
    """
    first = list(dict.fromkeys(map(parse_session_id, ranked)))[:TOP_COUNT]
    wanted = {parse_session_id(id_) for id_ in evidence}
    gain = sum(1 / math.log2(rank + 2) for rank, id_ in enumerate(first) if id_ in wanted)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(TOP_COUNT, len(wanted))))
    return len(wanted.intersection(first)) / len(wanted), gain / ideal
