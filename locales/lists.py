"""Join phrases with the commas and conjunctions of the language."""

from collections.abc import Iterable, Sequence

from locales.catalog import tr


def join_list(parts: Iterable[str]) -> str:
    """Join phrases as in "a, b, c"."""
    return tr("shared-comma").join(parts)


def join_all(parts: Sequence[str]) -> str:
    """Join phrases as in "a, b and c"."""
    return tr("shared-and", first=join_list(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)


def join_any(parts: Sequence[str]) -> str:
    """Join phrases as in "a, b or c"."""
    return tr("shared-or", first=join_list(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)
