"""How summaries are made: /summary_policy, /summary_prompt, /summary_rebuild.

Owns their words and buttons. Does not know what a policy does, nor how a summary is made.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Protocol, get_args

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from background.rebuild import Progress, Tell
from chat.notices import counted
from records.owners import OwnerConfig, Policy
from records.scopes import Person, Scope
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Handler, MayConfigure, Press
from telegram_ui.commands.wizard import ADMINS_ONLY, turns
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery, DeliveryError

log = logging.getLogger(__name__)

KIND = "po"
AUTOMATIC, BY_HAND = "auto", "hand"
LONGEST_WISH = 1000
"""Characters of an owner's wishes: they stand in every request for a summary."""
BETWEEN_NEWS = 3.0
"""Seconds between two edits of a message that tells progress: Telegram allows few."""
RESET = "reset"

DOES: Mapping[Policy, str] = {
    "pyramid": "every {every} a summary is made, and summaries are summed up in higher ones. All of the past stays "
    "told, the older the more briefly. The usual choice.",
    "rolling": "one short summary of everything but the newest turns, made anew out of itself every 8 messages. The "
    "least to send; old details fade soonest.",
    "sliding": "one short summary of the last 14 messages, after every turn. What is older is not told any more, only "
    "found by search.",
}
KEEPS = (
    "Your messages stay as they are, and all of them can be found, under each of these. After a change, "
    "/summary_rebuild makes the summaries of what was said before anew."
)


class Memory(Protocol):
    """What is needed of external_memory.ExternalMemory."""

    async def config(self, owner: int) -> OwnerConfig | None: ...
    async def choose(self, owner: int, change: Callable[[OwnerConfig], OwnerConfig]) -> OwnerConfig: ...


class Rebuilder(Protocol):
    """What is needed of rebuilding.Rebuilding."""

    def start(self, scope: Scope, tell: Tell) -> None: ...


class PolicyCommands:
    """The commands of this family."""

    def __init__(
        self,
        memory: Memory,
        rebuilding: Rebuilder,
        delivery: Delivery,
        buttons: Buttons,
        *,
        may_configure: MayConfigure,
    ) -> None:
        self._memory = memory
        self._rebuilding = rebuilding
        self._delivery = delivery
        self._buttons = buttons
        self._may_configure = may_configure
        self.handlers: Mapping[str, Handler] = {
            "summary_policy": self._guarded(self._policy),
            "summary_prompt": self._guarded(self._prompt),
            "summary_rebuild": self._guarded(self._rebuild),
        }
        self.presses: Mapping[str, Press] = {KIND: self._press}

    def _guarded(self, handler: Handler) -> Handler:
        async def handle(ask: Ask) -> None:
            if await self._may_configure(ask.chat, ask.person):
                await handler(ask)
            else:
                await self._delivery.say(ask.chat, ADMINS_ONLY)

        return handle

    # /summary_policy -----------------------------------------------------------------------------------------

    async def _policy(self, ask: Ask) -> None:
        config = await self._memory.config(ask.chat.scope.owner)
        await self._delivery.say(ask.chat, policy_text(config), keyboard=self._keyboard(ask.chat, ask.person, config))

    def _keyboard(self, chat: Chat, person: Person, config: OwnerConfig | None) -> InlineKeyboardMarkup:
        chosen = config.policy if config else "pyramid"
        automatic = config is None or config.auto_fold

        def button(label: str, payload: str) -> InlineKeyboardButton:
            return InlineKeyboardButton(label, callback_data=self._buttons.data(KIND, chat, person, payload))

        return InlineKeyboardMarkup(
            [
                [
                    button(f"{'✓ ' if policy == chosen else ''}{policy.capitalize()}", policy)
                    for policy in get_args(Policy)
                ],
                [
                    button("Turn automatic summaries off", BY_HAND)
                    if automatic
                    else button("Turn automatic summaries on", AUTOMATIC)
                ],
            ]
        )

    async def _press(self, ask: Ask) -> str | None:
        chat = ask.chat
        if not await self._may_configure(chat, ask.person):
            return ADMINS_ONLY
        if ask.argument in (AUTOMATIC, BY_HAND):
            on = ask.argument == AUTOMATIC
            config = await self._memory.choose(chat.scope.owner, lambda known: replace(known, auto_fold=on))
            told = f"Automatic summaries are {'on' if on else 'off'}."
        else:
            policy = next((one for one in get_args(Policy) if one == ask.argument), None)
            if policy is None:
                return "This button does nothing any more."
            config = await self._memory.choose(chat.scope.owner, lambda known: replace(known, policy=policy))
            told = f"{policy.capitalize()} it is."
        keyboard = self._keyboard(chat, ask.person, config)
        await self._delivery.replace(chat, ask.message_id, policy_text(config), keyboard=keyboard)
        return told

    # /summary_prompt -----------------------------------------------------------------------------------------

    async def _prompt(self, ask: Ask) -> None:
        owner, text = ask.chat.scope.owner, ask.argument.strip()
        if not text:
            config = await self._memory.config(owner)
            await self._delivery.say(ask.chat, prompt_text(config.fold_instructions if config else ""))
        elif text.lower() == RESET:
            await self._memory.choose(owner, lambda known: replace(known, fold_instructions=""))
            await self._delivery.say(ask.chat, "Your wishes for summaries are gone; the usual rules hold.")
        elif len(text) > LONGEST_WISH:
            await self._delivery.say(
                ask.chat,
                f"That is {len(text):,} characters; at most {LONGEST_WISH:,} fit. Nothing was changed.",
            )
        else:
            await self._memory.choose(owner, lambda known: replace(known, fold_instructions=text))
            await self._delivery.say(
                ask.chat,
                "Summaries heed this from now on. /summary_rebuild makes those that exist anew; "
                "/summary_prompt reset goes back.",
            )

    # /summary_rebuild ----------------------------------------------------------------------------------------

    async def _rebuild(self, ask: Ask) -> None:
        config = await self._memory.config(ask.chat.scope.owner)
        if config is None or not config.enabled:
            await self._delivery.say(ask.chat, "There is nothing to make anew: memory is off. /summary_on turns it on.")
            return
        self._rebuilding.start(ask.chat.scope, self._teller(ask.chat))

    def _teller(self, chat: Chat) -> Tell:
        """Tells progress in one message, edited now and then; the end in one of its own."""
        shown: list[int] = []
        last = 0.0

        async def tell(progress: Progress) -> None:
            nonlocal last
            running = progress.state == "running"
            if running and shown and monotonic() - last < BETWEEN_NEWS:
                return
            last = monotonic()
            try:
                if running and shown:
                    await self._delivery.replace(chat, shown[-1], progress_text(progress))
                else:
                    shown.extend(await self._delivery.say(chat, progress_text(progress)))
            except DeliveryError as error:
                log.warning("progress was not shown: %s", type(error).__name__)

        return tell


def policy_text(config: OwnerConfig | None) -> str:
    """What /summary_policy says, before and after a choice."""
    policy = config.policy if config else "pyramid"
    every = turns(config.every_n) if config else "20 turns"
    rows = [f"• {name.capitalize()}: {does.format(every=every)}" for name, does in DOES.items()]
    automatic = (
        "Summaries are made automatically."
        if config is None or config.auto_fold
        else "Automatic summaries are off: only /summary_now makes them."
    )
    return "\n\n".join([f"How I summarise: {policy}. {automatic}", "\n".join(rows), KEEPS])


def prompt_text(wishes: str) -> str:
    """What /summary_prompt says without a text."""
    usual = (
        "Summaries keep names, dates, numbers, decisions, completed work, the current state, next steps, constraints "
        "and corrections, and leave out greetings and steps of tools."
    )
    if not wishes:
        return f"{usual}\n\nYou have no further wishes. To tell some: /summary_prompt followed by your words."
    return f"{usual}\n\nBesides, you wish:\n{wishes}\n\n/summary_prompt reset takes that back."


def progress_text(progress: Progress) -> str:
    match progress.state:
        case "running":
            return (
                f"Making all summaries anew: {progress.done} of {progress.total} parts. The old ones serve until then."
            )
        case "done":
            made = counted(progress.summaries, "summary", "summaries")
            return f"All summaries are made anew ({made}). /summary_show shows them."
        case "nothing":
            return "There is nothing to make anew: nothing has been summarised yet."
        case "busy":
            return "A summary is being made right now. Please try again in a moment."
        case "failed":
            return f"The summaries could not be made anew: {progress.error} The old ones stay; nothing was lost."
