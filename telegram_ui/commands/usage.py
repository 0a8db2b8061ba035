"""/usage: shows token usage and costs in recent days, and the tokens left in today's budget."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, timedelta

from locales.catalog import format_decimal, tr
from records.model_calls import DailyUsage, Price, Usage
from telegram_ui.commands.command_group import ChatEvent, Command, CommandGroup, HandlerReply

SPANS_OF_DAYS = (7, 30)  # the number of days shown
BARS = "▁▂▃▄▅▆▇█"


class UsageCommands(CommandGroup):
    heading = "data"

    @Command("usage", stands_alone=True)
    async def _show_usage(self, event: ChatEvent) -> HandlerReply:
        owner, quota = event.chat.scope.owner, self._services.quota
        today = self._now().astimezone(UTC).date()
        used = await quota.list_daily_usage(owner, max(SPANS_OF_DAYS))
        lines, before = [tr("usage-heading" if event.chat.is_private else "usage-heading-group")], None
        for span in SPANS_OF_DAYS:
            since = today - timedelta(days=span - 1)
            within = [day for day in used if day.day >= since]
            # A longer span is left out if it has no further days.
            heading, *counted = format_usage(within, since, today, self._services.prices)
            heading = heading if event.chat.is_private else tr("usage-days-group", days=span)
            lines += ["", heading, *counted] if within != before else []
            before = within
        left = await quota.count_tokens_left_if_limited(owner)
        lines += [] if left is None else ["", tr("usage-left", tokens=left)]
        return "\n".join(lines)


def format_usage(daily_usage: Sequence[DailyUsage], since: date, today: date, prices: Mapping[str, Price]) -> list[str]:
    """Format the token usage from `since` to today, with a chart if any tokens were used."""
    total = sum((day.used for day in daily_usage), Usage())
    lines = [tr("usage-days", days=(today - since).days + 1, answers=tr("usage-answers", answers=total.answers))]
    if not total.total:
        return [*lines, tr("usage-nothing")]
    lines.append(tr("usage-tokens", tokens=total.total, prompt=total.prompt, cached=total.cached))
    lines += [tr("usage-written", tokens=total.written)] if total.written else []
    priced = [day for day in daily_usage if day.model in prices]
    if priced:
        cost = sum(prices[day.model].calculate_cost(day.used) for day in priced)
        # Below ten cents hundredths of a cent are shown, rounded up.
        places, shown = (2, cost) if cost >= 0.1 or not cost else (4, math.ceil(cost * 10_000) / 10_000)
        is_all = len(priced) == sum(day.used.total > 0 for day in daily_usage)
        lines.append(tr("usage-cost" if is_all else "usage-cost-partly", cost=format_decimal(shown, places)))
    return [*lines, draw_chart(daily_usage, since, today)]


def draw_chart(daily_usage: Sequence[DailyUsage], since: date, today: date) -> str:
    """Draw token usage as a chart with one character per day, oldest first."""
    days = [since + timedelta(days=number) for number in range((today - since).days + 1)]
    tokens = [sum(use.used.total for use in daily_usage if use.day == day) for day in days]
    most = max(1, *tokens)
    return "".join(BARS[min(len(BARS) - 1, token * len(BARS) // most)] if token else "·" for token in tokens)
