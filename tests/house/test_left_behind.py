"""A test that leaves shared state of the process changed is reported with the name of that state."""

import gc
import logging
import os
import sys
from collections.abc import Callable

import pytest

from locales.catalog import use_language
from tests.support.left_behind import differences, shared_state


def leave_a_variable() -> Callable[[], object]:
    os.environ["LEFT_BEHIND"] = "1"
    return lambda: os.environ.pop("LEFT_BEHIND")


def leave_a_language() -> Callable[[], object]:
    speaks = use_language("de")
    speaks.__enter__()
    return lambda: speaks.__exit__(None, None, None)


def leave_a_log_level() -> Callable[[], object]:
    before = logging.getLogger("chat").level
    logging.getLogger("chat").setLevel(logging.DEBUG)
    return lambda: logging.getLogger("chat").setLevel(before)


def leave_a_handler() -> Callable[[], object]:
    handler = logging.NullHandler()
    logging.getLogger().addHandler(handler)
    return lambda: logging.getLogger().removeHandler(handler)


def leave_the_collector_off() -> Callable[[], object]:
    gc.disable()
    return gc.enable


def leave_another_path() -> Callable[[], object]:
    sys.path.append("/nowhere")
    return sys.path.pop


@pytest.mark.parametrize(
    ("leave", "name"),
    [
        (leave_a_variable, "$LEFT_BEHIND"),
        (leave_a_language, "context"),
        (leave_a_log_level, "log levels"),
        (leave_a_handler, "log handlers"),
        (leave_the_collector_off, "collector"),
        (leave_another_path, "import path"),
    ],
)
def test_changed_process_state_is_named(leave: Callable[[], Callable[[], object]], name: str) -> None:
    before = shared_state()
    tidy_up = leave()
    try:
        after = shared_state()
    finally:
        tidy_up()
    assert differences(before, after).partition(":")[0] == name
    assert not differences(before, shared_state())
