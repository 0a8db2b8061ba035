"""/summary_status, _show, _on, _off and _now: the state of a memory, its summaries, and its switch.

Owns their words. Does not know how summaries are made (summary_manager.py) or set up (wizard.py, policy.py).
"""

from datetime import UTC, tzinfo

from chat.notices import INCOGNITO
from locales.catalog import tr
from records.status import Status
from records.summaries import FoldOutcome, Summary
from summaries.quality_score import WEIGHTS
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.wording import STORAGE_NAMES, messages, minute, moment, turns
from text.plurals import counted

SWITCH_ON = "on"
DEFAULT_THRESHOLD = 20
NOT_CONFIGURED = (
    "Memory is not set up yet. /summary sets it up; /summary_on turns it on with the usual choices "
    "(SQLite, every 20 turns)."
)


class SummaryCommands(Family):
    """The commands that show a memory, and turn it on and off."""

    heading = "summaries"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._retention_days = dependencies.retention_days
        self._last_buttons = dependencies.last_buttons

    @command("summary_status", stands_alone=True)
    async def _status(self, ask: Ask) -> str:
        status = status_text(await self._services.summaries.status(ask.chat.scope))
        return "\n".join(filter(None, (status, retention_text(self._retention_days))))

    @command("summary_show", stands_alone=True)
    async def _show_summaries(self, ask: Ask) -> str:
        if await self._services.memory.config(ask.chat.scope.owner) is None:
            return NOT_CONFIGURED
        summaries = await self._services.summaries.active(ask.chat.scope)
        if not summaries:
            return "There are no summaries yet. /summary_status shows when the next is due."
        zone = await self._zone(ask.chat.scope.owner)
        return "\n\n".join(summary_text(summary, zone) for summary in summaries)

    @command("summary_on", who="admins", stands_alone=True)
    async def _on(self, ask: Ask) -> str:
        return (await self._turn_on(ask))[0]

    @command("summary_off", who="admins", stands_alone=True)
    async def _off(self, ask: Ask) -> str:
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is None:
            return "Memory is off already: it was never turned on, and nothing is stored."
        if not config.enabled:
            return "Memory is off already. What is stored stays stored."
        await self._services.memory.switch(ask.chat.scope.owner, enabled=False)
        return (
            "Memory is off. What is stored stays stored, and so do your settings; I neither read it nor add to it "
            "until /summary_on."
        )

    @command("summary_now", who="admins", queue="slow", stands_alone=True)
    async def _fold_now(self, ask: Ask) -> str:
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is None or not config.enabled:
            return "Nothing to summarise: memory is off. /summary_on turns it on."
        async with self._delivery.typing(ask.chat):
            return outcome_text(await self._services.summaries.fold_now(ask.chat.scope))

    @press(SWITCH_ON, who="admins")
    async def _press_on(self, ask: Ask) -> str:
        """The button under /start, and under an answer while memory is off; it goes once it is pressed."""
        text, was_on = await self._turn_on(ask)
        await self._last_buttons.take_away(self._delivery, ask.chat, ask.message_id)
        if was_on:
            return text[:200]
        await self._delivery.say(ask.chat, text)
        return "Memory is on."

    async def _turn_on(self, ask: Ask) -> tuple[str, bool]:
        """Turn memory on; what to say, and whether it was on already."""
        owner = ask.chat.scope.owner
        before = await self._services.memory.config(owner)
        if before is not None and before.enabled:
            return f"Memory is on already ({STORAGE_NAMES[before.storage]}, {turns(before.every_n)}).", True
        config = await self._services.memory.switch(owner, enabled=True)
        if before is None:
            await self._keep_language(ask)
        earlier = "while it was off" if before else "before"
        return (
            f"Memory is on: I keep it in {STORAGE_NAMES[config.storage]} and summarise every {turns(config.every_n)}. "
            f"I remember from now on; what was said {earlier} is not stored. /summary changes this."
        ), False


def retention_text(days: int) -> str:
    """What owners are told about RETENTION_DAYS; nothing if it is not set."""
    return tr("basics-retention", days=days) if days else ""


def status_text(status: Status) -> str:
    """The lines of /summary_status."""
    config, counts = status.config, status.counts
    if config is None:
        lines = ["Memory: disabled (not set up yet)", "Storage: SQLite (if you turn it on)"]
        lines.append(f"Threshold: {turns(DEFAULT_THRESHOLD)} (if you turn it on)")
    else:
        lines = [
            f"Memory: {'enabled' if config.enabled else 'disabled'}",
            f"Storage: {STORAGE_NAMES[config.storage]}",
            f"Threshold: {turns(config.every_n)}",
            f"Policy: {config.policy}" + ("" if config.auto_fold else " (automatic summaries are off)"),
        ]
    lines += [
        f"Messages since last summary: {counts.active}",
        f"Total messages: {counts.total}",
        f"Archived messages: {counts.archived}",
        f"Active summaries: {counts.active_summaries}",
        f"Highest level: {counts.highest_level}",
    ]
    if status.newest is not None and status.newest.score is not None:
        parts = (f"{name} {status.newest.details[name]:.2f}" for name in WEIGHTS if name in status.newest.details)
        lines.append(f"Quality of the newest summary: {status.newest.score:.2f} of 1 ({', '.join(parts)})")
    if status.compressed > 1:
        advice = " /summary_rebuild would restore detail." if status.rebuild_helps else ""
        lines.append(f"The oldest detail was compressed {counted(status.compressed, 'time', 'times')}.{advice}")
    if status.rebuilding is not None:
        rebuilt, parts_in_all = status.rebuilding
        lines.append(f"All summaries are being rebuilt: {rebuilt:,} of {counted(parts_in_all, 'part', 'parts')}.")
    if status.history_extraction is not None:
        lines.append(
            "Learning facts from imported history: {:,} of {:,} of your messages.".format(*status.history_extraction)
        )
    if status.tokens_saved:
        lines.append(f"Tokens saved so far: about {status.tokens_saved:,} compared with sending everything each time")
    if config is not None and config.incognito:
        lines.append(f"{INCOGNITO}: memory is read, nothing is written (/incognito off ends it)")
    if status.is_folding:
        lines.append("A summary is being made right now.")
    if status.indexed is not None and status.indexed[0] < status.indexed[1]:
        lines.append(f"Search index: {status.indexed[0]:,} of {messages(status.indexed[1])}")
    if status.failure is not None:
        failed_at = moment(status.failure.at, config.zone if config else UTC)
        lines.append(f"Last failure: {failed_at}: {status.failure.error} (nothing was lost)")
    lines += status.advice
    if config is None:
        lines += ["", NOT_CONFIGURED]
    return "\n".join(lines)


def summary_text(summary: Summary, zone: tzinfo) -> str:
    """One summary with its level, and the dates and number of messages that it covers."""
    first, last = minute(summary.first_at, zone), moment(summary.last_at, zone)
    dates = last if last.startswith(first) else f"{first} – {last}"
    return f"Level {summary.level} · {dates} · {messages(summary.message_count)}\n{summary.text.strip()}"


def outcome_text(outcome: FoldOutcome) -> str:
    """What /summary_now came to."""
    match outcome.state:
        case "folded":
            what = f"Summarised {messages(outcome.archived)}" if outcome.archived else "Summarised older summaries"
            count = counted(len(outcome.summaries), "new summary", "new summaries")
            return f"{what}: {count}. /summary_show shows them."
        case "nothing":
            return "Nothing to summarise: everything is summarised already, or nothing has been said yet."
        case "busy":
            return "A summary is being made right now. Please try again in a moment."
        case "waiting":
            return f"{outcome.error or ''} Nothing was lost: what is due will be summarised then.".strip()
        case "failed":
            why = outcome.error or "The summary could not be made."
            return f"{why} Nothing was lost: all messages are kept, and I will try again."
