"""Portable rows out of a file that people may have edited: each value of its kind, each reference to something there.

Owns what a row must be so that every later reading of it works. Pure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from runtime.cooperative import yielding_gil
from storage.schema.portable_tables import BY_NAME, MESSAGES, SUMMARIES, Column, Kind, Portable, Table
from storage.schema.rows import moment_of, text_of

FARTHEST_ID = 10**12
"""Ids from here on are not the stores' to give."""
_LARGEST = 2**62


Problem = Literal[
    "missing", "no-truth", "no-whole", "no-number", "no-date", "no-text", "no-choice", "no-list", "no-object",
    "no-figures", "no-summary", "twice",
]  # fmt: skip
"""Faults of a value: it is not there, or not of its kind, none of its choices, names a summary that is
not there, or stands there twice. transfer/rows.py has the sentences.
"""


class RowError(Exception):
    """The fault of one value of a row, without its content. `row`: "messages[3]", counted from 0."""

    def __init__(self, row: str, name: str, problem: Problem) -> None:
        super().__init__(f"{row}: '{name}': {problem}")
        self.row = row
        self.name = name
        self.problem: Problem = problem


def checked(
    tables: Mapping[str, Sequence[Mapping[str, object]]], owner: int, *, is_whole: bool = True
) -> dict[str, list[Portable]]:
    """The rows that are known tables', complete, as `owner`'s. `is_whole`: what they name has to be among them.

    Raises RowError.
    """
    made: dict[str, list[Portable]] = {}
    for name, table in BY_NAME.items():
        rows = [_row(table, row, owner, number) for number, row in enumerate(yielding_gil(tables.get(name, ())))]
        keys = set()
        for number, row in enumerate(rows):
            key = tuple(row[part] for part in table.key)
            if key in keys:
                raise RowError(f"{name}[{number}]", table.key[-1], "twice")
            keys.add(key)
        made[name] = rows
    _check_sources(made[MESSAGES.name])
    if is_whole:
        _check_references(made)
    return made


def _row(table: Table, given: Mapping[str, object], owner: int, number: int) -> Portable:
    row = {**table.defaults, **given, "user_id": owner}
    if table is MESSAGES:
        row.setdefault("turn_id", row.get("id"))
        row["is_active"] = row["chunk_id"] is None
    checked_row: Portable = {}
    for column in table.columns:
        where = f"{table.name}[{number}]"
        if column.name not in row:
            raise RowError(where, column.name, "missing")
        value = row[column.name]
        checked_row[column.name] = None if value is None is column.default else _value(column, value, where)
    return checked_row


def _value(column: Column, value: object, where: str) -> object:
    if column.kind == "date":
        try:
            return text_of(moment_of(value))
        except (ValueError, OverflowError):
            raise RowError(where, column.name, "no-date") from None
    fits, problem = _KINDS[column.kind]
    if not fits(value):
        raise RowError(where, column.name, problem)
    if column.choices and value not in column.choices:
        raise RowError(where, column.name, "no-choice")
    return value


def _is_whole(value: object, limit: int = FARTHEST_ID) -> bool:
    return type(value) is int and abs(value) <= limit


def _is_number(value: object) -> bool:
    # JSON has numbers that SQLite has not: 1e400 is read as infinity, and a whole number has any length.
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(type(one) is str for one in value)


def _is_stretch(value: object) -> bool:
    return isinstance(value, list) and [type(one) for one in value] == [int, int] and max(map(abs, value)) < FARTHEST_ID


_KINDS: Mapping[Kind, tuple[Callable[[object], bool], Problem]] = {
    "truth": (lambda value: isinstance(value, bool), "no-truth"),
    "whole": (_is_whole, "no-whole"),
    "telegram_id": (lambda value: _is_whole(value, _LARGEST), "no-whole"),
    "number": (_is_number, "no-number"),
    "text": (lambda value: isinstance(value, str), "no-text"),
    "texts": (_is_texts, "no-list"),
    "ids": (lambda value: isinstance(value, list) and all(map(_is_whole, value)), "no-list"),
    "stretches": (lambda value: isinstance(value, list) and all(map(_is_stretch, value)), "no-list"),
    "object": (lambda value: isinstance(value, dict), "no-object"),
    "figures": (lambda value: isinstance(value, dict) and all(map(_is_number, value.values())), "no-figures"),
}
"""For each kind but a date: whether a value is one, and what is wrong where it is not."""


def _check_references(tables: Mapping[str, list[Portable]]) -> None:
    """Chunks and sources lead to summaries that are there."""
    summaries = {row["id"] for row in tables[SUMMARIES.name]}
    for number, row in enumerate(yielding_gil(tables[MESSAGES.name])):
        if row["chunk_id"] is not None and row["chunk_id"] not in summaries:
            raise RowError(f"{MESSAGES.name}[{number}]", "chunk_id", "no-summary")
    for number, row in enumerate(tables[SUMMARIES.name]):
        for name, one in _references(row):
            if one not in summaries:
                raise RowError(f"{SUMMARIES.name}[{number}]", name, "no-summary")


def _check_sources(messages: Sequence[Portable]) -> None:
    """No message comes twice."""
    names = set()
    for number, row in enumerate(yielding_gil(messages)):
        name = (row["role"], row["source"])
        if row["source"] is not None and name in names:
            raise RowError(f"{MESSAGES.name}[{number}]", "source", "twice")
        names.add(name)


def _references(row: Portable) -> Iterator[tuple[str, object]]:
    for name in ("source_ids", "source_chunk_ids"):
        value = row[name]
        yield from ((name, one) for one in (value if isinstance(value, list) else ()))
