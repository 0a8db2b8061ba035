"""Why something was found, in words: the parts of a score as /why and the playground tell them.

Does not know how things are scored.
"""

from collections.abc import Mapping

from locales.catalog import tr
from locales.lists import clauses

FOR = frozenset(
    {
        "words", "words nearby", "words before", "words before nearby", "meaning", "meaning nearby", "fact",
        "importance", "pinned", "instruction", "preference", "speaker", "reply", "time", "standing", "newer",
    }
)  # fmt: skip
AGAINST = frozenset({"meaning", "meaning nearby", "importance", "assistant"})
"""The parts of a score that are told if they count for a message (why-for-NAME), and against it (why-against-NAME)."""


def reasons(score: Mapping[str, float]) -> str:
    """The parts of a score in words, the strongest first."""
    told = []
    for name, value in sorted(score.items(), key=lambda part: -abs(part[1])):
        key = name.replace(" ", "-")
        if name not in FOR | AGAINST:
            told.append(name)
        elif value > 0 and name in FOR:
            told.append(tr(f"why-for-{key}"))
        elif value <= 0 and name in AGAINST:
            told.append(tr(f"why-against-{key}"))
    return clauses(told) or tr("why-no-reason")
