"""Judge what was learned from a script and what was invented, by comparing words, names and numbers.

All functions are pure. They also list the texts that a person has to judge.
"""

import re
from collections.abc import Sequence

from benchmarks.real.script import Script

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÀ-Þ][\w'’-]+")  # a capitalized word within a sentence
_NOT_NAMES = re.compile(
    r"I|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri"
    r"|Satur|Sun)days?|The|She|He|They|It|User|Assistant|English|Spanish|Also"
)


def judge_facts(script: Script, learned_facts: Sequence[str]) -> dict[str, object]:
    """Compare the facts that the program has learned with those of the script.

    `told` is the number of the script's facts that are still valid, and `right` is how many of them were learned.
    `wrong` lists learned facts that are no longer valid, or that contain a number or name that is not in the script.
    `others_to_read` lists learned facts that a person has to check.
    """
    valid, ended = script.split_facts_by_validity()
    said = "\n".join([script.person, *(line.text for line in script.lines)]).casefold()
    missed = [wanted.id for wanted in valid if not any(wanted.is_stated_in(text) for text in learned_facts)]
    wrong, others = [], []
    for text in learned_facts:
        is_valid = any(wanted.is_stated_in(text) for wanted in valid)
        if find_invented_words(text, said) or (not is_valid and any(wanted.is_stated_in(text) for wanted in ended)):
            wrong.append(text)
        elif not is_valid:
            others.append(text)
    right = len(valid) - len(missed)
    return {
        "told": len(valid),
        "right": right,
        "right_percent": _compute_percent(right, len(valid)),
        "wrong_percent": _compute_percent(len(wrong), right + len(wrong) + len(others)),
        "missed": missed,
        "wrong": wrong,
        "others_to_read": others,
    }


def find_invented_words(text: str, said_text: str) -> list[str]:
    """Return the numbers and names in `text` that do not occur in `said_text`, which must be case-folded."""
    names = [name for name in _NAME.findall(text) if not _NOT_NAMES.fullmatch(name)]
    words = {*_NUMBER.findall(text), *names}
    return sorted(word for word in words if word.removesuffix("'s").removesuffix("’s").casefold() not in said_text)


def judge_summaries(script: Script, summaries: Sequence[str]) -> dict[str, object]:
    """Count the summaries with names or numbers that occur neither in the script nor in its dates."""
    lines = (
        f"{line.text}\n{line.answer}\n{line.said_at} {line.said_at:%B %A} {line.said_at.day}" for line in script.lines
    )
    said = "\n".join([script.person, *lines]).casefold()
    invented = {text: words for text in summaries if (words := find_invented_words(text, said))}
    return {
        "summaries": len(summaries),
        "with_something_invented_percent": _compute_percent(len(invented), len(summaries)),
        "invented": invented,
    }


def _compute_percent(part: int, total: int) -> float:
    return round(100 * part / total, 1) if total else 0.0
