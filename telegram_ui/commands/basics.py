"""/start, /help, /privacy and /stop."""

from collections.abc import Sequence
from itertools import groupby

from locales.catalog import tr
from locales.told import format_state, format_what_is_stored
from telegram_ui.commands.buttons import make_keyboard
from telegram_ui.commands.family import Ask, Command, Dependencies, Family, command, press
from telegram_ui.sending.formatting import Marked

TURN_ON, STORED, HELP, MORE = "bon", "bst", "bhe", "bmo"  # the kinds of the buttons under /start and /help
USUAL = ("memory", "search", "why", "forget", "reminders", "new", "settings", "export")
"""The commands that people use, as /help lists them."""
IN_PRIVATE_MENU = (*USUAL, "summary", "incognito", "stop", "help")
"""The commands in the menu of a private chat: a list of all 30 is read by nobody. /help has the others."""


class Basics(Family):
    """The commands that everybody sees first."""

    heading = "start"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._commands = dependencies.commands
        self._operation = dependencies.operation

    @command("start", where="private")
    async def _start_chat(self, ask: Ask) -> None:
        await self._show_start(ask)

    @press(TURN_ON, who="admins")
    async def _press_turn_on(self, ask: Ask) -> str | None:
        text, was_on = await self._switch_memory_on(ask)
        await self._show_start(ask)
        if was_on:
            return text
        await self._delivery.say(ask.chat, text)
        return None

    async def _show_start(self, ask: Ask) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        is_on = config is not None and config.enabled
        turn_on = [] if is_on else [self._make_button(ask, TURN_ON, tr("basics-turn-on"))]
        help_ = self._make_button(ask, HELP, tr("basics-button-help"))
        more = [self._make_button(ask, STORED, tr("basics-button-stored")), help_]
        text = f"{tr('basics-hello')}\n{format_state(config)}\n{tr('basics-see-help')}"
        await self._show_text(ask, text, turn_on, more)

    @command("help")
    async def _show_help(self, ask: Ask) -> str | None:
        """Return the commands that people use; after a command's name, that one alone."""
        name = ask.argument.strip().removeprefix("/").casefold()
        if row := next((one for one in self._known_commands(ask) if one.name == name), None):
            return _format_row(row)
        await self._show_usual(ask)
        return None

    @press(HELP)
    async def _press_help(self, ask: Ask) -> None:
        await self._show_usual(ask)

    @press(MORE)
    async def _press_more(self, ask: Ask) -> None:
        """Every command under its heading, in the place of the few that people use."""
        shown = Marked().add(tr("basics-just-write") if ask.chat.is_private else tr("basics-just-mention"))
        known = self._known_commands(ask)
        # Sorting keeps the order within a heading, and headings come in the order of their first commands.
        order = {one.heading: index for index, one in reversed(list(enumerate(known)))}
        ordered = sorted(known, key=lambda one: order[one.heading])
        for heading, rows in groupby(ordered, key=lambda one: one.heading):
            shown.add("\n\n").bold(tr(f"menu-heading-{heading}"))
            for row in rows:
                shown.add(f"\n{_format_row(row)}")
        await self._show_text(ask, shown.piece())

    @command("privacy")
    async def _show_privacy(self, ask: Ask) -> str:
        return await self._describe_stored(ask)

    @press(STORED)
    async def _press_stored(self, ask: Ask) -> None:
        await self._delivery.say(ask.chat, await self._describe_stored(ask))

    @command("stop")
    async def _stop_answers(self, ask: Ask) -> str:
        # Answers are stopped where updates are dispatched; a /stop comes here only where there is nothing to stop.
        return tr("answers-nothing-to-stop")

    def _known_commands(self, ask: Ask) -> list[Command]:
        is_admin = self._operation.is_admin(ask.person, is_private=ask.chat.is_private)
        return [one for one in self._commands if one.where != "admins" or is_admin]

    async def _show_usual(self, ask: Ask) -> None:
        rows = {one.name: _format_row(one) for one in self._commands}
        first = tr("basics-just-write") if ask.chat.is_private else tr("basics-just-mention")
        keyboard = make_keyboard([self._make_button(ask, MORE, tr("basics-button-more"))])
        shown = "\n".join([first, "", *(rows[name] for name in USUAL if name in rows)])
        await self._delivery.say(ask.chat, shown, keyboard=keyboard)

    async def _describe_stored(self, ask: Ask) -> str:
        config = await self._services.memory.config(ask.chat.scope.owner)
        days = self._operation.retention_days
        return format_what_is_stored(config, is_private=ask.chat.is_private, retention_days=days)


def _format_row(row: Command) -> str:
    return tr("basics-row", command=f"/{row.name}", description=row.description)


def make_private_menu(rows: Sequence[Command]) -> list[Command]:
    """Return the commands that the menu of a private chat offers, in its order."""
    named = {row.name: row for row in rows}
    return [named[name] for name in IN_PRIVATE_MENU if name in named]
