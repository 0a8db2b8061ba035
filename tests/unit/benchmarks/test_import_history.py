"""The benchmark of imports goes through the code that the bot runs, and its figures are those of a whole import."""

import json

import pytest

from benchmarks import import_history


def test_an_import_is_measured_in_both_stores(capsys: pytest.CaptureFixture[str]) -> None:
    import_history.main(["--messages", "250", "--quiet", "0.1"])
    result = json.loads(capsys.readouterr().out)
    assert result["messages"] == 250
    assert [case["storage"] for case in result["cases"]] == ["sqlite", "json"]
    for case in result["cases"]:
        assert (case["imported"], case["again"]) == (250, 0)
        assert case["before"]["turns"] > 0
        assert case["beside_import"]["turns"] > 0
