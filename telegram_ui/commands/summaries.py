"""/summary_status, _show, _on, _off and _now: the state of a memory, its summaries, and its switch.

Owns their words. Does not know how summaries are made (summary_manager.py) or set up (wizard.py, policy.py).
"""

from datetime import UTC, tzinfo

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import tr
from locales.receipts import outcome_text
from locales.told import STORAGE_NAMES, retention_text
from records.scopes import Person
from records.status import Status
from records.summaries import Summary
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.wording import minute, moment, policy_name
from telegram_ui.sending.chat import Chat

SWITCH_ON, FOLD = "on", "fld"
DEFAULT_THRESHOLD = 20


class SummaryCommands(Family):
    """The commands that show a memory, and turn it on and off."""

    heading = "summaries"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._retention_days = dependencies.operation.retention_days
        self._last_buttons = dependencies.last_buttons

    @command("summary_status", stands_alone=True)
    async def _status(self, ask: Ask) -> str:
        status = await self._services.summaries.status(ask.chat.scope)
        lines = [status_text(status), retention_text(self._retention_days)]
        indexing = self._services.indexing
        lines.append(tr("summaries-status-words-only") if indexing is not None and indexing.is_failing else "")
        if status.config is not None:
            place = ask.chat.location
            async with self._services.memory.home(place.owner) as store:
                _, conversations = await store.conversations.listed(place, first=0, limit=1)
            lines.append(tr("summaries-status-one-of", number=str(conversations)) if conversations > 1 else "")
        return "\n".join(filter(None, lines))

    @command("summary_show", stands_alone=True)
    async def _show_summaries(self, ask: Ask) -> str:
        if await self._services.memory.config(ask.chat.scope.owner) is None:
            return tr("summaries-not-configured")
        summaries = await self._services.summaries.active(ask.chat.scope)
        if not summaries:
            return tr("summaries-none")
        zone = await self._zone(ask.chat.scope.owner)
        return "\n\n".join(summary_text(summary, zone) for summary in summaries)

    @command("summary_on", who="admins", stands_alone=True)
    async def _on(self, ask: Ask) -> str:
        return (await self._turn_on(ask))[0]

    @command("summary_off", who="admins", stands_alone=True)
    async def _off(self, ask: Ask) -> str:
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is None:
            return tr("summaries-never-on")
        if not config.enabled:
            return tr("summaries-off-already")
        await self._services.memory.switch(ask.chat.scope.owner, enabled=False)
        return tr("summaries-off")

    @command("summary_now", who="admins", queue="slow", stands_alone=True)
    async def _fold_now(self, ask: Ask) -> str | None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is None or not config.enabled:
            return tr("summaries-now-off")
        async with self._delivery.typing(ask.chat):
            outcome = await self._services.summaries.fold_now(ask.chat.scope)
        if outcome.state not in ("failed", "busy"):
            return outcome_text(outcome)
        await self._say_failed(ask, outcome_text(outcome))
        return None

    @press(FOLD, who="admins", queue="slow")
    async def _press_fold(self, ask: Ask) -> None:
        """Try a fold again at once that had failed in the background."""
        async with self._delivery.typing(ask.chat):
            outcome = await self._services.summaries.fold_now(ask.chat.scope)
        keyboard = fold_again(self._buttons, ask.chat, ask.person) if outcome.state in ("failed", "busy") else None
        await self._show(ask, outcome_text(outcome), keyboard)

    @press(SWITCH_ON, who="admins")
    async def _press_on(self, ask: Ask) -> str:
        """The button under /start, and under an answer while memory is off; it goes once it is pressed."""
        text, was_on = await self._turn_on(ask)
        await self._last_buttons.take_away(self._delivery, ask.chat, ask.message_id)
        if was_on:
            return text[:200]
        await self._delivery.say(ask.chat, text)
        return tr("summaries-toast-on")

    async def _turn_on(self, ask: Ask) -> tuple[str, bool]:
        """Turn memory on; what to say, and whether it was on already."""
        owner = ask.chat.scope.owner
        before = await self._services.memory.config(owner)
        if before is not None and before.enabled:
            return tr("summaries-on-already", storage=STORAGE_NAMES[before.storage], turns=before.every_n), True
        config = await self._services.memory.switch(owner, enabled=True)
        if before is None:
            await self._keep_language(ask)
        key = "summaries-on-again" if before else "summaries-on"
        return tr(key, storage=STORAGE_NAMES[config.storage], turns=config.every_n), False


GOODNESS = ((0.75, "good"), (0.5, "fair"), (0.0, "poor"))
"""The least measured quality of a summary (0 to 1) for the text summaries-status-newest-NAME."""
KINDS = 3
"""Kinds of summaries that have a name, from those of messages on: the texts summaries-kind-NUMBER."""


def fold_again(buttons: Buttons, chat: Chat, person: Person) -> InlineKeyboardMarkup:
    """[Try again], under what says that a summary could not be made."""
    button = InlineKeyboardButton(tr("answers-try-again"), callback_data=buttons.data(FOLD, chat, person))
    return InlineKeyboardMarkup([[button]])


def status_text(status: Status) -> str:
    """The lines of /summary_status."""
    config, counts = status.config, status.counts
    if config is None:
        lines = [tr("summaries-status-unset"), tr("summaries-status-storage-unset")]
        lines.append(tr("summaries-status-threshold-unset", turns=DEFAULT_THRESHOLD))
    else:
        policy = policy_name(config.policy)
        lines = [
            tr("summaries-status-enabled" if config.enabled else "summaries-status-disabled"),
            tr("summaries-status-storage", storage=STORAGE_NAMES[config.storage]),
            tr("summaries-status-threshold", turns=config.every_n),
            tr("summaries-status-policy" if config.auto_fold else "summaries-status-policy-by-hand", policy=policy),
        ]
    lines += [
        tr("summaries-status-since", number=str(counts.active)),
        tr("summaries-status-total", number=str(counts.total)),
        tr("summaries-status-archived", number=str(counts.archived)),
        tr("summaries-status-active", number=str(counts.active_summaries)),
        tr("summaries-status-level", number=str(counts.highest_level)),
    ]
    if status.newest is not None and status.newest.score is not None:
        good = next(name for least, name in GOODNESS if status.newest.score >= least)
        lines.append(tr(f"summaries-status-newest-{good}"))
    if status.compressed > 1:
        lines.append(tr("summaries-status-compressed", times=status.compressed))
    if status.rebuilding is not None:
        rebuilt, parts_in_all = status.rebuilding
        lines.append(tr("summaries-status-rebuilding", done=rebuilt, parts=parts_in_all))
    if status.history_extraction is not None:
        read, in_all = status.history_extraction
        lines.append(tr("summaries-status-learning", done=read, total=in_all))
    if status.tokens_saved:
        lines.append(tr("summaries-status-saved", tokens=status.tokens_saved))
    if config is not None and config.incognito:
        lines.append(tr("summaries-status-incognito", mark=tr("notices-incognito")))
    if status.is_folding:
        lines.append(tr("summaries-status-folding"))
    if status.indexed is not None and status.indexed[0] < status.indexed[1]:
        lines.append(tr("summaries-status-index", done=status.indexed[0], messages=status.indexed[1]))
    if status.unreadable:
        lines.append(tr("summaries-status-unreadable", messages=status.unreadable))
    if status.failure is not None:
        failed_at = moment(status.failure.at, config.zone if config else UTC)
        lines.append(tr("summaries-status-failure", date=failed_at, error=status.failure.error))
    lines += status.advice
    if config is None:
        lines += ["", tr("summaries-not-configured")]
    return "\n".join(lines)


def summary_text(summary: Summary, zone: tzinfo) -> str:
    """One summary: of what it is one, and the dates and number of messages that it covers."""
    first, last = minute(summary.first_at, zone), moment(summary.last_at, zone)
    dates = last if last.startswith(first) else f"{first} – {last}"
    kind = tr(f"summaries-kind-{min(summary.level, KINDS)}")
    heading = tr("summaries-one", kind=kind, dates=dates, messages=summary.message_count)
    return f"{heading}\n{summary.text.strip()}"
