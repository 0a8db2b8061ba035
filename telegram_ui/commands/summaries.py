"""The /summary_… commands, which show and change a memory's summaries and the settings for making them."""

import logging
from datetime import tzinfo

from background.rebuild import RebuildProgress, ReportProgress
from chat.choices import NotOffered
from locales.catalog import tr
from locales.sentences import STORAGE_NAMES, format_retention, format_summary_outcome
from records.owners import DEFAULT_EVERY_N, OwnerConfig, StorageType
from records.status import Status
from records.summaries import Summary
from summaries.policies import POLICIES
from telegram_ui.commands.buttons import make_keyboard
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply
from telegram_ui.commands.wording import (
    format_moment,
    format_policy_name,
    format_switch,
    format_time_span,
    get_zone_or_utc,
)
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

SWITCH_ON, FOLD, REBUILD, POLICY = "on", "fld", "rbd", "po"
AUTOMATIC, BY_HAND = "auto", "hand"
REPORT_SECONDS = 3.0  # seconds between two edits of a message that shows progress: Telegram allows few
SWITCH_WORDS = {"on": AUTOMATIC, "automatic": AUTOMATIC, "off": BY_HAND, "manual": BY_HAND, "by hand": BY_HAND}
"""Arguments of /summary_policy that turn automatic summaries on and off. It also takes the names of policies."""
RESETS = frozenset({"reset", "off", "none", "delete", "remove", "clear"})
"""Arguments of /summary_prompt that delete the instructions."""


class SummaryCommands(CommandGroup):
    heading = "summaries"

    @Command("summary_status", stands_alone=True)
    async def _make_status_reply(self, event: ChatEvent) -> HandlerReply:
        status = await self._services.summaries.read_status(event.chat.scope)
        lines = [format_status(status), format_retention(self._dependencies.settings.retention_days)]
        indexing = self._services.indexing
        lines.append(tr("summaries-status-words-only") if indexing is not None and indexing.is_failing else "")
        if status.config is not None:
            chat_scope = event.chat.chat_scope
            async with self._services.memory.open_store(chat_scope.owner) as store:
                _, conversations = await store.conversations.list_with_total(chat_scope, offset=0, limit=1)
            lines.append(tr("summaries-status-one-of", number=str(conversations)) if conversations > 1 else "")
        return "\n".join(filter(None, lines))

    @Command("summary_show", stands_alone=True)
    async def _make_summaries_reply(self, event: ChatEvent) -> HandlerReply:
        if await self._read_config(event) is None:
            return tr("summaries-not-configured")
        summaries = await self._services.summaries.list_active_summaries(event.chat.scope)
        if not summaries:
            return tr("summaries-none")
        zone = await self._read_zone(event.chat.scope.owner)
        return "\n\n".join(format_summary(summary, zone) for summary in summaries)

    @Command("summary_on", who="admins", stands_alone=True)
    async def _enable_memory(self, event: ChatEvent) -> HandlerReply:
        return (await self._switch_on_memory_and_get_old_state(event))[0]

    @Command("summary_off", who="admins", stands_alone=True)
    async def _disable_memory(self, event: ChatEvent) -> HandlerReply:
        if not await self._services.memory.is_memory_on(event.chat.scope.owner):
            return tr("summaries-is-off")
        await self._services.memory.set_enabled(event.chat.scope.owner, enabled=False)
        return tr("summaries-off")

    async def _summarize_now(self, event: ChatEvent) -> HandlerReply:
        if not await self._services.memory.is_memory_on(event.chat.scope.owner):
            return tr("summaries-is-off")
        async with self._delivery.show_typing(event.chat):
            outcome = await self._services.summaries.fold(event.chat.scope, "now")
        again = [self._make_button(event, FOLD, tr("answers-try-again"))] if outcome.state in ("failed", "busy") else []
        return await self._show_text(event, format_summary_outcome(outcome), again)

    _summarize_by_command = Command("summary_now", who="admins", queue="slow", stands_alone=True)(_summarize_now)
    _press_summarize = Action(FOLD, who="admins", queue="slow")(_summarize_now)

    @Action(SWITCH_ON, who="admins")
    async def _enable_memory_by_answer_button(self, event: ChatEvent) -> HandlerReply:
        text, was_on = await self._switch_on_memory_and_get_old_state(event)
        await self._last_buttons.remove_buttons(self._delivery, event.chat, event.message_id)
        return text if was_on else await self._send_new(event, text)

    async def _set_or_show_summary_policy(self, event: ChatEvent) -> None:
        word = event.argument.strip().casefold()
        word = SWITCH_WORDS.get(word, word)
        config = await self._read_config(event)
        if word in POLICIES:
            config = await self._update_config(event, policy=word)
        elif word in (AUTOMATIC, BY_HAND):
            config = await self._update_config(event, auto_fold=word == AUTOMATIC)
        labels = {policy: tr(f"policy-name-{policy}") for policy in POLICIES}
        policies = self._make_choice_buttons(event, POLICY, labels, config.policy if config else "pyramid")
        is_on = config is None or config.auto_fold
        switch = format_switch(tr("policy-automatic"), is_on=is_on)
        switches = [self._make_button(event, POLICY, switch, BY_HAND if is_on else AUTOMATIC)]
        back = [self._make_settings_button(event)]
        await self._show_text(event, format_summary_policy(config), policies, switches, back)

    _choose_policy_by_command = Command("summary_policy", who="admins")(_set_or_show_summary_policy)
    _press_policy = Action(POLICY, who="admins")(_set_or_show_summary_policy)

    @Command("summary_prompt", who="admins")
    async def _set_prompt(self, event: ChatEvent) -> HandlerReply:
        text = event.argument.strip()
        if not text:
            config = await self._read_config(event)
            if config is not None and config.fold_instructions:
                return f"{tr('policy-prompt-yours')}\n{config.fold_instructions}"
            return f"{tr('policy-prompt-usual')} {tr('policy-prompt-none')}"
        text = "" if text.casefold() in RESETS else text
        try:
            await self._update_config(event, fold_instructions=text)
        except NotOffered as too_long:
            return str(too_long)
        return tr("policy-prompt-kept") if text else tr("policy-prompt-gone")

    async def _start_rebuild(self, event: ChatEvent) -> HandlerReply:
        if not await self._services.memory.is_memory_on(event.chat.scope.owner):
            return tr("summaries-is-off")
        self._services.rebuilder.start_rebuild(event.chat.scope, self._make_progress_reporter(event))
        return None

    _rebuild_by_command = Command("summary_rebuild", who="admins", stands_alone=True)(_start_rebuild)
    _press_rebuild = Action(REBUILD, who="admins", runs_once="by message")(_start_rebuild)

    def _make_progress_reporter(self, event: ChatEvent) -> ReportProgress:
        """Return a callback that shows the progress in one message and the result in another."""
        message_ids: list[int] = []
        reported_at = 0.0

        async def show_progress(progress: RebuildProgress) -> None:
            nonlocal reported_at
            is_update = progress.state == "running" and bool(message_ids)
            if is_update and self._delivery.clock.time() - reported_at < REPORT_SECONDS:
                return
            reported_at = self._delivery.clock.time()
            try:
                text, is_unfinished = format_progress(progress), progress.state in ("failed", "busy")
                again = [self._make_button(event, REBUILD, tr("answers-try-again"))] if is_unfinished else []
                if is_update:
                    await self._delivery.edit_message_or_send_new(event.chat, message_ids[-1], text)
                else:
                    message_ids.extend(await self._delivery.send_text(event.chat, text, keyboard=make_keyboard(again)))
            except DeliveryError as error:
                log.warning("progress was not shown: %s", type(error).__name__)

        return show_progress


def format_status(status: Status) -> str:
    config, counts = status.config, status.counts
    is_on = config is not None and config.enabled
    lines = [
        tr("summaries-status-enabled" if is_on else "summaries-status-disabled"),
        tr("summaries-status-storage", storage=STORAGE_NAMES[config.storage if config else StorageType.SQLITE]),
        tr("summaries-status-threshold", turns=config.every_n if config else DEFAULT_EVERY_N),
        tr("policy-heading", policy=format_policy_name(config.policy if config else "pyramid")),
        tr("summaries-status-since", number=str(counts.active_messages)),
        tr("summaries-status-total", number=str(counts.total)),
        tr("summaries-status-archived", number=str(counts.archived)),
        tr("summaries-status-active", number=str(sum(counts.active_by_level.values()))),
        tr("summaries-status-level", number=str(max(counts.active_by_level, default=0))),
    ]
    lines += [tr("policy-by-hand")] if config is not None and not config.auto_fold else []
    # A score below 0.5 means that a good deal was left out.
    if status.newest is not None and status.newest.score is not None and status.newest.score < 0.5:
        lines.append(tr("summaries-status-poor"))
    if status.rebuilding is not None:
        rebuilt, parts = status.rebuilding
        lines.append(tr("policy-rebuilding", done=rebuilt, total=parts))
    if status.history_extraction is not None:
        read, total = status.history_extraction
        lines.append(tr("summaries-status-learning", done=read, total=total))
    lines += [tr("summaries-status-saved", tokens=status.tokens_saved)] if status.tokens_saved else []
    lines += [tr("basics-mode-incognito")] if config is not None and config.incognito else []
    lines += [tr("summaries-busy")] if status.is_folding else []
    if status.indexed is not None and status.indexed[0] < status.indexed[1]:
        lines.append(tr("summaries-status-index", done=status.indexed[0], messages=status.indexed[1]))
    lines += [tr("summaries-status-unreadable", messages=status.unreadable)] if status.unreadable else []
    if status.failure is not None:
        failed_at = format_moment(status.failure.at, get_zone_or_utc(config))
        lines.append(tr("summaries-status-failure", date=failed_at, error=status.failure.error))
    return "\n".join([*lines, *status.advice, *(["", tr("summaries-not-configured")] if config is None else [])])


def format_summary(summary: Summary, zone: tzinfo) -> str:
    """Format a summary with its kind, its dates and the number of its messages."""
    kind = tr(f"summaries-kind-{min(summary.level, 3)}")  # higher levels have no names of their own
    dates = format_time_span(summary.first_at, summary.last_at, zone)
    return f"{kind} · {dates} · {tr('shared-messages', messages=summary.visible_count)}\n{summary.text.strip()}"


def format_summary_policy(config: OwnerConfig | None) -> str:
    policy, every_n = (config.policy, config.every_n) if config else ("pyramid", DEFAULT_EVERY_N)
    rows = [f"• {tr(f'policy-name-{name}')}: {tr(f'policy-about-{name}', turns=every_n)}" for name in POLICIES]
    heading = tr("policy-heading", policy=format_policy_name(policy))
    by_hand = [] if config is None or config.auto_fold else [tr("policy-by-hand")]
    return "\n\n".join([heading, "\n".join(rows), *by_hand, tr("policy-keeps")])


def format_progress(progress: RebuildProgress) -> str:
    match progress.state:
        case "running":
            return tr("policy-rebuilding", done=progress.done, total=progress.total)
        case "done":
            return tr("policy-rebuilt", summaries=progress.summaries)
        case "nothing":
            return tr("summaries-none")
        case "busy":
            return tr("summaries-busy")
        case "failed":
            return tr("policy-rebuild-failed", why=progress.error or "")
