"""/start, /help, /privacy and /stop."""

from collections import defaultdict
from collections.abc import Sequence

from locales.catalog import tr
from locales.told import format_memory_state, format_what_is_stored
from telegram_ui.commands.buttons import make_keyboard
from telegram_ui.commands.family import Ask, Command, Family, Press
from telegram_ui.sending.formatting import TextBuilder

TURN_ON, STORED, HELP, MORE = "bon", "bst", "bhe", "bmo"  # buttons under /start and /help
USUAL = ("memory", "search", "why", "forget", "reminders", "new", "settings", "export")  # the commands of /help
IN_PRIVATE_MENU = (*USUAL, "summary", "incognito", "stop", "help")  # nobody reads a list of all 30


class Basics(Family):
    heading = "start"

    @Press(TURN_ON, who="admins")
    async def _turn_on_memory(self, ask: Ask) -> str | None:
        text, was_on = await self._switch_memory_on(ask)
        await self._show_welcome(ask)
        if was_on:
            return text
        await self._delivery.send_text(ask.chat, text)
        return None

    @Command("start", where="private")
    async def _show_welcome(self, ask: Ask) -> None:
        config = await self._read_config(ask)
        is_on = config is not None and config.enabled
        turn_on = [] if is_on else [self._make_button(ask, TURN_ON, tr("basics-turn-on"))]
        stored = self._make_button(ask, STORED, tr("basics-button-stored"))
        text = f"{tr('basics-hello')}\n{format_memory_state(config)}\n{tr('basics-see-help')}"
        await self._show_text(ask, text, turn_on, [stored, self._make_button(ask, HELP, tr("basics-button-help"))])

    @Command("help")
    async def _handle_help_command(self, ask: Ask) -> str | None:
        name = ask.argument.strip().removeprefix("/").casefold()
        if row := next((row for row in self._list_permitted_commands(ask) if row.name == name), None):
            return _format_command(row)
        return await self._show_usual_commands(ask)

    @Press(HELP)
    async def _show_usual_commands(self, ask: Ask) -> str | None:
        rows = {row.name: _format_command(row) for row in self._dependencies.commands}
        keyboard = make_keyboard([self._make_button(ask, MORE, tr("basics-button-more"))])
        introduction = tr("basics-just-write" if ask.chat.is_private else "basics-just-mention")
        text = "\n".join([introduction, "", *(rows[name] for name in USUAL if name in rows)])
        await self._delivery.send_text(ask.chat, text, keyboard=keyboard)
        return None

    @Press(MORE)
    async def _show_all_commands(self, ask: Ask) -> None:
        introduction = tr("basics-just-write" if ask.chat.is_private else "basics-just-mention")
        shown, sections = TextBuilder().add(introduction), defaultdict[str, list[Command]](list)
        for row in self._list_permitted_commands(ask):
            sections[row.heading].append(row)
        for heading, rows in sections.items():
            shown.add("\n\n").add_bold(tr(f"menu-heading-{heading}"))
            for row in rows:
                shown.add(f"\n{_format_command(row)}")
        await self._show_text(ask, shown.build())

    async def _show_stored_data(self, ask: Ask) -> None:
        config, days = await self._read_config(ask), self._operation.retention_days
        text = format_what_is_stored(config, is_private=ask.chat.is_private, retention_days=days)
        await self._delivery.send_text(ask.chat, text)

    _handle_privacy_command = Command("privacy")(_show_stored_data)
    _press_stored = Press(STORED)(_show_stored_data)

    @Command("stop")
    async def _reply_nothing_to_stop(self, ask: Ask) -> str:
        return tr("answers-nothing-to-stop")  # updates/dispatch.py stops answers, if there are any

    def _list_permitted_commands(self, ask: Ask) -> list[Command]:
        is_admin = self._operation.is_admin(ask.person, is_private=ask.chat.is_private)
        return [row for row in self._dependencies.commands if row.where != "admins" or is_admin]


def _format_command(row: Command) -> str:
    return tr("basics-row", command=f"/{row.name}", description=row.description)


def make_private_menu(rows: Sequence[Command]) -> list[Command]:
    """Return the commands shown in the menu of private chats, in order."""
    named = {row.name: row for row in rows}
    return [named[name] for name in IN_PRIVATE_MENU if name in named]
