"""Tests of an export's rows: errors are in the importer's language, and invisible characters are removed."""

from datetime import UTC, datetime

import pytest

from locales.catalog import use_language
from locales.sentences import format_error
from records.errors import ImportRefused
from storage.schema.portable_tables import REMINDERS
from transfer.formats.conversations import HistoryBuilder
from transfer.formats.history import ImportedFact, ImportedHistory, ReadContext
from transfer.rows import convert_history_to_rows, select_future_reminders

NOW = "2026-11-22T09:00:00+00:00"
FACT = {"id": 1, "kind": "personal", "text": "Anna sails.", "created_at": NOW, "observed_at": NOW}
SUMMARY = {"id": 1, "level": 1, "summary_text": "Anna.", "created_at": NOW}


@pytest.mark.parametrize(
    ("language", "table", "row", "told_text"),
    [
        ("en", "facts", FACT | {"text": 3}, "facts[0].text is missing, or not what belongs there. Nothing was"),
        ("de", "facts", FACT | {"kind": "x"}, "facts[0].kind fehlt oder ist nicht, was dort hingehört. Nichts wurde"),
        ("zh", "facts", FACT | {"id": None}, "facts[0].id 缺失，或不是应有的内容。 没有"),
        (
            "pt",
            "facts",
            FACT | {"created_at": "soon"},
            "facts[0].created_at falta, ou não é o que deve estar ali. Nada",
        ),
        ("ru", "facts", FACT | {"source_ids": 3}, "facts[0].source_ids: нет того, что там должно быть. Ничего"),
        ("es", "summaries", SUMMARY, "summaries[0].source_chunk_ids falta, o no es lo que debe estar ahí. No se"),
        ("ar", "summaries", SUMMARY | {"level": "x"}, "\u2068summaries[0].level\u2069 مفقود، أو ليس"),
    ],
)
def test_rejects_damaged_row_in_importers_language(
    language: str, table: str, row: dict[str, object], told_text: str
) -> None:
    history = ImportedHistory(format="keepsake", messages=(), rows={table: [row]})
    with use_language(language):
        with pytest.raises(ImportRefused) as error:
            convert_history_to_rows(history, 7, datetime(2026, 11, 21, tzinfo=UTC))
        assert told_text in format_error(error.value)


def test_strips_invisible_characters_from_imported_facts_and_reminders() -> None:
    """Nobody can see such characters before the import. Only messages keep them."""
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\u202e"
    fact = FACT | {"kind": "instruction", "text": f"Be brief.{hidden}"}
    said = {"id": 1, "thread_id": 0, "role": "user", "content": f"Hi{hidden}", "created_at": NOW}
    rows = {"facts": [fact], "messages": [said]}
    history = ImportedHistory(format="keepsake", messages=(), rows=rows)
    made = convert_history_to_rows(history, 7, datetime(2026, 11, 21, tzinfo=UTC))
    assert [row["text"] for row in made["facts"]] == ["Be brief."]
    assert [row["content"] for row in made["messages"]] == [f"Hi{hidden}"], "what was said stays as it was"
    due = {**REMINDERS.defaults, "id": 1, "user_id": 7, "text": f"dentist{hidden}", "created_at": NOW}
    row = due | {"due_at": "2026-12-01T09:00:00+00:00"}
    [reminder] = select_future_reminders([row], now=datetime(2026, 11, 21, tzinfo=UTC), zone=UTC)
    assert (reminder.text, reminder.weekdays) == ("dentist", ())
    weekly = row | {"due_at": "2026-11-20T09:00:00+00:00", "repeat": "weekly", "weekdays": [0, 4, 9]}
    [reminder] = select_future_reminders([weekly], now=datetime(2026, 11, 21, tzinfo=UTC), zone=UTC)
    assert (reminder.due_at, reminder.weekdays) == (datetime(2026, 11, 23, 9, tzinfo=UTC), (0, 4))
    builder = HistoryBuilder("memories", ReadContext(person=7))
    builder.facts.append(ImportedFact(text=f"Likes tea.{hidden}"))
    assert [question.options for question in builder.make_history().questions] == [("Likes tea.",)]
