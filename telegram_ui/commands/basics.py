"""/start, /help, /privacy and /stop. Does not know what the other commands do: their rows say it."""

from itertools import groupby

from telegram import InlineKeyboardMarkup

from records.owners import mode_of
from telegram_ui.commands.answers import NOTHING_TO_STOP
from telegram_ui.commands.family import Ask, Command, Dependencies, Family, command
from telegram_ui.commands.summaries import SWITCH_ON, retention_text
from telegram_ui.commands.wording import STORAGE_NAMES
from telegram_ui.sending.marked import Marked

HELLO = (
    "Hello! I am Keepsake: a chat bot that remembers. Just write to me; "
    "earlier talk is summarised, stays searchable, and comes back when it matters."
)
HELLO_GROUP = (
    "Hello! I am Keepsake: a chat bot that remembers. Here I answer whoever mentions me or replies to me. This group "
    "has a memory of its own, which its admins turn on and off; what I know from private chats never comes here."
)
STORED = (
    "While memory is on, I store what you write to me and what I answer, the summaries I make of it, and your "
    "settings: in files on the computer that runs me (SQLite or JSON, as you choose). To answer, I send your message "
    "and what matters to it to the language model that my operator has chosen. While memory is off, I "
    "store no messages, and this conversation is forgotten when I restart."
)
STORED_GROUP = (
    "I store nothing that is not addressed to me. While memory is on, I store what members say when they mention me or "
    "reply to me, with their names, what I answer, and the summaries I make of it: in files on the computer that runs "
    "me. To answer, I send that message and what matters to it to the language model that my operator has chosen. "
    "While memory is off, I store no messages. A member erases their own words by replying to them with /forget; "
    "admins erase anything, and export everything to their own private chat."
)
FORGETTING = "/forget erases a message, a day or everything for good."
NOT_MINE = "What Telegram and the provider of the model keep is not in my power."
STATES = {
    "on": "Memory is on here, kept in {storage}.",
    "incognito": "Incognito is on here: memory is read, nothing is written.",
    "off": "Memory is off here.",
}
OFF_UNTIL = "Memory is off until you turn it on: with the button below, or with /summary to choose how."
OFF_UNTIL_GROUP = "Memory is off until an admin turns it on: with the button below, or with /summary to choose how."


class Basics(Family):
    """What everybody sees first."""

    heading = "First steps"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._commands = dependencies.commands
        self._retention = retention_text(dependencies.retention_days)

    @command("start", "what I am, and a button to turn memory on", where="private")
    async def _start(self, ask: Ask) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        is_private = ask.chat.is_private
        keyboard = None
        if config is not None and config.enabled:
            state = f"Memory is on. {self._stored(ask)}"
        else:
            state = f"{OFF_UNTIL if is_private else OFF_UNTIL_GROUP}\n\n{self._stored(ask)}"
            keyboard = InlineKeyboardMarkup([[self._button(ask, SWITCH_ON, "Turn memory on")]])
        hello = HELLO if is_private else HELLO_GROUP
        await self._delivery.say(ask.chat, f"{hello}\n\n{state}\n\n/help lists what I can do.", keyboard=keyboard)

    @command("help", "every command, and what is stored where")
    async def _help(self, ask: Ask) -> str | None:
        """The commands by their headings; after a command's name, that one alone."""
        name = ask.argument.strip().removeprefix("/").casefold()
        if row := next((one for one in self._commands if one.name == name), None):
            return _row(row, ask)
        shown = Marked().add(
            "Just write to me to get an answer."
            if ask.chat.is_private
            else "In a group I answer when you mention me or reply to me; the group has a memory of its own."
        )
        # Sorting keeps the order within a heading, and headings come in the order of their first commands.
        places = {one.heading: place for place, one in reversed(list(enumerate(self._commands)))}
        ordered = sorted(self._commands, key=lambda one: places[one.heading])
        for heading, rows in groupby(ordered, key=lambda one: one.heading):
            shown.add("\n\n").bold(heading)
            for row in rows:
                shown.add(f"\n{_row(row, ask)}")
        shown.add(f"\n\n{self._stored(ask)}")
        await self._delivery.say(ask.chat, shown.piece())
        return None

    @command("privacy", "what is read and what is stored here")
    async def _privacy(self, ask: Ask) -> str:
        config = await self._services.memory.config(ask.chat.scope.owner)
        state = STATES[mode_of(config)].format(storage=STORAGE_NAMES[config.storage] if config else "")
        return f"{state}\n\n{self._stored(ask)} {NOT_MINE}"

    @command("stop", "stop the answer that is being written")
    async def _stop(self, ask: Ask) -> str:
        # Answers are stopped where updates are dispatched; a /stop comes here only where there is nothing to stop.
        return NOTHING_TO_STOP

    def _stored(self, ask: Ask) -> str:
        stored = STORED if ask.chat.is_private else STORED_GROUP
        return " ".join(filter(None, (stored, self._retention, FORGETTING)))


def _row(row: Command, ask: Ask) -> str:
    limit = " (admins only)" if row.who == "admins" and not ask.chat.is_private else ""
    return f"/{row.name} – {row.description}{limit}"
