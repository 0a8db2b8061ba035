"""Portable rows out of a file that people may have edited: each value of its kind, each reference to something there.

Owns what a row must be so that every later reading of it works. Pure. Does not know where the rows come from, or what
they are for.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from records.messages import Origin, Role
from runtime.cooperative import yielding_gil
from storage.files.rows import moment_of, text_of
from storage.files.tables import BY_NAME, MESSAGES, SUMMARIES, Portable, Table

FARTHEST_ID = 10**12
"""Ids from here on are not the stores' to give."""
_LARGEST = 2**62
_DATES = frozenset({"created_at", "updated_at", "first_at", "last_at", "at", "edited_at", "observed_at"}) | frozenset(
    {"valid_from", "valid_to", "deleted_at", "written_at", "replaced_at"}
)
_NUMBERS = frozenset({"importance", "score"})
_TEXTS = frozenset({"role", "content", "speaker", "source", "origin", "summary_text", "model", "prompt_version"}) | {
    *("policy", "reason", "status", "error", "text", "kind", "subject", "timezone", "fold_instructions", "why")
}
_WHOLE = frozenset({"id", "user_id", "thread_id", "chunk_id", "turn_id", "telegram_id", "level", "base_id"}) | {
    *(
        "first_id",
        "last_id",
        "message_count",
        "tokens_in",
        "tokens_out",
        "milliseconds",
        "attempts",
        "superseded_by",
        "known_id",
    ),
    *(
        "last_summary_id",
        "message_id",
        "learned_id",
        "past_from",
        "past_id",
        "past_until",
        "summary_every_n",
        "last_fence",
        "tokens_saved",
    ),
    *("next_message_id", "next_summary_id", "next_fact_id", "next_profile_id", "next_version_id"),
}
_CHOICES: Mapping[str, tuple[object, ...]] = {
    "role": get_args(Role),
    "kind": ("personal", "preference", "knowledge", "event"),
}


def kinds(table: Table, name: str) -> list[str]:
    """What a column may hold; of every column exactly one thing."""
    sets = {"truth": table.booleans, "nested": table.nested, "date": _DATES, "text": _TEXTS, "number": _NUMBERS}
    return [kind for kind, names in {**sets, "whole": _WHOLE}.items() if name in names]


class RowError(Exception):
    """What is wrong with which row; a sentence without its content."""


def checked(tables: Mapping[str, Sequence[Mapping[str, object]]], owner: int) -> dict[str, list[Portable]]:
    """The rows that are known tables', complete, as `owner`'s. Raises RowError."""
    made: dict[str, list[Portable]] = {}
    for name, table in BY_NAME.items():
        rows = [_row(table, row, owner, number) for number, row in enumerate(yielding_gil(tables.get(name, ())))]
        keys = [tuple(row[part] for part in table.key) for row in rows]
        if len(set(keys)) < len(keys):
            raise RowError(f"two rows of '{name}' have the same id")
        made[name] = rows
    _join(made)
    return made


def _row(table: Table, given: Mapping[str, object], owner: int, number: int) -> Portable:
    row = {**table.defaults, **given, "user_id": owner}
    if table is MESSAGES:
        row.setdefault("turn_id", row.get("id"))
        row["is_active"] = row["chunk_id"] is None
    for name in table.columns:
        where = f"{table.name}[{number}]: '{name}'"
        if name not in row:
            raise RowError(f"{where} is missing")
        value = row[name]
        if value is None and name in table.defaults and table.defaults[name] is None:
            continue
        row[name] = _value(table, name, value, where)
    return {name: row[name] for name in table.columns}


def _value(table: Table, name: str, value: object, where: str) -> object:
    if name in table.booleans:
        if not isinstance(value, bool):
            raise RowError(f"{where} is neither true nor false")
    elif name in table.nested:
        _demand_nested(name, value, where)
    elif name in _DATES:
        return _date(value, where)
    elif name in _TEXTS:
        if not isinstance(value, str) or value not in _CHOICES.get(name, (value,)):
            raise RowError(f"{where} is none of the texts that may stand there")
        if name == "origin" and table is MESSAGES and value not in get_args(Origin):
            raise RowError(f"{where} is none of the texts that may stand there")
    elif name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RowError(f"{where} is no number")
    elif isinstance(value, bool) or not isinstance(value, int) or abs(value) > _limit(name):
        raise RowError(f"{where} is no whole number in its bounds")
    return value


def _limit(name: str) -> int:
    return _LARGEST if name in ("telegram_id", "user_id") else FARTHEST_ID


def _demand_nested(name: str, value: object, where: str) -> None:
    kinds: dict[str, Any] = {"tags": str, "source_ids": int, "source_chunk_ids": int, "fact_ids": int}
    if name in kinds:
        if not isinstance(value, list) or any(type(one) is not kinds[name] for one in value):
            raise RowError(f"{where} is no list of what belongs there")
    elif name == "past_learned":
        if not isinstance(value, list) or not all(_is_stretch(one) for one in value):
            raise RowError(f"{where} is no list of stretches")
    elif not isinstance(value, dict):
        raise RowError(f"{where} is no object")
    if name == "details" and isinstance(value, dict) and any(type(one) not in (int, float) for one in value.values()):
        raise RowError(f"{where} holds what is no number")


def _is_stretch(value: object) -> bool:
    return isinstance(value, list) and [type(one) for one in value] == [int, int] and max(map(abs, value)) < FARTHEST_ID


def _date(value: object, where: str) -> str:
    try:
        return text_of(moment_of(value))
    except (ValueError, OverflowError):
        raise RowError(f"{where} is no date") from None


def _join(tables: Mapping[str, list[Portable]]) -> None:
    """References lead somewhere."""
    summaries = {row["id"] for row in tables[SUMMARIES.name]}
    names = set()
    for number, row in enumerate(yielding_gil(tables[MESSAGES.name])):
        where = f"messages[{number}]"
        chunk, name = row["chunk_id"], (row["role"], row["source"])
        if chunk is not None and chunk not in summaries:
            raise RowError(f"{where}: its 'chunk_id' names no summary")
        if row["source"] is not None and name in names:
            raise RowError(f"{where}: its 'source' stands there twice")
        names.add(name)
    for number, row in enumerate(tables[SUMMARIES.name]):
        if any(one not in summaries for one in _references(row)):
            raise RowError(f"summaries[{number}]: it names a source that is not there")


def _references(row: Portable) -> Iterator[object]:
    for name in ("source_ids", "source_chunk_ids"):
        value = row[name]
        yield from value if isinstance(value, list) else ()
