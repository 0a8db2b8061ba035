"""Command menus by scope and language, and the menu that a client shows."""

import json
import re
from collections.abc import Sequence

from playground.refusals import Json, make_bad_request_error

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
    """Command lists by scope and language. The language "" applies to everybody without a list in their language."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, str], list[Json]] = {}

    def set_commands(self, scope: Json, language: str, commands: Sequence[Json]) -> None:
        """Set the commands of a scope and language. An empty list removes them, as on Telegram's server."""
        if len(commands) > 100:
            raise make_bad_request_error("BOT_COMMANDS_TOO_MUCH")
        cleaned = [_validate_command(command) for command in commands]
        if cleaned:
            self._lists[_make_scope_key(scope), language] = cleaned
        else:
            self._lists.pop((_make_scope_key(scope), language), None)

    def get_commands(self, scope: Json, language: str) -> list[Json]:
        """Return the commands that were set for exactly this scope and language."""
        return self._lists.get((_make_scope_key(scope), language), [])

    def list_menus(self) -> list[Json]:
        return [
            {"scope": json.loads(scope), "language_code": language, "commands": commands}
            for (scope, language), commands in self._lists.items()
        ]

    def find_visible_commands(
        self, chat_id: int, person_id: int, language: str, is_private: bool, is_admin: bool
    ) -> list[Json]:
        """Return the commands that a person's client shows in a chat: those of the narrowest scope that has any.

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
                if commands := self.get_commands(scope, wanted):
                    return commands
        return []


def is_ephemeral_command(text: str, menu: Sequence[Json]) -> bool:
    """Return True if the text is a command that the menu marks as ephemeral (Bot API 10.2)."""
    name = text.partition(" ")[0].partition("@")[0]
    return any(name == f"/{entry['command']}" and entry.get("is_ephemeral", False) for entry in menu)


def _make_scope_key(scope: Json) -> str:
    kind = scope.get("type")
    if not isinstance(kind, str) or kind not in SCOPE_FIELDS:
        raise make_bad_request_error("can't parse BotCommandScope: Unsupported type specified")
    try:
        return json.dumps({"type": kind, **{name: int(scope[name]) for name in SCOPE_FIELDS[kind]}})
    except (KeyError, TypeError, ValueError):
        raise make_bad_request_error("chat not found") from None


def _validate_command(command: Json) -> Json:
    name = str(command.get("command", "")).removeprefix("/").lower()
    description = str(command.get("description", ""))
    if not NAME.fullmatch(name):
        raise make_bad_request_error("BOT_COMMAND_INVALID")
    if not 1 <= len(description) <= 256:
        raise make_bad_request_error("BOT_COMMAND_DESCRIPTION_INVALID")
    is_ephemeral = {"is_ephemeral": True} if command.get("is_ephemeral") is True else {}
    return {"command": name, "description": description, **is_ephemeral}
