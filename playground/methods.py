"""The table of all Bot API methods, and the implementations of those that send no message.

These concern updates, the webhook, chats, commands and files.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

from playground.files import DOWNLOAD_LIMIT
from playground.menus import DEFAULT
from playground.parameters import Parameters
from playground.people import Chat
from playground.refusals import QUERY_TOO_OLD, WEBHOOK_ACTIVE, Json, make_bad_request_error, make_conflict_error
from playground.sending import SendMethods, find_chat
from playground.server import get_lifetime, run_until_disconnect
from playground.webhook import Webhook, WebhookSender
from playground.world import World

Method = Callable[[Request, Parameters], Awaitable[Any]]

MAX_POLL_SECONDS = 50  # even if the bot asks for more
SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
ADMIN_RIGHTS = (
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_pin_messages",
    "can_manage_topics",
)


class BotApiMethods:
    """All Bot API methods that the playground supports, by name."""

    def __init__(self, world: World, courier: WebhookSender) -> None:
        self._world = world
        self._courier = courier
        sending = SendMethods(world)
        self._table: dict[str, Method] = {
            "getUpdates": self._get_updates,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
        }
        self._table |= {
            name: _drop_request_argument(method)
            for name, method in {
                "getMe": self._get_me,
                "getWebhookInfo": self._get_webhook_info,
                "sendMessage": sending.send_message,
                "sendMessageDraft": sending.send_message_draft,
                "sendRichMessage": sending.send_rich_message,
                "sendRichMessageDraft": sending.send_rich_message_draft,
                "sendDocument": sending.send_document,
                "sendVoice": sending.send_voice,
                "sendChatAction": sending.send_chat_action,
                "editMessageText": sending.edit_message_text,
                "editEphemeralMessageText": sending.edit_ephemeral_message_text,
                "editMessageReplyMarkup": sending.edit_message_reply_markup,
                "deleteMessage": sending.delete_message,
                "setMessageReaction": sending.set_message_reaction,
                "getFile": self._get_file,
                "answerCallbackQuery": self._answer_callback_query,
                "setMyCommands": self._set_my_commands,
                "getMyCommands": self._get_my_commands,
                "deleteMyCommands": self._delete_my_commands,
                "getChat": self._get_chat,
                "getChatMember": self._get_chat_member,
                "getChatAdministrators": self._get_chat_administrators,
                "leaveChat": self._leave_chat,
                "setMySettings": self._set_my_settings,
                "setChatMenuButton": self._set_chat_menu_button,
            }.items()
        }
        self._names = {name.lower(): name for name in self._table}

    def find_method(self, name: str) -> tuple[str, Method] | None:
        """Return the canonical name of a method and the method, or None. As on the real server, ignore case."""
        canonical = self._names.get(name.lower())
        return (canonical, self._table[canonical]) if canonical else None

    # Updates

    async def _get_updates(self, request: Request, parameters: Parameters) -> list[Json]:
        if self._courier.webhook:
            raise make_conflict_error(WEBHOOK_ACTIVE)
        self._world.updates.set_allowed_kinds(parameters.read_texts("allowed_updates"))
        limit = parameters.read_integer("limit", 100) or 100
        poll = self._world.updates.poll(
            offset=parameters.read_integer("offset", 0) or 0,
            limit=min(max(limit, 1), 100),
            timeout=min(max(parameters.read_integer("timeout", 0) or 0, 0), MAX_POLL_SECONDS),
        )
        return await run_until_disconnect(request, poll, [])

    async def _set_webhook(self, request: Request, parameters: Parameters) -> bool:
        url = parameters.read_text("url")
        if not url:
            return await self._delete_webhook(request, parameters)
        try:
            address = urlsplit(url)
        except ValueError:  # such as http://[
            raise make_bad_request_error("bad webhook: invalid URL specified") from None
        if address.scheme != "https" and not (address.scheme == "http" and address.hostname in LOCAL_HOSTS):
            raise make_bad_request_error("bad webhook: An HTTPS URL must be provided for webhook")
        secret = parameters.read_text("secret_token")
        if secret and not SECRET.fullmatch(secret):
            raise make_bad_request_error("secret token contains unallowed characters")
        if parameters.read_flag("drop_pending_updates"):
            self._world.updates.drop_all()
        self._world.updates.set_allowed_kinds(parameters.read_texts("allowed_updates"))
        self._world.updates.interrupt_poll("terminated by setWebhook request")
        connections = parameters.read_integer("max_connections", 40) or 40
        webhook = Webhook(url=url, secret=secret, max_connections=connections)
        self._courier.set_webhook(webhook, get_lifetime(request))
        return True

    async def _delete_webhook(self, request: Request, parameters: Parameters) -> bool:
        if parameters.read_flag("drop_pending_updates"):
            self._world.updates.drop_all()
        self._courier.set_webhook(None, get_lifetime(request))
        return True

    async def _get_webhook_info(self, parameters: Parameters) -> Json:
        return self._courier.make_webhook_info()

    # The bot, files, buttons

    async def _get_me(self, parameters: Parameters) -> Json:
        return {
            **self._world.bot,
            "can_join_groups": True,
            "can_read_all_group_messages": not self._world.privacy_mode,
            "supports_inline_queries": False,
            "can_connect_to_business": False,
            "has_main_web_app": False,
        }

    async def _set_my_settings(self, parameters: Parameters) -> bool:
        if "can_read_all_group_messages" in parameters:
            self._world.privacy_mode = not parameters.read_flag("can_read_all_group_messages")
        return True

    async def _set_chat_menu_button(self, parameters: Parameters) -> bool:
        return True  # the page shows no such button

    async def _get_file(self, parameters: Parameters) -> Json:
        file = self._world.files.find_by_id(parameters.read_text("file_id"))
        if not file:
            raise make_bad_request_error("wrong file_id or the file is temporarily unavailable")
        if len(file.data) > DOWNLOAD_LIMIT:
            raise make_bad_request_error("file is too big")
        return {**file.to_file_json(), "file_path": file.path}

    async def _answer_callback_query(self, parameters: Parameters) -> bool:
        text = parameters.read_text("text")
        if len(text) > 200:
            raise make_bad_request_error("MESSAGE_TOO_LONG")
        query_id = parameters.read_text("callback_query_id")
        if self._world.find_button_presser(query_id) is None:
            raise make_bad_request_error(QUERY_TOO_OLD)
        answer = {"text": text, "show_alert": parameters.read_flag("show_alert")}
        self._world.feed.add({"kind": "callback_answer", "query_id": query_id, **answer})
        return True

    # Command menus

    async def _set_my_commands(self, parameters: Parameters) -> bool:
        return self._set_commands(parameters, parameters.read_objects("commands"))

    async def _delete_my_commands(self, parameters: Parameters) -> bool:
        return self._set_commands(parameters, [])

    async def _get_my_commands(self, parameters: Parameters) -> list[Json]:
        return self._world.menus.get_commands(self._parse_scope(parameters), parameters.read_text("language_code"))

    def _set_commands(self, parameters: Parameters, commands: list[Json]) -> bool:
        self._world.menus.set_commands(self._parse_scope(parameters), parameters.read_text("language_code"), commands)
        self._world.feed.add({"kind": "commands", "commands": self._world.menus.list_menus()})
        return True

    def _parse_scope(self, parameters: Parameters) -> Json:
        scope = parameters.read_object("scope") or DEFAULT
        if "chat_id" in scope:
            find_chat(self._world, Parameters(scope))
        return scope

    # Chats

    async def _get_chat(self, parameters: Parameters) -> Json:
        chat = find_chat(self._world, parameters)
        gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
        return {
            **chat.to_chat_json(),
            "accent_color_id": 0,
            "max_reaction_count": 11,
            "accepted_gift_types": dict.fromkeys(gifts, False),
        }

    async def _get_chat_member(self, parameters: Parameters) -> Json:
        chat = find_chat(self._world, parameters)
        user_id = parameters.read_integer("user_id", 0)
        if user_id == self._world.bot["id"]:
            return {"status": "member", "user": self._world.bot}
        if user_id not in self._world.people:
            raise make_bad_request_error("user not found")
        return self._make_chat_member(chat, user_id)

    async def _get_chat_administrators(self, parameters: Parameters) -> list[Json]:
        chat = find_chat(self._world, parameters)
        if chat.is_private:
            raise make_bad_request_error("there are no administrators in the private chat")
        return [self._make_chat_member(chat, person_id) for person_id in chat.admins]

    def _make_chat_member(self, chat: Chat, person_id: int) -> Json:
        member: Json = {"user": self._world.people[person_id].to_user_json()}
        if person_id not in chat.members:
            return {"status": "left", **member}
        if person_id not in chat.admins:
            return {"status": "member", **member}
        if person_id == chat.admins[0]:
            return {"status": "creator", "is_anonymous": False, **member}
        rights = dict.fromkeys(ADMIN_RIGHTS, True)
        return {"status": "administrator", "can_be_edited": False, "is_anonymous": False, **rights, **member}

    async def _leave_chat(self, parameters: Parameters) -> bool:
        chat = find_chat(self._world, parameters)
        if chat.is_private:
            raise make_bad_request_error("chat not found")
        self._world.remove_bot(chat.id)
        return True


def _drop_request_argument(method: Callable[[Parameters], Awaitable[Any]]) -> Method:
    async def call(request: Request, parameters: Parameters) -> Any:
        return await method(parameters)

    return call
