"""Fixtures and settings of every test."""

from collections.abc import Iterator
from functools import cache

import hypothesis
import pytest

from locales import catalog
from tests.support.postgres_server import postgres_server

# The suite tries the same examples every time: a change is refused for what it did, not for its luck; `make fuzz` looks
# further, at random. How long an example takes says more about the machine than about the code; benchmarks measure
# time.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, max_examples=25)
hypothesis.settings.register_profile("search", deadline=None, derandomize=False, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--on-postgres",
        action="store_true",
        help="end-to-end tests: run the bot with DATABASE_URL; tests that say SQLite then mean PostgreSQL",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--on-postgres"):
        for item in items:
            if marker := item.get_closest_marker("files"):
                item.add_marker(pytest.mark.skip(f"--on-postgres: {marker.args[0]}"))


@pytest.fixture
def own_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test adds to the texts (`catalog.extend`) ends with it: another test counts the texts that there are."""
    for of_files in ("_bundle", "_file"):
        monkeypatch.setattr(catalog, of_files, cache(getattr(catalog, of_files).__wrapped__))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a real PostgreSQL server (tests/support/postgres_server.py gives each store its own tables)."""
    with postgres_server() as url:
        yield url
