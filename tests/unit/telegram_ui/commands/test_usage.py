"""Tests of /usage: the last days in words and as a chart, with the cost if prices are set."""

from datetime import date, timedelta

from records.model_calls import DailyUsage, Price, Usage, parse_price
from telegram_ui.commands.usage import draw_chart, format_usage
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk

TODAY = date(2026, 11, 21)
PRICES = {"dear": Price(prompt=2.0, completion=8.0, cached=0.5)}


def make_daily_usage(days_ago: int, model: str = "dear", **tokens: int) -> DailyUsage:
    return DailyUsage(day=TODAY - timedelta(days=days_ago), model=model, used=Usage(**tokens))


def test_chart_has_one_bar_per_day_scaled_to_maximum() -> None:
    used = [
        make_daily_usage(6, prompt=1),
        make_daily_usage(3, prompt=50),
        make_daily_usage(0, prompt=60),
        make_daily_usage(0, model="other", prompt=40),
    ]
    assert draw_chart(used, TODAY - timedelta(days=6), TODAY) == "▁··▅··█"
    assert draw_chart([], TODAY, TODAY) == "·"


def test_usage_cost_discounts_cached_tokens_and_omits_unpriced_models() -> None:
    used = [make_daily_usage(1, prompt=1_000_000, cached=400_000, completion=100_000, answers=2)]
    lines = format_usage(used, TODAY - timedelta(days=6), TODAY, PRICES)
    assert lines[:3] == [
        "Last 7 days: 2 answers",
        "1,100,000 tokens: 1,000,000 in (400,000 cached), the rest out",
        "Cost: $2.20",
    ]
    assert (
        "without the models"
        in format_usage([*used, make_daily_usage(0, model="other", prompt=5)], TODAY, TODAY, PRICES)[2]
    )
    assert not any("Cost" in line for line in format_usage(used, TODAY, TODAY, {}))
    assert "Cost: $0.0028" in format_usage(
        [make_daily_usage(1, prompt=1_000, cached=0, completion=100)], TODAY, TODAY, PRICES
    )
    assert format_usage([], TODAY, TODAY, PRICES)[1] == "No tokens were used."


def test_cache_writes_are_listed_and_cost_a_quarter_more() -> None:
    lines = format_usage(
        [make_daily_usage(1, prompt=1_000_000, written=400_000)], TODAY - timedelta(days=6), TODAY, PRICES
    )
    assert lines[2:4] == ["400,000 of what went in was written to the provider's cache", "Cost: $2.20"]


def test_parse_price_accepts_two_or_three_figures() -> None:
    assert parse_price(" 0.25/2 ") == Price(prompt=0.25, completion=2.0, cached=0.25)
    assert parse_price("0.25 / 2 / 0.025") == Price(prompt=0.25, completion=2.0, cached=0.025)
    assert [parse_price(price) for price in ("", "1", "1/2/3/4", "-1/2", "a/b", "1e9/2")] == [None] * 6


async def test_usage_shows_only_own_tokens(desk: Desk) -> None:
    day = desk.moment[0].date()
    ledger = desk.services.memory.usage
    await ledger.add_usage(day, {(ANN, "m"): Usage(prompt=700, completion=70, answers=3), (BOB, "m"): Usage(prompt=5)})
    await ledger.add_usage(day - timedelta(days=10), {(ANN, "m"): Usage(prompt=30, answers=1)})
    await desk.say(ANN, ANN, "/usage")
    shown = desk.get_last_text(ANN)
    assert "Last 7 days: 3 answers\n770 tokens" in shown
    assert "Last 30 days: 4 answers\n800 tokens" in shown
    assert "Left" not in shown, "there is no daily limit"
    await desk.say(BOB, BOB, "/usage")
    assert "5 tokens" in desk.get_last_text(BOB)
    assert "Last 30 days" not in desk.get_last_text(BOB), "they hold nothing that the last 7 do not"


async def test_group_usage_excludes_answers_of_members(desk: Desk) -> None:
    """Groups once read "0 answers", because answers are counted for the person who asks."""
    day = desk.moment[0].date()
    await desk.services.memory.usage.add_usage(
        day, {(ANN, "m"): Usage(prompt=700, answers=3), (GROUP, "m"): Usage(prompt=50)}
    )
    await desk.say(BOB, GROUP, f"/usage@{desk.peer.world.bot['username']}")
    assert "this group's memory (days in UTC)\nAnswers count for whoever asks." in desk.get_last_text(GROUP)
    assert "Last 7 days\n50 tokens" in desk.get_last_text(GROUP), "what Ann used elsewhere is for her eyes"
