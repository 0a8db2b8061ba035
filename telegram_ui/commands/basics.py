"""/start, /help and /stop. Does not know what the other commands do: their rows say it."""

from telegram import InlineKeyboardMarkup

from telegram_ui.commands.family import Ask, Dependencies, Family, command
from telegram_ui.commands.summaries import SWITCH_ON, retention_text

HELLO = (
    "Hello! I am Keepsake: a chat bot that remembers. Just write to me; "
    "earlier talk is summarised, stays searchable, and comes back when it matters.\n\n"
)
STORED = (
    "While memory is on, I store what you write to me and what I answer, the summaries I make of it, and your "
    "settings: in files on the computer that runs me (SQLite or JSON, as you choose). To answer, I send your message "
    "and what matters to it to the language model that my operator has chosen. While memory is off, I "
    "store no messages, and this conversation is forgotten when I restart."
)
FORGETTING = "/forget erases a message, a day or everything for good."


class Basics(Family):
    """What everybody sees first."""

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._commands = dependencies.commands
        self._stored = " ".join(filter(None, (STORED, retention_text(dependencies.retention_days), FORGETTING)))

    @command("start", "what I am, and a button to turn memory on", where="private")
    async def _start(self, ask: Ask) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        if config is not None and config.enabled:
            state, keyboard = f"Memory is on. {self._stored}", None
        else:
            state = (
                "Memory is off until you turn it on: with the button below, or with /summary to choose how.\n\n"
                + self._stored
            )
            keyboard = InlineKeyboardMarkup([[self._button(ask, SWITCH_ON, "Turn memory on")]])
        await self._delivery.say(ask.chat, f"{HELLO}{state}\n\n/help lists what I can do.", keyboard=keyboard)

    @command("help", "every command, and what is stored where")
    async def _help(self, ask: Ask) -> str:
        rows = [
            f"/{row.name} – {row.description}"
            + (" (admins only)" if row.who == "admins" and not ask.chat.is_private else "")
            for row in self._commands
        ]
        here = (
            "Just write to me to get an answer."
            if ask.chat.is_private
            else "In a group I answer when you mention me or reply to me; the group has a memory of its own."
        )
        return "\n".join([here, "", *rows, "", self._stored])

    @command("stop", "stop the answer that is being written")
    async def _stop(self, ask: Ask) -> str:
        # Answers are stopped where updates are dispatched; a /stop comes here only where there is nothing to stop.
        return "Nothing is being written that could be stopped."
