"""Command menus by scope and language, and the menu that a client shows."""

import json
import re
from collections.abc import Sequence

from playground.refusals import Json, bad_request

DEFAULT: Json = {"type": "default"}
SCOPE_FIELDS = {
    "default": (),
    "all_private_chats": (),
    "all_group_chats": (),
    "all_chat_administrators": (),
    "chat": ("chat_id",),
    "chat_administrators": ("chat_id",),
    "chat_member": ("chat_id", "user_id"),
}
NAME = re.compile(r"[a-z0-9_]{1,32}")


class Menus:
    """Command lists by scope and language. The language "" stands for all languages."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, str], list[Json]] = {}

    def put(self, scope: Json, language: str, commands: Sequence[Json]) -> None:
        """Set one list. An empty list deletes it, as on Telegram's server."""
        if len(commands) > 100:
            raise bad_request("BOT_COMMANDS_TOO_MUCH")
        cleaned = [_checked(command) for command in commands]
        if cleaned:
            self._lists[_key(scope), language] = cleaned
        else:
            self._lists.pop((_key(scope), language), None)

    def get(self, scope: Json, language: str) -> list[Json]:
        """Return the list for exactly this scope and language."""
        return self._lists.get((_key(scope), language), [])

    def listed(self) -> list[Json]:
        return [
            {"scope": json.loads(scope), "language_code": language, "commands": commands}
            for (scope, language), commands in self._lists.items()
        ]

    def shown(self, chat_id: int, person_id: int, language: str, is_private: bool, is_admin: bool) -> list[Json]:
        """Return the list with the narrowest scope that applies.

        Source: core.telegram.org/bots/api#determining-list-of-commands
        """
        chat: Json = {"type": "chat", "chat_id": chat_id}
        scopes: list[Json]
        if is_private:
            scopes = [chat, {"type": "all_private_chats"}, DEFAULT]
        else:
            member = {"type": "chat_member", "chat_id": chat_id, "user_id": person_id}
            admins = [{"type": "chat_administrators", "chat_id": chat_id}] if is_admin else []
            all_admins = [{"type": "all_chat_administrators"}] if is_admin else []
            scopes = [member, *admins, chat, *all_admins, {"type": "all_group_chats"}, DEFAULT]
        for scope in scopes:
            for wanted in (language, ""):
                if commands := self.get(scope, wanted):
                    return commands
        return []


def is_ephemeral(text: str, menu: Sequence[Json]) -> bool:
    """Return True if the menu marks this command as ephemeral (Bot API 10.2)."""
    name = text.partition(" ")[0].partition("@")[0]
    return any(name == f"/{entry['command']}" and entry.get("is_ephemeral", False) for entry in menu)


def _key(scope: Json) -> str:
    kind = scope.get("type")
    if not isinstance(kind, str) or kind not in SCOPE_FIELDS:
        raise bad_request("can't parse BotCommandScope: Unsupported type specified")
    try:
        return json.dumps({"type": kind, **{name: int(scope[name]) for name in SCOPE_FIELDS[kind]}})
    except (KeyError, TypeError, ValueError):
        raise bad_request("chat not found") from None


def _checked(command: Json) -> Json:
    name = str(command.get("command", "")).removeprefix("/").lower()
    description = str(command.get("description", ""))
    if not NAME.fullmatch(name):
        raise bad_request("BOT_COMMAND_INVALID")
    if not 1 <= len(description) <= 256:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    is_ephemeral = {"is_ephemeral": True} if command.get("is_ephemeral") is True else {}
    return {"command": name, "description": description, **is_ephemeral}
