"""The sentences that a person reads next to an answer, or instead of one. Does not know when they are due."""

from locales.catalog import tr
from locales.told import told
from records.errors import KeepsakeError, QuotaExceeded


def apology(error: KeepsakeError, *, kept: bool) -> str:
    """What a person reads instead of an answer. `kept`: memory holds their message."""
    if isinstance(error, QuotaExceeded):
        return " ".join([told(error), *([tr("notices-kept")] if kept else [])])
    return tr("notices-failed-kept" if kept else "notices-failed", why=told(error))


def numbered(sentence: str, number: str) -> str:
    """A sentence about a failure, with the number that the log has of it."""
    return f"{sentence} {tr('notices-error', number=number)}"
