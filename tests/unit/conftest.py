"""Fixtures of the tests of single rooms."""

import zlib

import pytest

from records.owners import StorageType
from tests.support.storages import FILE_STORAGES


@pytest.fixture
def storage(request: pytest.FixtureRequest) -> StorageType:
    """One of the stores that need no server, always the same for a test: half of the tests of a room meet the one, half
    the other. What both have to do alike is shown on each of them by tests/contract.
    """
    return FILE_STORAGES[zlib.crc32(request.node.nodeid.encode()) % len(FILE_STORAGES)]
