"""A complete export of a version before 1.0 can be imported into each storage."""

import json
from pathlib import Path

import pytest

from records.owners import StorageType
from settings import Secret
from tests.support.postgres_server import make_schema_address
from tests.support.talk import ANNA, open_chat_harness
from tests.unit.transfer.test_importer import dump_rows, import_file

EXPORT = Path(__file__).with_name("files") / "earlier-export.json"
"""An export with sixteen messages under two summaries, and two facts."""


@pytest.mark.parametrize("storage", [StorageType.SQLITE, StorageType.JSON, StorageType.POSTGRES])
async def test_imports_complete_export_of_pre_1_0_version(
    tmp_path: Path, storage: StorageType, request: pytest.FixtureRequest
) -> None:
    data = EXPORT.read_bytes()
    url = (
        make_schema_address(request.getfixturevalue("postgres_url"), tmp_path)
        if storage is StorageType.POSTGRES
        else ""
    )
    async with open_chat_harness(tmp_path, database_url=Secret(url)) as talk:
        await talk.turn_on_memory(storage=storage)
        assert await import_file(talk, data) == (16, 0)
        found = await dump_rows(talk)
        assert await import_file(talk, data) == (0, 16)
    for table in ("messages", "summaries", "facts"):
        given = json.loads(data)[table]
        assert [
            {name: row[name] for name in expected} for expected, row in zip(given, found[table], strict=True)
        ] == given
    assert {row["user_id"] for rows in found.values() for row in rows} == {ANNA.id}
