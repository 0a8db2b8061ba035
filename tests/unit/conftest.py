"""Fixtures for the unit tests."""

import zlib

import pytest

from records.owners import StorageType
from tests.support.storages import FILE_STORAGES


@pytest.fixture
def storage(request: pytest.FixtureRequest) -> StorageType:
    """Return SQLite or JSON, chosen by the test's id, so that a test always uses the same storage.

    About half of the tests in a folder use each storage. What both have to do is tested on each by tests/contract.
    """
    return FILE_STORAGES[zlib.crc32(request.node.nodeid.encode()) % len(FILE_STORAGES)]
