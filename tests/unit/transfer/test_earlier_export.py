"""An export of the version before 1.0 is imported whole, into each storage."""

import json
from pathlib import Path

import pytest

from records.owners import StorageType
from settings import Secret
from tests.support.postgres_server import address
from tests.support.talk import ANNA, talking
from tests.unit.transfer.test_importer import dumped, imported

EXPORT = Path(__file__).with_name("files") / "earlier-export.json"
"""Sixteen messages under two summaries, and two facts."""


@pytest.mark.parametrize("storage", [StorageType.SQLITE, StorageType.JSON, StorageType.POSTGRES])
async def test_an_export_of_the_version_before_is_imported_whole(
    tmp_path: Path, storage: StorageType, request: pytest.FixtureRequest
) -> None:
    data = EXPORT.read_bytes()
    url = address(request.getfixturevalue("postgres_url"), tmp_path) if storage is StorageType.POSTGRES else ""
    async with talking(tmp_path, database_url=Secret(url)) as talk:
        await talk.remember(storage=storage)
        assert await imported(talk, data) == (16, 0)
        found = await dumped(talk)
        assert await imported(talk, data) == (0, 16)
    for table in ("messages", "summaries", "facts"):
        given = json.loads(data)[table]
        assert [
            {name: row[name] for name in expected} for expected, row in zip(given, found[table], strict=True)
        ] == given
    assert {row["user_id"] for rows in found.values() for row in rows} == {ANNA.id}
