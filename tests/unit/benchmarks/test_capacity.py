"""What benchmarks.capacity makes of given figures; the run that measures them is benchmarks.load's."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.capacity import reckoning
from benchmarks.capacity.reckoning import Assumed, Measured, bottlenecks, needs

RUN = Measured(
    people=20,
    turns=100,
    bot_ms=30.0,
    server_ms=15.0,
    commits=12.0,
    rows=60.0,
    bytes_a_message=2_000.0,
    connections=9,
    rss_mb=150.0,
    telegram_calls=1.2,
    model_requests=1.1,
    alone_ms=60.0,
    seen_ms=600.0,
    turns_a_second=33.0,
    stretch=1.0,
)


def test_needs_follow_from_what_a_turn_costs() -> None:
    need = needs(1_000_000, RUN, Assumed(turns_a_day=8.64, peak=2.0, used=0.5, vector_bytes=0.0))
    assert need["turns_a_second"] == 200
    assert need["processes"] == 12
    assert need["server_cores"] == 6.0
    assert need["connections"] == 108
    assert need["rows_a_second"] == 12_000
    assert need["terabytes_after_a_year"] == pytest.approx(8.64e6 * 365 * 2 * 2_000 / 1e12, abs=0.01)
    assert need["bots"] == 7, "thirty answers a second of each"


def test_what_ends_first_is_named_first() -> None:
    found = bottlenecks(RUN, Assumed())
    assert [one["people"] for one in found] == sorted(one["people"] for one in found)  # type: ignore[type-var]
    assert found[0]["what"] == "one process (a processor, less what is kept free)"
    slow = bottlenecks(replace(RUN, bot_ms=1.0), Assumed())
    assert slow[0]["what"] == "answers that Telegram takes of one bot in a second"


def test_figures_of_an_earlier_run_are_taken_and_the_simulation_is_held_against_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reckoning, "SIMULATED_TURNS", 300)
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"measured": asdict(RUN)}))
    reckoning.main(["--figures", str(file)])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert [one["people"] for one in told["needs"]] == [10_000, 1_000_000, 100_000_000]
    assert told["checked"]["simulated_to_run"] == pytest.approx(1.0, abs=0.05)
    waits = told["waits"]["1000000"]
    assert waits["one_more_and_one_dies_ms"]["p99.9"] >= waits["ms"]["p50"] > 0
