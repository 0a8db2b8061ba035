"""A damaged row of an export: what is wrong is told in the language of whoever imports it."""

from datetime import UTC, datetime

import pytest

from locales.catalog import speaking
from records.errors import ImportRefused
from transfer.formats.history import ImportedHistory
from transfer.rows import checked_rows

NOW = "2026-11-22T09:00:00+00:00"
FACT = {"id": 1, "kind": "personal", "text": "Anna sails.", "created_at": NOW, "observed_at": NOW}
SUMMARY = {"id": 1, "level": 1, "summary_text": "Anna.", "created_at": NOW}


@pytest.mark.parametrize(
    ("language", "table", "row", "told"),
    [
        ("en", "facts", FACT | {"text": 3}, "The export is damaged: facts[0]: its 'text' is not a text. Nothing was"),
        ("de", "facts", FACT | {"kind": "x"}, "facts[0]: sein 'kind' ist keiner der erlaubten Werte. Nichts wurde"),
        ("zh", "facts", FACT | {"id": None}, "facts[0]：其 'id' 不是允许范围内的整数。没有"),
        ("pt", "facts", FACT | {"created_at": "soon"}, "facts[0]: seu 'created_at' não é uma data. Nada"),
        (
            "ru",
            "facts",
            FACT | {"source_ids": 3},
            "facts[0]: 'source_ids' — не список того, что там должно быть. Ничего",
        ),
        ("es", "summaries", SUMMARY, "summaries[0]: falta su 'source_chunk_ids'. No se ha importado nada."),
        ("ar", "summaries", SUMMARY | {"level": "x"}, "القيمة \u2068level\u2069 ليست عددًا صحيحًا ضمن الحدود"),
    ],
)
def test_a_damaged_row_is_refused_in_its_readers_language(
    language: str, table: str, row: dict[str, object], told: str
) -> None:
    with speaking(language), pytest.raises(ImportRefused) as error:
        checked_rows(
            ImportedHistory(format="keepsake", messages=(), rows={table: [row]}), 7, datetime(2026, 11, 21, tzinfo=UTC)
        )
    assert told in error.value.sentence
