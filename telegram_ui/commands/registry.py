"""The basic commands and what each one says; every command and press finds its family here.

Does not know how updates arrive, who is served at all, or how messages are sent.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Protocol

import telegram
from telegram import (
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
)
from telegram.error import TelegramError

from chat.notices import INCOGNITO
from records.scopes import Person, Scope
from records.status import Status
from records.summaries import FoldOutcome, Summary
from records.turns import Proposal
from summaries.quality_score import WEIGHTS
from telegram_ui.commands import proposals
from telegram_ui.commands.buttons import Buttons, NotTheirs
from telegram_ui.commands.edits import ANEW, LABEL, OFFER
from telegram_ui.commands.family import Ask, Family, Handler, Input, MayConfigure, Press, TakesFiles
from telegram_ui.commands.table import COMMANDS, Command
from telegram_ui.commands.wizard import ADMINS_ONLY, NAMES, Memory, Wizard, messages, turns
from telegram_ui.commands.wizard import PREFIX as WIZARD
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery

log = logging.getLogger(__name__)

SWITCH_ON = "on"
DEFAULT_THRESHOLD = 20


WHAT_IS_STORED = (
    "While memory is on, I store what you write to me and what I answer, the summaries I make of it, and your "
    "settings: in files on the computer that runs me (SQLite or JSON, as you choose). To answer, I send your message "
    "and what matters to it to the language model that my operator has chosen. While memory is off, I "
    "store no messages, and this conversation is forgotten when I restart."
)
FORGETTING = "/forget erases a message, a day or everything for good."
NOT_CONFIGURED = (
    "Memory is not set up yet. /summary sets it up; /summary_on turns it on with the usual choices "
    "(SQLite, every 20 turns)."
)


class Summaries(Protocol):
    """What is needed of summary_manager.SummaryManager."""

    async def fold_now(self, scope: Scope) -> FoldOutcome: ...
    async def status(self, scope: Scope) -> Status: ...
    async def active(self, scope: Scope) -> Sequence[Summary]: ...


class Conversation(Protocol):
    """What is needed of conversation.Conversation."""

    @property
    def memory(self) -> Memory: ...
    @property
    def summaries(self) -> Summaries: ...


class Commands:
    """Answers commands, button presses and the wizard's input."""

    def __init__(
        self,
        conversation: Conversation,
        delivery: Delivery,
        wizard: Wizard,
        *,
        may_configure: MayConfigure,
        buttons: Buttons,
        families: Sequence[Family] = (),
        retention_days: int = 0,
    ) -> None:
        """`retention_days`: after which archives are erased by themselves; 0 = never."""
        self._memory = conversation.memory
        self._summaries = conversation.summaries
        self._delivery = delivery
        self._wizard = wizard
        self._may_configure = may_configure
        self._buttons = buttons
        self._retention = retention_text(retention_days)
        self._stored = " ".join(filter(None, (WHAT_IS_STORED, self._retention, FORGETTING)))
        basic: dict[str, Callable[[Chat, Person], Awaitable[None]]] = {
            "start": self._start,
            "help": self._help,
            "summary": wizard.begin,
            "summary_status": self._status,
            "summary_show": self._show,
            "summary_on": self._on,
            "summary_off": self._off,
            "summary_now": self._now,
            "stop": self._stop,
        }
        self._handlers: dict[str, Handler] = {name: _plain(handler) for name, handler in basic.items()}
        self._handlers["cancel"] = self._cancel
        self._presses: dict[str, Press] = {SWITCH_ON: self._press_on}
        self._inputs = [family for family in families if isinstance(family, Input)]
        for family in families:
            self._handlers |= family.handlers
            self._presses |= family.presses
        self._takers = [family for family in families if isinstance(family, TakesFiles)]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._handlers)

    @property
    def slow(self) -> frozenset[str]:
        return frozenset(command.name for command in COMMANDS if command.asks_model)

    def is_slow_press(self, data: str) -> bool:
        """Whether nothing is to wait behind what a button with this data does."""
        kind = data.partition(":")[0]
        return any(kind in taker.slow_presses for taker in self._takers)

    async def handle(self, update: telegram.Update, chat: Chat, person: Person, name: str, argument: str) -> None:
        """Answer a command of `names`."""
        await self._handlers[name](Ask(update=update, chat=chat, person=person, argument=argument))

    async def press(self, update: telegram.Update, chat: Chat, person: Person) -> None:
        """A press of an inline button: done if it is its person's and not stale, else a toast says why not."""
        query = update.callback_query
        if query is None:
            return
        toast: str | None = "This button does nothing any more."
        try:
            kind = (query.data or "").partition(":")[0]
            if kind == WIZARD:
                toast = await self._wizard.press(query, chat, person)
            elif press := self._presses.get(kind):
                payload = self._buttons.payload(query.data or "", chat, person)
                toast = await press(Ask(update=update, chat=chat, person=person, argument=payload))
        except NotTheirs as not_theirs:
            toast = str(not_theirs)
        except BaseException:
            toast = "That did not work. Please try again."
            raise
        finally:
            try:
                await query.answer(toast)
            except TelegramError as error:  # it may be too old by now: the person sees the message anyway
                log.debug("press not answered: %s", type(error).__name__)

    async def wizard_input(self, update: telegram.Update, chat: Chat, person: Person, text: str) -> bool:
        """Whether a text was asked for, by the wizard or by a family, and is answered."""
        for family in self._inputs:
            if await family.input(update, chat, person, text):
                return True
        return await self._wizard.input(update, chat, person, text)

    async def take_file(self, update: telegram.Update, chat: Chat, person: Person) -> bool:
        """Whether a file was awaited, and is dealt with."""
        ask = Ask(update=update, chat=chat, person=person)
        return any([await taker.take_file(ask) for taker in self._takers])

    def is_answered(self, update: telegram.Update) -> bool:
        """Whether a press is for an answer of the model."""
        query = update.callback_query
        return query is not None and (query.data or "").partition(":")[0] == ANEW

    async def offer_answer(self, chat: Chat, person: Person, turn: int) -> None:
        """Offer to answer a corrected turn anew."""
        button = InlineKeyboardButton(LABEL, callback_data=self._buttons.data(ANEW, chat, person, str(turn)))
        await self._delivery.say(chat, OFFER, keyboard=InlineKeyboardMarkup([[button]]))

    async def propose(self, chat: Chat, person: Person, proposal: Proposal) -> None:
        """Ask whether what the model proposes is to be done."""
        await proposals.put(proposal, self._delivery, self._buttons, chat, person)

    async def set_menus(self, bot: telegram.Bot) -> None:
        """Tell Telegram which commands to offer where. Raises TelegramError."""
        everyones = [command for command in COMMANDS if command.who == "everyone"]
        in_groups = [command for command in everyones if command.where == "everywhere"]
        admins = [command for command in COMMANDS if command.where == "everywhere"]
        await bot.set_my_commands(_menu(COMMANDS), scope=BotCommandScopeAllPrivateChats())
        await bot.set_my_commands(_menu(in_groups), scope=BotCommandScopeAllGroupChats())
        await bot.set_my_commands(_menu(admins), scope=BotCommandScopeAllChatAdministrators())

    # What each command says ----------------------------------------------------------------------------

    async def _start(self, chat: Chat, person: Person) -> None:
        config = await self._memory.config(chat.scope.owner)
        hello = (
            "Hello! I am Keepsake: a chat bot that remembers. Just write to me; "
            "earlier talk is summarised, stays searchable, and comes back when it matters.\n\n"
        )
        if config is not None and config.enabled:
            await self._delivery.say(chat, f"{hello}Memory is on. {self._stored}\n\n/help lists what I can do.")
            return
        button = InlineKeyboardButton("Turn memory on", callback_data=self._buttons.data(SWITCH_ON, chat, person))
        await self._delivery.say(
            chat,
            f"{hello}Memory is off until you turn it on: with the button below, or with /summary to "
            f"choose how.\n\n{self._stored}\n\n/help lists what I can do.",
            keyboard=InlineKeyboardMarkup([[button]]),
        )

    async def _help(self, chat: Chat, person: Person) -> None:
        rows = [
            f"/{command.name} – {command.description}"
            + (" (admins only)" if command.who == "admins" and not chat.is_private else "")
            for command in COMMANDS
        ]
        here = (
            "Just write to me to get an answer."
            if chat.is_private
            else "In a group I answer when you mention me or reply to me; the group has a memory of its own."
        )
        await self._delivery.say(chat, "\n".join([here, "", *rows, "", self._stored]))

    async def _status(self, chat: Chat, person: Person) -> None:
        lines = (status_text(await self._summaries.status(chat.scope)), self._retention)
        await self._delivery.say(chat, "\n".join(filter(None, lines)))

    async def _show(self, chat: Chat, person: Person) -> None:
        if await self._memory.config(chat.scope.owner) is None:
            await self._delivery.say(chat, NOT_CONFIGURED)
            return
        summaries = await self._summaries.active(chat.scope)
        if summaries:
            await self._delivery.say(chat, "\n\n".join(summary_text(summary) for summary in summaries))
        else:
            await self._delivery.say(chat, "There are no summaries yet. /summary_status shows when the next is due.")

    async def _on(self, chat: Chat, person: Person) -> None:
        if await self._is_refused(chat, person):
            return
        await self._delivery.say(chat, await self._turn_on(chat))

    async def _off(self, chat: Chat, person: Person) -> None:
        if await self._is_refused(chat, person):
            return
        config = await self._memory.config(chat.scope.owner)
        if config is None:
            await self._delivery.say(chat, "Memory is off already: it was never turned on, and nothing is stored.")
        elif not config.enabled:
            await self._delivery.say(chat, "Memory is off already. What is stored stays stored.")
        else:
            await self._memory.switch(chat.scope.owner, enabled=False)
            await self._delivery.say(
                chat,
                "Memory is off. What is stored stays stored, and so do your settings; I neither read nor add to "
                "it until /summary_on.",
            )

    async def _now(self, chat: Chat, person: Person) -> None:
        if await self._is_refused(chat, person):
            return
        config = await self._memory.config(chat.scope.owner)
        if config is None or not config.enabled:
            await self._delivery.say(chat, "Nothing to summarise: memory is off. /summary_on turns it on.")
            return
        async with self._delivery.typing(chat):
            outcome = await self._summaries.fold_now(chat.scope)
        await self._delivery.say(chat, outcome_text(outcome))

    async def _cancel(self, ask: Ask) -> None:
        if not any([await taker.stop_waiting(ask) for taker in self._takers]):
            await self._wizard.cancel(ask.chat, ask.person)

    async def _stop(self, chat: Chat, person: Person) -> None:
        # Whoever takes updates in stops answers before they come here.
        await self._delivery.say(chat, "Nothing is being written that could be stopped.")

    async def _is_refused(self, chat: Chat, person: Person) -> bool:
        if await self._may_configure(chat, person):
            return False
        await self._delivery.say(chat, ADMINS_ONLY)
        return True

    async def _turn_on(self, chat: Chat) -> str:
        before = await self._memory.config(chat.scope.owner)
        if before is not None and before.enabled:
            return f"Memory is on already ({NAMES[before.storage]}, {turns(before.every_n)})."
        config = await self._memory.switch(chat.scope.owner, enabled=True)
        said = "while it was off" if before else "before"
        return (
            f"Memory is on: I keep it in {NAMES[config.storage]} and summarise every {turns(config.every_n)}. "
            f"I remember from now on; what was said {said} is not stored. /summary changes this."
        )

    async def _press_on(self, ask: Ask) -> str | None:
        """The welcome's button."""
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        was_on = (config := await self._memory.config(ask.chat.scope.owner)) is not None and config.enabled
        told = await self._turn_on(ask.chat)
        if was_on:
            return told[:200]
        await self._delivery.say(ask.chat, told)
        return "Memory is on."


def _plain(handler: Callable[[Chat, Person], Awaitable[None]]) -> Handler:
    """A command that takes no argument."""

    async def handle(ask: Ask) -> None:
        await handler(ask.chat, ask.person)

    return handle


def _menu(commands: Sequence[Command]) -> list[telegram.BotCommand]:
    return [telegram.BotCommand(command.name, command.description) for command in commands]


def retention_text(days: int) -> str:
    """What owners are told of RETENTION_DAYS; nothing where it is off."""
    if not days:
        return ""
    what = "a day" if days == 1 else f"{days} days"
    return f"My operator has set that what is summarised and older than {what} is erased for good."


def status_text(status: Status) -> str:
    """The lines of /summary_status."""
    config, counts = status.config, status.counts
    if config is None:
        lines = ["Memory: disabled (not set up yet)", "Storage: SQLite (if you turn it on)"]
        lines.append(f"Threshold: {turns(DEFAULT_THRESHOLD)} (if you turn it on)")
    else:
        lines = [
            f"Memory: {'enabled' if config.enabled else 'disabled'}",
            f"Storage: {NAMES[config.storage]}",
            f"Threshold: {turns(config.every_n)}",
            f"Policy: {config.policy}" + ("" if config.auto_fold else " (automatic summaries are off)"),
        ]
    lines += [
        f"Messages since last summary: {counts.unfolded}",
        f"Total messages: {counts.total}",
        f"Archived messages: {counts.archived}",
        f"Active summaries: {counts.active_summaries}",
        f"Highest level: {counts.highest_level}",
    ]
    if status.newest is not None and status.newest.score is not None:
        parts = (f"{name} {status.newest.details[name]:.2f}" for name in WEIGHTS if name in status.newest.details)
        lines.append(f"Quality of the newest summary: {status.newest.score:.2f} of 1 ({', '.join(parts)})")
    if status.compressed > 1:
        advice = " /summary_rebuild makes it fresher." if status.is_fresher_anew else ""
        lines.append(f"The oldest detail was compressed {status.compressed} times.{advice}")
    if status.rebuilding is not None:
        lines.append("All summaries are being made anew: {} of {} parts.".format(*status.rebuilding))
    if status.studied is not None:
        lines.append("Learning facts from imported history: {:,} of {:,} of your messages.".format(*status.studied))
    if status.tokens_saved:
        lines.append(f"Tokens saved so far: about {status.tokens_saved:,} against sending everything each time")
    if config is not None and config.incognito:
        lines.append(f"{INCOGNITO}: memory is read, nothing is written (/incognito off ends it)")
    if status.is_folding:
        lines.append("A summary is being made right now.")
    if status.indexed is not None and status.indexed[0] < status.indexed[1]:
        lines.append(f"Search index: {status.indexed[0]:,} of {status.indexed[1]:,} messages")
    if status.failure is not None:
        lines.append(f"Last failure: {_minute(status.failure.at)} UTC: {status.failure.error} (nothing was lost)")
    lines += status.advice
    if config is None:
        lines += ["", NOT_CONFIGURED]
    return "\n".join(lines)


def summary_text(summary: Summary) -> str:
    """One summary with its level, the dates and the number of messages it covers."""
    first, last = _minute(summary.first_at), _minute(summary.last_at)
    dates = first if first == last else f"{first} – {last}"
    return f"Level {summary.level} · {dates} UTC · {messages(summary.message_count)}\n{summary.text.strip()}"


def outcome_text(outcome: FoldOutcome) -> str:
    """What /summary_now came to."""
    match outcome.state:
        case "folded":
            made = len(outcome.summaries)
            what = f"Summarised {messages(outcome.archived)}" if outcome.archived else "Summarised older summaries"
            count = "1 new summary" if made == 1 else f"{made} new summaries"
            return f"{what}: {count}. /summary_show shows them."
        case "nothing":
            return "Nothing to summarise: everything is summarised already, or nothing has been said yet."
        case "busy":
            return "A summary is being made right now. Please try again in a moment."
        case "waiting":
            return f"{outcome.error or ''} Nothing was lost: what is due is summarised then.".strip()
        case "failed":
            why = outcome.error or "The summary could not be made."
            return f"{why} Nothing was lost: all messages are kept, and I will try again."


def _minute(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
