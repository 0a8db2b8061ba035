"""Which updates concern the bot, and so may be written down. Does not know what is done with them."""

import telegram
from cachetools import LRUCache

from records.scopes import Scope
from telegram_ui.commands.registry import Commands
from telegram_ui.updates.access import Access
from telegram_ui.updates.parsing import ParsedUpdate, parse, upgraded
from telegram_ui.updates.paste import continues, may_continue

PASTES = 1_000  # that may go on, in all groups


class Relevance:
    """Which updates concern the bot, and so may be written down: those of someone it serves. In a group: what is
    addressed to it, and the further pieces of a paste that is.
    """

    def __init__(self, access: Access, commands: Commands) -> None:
        self._access = access
        self._commands = commands
        self._long = LRUCache[tuple[Scope, int], ParsedUpdate](PASTES)

    def __call__(self, update: telegram.Update) -> bool:
        if upgraded(update) is not None:
            return True
        parsed = parse(update, update.get_bot().bot)
        if parsed is None:
            return False
        if not self._access.is_served(parsed.person):
            return False
        if parsed.chat.is_private:
            return True
        if parsed.kind == "edited":
            return parsed.addressed
        last = self._long.pop(parsed.sender, None)
        concerns = parsed.addressed and (
            parsed.kind != "command"
            or parsed.target
            or parsed.command == "stop"
            or parsed.command in self._commands.names
        )
        concerns = concerns or (last is not None and parsed.kind == "text" and continues(parsed, last))
        if concerns and parsed.kind == "text" and may_continue(parsed):
            self._long[parsed.sender] = parsed
        return concerns
