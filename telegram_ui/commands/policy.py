"""/summary_policy, /summary_prompt and /summary_rebuild: how summaries are made."""

import logging

from background.rebuild import RebuildProgress, Tell
from chat.choices import NotOffered
from external_memory import DEFAULT_EVERY_N
from locales.catalog import tr
from records.owners import OwnerConfig
from summaries.policies import POLICIES
from telegram_ui.commands.family import Ask, Command, Family, Press
from telegram_ui.commands.wording import format_checked, name_policy
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

KIND = "po"
AUTOMATIC, BY_HAND = "auto", "hand"
REPORT_SECONDS = 3.0  # seconds between two edits of a message that shows progress: Telegram allows few
SWITCH_WORDS = {"on": AUTOMATIC, "automatic": AUTOMATIC, "off": BY_HAND, "manual": BY_HAND, "by hand": BY_HAND}
"""Arguments of /summary_policy that turn automatic summaries on and off. It also takes the names of policies."""
RESETS = frozenset({"reset", "off", "none", "delete", "remove", "clear"})
"""Arguments of /summary_prompt that delete the instructions."""


class PolicyCommands(Family):
    heading = "summaries"

    @Command("summary_policy", who="admins")
    async def _handle_policy_command(self, ask: Ask) -> None:
        word = ask.argument.strip().casefold()
        await self._choose_policy(ask, SWITCH_WORDS.get(word, word))

    async def _choose_policy(self, ask: Ask, word: str) -> None:
        if word in POLICIES:
            config: OwnerConfig | None = await self._store_choices(ask, policy=word)
        elif word in (AUTOMATIC, BY_HAND):
            config = await self._store_choices(ask, auto_fold=word == AUTOMATIC)
        else:
            config = await self._read_config(ask)
        await self._show_policy(ask, config)

    async def _show_policy(self, ask: Ask, config: OwnerConfig | None) -> None:
        chosen = config.policy if config else "pyramid"
        labels = {policy: tr(f"policy-name-{policy}") for policy in POLICIES}
        policies = self._make_choice_buttons(ask, KIND, labels, chosen)
        is_on = config is None or config.auto_fold
        switch = format_checked(tr("policy-automatic"), is_on=is_on)
        switches = [self._make_button(ask, KIND, switch, BY_HAND if is_on else AUTOMATIC)]
        await self._show_text(ask, format_policy(config), policies, switches, [self._make_settings_button(ask)])

    @Press(KIND, who="admins")
    async def _handle_press(self, ask: Ask) -> None:
        await self._choose_policy(ask, ask.argument)

    @Command("summary_prompt", who="admins")
    async def _set_prompt(self, ask: Ask) -> str:
        text = ask.argument.strip()
        if not text:
            config = await self._read_config(ask)
            if config is not None and config.fold_instructions:
                return f"{tr('policy-prompt-yours')}\n{config.fold_instructions}"
            return f"{tr('policy-prompt-usual')} {tr('policy-prompt-none')}"
        text = "" if text.casefold() in RESETS else text
        try:
            await self._store_choices(ask, fold_instructions=text)
        except NotOffered as too_long:
            return str(too_long)
        return tr("policy-prompt-kept") if text else tr("policy-prompt-gone")

    @Command("summary_rebuild", who="admins", stands_alone=True)
    async def _start_rebuild(self, ask: Ask) -> str | None:
        config = await self._read_config(ask)
        if config is None or not config.enabled:
            return tr("summaries-is-off")
        self._services.rebuilder.start(ask.chat.scope, self._make_reporter(ask))
        return None

    def _make_reporter(self, ask: Ask) -> Tell:
        """Return a callback that shows the progress in one message and the result in another."""
        message_ids: list[int] = []
        reported_at = 0.0

        async def report(progress: RebuildProgress) -> None:
            nonlocal reported_at
            is_update = progress.state == "running" and bool(message_ids)
            if is_update and self._monotonic() - reported_at < REPORT_SECONDS:
                return
            reported_at = self._monotonic()
            try:
                if is_update:
                    await self._delivery.replace(ask.chat, message_ids[-1], format_progress(progress))
                elif progress.state in ("failed", "busy"):
                    await self._report_failure(ask, format_progress(progress))
                else:
                    message_ids.extend(await self._delivery.say(ask.chat, format_progress(progress)))
            except DeliveryError as error:
                log.warning("progress was not shown: %s", type(error).__name__)

        return report


def format_policy(config: OwnerConfig | None) -> str:
    """Return the text of /summary_policy."""
    policy, every_n = (config.policy, config.every_n) if config else ("pyramid", DEFAULT_EVERY_N)
    rows = [f"• {tr(f'policy-name-{name}')}: {tr(f'policy-about-{name}', turns=every_n)}" for name in POLICIES]
    heading = tr("policy-heading", policy=name_policy(policy))
    by_hand = [] if config is None or config.auto_fold else [tr("policy-by-hand")]
    return "\n\n".join([heading, "\n".join(rows), *by_hand, tr("policy-keeps")])


def format_progress(progress: RebuildProgress) -> str:
    """Return the sentence that describes the state of a rebuild."""
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
