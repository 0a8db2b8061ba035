"""Choices about summaries: /summary_policy, /summary_prompt, /summary_rebuild.

Owns their words and buttons.
"""

import logging

from background.rebuild import RebuildProgress, Tell
from chat.choices import NotOffered, choose
from external_memory import DEFAULT_EVERY_N
from locales.catalog import tr
from records.owners import OwnerConfig
from summaries.policies import POLICIES
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.wording import format_checked, format_ticked, name_policy
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

KIND = "po"
AUTOMATIC, BY_HAND = "auto", "hand"
REPORT_SECONDS = 3.0  # seconds between two edits of a message that shows progress: Telegram allows few
WORDS = {"on": AUTOMATIC, "automatic": AUTOMATIC, "off": BY_HAND, "manual": BY_HAND, "by hand": BY_HAND}
"""Words after /summary_policy for the switch; the names of the policies are understood as well."""
RESETS = frozenset({"reset", "off", "none", "delete", "remove", "clear"})
"""Words after /summary_prompt that delete the instructions: no summary could follow one of them."""


class PolicyCommands(Family):
    """The commands that say how summaries are made."""

    heading = "summaries"

    # /summary_policy -----------------------------------------------------------------------------------------

    @command("summary_policy", who="admins")
    async def _handle_policy_command(self, ask: Ask) -> None:
        """With buttons; what is named after the command is chosen at once."""
        word = ask.argument.strip().casefold()
        await self._choose_policy(ask, WORDS.get(word, word))

    async def _choose_policy(self, ask: Ask, word: str) -> None:
        """Choose a policy or the switch, if the word names one, and show how things stand."""
        wanted: dict[str, object] = {"policy": word} if word in POLICIES else {}
        if word in (AUTOMATIC, BY_HAND):
            wanted = {"auto_fold": word == AUTOMATIC}
        owner = ask.chat.scope.owner
        config = await (choose(self._services, owner, wanted) if wanted else self._services.memory.config(owner))
        await self._show_policy(ask, config)

    async def _show_policy(self, ask: Ask, config: OwnerConfig | None) -> None:
        chosen = config.policy if config else "pyramid"
        policies = [
            self._make_button(ask, KIND, format_ticked(tr(f"policy-name-{policy}"), is_chosen=policy == chosen), policy)
            for policy in POLICIES
        ]
        is_on = config is None or config.auto_fold
        switch = format_checked(tr("policy-automatic"), is_on=is_on)
        switches = [self._make_button(ask, KIND, switch, BY_HAND if is_on else AUTOMATIC)]
        await self._show_text(ask, format_policy(config), policies, switches, [self._make_settings_button(ask)])

    @press(KIND, who="admins")
    async def _press(self, ask: Ask) -> None:
        """A choice; or the button of /settings that leads here."""
        await self._choose_policy(ask, ask.argument)

    # /summary_prompt -----------------------------------------------------------------------------------------

    @command("summary_prompt", who="admins")
    async def _set_prompt(self, ask: Ask) -> str:
        owner, text = ask.chat.scope.owner, ask.argument.strip()
        if not text:
            config = await self._services.memory.config(owner)
            return format_prompt(config.fold_instructions if config else "")
        text = "" if text.casefold() in RESETS else text
        try:
            await choose(self._services, owner, {"fold_instructions": text})
        except NotOffered as too_long:
            return str(too_long)
        return tr("policy-prompt-kept") if text else tr("policy-prompt-gone")

    # /summary_rebuild ----------------------------------------------------------------------------------------

    @command("summary_rebuild", who="admins", stands_alone=True)
    async def _start_rebuild(self, ask: Ask) -> str | None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is None or not config.enabled:
            return tr("summaries-is-off")
        self._services.rebuilder.start(ask.chat.scope, self._make_teller(ask))
        return None

    def _make_teller(self, ask: Ask) -> Tell:
        """Shows progress in one message, edited now and then; the end in a message of its own."""
        chat = ask.chat
        shown: list[int] = []
        last = 0.0

        async def tell(progress: RebuildProgress) -> None:
            nonlocal last
            running = progress.state == "running"
            if running and shown and self._monotonic() - last < REPORT_SECONDS:
                return
            last = self._monotonic()
            try:
                if running and shown:
                    await self._delivery.replace(chat, shown[-1], format_progress(progress))
                elif progress.state in ("failed", "busy"):
                    await self._say_failed(ask, format_progress(progress))
                else:
                    shown.extend(await self._delivery.say(chat, format_progress(progress)))
            except DeliveryError as error:
                log.warning("progress was not shown: %s", type(error).__name__)

        return tell


def format_policy(config: OwnerConfig | None) -> str:
    """Return the text of /summary_policy, before and after a choice."""
    policy = config.policy if config else "pyramid"
    every_n = config.every_n if config else DEFAULT_EVERY_N
    rows = [f"• {tr(f'policy-name-{name}')}: {tr(f'policy-about-{name}', turns=every_n)}" for name in POLICIES]
    heading = tr("policy-heading", policy=name_policy(policy))
    by_hand = [] if config is None or config.auto_fold else [tr("policy-by-hand")]
    return "\n\n".join([heading, "\n".join(rows), *by_hand, tr("policy-keeps")])


def format_prompt(instructions: str) -> str:
    """Return the text of /summary_prompt without an argument."""
    if instructions:
        return f"{tr('policy-prompt-yours')}\n{instructions}"
    return f"{tr('policy-prompt-usual')} {tr('policy-prompt-none')}"


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
