"""Microsoft Copilot's activity history, a table of the privacy dashboard → messages. It begins with the newest."""

import csv
import io
from collections.abc import Sequence

from transfer.formats.conversations import ROLES, Conversations, ImportedTurn
from transfer.formats.history import FileReading, ImportedHistory, ImportFormat, SourceFile

_COLUMNS = {"Conversation", "Time", "Author", "Message"}


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("copilot", reading)
    for file in files:
        conversations: dict[str, list[dict[str, str]]] = {}
        for row in csv.DictReader(io.StringIO(file.text, newline="")):
            conversations.setdefault(row.get("Conversation") or "", []).append(row)
        for title, rows in conversations.items():
            elements = ((f"[{number}]", row) for number, row in enumerate(_sort_oldest_first(rows)))
            talks.talk(
                {"title": title}, elements, lambda row, _: ImportedTurn(row.get("Author"), row.get("Message")), title
            )
    return talks.history()


def _sort_oldest_first(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return rows turned round if the newest comes first: by their times, and of equal ones by who speaks first."""
    first, last = rows[0].get("Time") or "", rows[-1].get("Time") or ""
    starts_with_answer = ROLES.get((rows[0].get("Author") or "").lower()) == "assistant"
    return rows[::-1] if first > last or (first == last and starts_with_answer) else rows


FORMAT = ImportFormat(
    name="copilot",
    product="Copilot",
    fits=lambda sample: set(sample.text.split("\n", 1)[0].strip().replace('"', "").split(",")) >= _COLUMNS,
    read=read,
)
