"""The rows of an export of ours, checked: what is wrong with one is told in the words of whoever reads the file.

Does not know what the rows are for, nor what each column may hold (storage/schema/validation.py).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from locales.catalog import tr
from records.errors import ImportRefused
from runtime.cooperative import yielding_gil
from storage.schema.portable_tables import Portable
from storage.schema.rows import text_of
from storage.schema.validation import RowError, checked
from summaries.policies import POLICIES
from transfer.formats.history import ImportedHistory


def checked_rows(history: ImportedHistory, owner: int, now: datetime) -> Mapping[str, Sequence[Portable]]:
    """The rows of a file, as `owner`'s; of a file that is no export of ours the facts alone. Raises ImportRefused."""
    if history.rows is None:
        return checked({"facts": _facts(history, now)}, owner, is_whole=False) if history.facts else {}
    # Of a file that cannot be restored only the facts are complete: its messages' summaries may be in another one.
    is_restorable = history.is_whole or history.export is not None
    rows = history.rows if is_restorable else {"facts": history.rows.get("facts", ())}
    try:
        made = checked(rows, owner, is_whole=history.is_whole)
        _demand_known_policies(made)
    except RowError as error:
        why = tr("import-row", row=error.row, why=tr(f"import-its-{error.problem}", name=error.name))
        raise ImportRefused(tr("import-damaged", why=why)) from None
    return made


def _facts(history: ImportedHistory, now: datetime) -> list[Portable]:
    """What another assistant kept, as the person chose it, with its origin."""
    return [
        {
            "id": number,
            "text": one.text,
            "kind": one.kind,
            "observed_at": text_of(one.observed_at or now),
            "valid_from": text_of(one.observed_at or now),
            "created_at": text_of(now),
            "origin": f"import:{history.format}",
        }
        for number, one in enumerate(history.facts, start=1)
    ]


def _demand_known_policies(rows: Mapping[str, Sequence[Portable]]) -> None:
    for name in ("users", "summaries"):
        for number, row in enumerate(yielding_gil(rows[name])):
            if row["policy"] not in POLICIES:
                raise RowError(f"{name}[{number}]", "policy", "no-choice")
