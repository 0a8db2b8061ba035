"""How summaries are made: /summary_policy, /summary_prompt, /summary_rebuild.

Owns their words and buttons. Does not know what a policy does, nor how a summary is made.
"""

import logging
from collections.abc import Callable
from dataclasses import replace

from telegram import InlineKeyboardMarkup

from background.rebuild import Progress, Tell
from locales.catalog import tr
from records.owners import OwnerConfig
from summaries.policies import POLICIES
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.wording import ticked, turns
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import DeliveryError
from text.plurals import counted

log = logging.getLogger(__name__)

KIND = "po"
AUTOMATIC, BY_HAND = "auto", "hand"
LONGEST_INSTRUCTIONS = 1000
"""Characters of an owner's instructions: every request for a summary carries them."""
PROGRESS_EVERY = 3.0
"""Seconds between two edits of a message that shows progress: Telegram allows few."""
WORDS = {"on": AUTOMATIC, "automatic": AUTOMATIC, "off": BY_HAND, "manual": BY_HAND, "by hand": BY_HAND}
"""What people write after /summary_policy for the switch; the names of the policies are understood as well."""
RESETS = frozenset({"reset", "off", "none", "delete", "remove", "clear"})
"""What people write after /summary_prompt to have no instructions: no summary could follow one of these words."""

CHOICES = f"After /summary_policy you can write {', '.join(POLICIES)}, on or off."
KEEPS = (
    "With each of these your messages stay as they are, and all of them can be found. After a change, "
    "/summary_rebuild makes the earlier summaries again."
)


class PolicyCommands(Family):
    """The commands that say how summaries are made."""

    heading = "summaries"

    # /summary_policy -----------------------------------------------------------------------------------------

    @command("summary_policy", who="admins")
    async def _policy(self, ask: Ask) -> str | None:
        """With buttons; or what is named after the command is chosen at once."""
        word, memory, owner = ask.argument.strip().casefold(), self._services.memory, ask.chat.scope.owner
        if word:
            change = _change(WORDS.get(word, word))
            if change is None:
                return f"I know no such way of summarising. {CHOICES} Nothing was changed."
            config: OwnerConfig | None = await memory.choose(owner, change)
        else:
            config = await memory.config(owner)
        await self._delivery.say(ask.chat, policy_text(config), keyboard=self._keyboard(ask, config))
        return None

    def _keyboard(self, ask: Ask, config: OwnerConfig | None) -> InlineKeyboardMarkup:
        chosen = config.policy if config else "pyramid"
        policies = [
            self._button(ask, KIND, ticked(policy.capitalize(), is_chosen=policy == chosen), policy)
            for policy in POLICIES
        ]
        if config is None or config.auto_fold:
            switch = self._button(ask, KIND, "Turn automatic summaries off", BY_HAND)
        else:
            switch = self._button(ask, KIND, "Turn automatic summaries on", AUTOMATIC)
        return InlineKeyboardMarkup([policies, [switch]])

    @press(KIND, who="admins")
    async def _press(self, ask: Ask) -> str:
        change = _change(ask.argument)
        if change is None:
            return tr("shared-dead-button")
        config = await self._services.memory.choose(ask.chat.scope.owner, change)
        await self._show(ask, policy_text(config), self._keyboard(ask, config))
        if ask.argument in (AUTOMATIC, BY_HAND):
            return f"Automatic summaries are {'on' if config.auto_fold else 'off'}."
        return f"{config.policy.capitalize()} it is."

    # /summary_prompt -----------------------------------------------------------------------------------------

    @command("summary_prompt", who="admins")
    async def _prompt(self, ask: Ask) -> str:
        memory, owner, text = self._services.memory, ask.chat.scope.owner, ask.argument.strip()
        if not text:
            config = await memory.config(owner)
            return prompt_text(config.fold_instructions if config else "")
        if text.casefold() in RESETS:
            await memory.choose(owner, lambda current: replace(current, fold_instructions=""))
            return "Your instructions for summaries are gone; the usual rules apply."
        if len(text) > LONGEST_INSTRUCTIONS:
            return (
                f"That is {len(text):,} characters; at most {LONGEST_INSTRUCTIONS:,} are allowed. Nothing was changed."
            )
        await memory.choose(owner, lambda current: replace(current, fold_instructions=text))
        return (
            "Summaries follow this from now on. /summary_rebuild applies it to the existing ones; "
            "/summary_prompt reset removes it."
        )

    # /summary_rebuild ----------------------------------------------------------------------------------------

    @command("summary_rebuild", who="admins", stands_alone=True)
    async def _rebuild(self, ask: Ask) -> str | None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is None or not config.enabled:
            return "There is nothing to rebuild: memory is off. /summary_on turns it on."
        self._services.rebuilder.start(ask.chat.scope, self._teller(ask.chat))
        return None

    def _teller(self, chat: Chat) -> Tell:
        """Shows progress in one message, edited now and then; the end in a message of its own."""
        shown: list[int] = []
        last = 0.0

        async def tell(progress: Progress) -> None:
            nonlocal last
            running = progress.state == "running"
            if running and shown and self._monotonic() - last < PROGRESS_EVERY:
                return
            last = self._monotonic()
            try:
                if running and shown:
                    await self._delivery.replace(chat, shown[-1], progress_text(progress))
                else:
                    shown.extend(await self._delivery.say(chat, progress_text(progress)))
            except DeliveryError as error:
                log.warning("progress was not shown: %s", type(error).__name__)

        return tell


def _change(choice: str) -> Callable[[OwnerConfig], OwnerConfig] | None:
    """What choosing a policy, or the switch, changes; None for no choice of ours."""
    if choice in (AUTOMATIC, BY_HAND):
        return lambda current: replace(current, auto_fold=choice == AUTOMATIC)
    return (lambda current: replace(current, policy=choice)) if choice in POLICIES else None


def policy_text(config: OwnerConfig | None) -> str:
    """What /summary_policy says, before and after a choice."""
    policy = config.policy if config else "pyramid"
    every = turns(config.every_n) if config else "20 turns"
    rows = [f"• {one.name.capitalize()}: {one.description.format(every=every)}" for one in POLICIES.values()]
    automatic = (
        "Summaries are made automatically."
        if config is None or config.auto_fold
        else "Automatic summaries are off: only /summary_now makes them."
    )
    return "\n\n".join([f"How I summarise: {policy}. {automatic}", "\n".join(rows), KEEPS])


def prompt_text(instructions: str) -> str:
    """What /summary_prompt says without a text."""
    usual = (
        "Summaries keep names, dates, numbers, decisions, completed work, the current state, next steps, constraints "
        "and corrections, and leave out greetings and the steps of tools."
    )
    if not instructions:
        return f"{usual}\n\nYou have no further instructions. To add some: /summary_prompt followed by your words."
    return f"{usual}\n\nYou also asked for this:\n{instructions}\n\n/summary_prompt reset removes it."


def progress_text(progress: Progress) -> str:
    match progress.state:
        case "running":
            parts = f"{progress.done} of {progress.total} parts"
            return f"Rebuilding all summaries: {parts}. The old ones are used until then."
        case "done":
            count = counted(progress.summaries, "summary", "summaries")
            return f"All summaries are rebuilt ({count}). /summary_show shows them."
        case "nothing":
            return "There is nothing to rebuild: nothing has been summarised yet."
        case "busy":
            return "A summary is being made right now. Please try again in a moment."
        case "failed":
            return f"The summaries could not be rebuilt: {progress.error} The old ones stay; nothing was lost."
