"""Invalid arguments end a benchmark before it measures anything, with one line and exit status 2."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import load, recall, scale, tokens
from tests.paths import CHAT as CHAT_FILE

CHAT = str(CHAT_FILE)
Main = Callable[[list[str]], None]


@pytest.mark.parametrize(
    ("main", "arguments", "why"),
    [
        (recall.main, ["--data", CHAT, "--out", "/nowhere/x"], "there is no folder /nowhere"),
        (recall.main, ["--data", CHAT, "--vectors", "/nowhere/x"], "there is no folder /nowhere"),
        (recall.main, ["--data", CHAT, "--out", "/"], "is a folder"),
        (tokens.main, ["--every-n", "0"], "'0' is not a whole number from 1 to 500"),
        (tokens.main, ["--turns", "0"], "'0' is not a whole number of 1 or more"),
        (tokens.main, ["--data", "/nowhere.json"], "/nowhere.json cannot be read"),
        (scale.main, ["--turns", "0"], "'0' is not a whole number of 1 or more"),
        (scale.main, ["--messages", "10,x"], "'x' is not a whole number of 1 or more"),
        (load.main, ["--users", "0"], "'0' is not a whole number of 1 or more"),
        (load.main, ["--users", "-1"], "'-1' is not a whole number of 1 or more"),
        (load.main, ["--processes", "3"], "several processes need --storage postgres"),
    ],
)
def test_invalid_argument_exits_with_status_2(
    main: Main, arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    told = capsys.readouterr()
    assert ended.value.code == 2
    assert why in told.err.splitlines()[-1]
    assert told.out == ""


@pytest.mark.parametrize(
    ("main", "arguments"), [(recall.main, ["--data", CHAT]), (tokens.main, []), (scale.main, []), (load.main, [])]
)
def test_invalid_setting_exits_with_status_2(
    main: Main, arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNIPPET_BUDGET", "abc")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    told = capsys.readouterr()
    assert ended.value.code == 2
    assert "error: SNIPPET_BUDGET" in told.err
    assert len(told.err.splitlines()) == 1
    assert told.out == ""


def test_tokens_rejects_conversation_without_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "talk.json"
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        tokens.main(["--data", str(file)])
    assert ended.value.code == 2
    assert "it contains no message from a person with an answer" in capsys.readouterr().err
