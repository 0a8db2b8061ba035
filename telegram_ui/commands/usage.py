"""/usage: what somebody's talk with the models cost in the last days, and what is left of today's budget.

Owns its words and its chart. Does not know how use is counted (llm/quota.py).
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, timedelta

from locales.catalog import format_decimal, tr
from records.model_calls import DayOfUse, Price, Usage
from telegram_ui.commands.family import Ask, Family, command

SPANS_OF_DAYS = (7, 30)  # the number of days shown
BARS = "▁▂▃▄▅▆▇█"
NOTHING = "·"


class UsageCommands(Family):
    """Answers /usage: in private a person's own use, in a group what the group's memory cost."""

    heading = "data"

    @command("usage", stands_alone=True)
    async def _show_usage(self, ask: Ask) -> None:
        owner, quota = ask.chat.scope.owner, self._services.quota
        today = self._now().astimezone(UTC).date()
        used = await quota.days(owner, max(SPANS_OF_DAYS))
        lines, before = [tr("usage-heading")], None
        for span in SPANS_OF_DAYS:
            since = today - timedelta(days=span - 1)
            within = [one for one in used if one.day >= since]
            # A longer span that holds nothing more says nothing new.
            lines += ["", *format_usage(within, since, today, self._services.prices)] if within != before else []
            before = within
        left = await quota.room(owner)
        lines += [] if left is None else ["", tr("usage-left", tokens=left)]
        await self._delivery.say(ask.chat, "\n".join(lines))


def format_usage(used: Sequence[DayOfUse], since: date, today: date, prices: Mapping[str, Price]) -> list[str]:
    """Format the days from `since` to today, with a chart if there is anything to see."""
    total = sum((one.used for one in used), Usage())
    lines = [tr("usage-days", days=(today - since).days + 1, answers=tr("usage-answers", answers=total.answers))]
    if not total.total:
        return [*lines, tr("usage-nothing")]
    lines.append(tr("usage-tokens", tokens=total.total, prompt=total.prompt, cached=total.cached))
    lines += [tr("usage-written", tokens=total.written)] if total.written else []
    priced = [one for one in used if one.model in prices]
    if priced:
        cost = _format_dollars(sum(prices[one.model].cost_of(one.used) for one in priced))
        is_all = len(priced) == sum(one.used.total > 0 for one in used)
        lines.append(tr("usage-cost" if is_all else "usage-cost-partly", cost=cost))
    return [*lines, draw_chart(used, since, today)]


def _format_dollars(cost: float) -> str:
    """Format costs in cents, rounded up to hundredths below ten cents."""
    return format_decimal(cost, 2) if cost >= 0.1 or not cost else format_decimal(math.ceil(cost * 10_000) / 10_000, 4)


def draw_chart(used: Sequence[DayOfUse], since: date, today: date) -> str:
    """Draw a chart with one character per day, oldest first."""
    days = [since + timedelta(days=number) for number in range((today - since).days + 1)]
    tokens = [sum(one.used.total for one in used if one.day == day) for day in days]
    most = max(1, *tokens)
    return "".join(BARS[min(len(BARS) - 1, token * len(BARS) // most)] if token else NOTHING for token in tokens)
