"""JSON logs have one object per line and reveal no more than text logs."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import logs

SECRET = 'p"ss\\wörd'


@pytest.fixture(autouse=True)
def _log(run_here: object) -> Iterator[None]:
    """Stop capturing warnings after each test. `run_here` restores the other logging settings."""
    yield
    logging.captureWarnings(False)


def _traceback() -> Any:
    try:
        int("parrot")
    except ValueError as error:
        return error.__traceback__


def read_log_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_json_log_writes_one_object_per_line_without_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up_logging("INFO", [SECRET], style="json")
    logging.getLogger("chat.turn").info("first\nsecond \udc80 of %s", SECRET, extra={"tokens": 7, "key": SECRET})
    logging.getLogger("aiohttp.client").warning("GET %s", f"https://example.org/{SECRET}")
    logging.getLogger("chat.turn").debug("hidden")
    first, second = read_log_lines(capsys)
    assert first.pop("time").endswith("+00:00")
    assert first == {
        "level": "INFO",
        "logger": "chat.turn",
        "message": "first\nsecond \udc80 of [secret]",
        "tokens": 7,
        "key": "[secret]",
    }
    assert (second["message"], second["level"]) == ("GET %s", "WARNING")


def test_json_log_contains_traceback_without_error_message(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up_logging("INFO", [SECRET], style="json")
    error = ValueError("My parrot")
    logging.getLogger("bot").error("it failed", exc_info=error.with_traceback(_traceback()))
    [line] = read_log_lines(capsys)
    assert (line["message"], line["error"]) == ("it failed", "ValueError")
    assert "test_logs.py" in line["traceback"]
    assert "parrot" not in json.dumps(line)


@pytest.mark.parametrize("style", ["text", "json"])
def test_log_regardless_of_level_ignores_log_level(style: Any, capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up_logging("ERROR", [], style=style)
    logs.log_regardless_of_level("Keepsake is ready.")
    err = capsys.readouterr().err
    assert (json.loads(err)["message"] if style == "json" else err.rstrip()) == "Keepsake is ready."
