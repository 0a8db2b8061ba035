"""Count how much of a script was learned and kept, and how much was invented, by comparing words, names and numbers.

All functions are pure. They list what they cannot judge, for a person to read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.real.script import Script

SYNTAX = re.compile(
    r"<tool_call|<function=|\[TOOL_CALLS\]|\"arguments\"\s*:|\bsearch_memory\b|\"name\"\s*:\s*\"(?:search|remember|forget)"
)
"""The syntax of tool calls, which must never be shown to a person."""

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÀ-Þ][\w'’-]+")  # a capitalized word within a sentence
_NOT_NAMES = re.compile(
    r"I|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri"
    r"|Satur|Sun)days?|The|She|He|They|It|User|Assistant|English|Spanish|Also"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class FactScore:
    """How well the program learned the facts of a script.

    `told` is the number of facts that are still valid, and `right` the number of those that were learned. `missed`
    lists the ids of the rest.

    `wrong` lists the texts of other learned facts that are known to be wrong, and `others` those that need a manual
    check.
    """

    told: int
    right: int
    missed: tuple[str, ...]
    wrong: tuple[str, ...]
    others: tuple[str, ...]

    def make_report(self) -> dict[str, object]:
        learned_count = self.right + len(self.wrong) + len(self.others)
        return {
            "told": self.told,
            "right": self.right,
            "right_percent": _compute_percent(self.right, self.told),
            "wrong_percent": _compute_percent(len(self.wrong), learned_count),
            "missed": list(self.missed),
            "wrong": list(self.wrong),
            "others_to_read": list(self.others),
        }


def judge_facts(script: Script, learned: Sequence[str]) -> FactScore:
    """Compare the facts that the program has learned with those of the script.

    A learned fact is wrong if it is no longer valid, or if it contains a number or name that the script does not.
    """
    valid, ended = script.split_facts_by_validity()
    said = _fold_case("\n".join([script.person, *(line.text for line in script.lines)]))
    right = [wanted for wanted in valid if any(wanted.is_stated_in(text) for text in learned)]
    wrong, others = [], []
    for text in learned:
        if any(wanted.is_stated_in(text) for wanted in valid):
            wrong += [text] if find_invented_words(text, said) else []
        elif any(wanted.is_stated_in(text) for wanted in ended) or find_invented_words(text, said):
            wrong.append(text)
        else:
            others.append(text)
    missed = tuple(wanted.id for wanted in valid if wanted not in right)
    return FactScore(told=len(valid), right=len(right), missed=missed, wrong=tuple(wrong), others=tuple(others))


def find_invented_words(text: str, said: str) -> list[str]:
    """Return the numbers and names in `text` that do not occur in `said`, which must be case-folded."""
    names = [name for name in _NAME.findall(text) if not _NOT_NAMES.fullmatch(name)]
    words = {*_NUMBER.findall(text), *names}
    return sorted(word for word in words if _fold_case(word.removesuffix("'s").removesuffix("’s")) not in said)


def judge_summaries(script: Script, summaries: Sequence[str], *, folded_lines: int) -> dict[str, object]:
    """Count the names, numbers and dates of the first `folded_lines` lines that the summaries keep, lose or invent."""
    keys = [key for line in script.lines[:folded_lines] for key in line.keys]
    all_summaries = _fold_case("\n".join(summaries))
    said = _fold_case(
        "\n".join([script.person, *(f"{line.text}\n{line.answer}\n{line.said_at}" for line in script.lines)])
    )
    months = " ".join(f"{line.said_at:%B %d %Y %A} {line.said_at.day}" for line in script.lines)
    invented = {text: find_invented_words(text, f"{said} {_fold_case(months)}") for text in summaries}
    lost = [key for key in keys if _fold_case(key) not in all_summaries]
    return {
        "summaries": len(summaries),
        "keys": len(keys),
        "kept_percent": _compute_percent(len(keys) - len(lost), len(keys)),
        "lost": lost,
        "with_something_invented_percent": _compute_percent(sum(map(bool, invented.values())), len(summaries)),
        "invented": {text: words for text, words in invented.items() if words},
    }


def _fold_case(text: str) -> str:
    return text.casefold()


def _compute_percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
