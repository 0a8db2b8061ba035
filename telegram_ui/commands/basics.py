"""/start, /help, /privacy and /stop. Does not know what the other commands do: their rows say it."""

from itertools import groupby

from telegram import InlineKeyboardMarkup

from locales.catalog import tr
from records.owners import mode_of
from telegram_ui.commands.family import Ask, Command, Dependencies, Family, command
from telegram_ui.commands.summaries import SWITCH_ON, retention_text
from telegram_ui.commands.wording import STORAGE_NAMES
from telegram_ui.sending.marked import Marked


class Basics(Family):
    """What everybody sees first."""

    heading = "start"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._commands = dependencies.commands
        self._retention_days = dependencies.retention_days
        self._operation = dependencies.operation

    @command("start", where="private")
    async def _start(self, ask: Ask) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        is_private = ask.chat.is_private
        keyboard = None
        if config is not None and config.enabled:
            state = f"{tr('basics-is-on')} {self._stored(ask)}"
        else:
            off = tr("basics-is-off") if is_private else tr("basics-is-off-group")
            state = f"{off}\n\n{self._stored(ask)}"
            keyboard = InlineKeyboardMarkup([[self._button(ask, SWITCH_ON, tr("basics-turn-on"))]])
        hello = tr("basics-hello") if is_private else tr("basics-hello-group")
        await self._delivery.say(ask.chat, f"{hello}\n\n{state}\n\n{tr('basics-see-help')}", keyboard=keyboard)

    @command("help")
    async def _help(self, ask: Ask) -> str | None:
        """The commands by their headings; after a command's name, that one alone."""
        name = ask.argument.strip().removeprefix("/").casefold()
        is_admin = self._operation.is_admin(ask.chat, ask.person)
        known = [one for one in self._commands if one.where != "admins" or is_admin]
        if row := next((one for one in known if one.name == name), None):
            return _row(row, ask)
        shown = Marked().add(tr("basics-just-write") if ask.chat.is_private else tr("basics-just-mention"))
        # Sorting keeps the order within a heading, and headings come in the order of their first commands.
        places = {one.heading: place for place, one in reversed(list(enumerate(known)))}
        ordered = sorted(known, key=lambda one: places[one.heading])
        for heading, rows in groupby(ordered, key=lambda one: one.heading):
            shown.add("\n\n").bold(tr(f"menu-heading-{heading}"))
            for row in rows:
                shown.add(f"\n{_row(row, ask)}")
        shown.add(f"\n\n{self._stored(ask)}")
        await self._delivery.say(ask.chat, shown.piece())
        return None

    @command("privacy")
    async def _privacy(self, ask: Ask) -> str:
        config = await self._services.memory.config(ask.chat.scope.owner)
        state = tr(f"basics-mode-{mode_of(config)}", storage=STORAGE_NAMES[config.storage] if config else "")
        return f"{state}\n\n{self._stored(ask)} {tr('basics-not-mine')}"

    @command("stop")
    async def _stop(self, ask: Ask) -> str:
        # Answers are stopped where updates are dispatched; a /stop comes here only where there is nothing to stop.
        return tr("answers-nothing-to-stop")

    def _stored(self, ask: Ask) -> str:
        stored = tr("basics-stored") if ask.chat.is_private else tr("basics-stored-group")
        return " ".join(
            filter(
                None, (stored, tr("basics-reminders"), retention_text(self._retention_days), tr("basics-forgetting"))
            )
        )


def _row(row: Command, ask: Ask) -> str:
    is_limited = row.who == "admins" and not ask.chat.is_private
    return tr("basics-row-admins" if is_limited else "basics-row", command=f"/{row.name}", description=row.description)
