"""/start, /help, /privacy and /stop."""

from collections import defaultdict
from collections.abc import Sequence

from telegram import MessageEntity

from locales.catalog import tr
from locales.sentences import format_memory_state, format_privacy_text
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply
from telegram_ui.sending.formatting import Piece, format_whole_text, join_texts

TURN_ON, STORED, HELP, MORE = "bon", "bst", "bhe", "bmo"  # buttons under /start and /help
MAIN_COMMANDS = ("memory", "search", "why", "forget", "reminders", "new", "settings", "export")  # the commands of /help
IN_PRIVATE_MENU = (*MAIN_COMMANDS, "summary", "incognito", "stop", "help")  # nobody reads a list of all 30


class BasicCommands(CommandGroup):
    heading = "start"

    @Action(TURN_ON, who="admins")
    async def _turn_on_memory(self, event: ChatEvent) -> HandlerReply:
        text, was_on = await self._switch_on_memory_and_get_old_state(event)
        await self._show_welcome(event)
        return text if was_on else await self._send_new(event, text)

    @Command("start", where="private")
    async def _show_welcome(self, event: ChatEvent) -> None:
        config = await self._read_config(event)
        is_on = config is not None and config.enabled
        turn_on = [] if is_on else [self._make_button(event, TURN_ON, tr("basics-turn-on"))]
        stored = self._make_button(event, STORED, tr("basics-button-stored"))
        text = f"{tr('basics-hello')}\n{format_memory_state(config)}\n{tr('basics-see-help')}"
        await self._show_text(event, text, turn_on, [stored, self._make_button(event, HELP, tr("basics-button-help"))])

    @Command("help")
    async def _show_help(self, event: ChatEvent) -> HandlerReply:
        name = event.argument.strip().removeprefix("/").casefold()
        if row := next((row for row in self._list_permitted_commands(event) if row.name == name), None):
            return _format_command(row)
        return await self._show_common_commands(event)

    @Action(HELP)
    async def _show_common_commands(self, event: ChatEvent) -> HandlerReply:
        rows = {row.name: _format_command(row) for row in self._dependencies.commands}
        introduction = tr("basics-just-write" if event.chat.is_private else "basics-just-mention")
        text = "\n".join([introduction, "", *(rows[name] for name in MAIN_COMMANDS if name in rows)])
        return await self._send_new(event, text, [self._make_button(event, MORE, tr("basics-button-more"))])

    @Action(MORE)
    async def _show_all_commands(self, event: ChatEvent) -> None:
        introduction = tr("basics-just-write" if event.chat.is_private else "basics-just-mention")
        parts, sections = list[str | Piece]([introduction]), defaultdict[str, list[Command]](list)
        for row in self._list_permitted_commands(event):
            sections[row.heading].append(row)
        for heading, rows in sections.items():
            parts += ["\n\n", format_whole_text(tr(f"menu-heading-{heading}"), MessageEntity.BOLD)]
            parts += [f"\n{_format_command(row)}" for row in rows]
        await self._show_text(event, join_texts(*parts))

    async def _show_privacy_text(self, event: ChatEvent) -> HandlerReply:
        config, days = await self._read_config(event), self._dependencies.settings.retention_days
        is_private = event.chat.is_private
        return await self._send_new(event, format_privacy_text(config, is_private=is_private, retention_days=days))

    _show_privacy = Command("privacy")(_show_privacy_text)
    _press_stored = Action(STORED)(_show_privacy_text)

    @Command("stop")
    async def _get_nothing_to_stop_reply(self, event: ChatEvent) -> HandlerReply:
        return tr("answers-nothing-to-stop")  # updates/dispatch.py stops answers, if there are any

    def _list_permitted_commands(self, event: ChatEvent) -> list[Command]:
        is_admin = self._operation.is_admin(event.person, in_private=event.chat.is_private)
        return [row for row in self._dependencies.commands if row.where != "admins" or is_admin]


def _format_command(command: Command) -> str:
    return tr("basics-row", command=f"/{command.name}", description=command.description)


def select_private_menu_commands(commands: Sequence[Command]) -> list[Command]:
    """Return the commands shown in the menu of private chats, in order."""
    named = {row.name: row for row in commands}
    return [named[name] for name in IN_PRIVATE_MENU if name in named]
