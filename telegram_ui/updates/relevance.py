"""Which updates concern the bot. All others are ignored, and never written to disk."""

from collections.abc import Collection
from dataclasses import replace

import telegram
from cachetools import LRUCache

from records.scopes import Scope
from telegram_ui.updates.access import AccessPolicy
from telegram_ui.updates.parsing import ParsedUpdate, find_old_and_new_group_id, parse_update
from telegram_ui.updates.pieces import belongs_to_same_turn, can_be_continued


class RelevanceFilter:
    """Decides which updates from people with access may be stored. In groups, they must be addressed to the bot.

    Later pieces of a long message to the bot are stored as well. `commands` holds the names of the bot's commands.
    """

    def __init__(self, access: AccessPolicy, commands: Collection[str]) -> None:
        self._access = access
        self._commands = commands
        self._long = LRUCache[tuple[Scope, int], ParsedUpdate](1_000)  # in all groups

    def __call__(self, update: telegram.Update) -> bool:
        if find_old_and_new_group_id(update) is not None:
            return True
        parsed = parse_update(update, update.get_bot().bot)
        if parsed is None or not self._access.may_use_bot(parsed.button_owner):
            return False
        if parsed.chat.is_private:
            return True
        if parsed.kind == "edited":
            return parsed.addressed
        last = self._long.pop(parsed.sender_key, None)
        concerns = parsed.addressed and (
            parsed.kind != "command" or parsed.target or parsed.command == "stop" or parsed.command in self._commands
        )
        concerns = concerns or (last is not None and parsed.kind == "text" and belongs_to_same_turn(parsed, last))
        if concerns and parsed.kind == "text" and can_be_continued(parsed):
            self._long[parsed.sender_key] = replace(parsed, text="", replied=None)  # the text may be forgotten
        return concerns
