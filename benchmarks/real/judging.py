"""Count what of a script was learned, kept and invented, by words, names and numbers.

All functions are pure. They list for a reader what they cannot judge.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.real.script import Script

SYNTAX = re.compile(
    r"<tool_call|<function=|\[TOOL_CALLS\]|\"arguments\"\s*:|\bsearch_memory\b|\"name\"\s*:\s*\"(?:search|remember|forget)"
)
"""What nobody should ever read."""

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÀ-Þ][\w'’-]+")  # A word with a capital within a sentence
_NOT_NAMES = re.compile(
    r"I|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri"
    r"|Satur|Sun)days?|The|She|He|They|It|User|Assistant|English|Spanish|Also"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Learned:
    """How many valid facts of the script were learned, which ones, and which learned facts are wrong."""

    told: int
    right: int
    missed: tuple[str, ...]
    wrong: tuple[str, ...]
    others: tuple[str, ...]

    def figures(self) -> dict[str, object]:
        kept = self.right + len(self.wrong) + len(self.others)
        return {
            "told": self.told,
            "right": self.right,
            "right_percent": _percent(self.right, self.told),
            "wrong_percent": _percent(len(self.wrong), kept),
            "missed": list(self.missed),
            "wrong": list(self.wrong),
            "others_to_read": list(self.others),
        }


def judge_facts(script: Script, known: Sequence[str]) -> Learned:
    """Compare the facts that the program has learned with the script.

    A learned fact is wrong if it no longer holds, or if it has a number or name that the person never used.
    """
    hold, ended = script.facts()
    said = _folded("\n".join([script.person, *(line.text for line in script.lines)]))
    right = [wanted for wanted in hold if any(wanted.is_in(text) for text in known)]
    wrong, others = [], []
    for text in known:
        if any(wanted.is_in(text) for wanted in hold):
            wrong += [text] if find_invented(text, said) else []
        elif any(wanted.is_in(text) for wanted in ended) or find_invented(text, said):
            wrong.append(text)
        else:
            others.append(text)
    missed = tuple(wanted.id for wanted in hold if wanted not in right)
    return Learned(told=len(hold), right=len(right), missed=missed, wrong=tuple(wrong), others=tuple(others))


def find_invented(text: str, said: str) -> list[str]:
    """Return the numbers and names of a text that nobody said. `said` is folded to lower case."""
    names = [name for name in _NAME.findall(text) if not _NOT_NAMES.fullmatch(name)]
    words = {*_NUMBER.findall(text), *names}
    return sorted(word for word in words if _folded(word.removesuffix("'s").removesuffix("’s")) not in said)


def judge_summaries(script: Script, summaries: Sequence[str], *, folded_lines: int) -> dict[str, object]:
    """Count the names, numbers and dates of the summarized lines that a summary keeps, and those that it invents."""
    keys = [key for line in script.lines[:folded_lines] for key in line.keys]
    whole = _folded("\n".join(summaries))
    said = _folded(
        "\n".join([script.person, *(f"{line.text}\n{line.answer}\n{line.said_at}" for line in script.lines)])
    )
    months = " ".join(f"{line.said_at:%B %d %Y %A} {line.said_at.day}" for line in script.lines)
    found = {text: find_invented(text, f"{said} {_folded(months)}") for text in summaries}
    lost = [key for key in keys if _folded(key) not in whole]
    return {
        "summaries": len(summaries),
        "keys": len(keys),
        "kept_percent": _percent(len(keys) - len(lost), len(keys)),
        "lost": lost,
        "with_something_invented_percent": _percent(sum(map(bool, found.values())), len(summaries)),
        "invented": {text: words for text, words in found.items() if words},
    }


def _folded(text: str) -> str:
    return text.casefold()


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
