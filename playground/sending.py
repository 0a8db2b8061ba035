"""The Bot API methods that show something: send, draft, edit, delete, documents, reactions, chat actions.

They check what the real server checks, in its order and with its words.
"""

from playground.files import make_attachment
from playground.markup import parse_markup
from playground.parameters import Parameters
from playground.people import Chat
from playground.reactions import make_sent_message
from playground.refusals import NOT_MODIFIED, QUERY_TOO_OLD, Json, bad_request, forbidden, upgraded
from playground.text import CAPTION_LIMIT, ENTITY_LIMIT, MAX_MESSAGE_CHARS, TEXT_LIMIT, count_utf16_units, format_text
from playground.world import World

RICH_LIMIT = 32_768  # characters
EPHEMERAL_REPLY = 15  # seconds within which a bot that is no administrator may answer an ephemeral command
DELETABLE = 48 * 60 * 60  # seconds after which a message cannot be deleted
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
"""Some of the emoji that the real server takes (Bot API, ReactionTypeEmoji)."""
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
    """Return the chat that chat_id names. Refuse a chat that the bot does not know."""
    name = parameters.text("chat_id")
    if not name:
        raise bad_request("chat_id is empty")
    try:
        chat = world.chats.get(int(name))
    except ValueError:
        chat = None
    if chat is None:
        raise bad_request("chat not found")
    if chat.upgraded_to is not None:
        raise upgraded(chat.upgraded_to)
    if not chat.has_bot:
        raise forbidden(f"bot is not a member of the {chat.type} chat")
    return chat


def open_chat(world: World, parameters: Parameters) -> Chat:
    """Return the chat that chat_id names. Refuse a chat where the bot may not write."""
    chat = find_chat(world, parameters)
    if not chat.is_private:
        return chat
    if world.has_blocked(chat.id):
        raise forbidden("bot was blocked by the user")
    if not world.has_started(chat.id):
        if any(chat.id in other.members for other in world.chats.values() if not other.is_private):
            raise forbidden("bot can't initiate conversation with a user")
        raise bad_request("chat not found")
    return chat


class Sending:
    """The methods that show something. Each takes parameters and returns the result."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def send_message(self, parameters: Parameters) -> Json:
        chat = open_chat(self._world, parameters)
        content = _text(parameters) | _parse_keyboard(parameters)
        return self._post(chat, parameters, content)

    async def send_document(self, parameters: Parameters) -> Json:
        if (upload := parameters.upload("document")) and not upload.data:
            raise bad_request("file must be non-empty")
        return self._post_file("document", parameters)

    async def send_voice(self, parameters: Parameters) -> Json:
        return self._post_file("voice", parameters)

    async def send_photo(self, parameters: Parameters) -> Json:
        return self._post_file("photo", parameters)

    def _post_file(self, kind: str, parameters: Parameters) -> Json:
        """Send an uploaded file, or one by its id."""
        chat = open_chat(self._world, parameters)
        upload = parameters.upload(kind)
        if upload and upload.data:
            file = self._world.files.add(kind, upload.name, upload.data)
        elif (known := self._world.files.by_id(parameters.text(kind))) is not None:
            file = known
        else:
            raise bad_request(f"there is no {kind} in the request")
        text, given = _make_text_fields(parameters, parameters.text("caption"), "caption_entities")
        if count_utf16_units(text) > CAPTION_LIMIT:
            raise bad_request("message caption is too long")
        content = make_attachment(kind, file)
        if text:
            content |= {"caption": text} | ({"caption_entities": given} if given else {})
        return self._post(chat, parameters, content | _parse_keyboard(parameters))

    async def send_message_draft(self, parameters: Parameters) -> bool:
        text, entities = _make_text_fields(parameters, parameters.text("text"), "entities")
        if count_utf16_units(text) > TEXT_LIMIT:
            raise bad_request("message is too long")
        return self._draft(parameters, {"text": text, "entities": entities})

    async def send_rich_message(self, parameters: Parameters) -> Json:
        chat = open_chat(self._world, parameters)
        return self._post(chat, parameters, _make_rich_content(parameters) | _parse_keyboard(parameters))

    async def send_rich_message_draft(self, parameters: Parameters) -> bool:
        return self._draft(parameters, _make_rich_content(parameters))

    def _draft(self, parameters: Parameters, content: Json) -> bool:
        chat = open_chat(self._world, parameters)
        if not chat.is_private:
            raise bad_request("TEXTDRAFT_PEER_INVALID")
        draft_id = parameters.integer("draft_id", 0)
        if not draft_id:
            raise bad_request("draft_id must be non-zero")
        draft: Json = {"draft_id": draft_id, **content}
        if parameters.flag("can_stop"):
            draft["can_stop"] = True
        if (thread_id := self._thread(chat, parameters)) is not None:
            draft["message_thread_id"] = thread_id
        self._world.draft(chat.id, draft)
        return True

    async def edit_message_text(self, parameters: Parameters) -> Json:
        message = self._editable(parameters)
        content = _text(parameters) | _parse_keyboard(parameters)
        if "text" not in message:
            raise bad_request("there is no text in the message to edit")
        return self._replace(message, content, ("text", "entities", "reply_markup"), "edit")

    async def edit_ephemeral_message_text(self, parameters: Parameters) -> bool:
        chat = open_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(-(parameters.integer("ephemeral_message_id") or 0))
        receiver = message.get("receiver_user", {}).get("id") if message else None
        if message is None or receiver != parameters.integer("receiver_user_id"):
            raise bad_request("message to edit not found")
        content = _text(parameters) | _parse_keyboard(parameters)
        self._replace(message, content, ("text", "entities", "reply_markup"), "edit")
        return True

    async def edit_message_reply_markup(self, parameters: Parameters) -> Json:
        message = self._editable(parameters)
        return self._replace(message, _parse_keyboard(parameters), ("reply_markup",), "markup")

    async def delete_message(self, parameters: Parameters) -> bool:
        chat = find_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(parameters.integer("message_id", 0) or 0)
        if not message:
            raise bad_request("message to delete not found")
        is_own = message["from"]["id"] == self._world.bot["id"]
        is_old = self._world.clock() - message["date"] > DELETABLE
        if is_old or not (is_own or chat.is_private):
            raise bad_request("message can't be deleted for everyone" if is_old else "message can't be deleted")
        self._world.remove(chat.id, message["message_id"])
        return True

    async def set_message_reaction(self, parameters: Parameters) -> bool:
        chat = open_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(parameters.integer("message_id", 0) or 0)
        if not message:
            raise bad_request("message to react not found")
        emoji = [str(reaction.get("emoji", "")) for reaction in parameters.objects("reaction")]
        if len(emoji) > 1:
            raise bad_request("REACTIONS_TOO_MANY")
        if any(symbol not in REACTIONS for symbol in emoji):
            raise bad_request("REACTION_INVALID")
        self._world.set_reaction(message, self._world.bot["id"], emoji)
        return True

    async def send_chat_action(self, parameters: Parameters) -> bool:
        chat = open_chat(self._world, parameters)
        action = parameters.text("action")
        if action not in ACTIONS:
            raise bad_request("wrong parameter action in request")
        happened: Json = {"kind": "action", "chat_id": chat.id, "action": action}
        if (thread_id := self._thread(chat, parameters)) is not None:
            happened["message_thread_id"] = thread_id
        self._world.feed.add(happened)
        return True

    def _post(self, chat: Chat, parameters: Parameters, content: Json) -> Json:
        thread_id = self._thread(chat, parameters)
        reply_to = self._replied(chat, parameters)
        receiver = self._receiver(chat, parameters)
        message = self._world.post(
            chat.id, self._world.bot, content, thread_id=thread_id, reply_to=reply_to, receiver=receiver
        )
        if (parameters.object("reply_markup") or {}).get("force_reply"):
            # Not part of the message: it makes the person's client open a reply to it.
            self._world.feed.add({"kind": "ask", "chat_id": chat.id, "message_id": message["message_id"]})
        return make_sent_message(message)

    def _receiver(self, chat: Chat, parameters: Parameters) -> Json | None:
        """Return the only user who sees the message, or None for a message that everybody sees."""
        given = parameters.object("ephemeral_message_parameters")
        if given is None:
            return None
        user_id, query = Parameters(given).integer("receiver_user_id", 0), Parameters(given).text("callback_query_id")
        if query and self._world.presser(query) != user_id:
            raise bad_request(QUERY_TOO_OLD)
        is_asked = bool(query) or self._is_reply_in_time(chat, parameters, user_id)
        if chat.is_private or not (is_asked or self._world.bot["id"] in chat.admins):
            raise bad_request("BOT_NOT_ADMIN")
        if user_id not in chat.members:
            raise bad_request("user not found")
        return self._world.people[user_id].user()

    def _is_reply_in_time(self, chat: Chat, parameters: Parameters, user_id: int | None) -> bool:
        """Return True if the message answers a recent ephemeral message of the user."""
        reply = Parameters(parameters.object("reply_parameters") or {})
        asked = self._world.messages[chat.id].get(-(reply.integer("ephemeral_message_id") or 0))
        if asked is None or asked["from"]["id"] != user_id:
            return False
        return bool(self._world.clock() - asked["date"] <= EPHEMERAL_REPLY)

    def _thread(self, chat: Chat, parameters: Parameters) -> int | None:
        thread_id = parameters.integer("message_thread_id")
        if not thread_id:
            return None
        if thread_id not in chat.topics:
            raise bad_request("message thread not found")
        return thread_id

    def _replied(self, chat: Chat, parameters: Parameters) -> int | None:
        reply = parameters.object("reply_parameters") or {}
        reply_to = Parameters(reply).integer("message_id") or parameters.integer("reply_to_message_id")
        if reply_to is None or reply_to in self._world.messages[chat.id]:
            return reply_to
        if reply.get("allow_sending_without_reply") or parameters.flag("allow_sending_without_reply"):
            return None
        raise bad_request("message to be replied not found")

    def _editable(self, parameters: Parameters) -> Json:
        chat = open_chat(self._world, parameters)
        message = self._world.messages[chat.id].get(parameters.integer("message_id", 0) or 0)
        if not message:
            raise bad_request("message to edit not found")
        if message["from"]["id"] != self._world.bot["id"]:
            raise bad_request("message can't be edited")
        return message

    def _replace(self, message: Json, content: Json, fields: tuple[str, ...], kind: str) -> Json:
        """Return the message with new content. An edit without buttons removes them."""
        if {name: message[name] for name in fields if name in message} == content:
            raise bad_request(NOT_MODIFIED)
        kept = {name: value for name, value in message.items() if name not in fields}
        # Other buttons alone are no edit that people are told of, nor the bot.
        dated = {} if kind == "markup" else {"edit_date": int(self._world.clock())}
        return self._world.change(message["chat"]["id"], kept | content | dated, kind=kind)


def _make_text_fields(parameters: Parameters, text: str, field: str) -> tuple[str, list[Json]]:
    """Return text and entities as stored. As on the real server, explicit entities win over parse_mode."""
    if len(text) > MAX_MESSAGE_CHARS:
        raise bad_request("message is too long")
    given = parameters.objects(field)
    if len(given) > 10 * ENTITY_LIMIT:
        raise bad_request("can't parse entities: too many of them")
    if not given:
        text, given = parse_markup(text, parameters.text("parse_mode"))
    return format_text(text, given)


def _make_rich_content(parameters: Parameters) -> Json:
    """Return the content of a rich message, with its Markdown as one paragraph."""
    given = parameters.object("rich_message") or {}
    written = Parameters(given).text("markdown") or Parameters(given).text("html")
    if not written.strip():
        raise bad_request("message text is empty")
    if len(written) > RICH_LIMIT:
        raise bad_request("message is too long")
    return {"rich_message": {"blocks": [{"type": "paragraph", "text": written}]}}


def _text(parameters: Parameters) -> Json:
    written = parameters.text("text")
    if not written:
        raise bad_request("message text is empty")
    text, entities = _make_text_fields(parameters, written, "entities")
    if not text:
        raise bad_request("text must be non-empty")
    if count_utf16_units(text) > TEXT_LIMIT:
        raise bad_request("message is too long")
    return {"text": text, "entities": entities} if entities else {"text": text}


def _parse_keyboard(parameters: Parameters) -> Json:
    """Parse a message's inline keyboard. Ignore other keyboards, which belong to the client."""
    markup = parameters.object("reply_markup") or {}
    rows = markup.get("inline_keyboard") or []
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays')
    for button in (button for row in rows for button in row):
        if not isinstance(button, dict):
            raise bad_request("can't parse inline keyboard button: Inline keyboard button must be an Object")
        if not isinstance(button.get("text"), str) or not button["text"]:
            raise bad_request('can\'t parse inline keyboard button: Field "text" must be of type String')
        if not any(action in button for action in BUTTON_ACTIONS):
            raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
        if button.get("style", "danger") not in BUTTON_STYLES:
            raise bad_request("can't parse inline keyboard button: Invalid button style specified")
        if "callback_data" in button and not 1 <= len(str(button["callback_data"]).encode()) <= 64:
            raise bad_request("BUTTON_DATA_INVALID")
    rows = [row for row in rows if row]
    return {"reply_markup": {"inline_keyboard": rows}} if rows else {}
