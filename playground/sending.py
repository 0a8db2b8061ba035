"""The Bot API methods that people see: they send, draft, edit and delete messages, and set reactions and chat actions.

They make the real server's checks, in the same order and with the same error messages.
"""

from playground.files import make_attachment
from playground.markup import parse_markup
from playground.parameters import Parameters
from playground.people import Chat
from playground.reactions import format_message_for_api
from playground.refusals import (
    NOT_MODIFIED,
    QUERY_TOO_OLD,
    Json,
    make_bad_request_error,
    make_forbidden_error,
    make_group_upgraded_error,
)
from playground.text import (
    CAPTION_LIMIT,
    ENTITY_LIMIT,
    MAX_MESSAGE_CHARS,
    TEXT_LIMIT,
    clean_and_detect_entities,
    count_utf16_units,
)
from playground.world import World

RICH_LIMIT = 32_768  # characters
EPHEMERAL_REPLY_SECONDS = 15  # within which a bot that is no administrator may answer an ephemeral command
MAX_DELETION_SECONDS = 48 * 60 * 60  # after which a message can no longer be deleted
ACTIONS = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    }
)
REACTIONS = frozenset("👍👎❤🔥🥰👏😁🤔🤯😱🎉🙏👌🕊💯🤝✍👀🫡🆒😢🤷")
"""Some of the emoji that the real server accepts as reactions (Bot API, ReactionTypeEmoji)."""
BUTTON_STYLES = ("danger", "success", "primary")
BUTTON_ACTIONS = (
    "url",
    "callback_data",
    "web_app",
    "login_url",
    "switch_inline_query",
    "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat",
    "copy_text",
    "callback_game",
    "pay",
)


def find_chat(world: World, parameters: Parameters) -> Chat:
    """Return the chat in the parameter "chat_id". Raise Refusal if the bot is not in it."""
    name = parameters.read_text("chat_id")
    if not name:
        raise make_bad_request_error("chat_id is empty")
    try:
        chat = world.chats.get(int(name))
    except ValueError:
        chat = None
    if chat is None:
        raise make_bad_request_error("chat not found")
    if chat.upgraded_to is not None:
        raise make_group_upgraded_error(chat.upgraded_to)
    if not chat.has_bot:
        raise make_forbidden_error(f"bot is not a member of the {chat.type} chat")
    return chat


def find_writable_chat(world: World, parameters: Parameters) -> Chat:
    """Return the chat in the parameter "chat_id". Raise Refusal if the bot may not write there."""
    chat = find_chat(world, parameters)
    if not chat.is_private:
        return chat
    if world.has_blocked_bot(chat.id):
        raise make_forbidden_error("bot was blocked by the user")
    if not world.has_started_bot(chat.id):
        if any(chat.id in other.members for other in world.chats.values() if not other.is_private):
            raise make_forbidden_error("bot can't initiate conversation with a user")
        raise make_bad_request_error("chat not found")
    return chat


class SendMethods:
    """The Bot API methods that send or change messages. Each takes the request's parameters and returns the result."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def send_message(self, parameters: Parameters) -> Json:
        chat = find_writable_chat(self._world, parameters)
        content = _make_text_content(parameters) | _parse_keyboard(parameters)
        return self._post_message(chat, parameters, content)

    async def send_document(self, parameters: Parameters) -> Json:
        if (upload := parameters.find_upload("document")) and not upload.data:
            raise make_bad_request_error("file must be non-empty")
        return self._post_file("document", parameters)

    async def send_voice(self, parameters: Parameters) -> Json:
        return self._post_file("voice", parameters)

    def _post_file(self, kind: str, parameters: Parameters) -> Json:
        """Send a file that is uploaded in the request, or that was sent before and is named by its id."""
        chat = find_writable_chat(self._world, parameters)
        upload = parameters.find_upload(kind)
        if upload and upload.data:
            file = self._world.files.add(kind, upload.name, upload.data)
        elif (known := self._world.files.find_by_id(parameters.read_text(kind))) is not None:
            file = known
        else:
            raise make_bad_request_error(f"there is no {kind} in the request")
        text, entities = _parse_text_and_entities(parameters, parameters.read_text("caption"), "caption_entities")
        if count_utf16_units(text) > CAPTION_LIMIT:
            raise make_bad_request_error("message caption is too long")
        content = make_attachment(kind, file)
        if text:
            content |= {"caption": text} | ({"caption_entities": entities} if entities else {})
        return self._post_message(chat, parameters, content | _parse_keyboard(parameters))

    async def send_message_draft(self, parameters: Parameters) -> bool:
        text, entities = _parse_text_and_entities(parameters, parameters.read_text("text"), "entities")
        if count_utf16_units(text) > TEXT_LIMIT:
            raise make_bad_request_error("message is too long")
        return self._send_draft(parameters, {"text": text, "entities": entities})

    async def send_rich_message(self, parameters: Parameters) -> Json:
        chat = find_writable_chat(self._world, parameters)
        return self._post_message(chat, parameters, _make_rich_content(parameters) | _parse_keyboard(parameters))

    async def send_rich_message_draft(self, parameters: Parameters) -> bool:
        return self._send_draft(parameters, _make_rich_content(parameters))

    def _send_draft(self, parameters: Parameters, content: Json) -> bool:
        chat = find_writable_chat(self._world, parameters)
        if not chat.is_private:
            raise make_bad_request_error("TEXTDRAFT_PEER_INVALID")
        draft_id = parameters.read_integer("draft_id", 0)
        if not draft_id:
            raise make_bad_request_error("draft_id must be non-zero")
        draft: Json = {"draft_id": draft_id, **content}
        if parameters.read_flag("can_stop"):
            draft["can_stop"] = True
        if (thread_id := self._find_thread_id(chat, parameters)) is not None:
            draft["message_thread_id"] = thread_id
        self._world.show_draft(chat.id, draft)
        return True

    async def edit_message_text(self, parameters: Parameters) -> Json:
        message = self._find_editable_message(parameters)
        content = _make_text_content(parameters) | _parse_keyboard(parameters)
        if "text" not in message:
            raise make_bad_request_error("there is no text in the message to edit")
        return self._edit_message(message, content, ("text", "entities", "reply_markup"), "edit")

    async def edit_ephemeral_message_text(self, parameters: Parameters) -> bool:
        chat = find_writable_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(-(parameters.read_integer("ephemeral_message_id") or 0))
        receiver = message.get("receiver_user", {}).get("id") if message else None
        if message is None or receiver != parameters.read_integer("receiver_user_id"):
            raise make_bad_request_error("message to edit not found")
        content = _make_text_content(parameters) | _parse_keyboard(parameters)
        self._edit_message(message, content, ("text", "entities", "reply_markup"), "edit")
        return True

    async def edit_message_reply_markup(self, parameters: Parameters) -> Json:
        message = self._find_editable_message(parameters)
        return self._edit_message(message, _parse_keyboard(parameters), ("reply_markup",), "markup")

    async def delete_message(self, parameters: Parameters) -> bool:
        chat = find_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(parameters.read_integer("message_id", 0) or 0)
        if not message:
            raise make_bad_request_error("message to delete not found")
        is_own = message["from"]["id"] == self._world.bot["id"]
        is_old = self._world.clock() - message["date"] > MAX_DELETION_SECONDS
        if is_old or not (is_own or chat.is_private):
            raise make_bad_request_error(
                "message can't be deleted for everyone" if is_old else "message can't be deleted"
            )
        self._world.remove_message(chat.id, message["message_id"])
        return True

    async def set_message_reaction(self, parameters: Parameters) -> bool:
        chat = find_writable_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(parameters.read_integer("message_id", 0) or 0)
        if not message:
            raise make_bad_request_error("message to react not found")
        emoji = [str(reaction.get("emoji", "")) for reaction in parameters.read_objects("reaction")]
        if len(emoji) > 1:
            raise make_bad_request_error("REACTIONS_TOO_MANY")
        if any(symbol not in REACTIONS for symbol in emoji):
            raise make_bad_request_error("REACTION_INVALID")
        self._world.set_reaction(message, self._world.bot["id"], emoji)
        return True

    async def send_chat_action(self, parameters: Parameters) -> bool:
        chat = find_writable_chat(self._world, parameters)
        action = parameters.read_text("action")
        if action not in ACTIONS:
            raise make_bad_request_error("wrong parameter action in request")
        happened: Json = {"kind": "action", "chat_id": chat.id, "action": action}
        if (thread_id := self._find_thread_id(chat, parameters)) is not None:
            happened["message_thread_id"] = thread_id
        self._world.feed.add(happened)
        return True

    def _post_message(self, chat: Chat, parameters: Parameters, content: Json) -> Json:
        thread_id = self._find_thread_id(chat, parameters)
        reply_to = self._find_replied_id(chat, parameters)
        receiver = self._find_receiver(chat, parameters)
        message = self._world.post_message(
            chat.id, self._world.bot, content, thread_id=thread_id, reply_to=reply_to, receiver=receiver
        )
        if (parameters.read_object("reply_markup") or {}).get("force_reply"):
            # This is not stored with the message. It makes the person's client open a reply to it.
            self._world.feed.add({"kind": "ask", "chat_id": chat.id, "message_id": message["message_id"]})
        return format_message_for_api(message)

    def _find_receiver(self, chat: Chat, parameters: Parameters) -> Json | None:
        """Return the only user who sees an ephemeral message, or None if everybody in the chat sees the message."""
        ephemeral = parameters.read_object("ephemeral_message_parameters")
        if ephemeral is None:
            return None
        user_id, query = (
            Parameters(ephemeral).read_integer("receiver_user_id", 0),
            Parameters(ephemeral).read_text("callback_query_id"),
        )
        if query and self._world.find_button_presser(query) != user_id:
            raise make_bad_request_error(QUERY_TOO_OLD)
        is_asked = bool(query) or self._is_reply_in_time(chat, parameters, user_id)
        if chat.is_private or not (is_asked or self._world.bot["id"] in chat.admins):
            raise make_bad_request_error("BOT_NOT_ADMIN")
        if user_id not in chat.members:
            raise make_bad_request_error("user not found")
        return self._world.people[user_id].to_user_json()

    def _is_reply_in_time(self, chat: Chat, parameters: Parameters, user_id: int | None) -> bool:
        """Return True if the message replies to an ephemeral message that the user sent a few seconds ago."""
        reply = Parameters(parameters.read_object("reply_parameters") or {})
        asked = self._world.messages[chat.id].get(-(reply.read_integer("ephemeral_message_id") or 0))
        if asked is None or asked["from"]["id"] != user_id:
            return False
        return bool(self._world.clock() - asked["date"] <= EPHEMERAL_REPLY_SECONDS)

    def _find_thread_id(self, chat: Chat, parameters: Parameters) -> int | None:
        thread_id = parameters.read_integer("message_thread_id")
        if not thread_id:
            return None
        if thread_id not in chat.topics:
            raise make_bad_request_error("message thread not found")
        return thread_id

    def _find_replied_id(self, chat: Chat, parameters: Parameters) -> int | None:
        reply = parameters.read_object("reply_parameters") or {}
        reply_to = Parameters(reply).read_integer("message_id") or parameters.read_integer("reply_to_message_id")
        if reply_to is None or reply_to in self._world.messages[chat.id]:
            return reply_to
        if reply.get("allow_sending_without_reply") or parameters.read_flag("allow_sending_without_reply"):
            return None
        raise make_bad_request_error("message to be replied not found")

    def _find_editable_message(self, parameters: Parameters) -> Json:
        chat = find_writable_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(parameters.read_integer("message_id", 0) or 0)
        if not message:
            raise make_bad_request_error("message to edit not found")
        if message["from"]["id"] != self._world.bot["id"]:
            raise make_bad_request_error("message can't be edited")
        return message

    def _edit_message(self, message: Json, content: Json, fields: tuple[str, ...], kind: str) -> Json:
        """Replace `fields` of a message with `content`. Fields that `content` lacks, such as buttons, are removed."""
        if {name: message[name] for name in fields if name in message} == content:
            raise make_bad_request_error(NOT_MODIFIED)
        other_fields = {name: value for name, value in message.items() if name not in fields}
        # If only the buttons change, neither people nor the bot see the message as edited.
        dated = {} if kind == "markup" else {"edit_date": int(self._world.clock())}
        return self._world.replace_message(message["chat"]["id"], other_fields | content | dated, kind=kind)


def _parse_text_and_entities(parameters: Parameters, text: str, entities_field: str) -> tuple[str, list[Json]]:
    """Return the text and entities to store. As on the real server, explicit entities take priority over parse_mode."""
    if len(text) > MAX_MESSAGE_CHARS:
        raise make_bad_request_error("message is too long")
    entities = parameters.read_objects(entities_field)
    if len(entities) > 10 * ENTITY_LIMIT:
        raise make_bad_request_error("can't parse entities: too many of them")
    if not entities:
        text, entities = parse_markup(text, parameters.read_text("parse_mode"))
    return clean_and_detect_entities(text, entities)


def _make_rich_content(parameters: Parameters) -> Json:
    """Return the content of a rich message. Its Markdown or HTML is not parsed and becomes one paragraph."""
    rich_message = parameters.read_object("rich_message") or {}
    written = Parameters(rich_message).read_text("markdown") or Parameters(rich_message).read_text("html")
    if not written.strip():
        raise make_bad_request_error("message text is empty")
    if len(written) > RICH_LIMIT:
        raise make_bad_request_error("message is too long")
    return {"rich_message": {"blocks": [{"type": "paragraph", "text": written}]}}


def _make_text_content(parameters: Parameters) -> Json:
    written = parameters.read_text("text")
    if not written:
        raise make_bad_request_error("message text is empty")
    text, entities = _parse_text_and_entities(parameters, written, "entities")
    if not text:
        raise make_bad_request_error("text must be non-empty")
    if count_utf16_units(text) > TEXT_LIMIT:
        raise make_bad_request_error("message is too long")
    return {"text": text, "entities": entities} if entities else {"text": text}


def _parse_keyboard(parameters: Parameters) -> Json:
    """Return the message fields for an inline keyboard. Other keyboards are ignored, because only clients show them."""
    markup = parameters.read_object("reply_markup") or {}
    rows = markup.get("inline_keyboard") or []
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise make_bad_request_error('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays')
    for button in (button for row in rows for button in row):
        if not isinstance(button, dict):
            raise make_bad_request_error("can't parse inline keyboard button: Inline keyboard button must be an Object")
        if not isinstance(button.get("text"), str) or not button["text"]:
            raise make_bad_request_error('can\'t parse inline keyboard button: Field "text" must be of type String')
        if not any(action in button for action in BUTTON_ACTIONS):
            raise make_bad_request_error(
                "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
            )
        if button.get("style", "danger") not in BUTTON_STYLES:
            raise make_bad_request_error("can't parse inline keyboard button: Invalid button style specified")
        if "callback_data" in button and not 1 <= len(str(button["callback_data"]).encode()) <= 64:
            raise make_bad_request_error("BUTTON_DATA_INVALID")
    rows = [row for row in rows if row]
    return {"reply_markup": {"inline_keyboard": rows}} if rows else {}
