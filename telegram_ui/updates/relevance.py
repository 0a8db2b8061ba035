"""Which updates concern the bot, and so may be written down. Does not know what is done with them."""

import telegram
from cachetools import LRUCache

from records.scopes import Scope
from telegram_ui.commands.registry import Commands
from telegram_ui.updates.access import Access
from telegram_ui.updates.parsing import ParsedUpdate, arrival, upgraded
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
        said = arrival(update, update.get_bot().bot)
        if said is None:
            return False
        if not self._access.is_served(said.person):
            return False
        if said.chat.is_private:
            return True
        if said.kind == "edited":
            return said.addressed
        last = self._long.pop(said.sender, None)
        concerns = said.addressed and (
            said.kind != "command" or said.target or said.command == "stop" or said.command in self._commands.names
        )
        concerns = concerns or (last is not None and said.kind == "text" and continues(said, last))
        if concerns and said.kind == "text" and may_continue(said):
            self._long[said.sender] = said
        return concerns
