"""Fixtures, options and hooks for all tests."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

import hypothesis
import pytest

from locales import catalog
from runtime.logs import OURS
from tests.paths import choose_temp_root
from tests.support.left_behind import differences, shared_state
from tests.support.postgres_server import run_postgres_server

SHARED = pytest.StashKey[dict[str, object]]()
SLOW = ("tests/end_to_end/", "tests/fuzz/", "tests/house/", "tests/unit/benchmarks/")
"""Folders with the slow tests.

Each worker starts with a share of them, so that no worker gets a slow module near the end of the run.
"""

# The suite tries the same examples every time: a change is refused for what it did, not for its luck; `make fuzz` looks
# further, at random. How long an example takes says more about the machine than about the code; benchmarks measure
# time.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, max_examples=25)
hypothesis.settings.register_profile("search", deadline=None, derandomize=False, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile("same")


def pytest_configure() -> None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(choose_temp_root()))  # where tmp_path is, also for the workers


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--on-postgres",
        action="store_true",
        help="end-to-end tests: run the bot with DATABASE_URL; tests that say SQLite then mean PostgreSQL",
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Stop the garbage collector meanwhile: the tests stay, and walking through them took half of that time."""
    gc.disable()
    try:
        return (yield)
    finally:  # also in xdist's controller, which collects no tests
        gc.set_threshold(10_000, 10, 10)  # as in bot.py
        gc.enable()
        session.config.stash[SHARED] = shared_state()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # under nohup; a loop that ends would set the default
        signal.signal(signal.SIGINT, signal.default_int_handler)
    items[:] = dealt(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    if config.getoption("--on-postgres"):
        for item in items:
            if marker := item.get_closest_marker("files"):
                item.add_marker(pytest.mark.skip(f"--on-postgres: {marker.args[0]}"))


def dealt(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests in an order that spreads the slow modules over the xdist workers.

    xdist gives each worker one consecutive stretch of tests. Each stretch begins with every nth slow module and is
    filled up with quick tests.
    """
    by_module: dict[str, list[pytest.Item]] = {}
    for item in items:
        by_module.setdefault(item.nodeid.partition("::")[0], []).append(item)
    slow = [tests for module, tests in by_module.items() if module.startswith(SLOW)]
    quick = [item for module, tests in by_module.items() if not module.startswith(SLOW) for item in tests]
    order: list[pytest.Item] = []
    for worker in range(workers):
        stretch = [item for tests in slow[worker::workers] for item in tests]
        room = max(0, (len(items) - len(order)) // (workers - worker) - len(stretch))
        order += stretch + quick[:room]
        del quick[:room]
    return order + quick


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail the test that changed the state of the process, instead of whichever test runs next."""
    yield
    before, after = item.config.stash[SHARED], shared_state()
    item.config.stash[SHARED] = after
    assert not (changed := differences(before, after)), f"left behind by this test:\n{changed}"


@pytest.fixture
def own_texts(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Empty the message catalog for one test, and return a function that adds texts for a language.

    The catalog is restored afterwards, because another test counts its texts.
    """
    monkeypatch.setattr(catalog, "texts", catalog.Texts())
    return catalog.texts.add_texts


@pytest.fixture
def run_here() -> Iterator[Callable[[Sequence[str], Mapping[str, str]], int]]:
    """Return bot.main, to be run in this process: a separate process costs a second.

    Restore afterwards what it sets for the whole process: log handlers, log levels and the thread switch interval.
    """
    import bot

    names = ("", *OURS)
    handlers, levels = [*logging.getLogger().handlers], [logging.getLogger(name).level for name in names]
    often = sys.getswitchinterval()
    yield bot.main
    sys.setswitchinterval(often)
    for handler in {*logging.getLogger().handlers}.difference(handlers):
        logging.getLogger().removeHandler(handler)
    for name, level in zip(names, levels, strict=True):
        logging.getLogger(name).setLevel(level)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Run a PostgreSQL server and yield its URL (tests/support/postgres_server.py makes one schema per store)."""
    with run_postgres_server() as url:
        yield url
