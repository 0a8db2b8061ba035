"""Databases for tests that export one memory and import it into another."""

from pathlib import Path

import pytest

from records.owners import StorageType
from settings import Secret
from tests.support.postgres_server import make_schema_address


@pytest.fixture
def urls(storage: StorageType, tmp_path: Path, request: pytest.FixtureRequest) -> list[Secret]:
    """Return the URLs of the old and the new database, or empty strings for file storages."""
    is_server = storage is StorageType.POSTGRES
    url = request.getfixturevalue("postgres_url") if is_server else ""
    return [Secret(make_schema_address(url, tmp_path / name) if is_server else "") for name in ("old", "new")]


async def ignore_progress(done: int, total: int) -> None:
    """Ignore the progress of an import."""
