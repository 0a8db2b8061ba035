"""Two homes, one after the other: what is exported from the first is imported into the second."""

from pathlib import Path

import pytest

from records.owners import StorageType
from settings import Secret
from tests.support.postgres_server import address


@pytest.fixture
def urls(storage: StorageType, tmp_path: Path, request: pytest.FixtureRequest) -> list[Secret]:
    """The databases of the old and the new home; empty where memories are in files."""
    is_server = storage is StorageType.POSTGRES
    url = request.getfixturevalue("postgres_url") if is_server else ""
    return [Secret(address(url, tmp_path / name) if is_server else "") for name in ("old", "new")]


async def ignore(done: int, total: int) -> None:
    """Takes the progress of an import that nobody waits for."""
