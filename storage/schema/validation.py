"""Validate portable rows from a file that people may have edited: the kind of every value, and every reference."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

from storage.schema.portable_tables import BY_NAME, MESSAGES, SUMMARIES, Column, ColumnKind, PortableRow, Table
from storage.schema.rows import format_moment, parse_moment

MAX_ID = 10**12  # the stores never assign larger ids
_MAX_TELEGRAM_ID = 2**62  # Telegram's ids have 52 bits at most. SQLite holds 64 with sign.


class RowError(Exception):
    """Raised if a row contains an invalid value. Its text locates the value, as in "messages[3].role"."""


def validate_tables(
    tables: Mapping[str, Sequence[Mapping[str, object]]], owner: int, *, checks_references: bool = True
) -> dict[str, list[PortableRow]]:
    """Validate portable rows and fill in defaults. Raise RowError if a value or a reference is invalid."""
    parsed_tables: dict[str, list[PortableRow]] = {}
    for name, table in BY_NAME.items():
        rows = [_parse_row(table, row, owner, number) for number, row in enumerate(tables.get(name, ()))]
        _require_unique_keys(name, rows, table.key)
        parsed_tables[name] = rows
    _require_unique_keys(MESSAGES.name, parsed_tables[MESSAGES.name], ("role", "source"))
    if checks_references:
        _check_references(parsed_tables)
    return parsed_tables


def _parse_row(table: Table, raw_row: Mapping[str, object], owner: int, row_number: int) -> PortableRow:
    row = {**table.fill_missing_columns(raw_row), "user_id": owner}
    if table is MESSAGES:
        row.setdefault("turn_id", row.get("id"))
        row["is_active"] = row["chunk_id"] is None
    parsed_row: PortableRow = {}
    for column in table.columns:
        where = f"{table.name}[{row_number}].{column.name}"
        if column.name not in row:
            raise RowError(where)
        value = row[column.name]
        parsed_row[column.name] = None if value is None is column.default else _parse_value(column, value, where)
    return parsed_row


def _parse_value(column: Column, value: object, error_location: str) -> object:
    if column.kind == "date":
        try:
            return format_moment(parse_moment(value))
        except (ValueError, OverflowError):
            raise RowError(error_location) from None
    if not _KINDS[column.kind](value) or (column.choices and value not in column.choices):
        raise RowError(error_location)
    return value


def _is_integer(value: object, limit: int = MAX_ID) -> bool:
    return type(value) is int and abs(value) <= limit


def _is_number(value: object) -> bool:
    # JSON has numbers that SQLite cannot store: 1e400 is parsed as infinity, and integers have any length.
    return type(value) in (int, float) and abs(cast(float, value)) <= _MAX_TELEGRAM_ID


def _is_list_of(is_item: Callable[[object], bool], value: object) -> bool:
    return isinstance(value, list) and all(map(is_item, value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_id_range(value: object) -> bool:
    return _is_list_of(partial(_is_integer, limit=MAX_ID - 1), value) and len(cast(list[int], value)) == 2


_KINDS: Mapping[ColumnKind, Callable[[object], bool]] = {
    "truth": lambda value: isinstance(value, bool),
    "whole": _is_integer,
    "telegram_id": lambda value: _is_integer(value, _MAX_TELEGRAM_ID),
    "number": _is_number,
    "text": _is_text,
    "texts": partial(_is_list_of, _is_text),
    "ids": partial(_is_list_of, _is_integer),
    "stretches": partial(_is_list_of, _is_id_range),
    "object": lambda value: isinstance(value, dict),
    "figures": lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
}  # the test for each kind except dates


def _check_references(tables: Mapping[str, list[PortableRow]]) -> None:
    summaries = {row["id"] for row in tables[SUMMARIES.name]}
    for number, row in enumerate(tables[MESSAGES.name]):
        if row["chunk_id"] is not None and row["chunk_id"] not in summaries:
            raise RowError(f"{MESSAGES.name}[{number}].chunk_id")
    for number, row in enumerate(tables[SUMMARIES.name]):
        for name in ("source_ids", "source_chunk_ids"):
            if not summaries.issuperset(cast(list[int], row[name])):
                raise RowError(f"{SUMMARIES.name}[{number}].{name}")


def _require_unique_keys(table_name: str, rows: Sequence[PortableRow], key_columns: Sequence[str]) -> None:
    """Raise RowError if two rows have the same key. Ignore rows in which the last key column is None."""
    seen = set()
    for number, row in enumerate(rows):
        values = tuple(row[name] for name in key_columns)
        if values[-1] is not None and values in seen:
            raise RowError(f"{table_name}[{number}].{key_columns[-1]}")
        seen.add(values)
