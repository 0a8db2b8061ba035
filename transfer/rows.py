"""Check the rows of an export, and select the reminders that are still due."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from records.facts import LASTING, MAX_FACT_CHARS
from records.reminders import MAX_DAYS_AHEAD, MAX_REMINDER_CHARS, MAX_REMINDERS, Reminder
from storage.schema.portable_tables import PortableRow
from storage.schema.rows import format_moment
from storage.schema.validation import RowError, validate_tables
from storage.tables.reminders import parse_reminder
from summaries.policies import POLICIES
from text.characters import collapse_to_single_line, remove_invisible_characters
from text.time_zones import find_next_due_time
from transfer.formats.history import ImportedHistory, add_import_prefix
from transfer.formats.values import make_element_error

MAX_LISTED_CHARS = 10_000  # characters of instructions and preferences that are listed before an import
_AS_SAID = ("messages", "versions")  # tables of conversations, whose texts keep their invisible characters
_EXTRACTION_COLUMNS = ("past_from", "past_id", "past_until")  # only an owner may start an extraction


def convert_history_to_rows(
    history: ImportedHistory, owner: int, now: datetime, *, is_signed_here: bool = False
) -> Mapping[str, Sequence[PortableRow]]:
    """Convert an imported history to rows by table. Raise ImportRefused if rows are invalid."""
    made = _parse_valid_rows_by_table(history, owner, now, is_signed_here=is_signed_here)
    if is_signed_here and history.owner == owner:  # the owner has agreed to these instructions before
        return made
    drawn = {name: rows if name in _AS_SAID else _strip_invisible_characters(rows) for name, rows in made.items()}
    return {**drawn, "facts": demote_long_instructions(drawn.get("facts", ()))}


def _strip_invisible_characters(rows: Sequence[PortableRow]) -> list[PortableRow]:
    return [
        {name: remove_invisible_characters(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    ]


def demote_long_instructions(facts: Sequence[PortableRow]) -> Sequence[PortableRow]:
    """Return the facts, after turning instructions that are too long to be shown before an import into knowledge."""
    made, left = [], MAX_LISTED_CHARS
    for row in facts:
        if row["kind"] in LASTING:
            length = len(str(row["text"]))
            is_shown = length <= min(MAX_FACT_CHARS, left)
            left -= length if is_shown else 0
            row = row if is_shown else {**row, "kind": "knowledge"}
        made.append(row)
    return made


def _parse_valid_rows_by_table(
    history: ImportedHistory, owner: int, now: datetime, *, is_signed_here: bool
) -> Mapping[str, Sequence[PortableRow]]:
    if history.rows is None:
        made = validate_tables({"facts": _make_fact_rows(history, now)}, owner, checks_references=False)
        return {name: [{**row, "is_chosen": True} for row in rows] for name, rows in made.items()}
    # The summaries of a file that cannot be restored may be in another file, but its facts are complete.
    rows = history.rows if history.is_restorable else {"facts": history.rows.get("facts", ())}
    if not is_signed_here:
        messages = [_copy_row_marked_as_imported(row) for row in rows.get("messages", ())]
        progress = [{**row, **dict.fromkeys(_EXTRACTION_COLUMNS)} for row in rows.get("progress", ())]
        rows = {**rows, "messages": messages, "progress": progress}
    try:
        made = validate_tables(rows, owner, checks_references=history.is_complete)
    except RowError as error:
        raise make_element_error(str(error)) from None
    for name in ("users", "summaries"):
        for number, row in enumerate(made[name]):
            if row["policy"] not in POLICIES:
                raise make_element_error(f"{name}[{number}].policy")
    return made


def _copy_row_marked_as_imported(row: Mapping[str, object]) -> Mapping[str, object]:
    """Return a message row marked as imported, so that facts are not extracted from it automatically."""
    source = row.get("source")
    source = add_import_prefix(source) if isinstance(source, str) and source else source
    return {**row, "source": source, "origin": row.get("origin") or "imported"}


def _make_fact_rows(history: ImportedHistory, now: datetime) -> list[PortableRow]:
    return [
        {
            "id": number,
            "text": fact.text,
            "kind": fact.kind,
            "observed_at": format_moment(fact.observed_at or now),
            "valid_from": format_moment(fact.observed_at or now),
            "created_at": format_moment(now),
            "origin": f"import:{history.format}",
        }
        for number, fact in enumerate(history.facts, start=1)
    ]


def select_future_reminders(rows: Sequence[PortableRow], *, now: datetime, zone: tzinfo) -> list[Reminder]:
    """Return the reminders that are due in the future. Move repeating ones to their next occurrence in `zone`."""
    found = []
    for row in rows:
        reminder = parse_reminder({**row, "weekdays": json.dumps(row["weekdays"])})
        if reminder.due_at <= now and (again := find_next_due_time(reminder, zone, after=now)):
            reminder = replace(reminder, due_at=again[0], local=again[1])
        text = collapse_to_single_line(reminder.text)[:MAX_REMINDER_CHARS]
        if text and now < reminder.due_at <= now + timedelta(days=MAX_DAYS_AHEAD):
            found.append(replace(reminder, text=text, sends=0))
    return found[:MAX_REMINDERS]
