"""The rows of an export of ours, checked: what is wrong with one is told in the words of whoever reads the file. Of its
reminders, what is over is left out, and what repeats goes on.

Does not know what the rows are for, nor what each column may hold (storage/schema/validation.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from records.facts import LASTING, MAX_FACT_CHARS
from records.reminders import MAX_DAYS_AHEAD, MAX_REMINDER_CHARS, MAX_REMINDERS, REPEATS, ReminderWish, Repeat
from runtime.cooperative import yielding_gil
from storage.schema.portable_tables import Portable
from storage.schema.rows import format_moment
from storage.schema.rows import parse_moment as moment_in
from storage.schema.validation import RowError, check_rows
from summaries.policies import POLICIES
from text.time_zones import find_next_time, to_utc
from transfer.formats.history import ImportedHistory, make_import_source
from transfer.formats.values import make_wrong_error

MAX_LISTED_CHARS = 10_000
"""Characters of a file's instructions and preferences, which its reader is shown before: three messages."""
_UNDER_WAY = ("past_from", "past_id", "past_until")
"""Columns of a history extraction, which begins only where its owner asks for it."""
_REPEATS: Mapping[object, Repeat] = {one: one for one in REPEATS}


def checked_rows(
    history: ImportedHistory, owner: int, now: datetime, *, is_ours: bool = False
) -> Mapping[str, Sequence[Portable]]:
    """Return the rows of a file, as `owner`'s; of a file that is no export of ours the facts alone. `is_ours`: this bot
    signed it. Raise ImportRefused.
    """
    made = _check_rows(history, owner, now, is_ours=is_ours)
    # What this memory kept to once is its owner's in any case.
    return made if is_ours and history.owner == owner else {**made, "facts": select_listable(made.get("facts", ()))}


def select_listable(facts: Sequence[Portable]) -> Sequence[Portable]:
    """Return the facts of which those that ask for something can be shown first, every one of them whole; others only
    tell it.
    """
    made, left = [], MAX_LISTED_CHARS
    for row in facts:
        if row["kind"] in LASTING:
            length = len(str(row["text"]))
            is_shown = length <= min(MAX_FACT_CHARS, left)
            left -= length if is_shown else 0
            row = row if is_shown else {**row, "kind": "knowledge"}
        made.append(row)
    return made


def _check_rows(
    history: ImportedHistory, owner: int, now: datetime, *, is_ours: bool
) -> Mapping[str, Sequence[Portable]]:
    if history.rows is None:
        return check_rows({"facts": _facts(history, now)}, owner, is_whole=False) if history.facts else {}
    # Of a file that cannot be restored only the facts are complete: its messages' summaries may be in another one.
    is_restorable = history.is_whole or history.export is not None
    rows = history.rows if is_restorable else {"facts": history.rows.get("facts", ())}
    if not is_ours:
        messages = [_to_imported_row(row) for row in yielding_gil(rows.get("messages", ()))]
        progress = [{**row, **dict.fromkeys(_UNDER_WAY)} for row in rows.get("progress", ())]
        rows = {**rows, "messages": messages, "progress": progress}
    try:
        made = check_rows(rows, owner, is_whole=history.is_whole)
        _demand_known_policies(made)
    except RowError as error:
        raise make_wrong_error(f"{error.row}.{error.name}") from None
    return made


def _to_imported_row(row: Mapping[str, object]) -> Mapping[str, object]:
    """Return a message that was not said here, as far as anybody knows: so nothing is learned from it unasked."""
    source, origin = row.get("source"), row.get("origin", "")
    return {
        **row,
        "source": make_import_source(source) if isinstance(source, str) and source else source,
        "origin": origin or "imported",
    }


def _facts(history: ImportedHistory, now: datetime) -> list[Portable]:
    """What another assistant kept, as the person chose it, with its origin."""
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


def _demand_known_policies(rows: Mapping[str, Sequence[Portable]]) -> None:
    for name in ("users", "summaries"):
        for number, row in enumerate(yielding_gil(rows[name])):
            if row["policy"] not in POLICIES:
                raise RowError(f"{name}[{number}]", "policy", "no-choice")


@dataclass(frozen=True, kw_only=True, slots=True)
class Returning:
    """A reminder that comes back, and its row as it is stored then."""

    wish: ReminderWish
    row: Portable


def select_returning(rows: Sequence[Portable], *, now: datetime, zone: tzinfo) -> list[Returning]:
    """Return those of these rows (check_rows) that are still to come. `zone`: their owner's."""
    found = []
    for row in rows:
        repeat = _REPEATS.get(row["repeat"], "")
        due_at = moment_in(row["due_at"]).astimezone(UTC)
        local = _parse_local_time(row["wall_time"])
        day = int(str(row["month_day"]))
        day = day if 1 <= day <= 31 else 0
        if due_at <= now and repeat:
            local = local or due_at.astimezone(zone).replace(tzinfo=None)
            local = find_next_time(local, repeat, day, after=now.astimezone(zone).replace(tzinfo=None)) or local
            due_at = to_utc(local, zone)
        text = " ".join(str(row["text"]).split())[:MAX_REMINDER_CHARS]
        if text and now < due_at <= now + timedelta(days=MAX_DAYS_AHEAD):
            wish = ReminderWish(text=text, due_at=due_at, local=local, repeat=repeat, month_day=day)
            wall = local.isoformat(timespec="minutes") if local else ""
            kept = {"text": text, "due_at": format_moment(due_at), "wall_time": wall, "month_day": day, "sends": 0}
            found.append(Returning(wish=wish, row={**row, **kept}))
    return found[:MAX_REMINDERS]


def _parse_local_time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=None) if value else None
    except ValueError:
        return None
