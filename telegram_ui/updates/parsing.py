"""Parse raw updates with python-telegram-bot, within limits, and convert them to the bot's own types."""

import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

import telegram
from telegram.error import TelegramError

from records.messages import Origin
from records.owners import Mode
from records.scopes import MAX_TELEGRAM_ID, Person, Scope
from records.turns import ReplyTarget
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat, SoleViewer
from telegram_ui.sending.formatting import count_utf16_units
from telegram_ui.updates.attached import (
    AttachedFile,
    find_attachment_kind,
    find_kind_files_and_unread_kinds,
    format_attachment_kind,
)
from telegram_ui.updates.blocks import mark_code_and_quotations
from telegram_ui.updates.mentions import remove_and_detect_bot_mentions
from text.characters import collapse_to_single_line, remove_invisible_characters
from text.rich_messages import RichText, parse_rich_message

logger = logging.getLogger(__name__)

UpdateKind = Literal["text", "command", "press", "wordless", "edited", "dislike", "stopped"]

ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "message_reaction", "stopped_message_generation")

NEVER = datetime.fromtimestamp(0, UTC)
COMMAND = re.compile(r"/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]{1,64}))?(?:\s+(.*))?\s*", re.DOTALL)
CHAT_TYPES = ("private", "group", "supergroup")
# A message and the one that it replies to have at most 100 entities each (Bot API, MessageEntity).
MAX_PARTS = 5_000  # objects and lists in one update. python-telegram-bot parses 10,000 in 100 ms.
MAX_DEPTH = 50  # nesting levels of objects and lists. Parsing 300 takes a tenth of a second.
# python-telegram-bot does not parse formatted messages. Each of 32,768 characters may have styles of its own.
MAX_RICH_PARTS = 400_000  # objects and lists in formatted messages
MAX_RICH_DEPTH = 400  # their nesting levels. Each of Telegram's 16 levels of blocks takes four, and each style two.
MAX_REPLIED_CHARS = 2_000  # characters of a replied-to message that reach the model
NO_WORDS = "[The sender removed the words of this message]"  # the text after an edit that leaves only a mention


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedUpdate:
    """An update, parsed into the bot's own types."""

    kind: UpdateKind
    update_id: int
    bot_id: int
    chat: Chat
    person: Person
    addressed: bool  # True in private, and in a group for commands, presses, mentions of the bot and replies to it
    sent_at: datetime
    telegram_id: int | None = None
    text: str = ""
    units: int = 0  # length of the sent text in UTF-16 units
    command: str = ""
    argument: str = ""  # the words after a command, or an answer to a question of the bot as it was sent
    target: bool = False  # True if a command names this bot
    attachment: str = ""  # its kind, such as "photo"
    files: tuple[AttachedFile, ...] = ()  # the attached files that can be read
    unread: tuple[str, ...] = ()  # the kinds of the other attached files
    is_wordless: bool = False  # True if `text` only names the files
    album: str = ""
    origin: Origin = ""
    mode: Mode | None = None  # the memory mode when it was sent, None if unknown
    replied: ReplyTarget | None = None
    replied_picture: AttachedFile | None = None
    is_whole: bool = False  # True if it can be repeated without the message that it replies to
    first_update_id: int = 0  # the id of the update that this one repeats
    draft_id: int = 0
    is_button_of_anonymous_admin: bool = False  # True for a press on an anonymous admin's button

    @property
    def scope(self) -> Scope:
        return self.chat.scope

    @property
    def chat_scope(self) -> Scope:
        return self.chat.chat_scope

    @property
    def button_owner(self) -> Person:
        """The person who pressed a button, or the anonymous admin for whom it was pressed."""
        return replace(self.person, id=ANONYMOUS_ADMIN) if self.is_button_of_anonymous_admin else self.person

    @property
    def sender_key(self) -> tuple[Scope, int]:
        return self.chat_scope, self.person.id

    @property
    def message_source(self) -> str:
        return f"{self.bot_id}:{self.first_update_id or self.update_id}"


def parse_raw_update(raw: dict[str, Any], bot: telegram.Bot) -> telegram.Update:
    """Parse an update, leaving out the unreadable fields of its message.

    If nothing can be read, return an update with only its id, which blocks no others. Raise TelegramError without it.
    """
    reason, rich_messages = "too many parts", list[Any]()
    is_bounded = _fits_limits(raw, MAX_PARTS, MAX_DEPTH, rich_messages)
    if is_bounded and _fits_limits(rich_messages, MAX_RICH_PARTS, MAX_RICH_DEPTH):
        try:
            return telegram.Update.de_json(raw, bot)
        except Exception as error:  # broad: the library may raise anything
            reason = type(error).__name__
        with suppress(Exception):
            return telegram.Update.de_json(_remove_unreadable_fields(raw, bot), bot)
    number = raw.get("update_id")
    logger.error("Update %s is unreadable (%s); ignored.", number, reason)
    if not isinstance(number, int):
        raise TelegramError("Invalid server response")
    return telegram.Update.de_json({"update_id": number}, bot)


def parse_update(update: telegram.Update, bot: telegram.User) -> ParsedUpdate | None:
    """Parse an update. Return None if it is a service message, or from a channel or another bot."""
    if update.callback_query:
        parsed = _parse_button_press(update, update.callback_query, bot)
    elif update.message_reaction:
        parsed = _parse_dislike(update, update.message_reaction, bot)
    elif "stopped_message_generation" in update.api_kwargs:
        parsed = _parse_stop_request(update, update.api_kwargs["stopped_message_generation"], bot)
    else:
        parsed = _parse_message(update, bot)
    if parsed is None:
        return None
    ids = (parsed.update_id, parsed.chat.id, parsed.chat.thread, parsed.person.id, parsed.telegram_id or 0)
    # python-telegram-bot takes numbers of any length. No store could hold a longer one.
    return parsed if max(map(abs, ids)) < MAX_TELEGRAM_ID else None


def find_old_and_new_group_id(update: telegram.Update) -> tuple[int, int] | None:
    """Return the old and new id of a group that became a supergroup, or None for any other update."""
    message = update.message
    if message is None:
        return None
    ids: tuple[object, object] = (message.chat.id, message.migrate_to_chat_id)
    if message.migrate_from_chat_id:  # Telegram announces it in both chats
        ids = (message.migrate_from_chat_id, message.chat.id)
    match ids:
        # python-telegram-bot takes fields of any type. A group's id is negative.
        case (int(old), int(new)) if -MAX_TELEGRAM_ID < old < 0 and -MAX_TELEGRAM_ID < new < 0:
            return old, new
    return None


def _parse_message(update: telegram.Update, bot: telegram.User) -> ParsedUpdate | None:
    message = update.message or update.edited_message
    sender = message.from_user if message is not None else None
    if message is None or sender is None or message.is_automatic_forward or message.chat.type not in CHAT_TYPES:
        return None
    is_anonymous = message.sender_chat is not None and message.sender_chat.id == message.chat.id
    if sender.is_bot and not is_anonymous:
        return None
    content = _read_rich_text(message)
    attachment, files, unread = find_kind_files_and_unread_kinds(message, content)
    if not content.text and not attachment:
        return None
    is_private = message.chat.type == "private"
    entities = (message.entities or message.caption_entities) if message.text or message.caption else None
    marked, marked_entities = mark_code_and_quotations(content.text, entities or ())
    words, is_mentioned = content.text.strip(), False
    if not is_private:
        words, is_mentioned = remove_and_detect_bot_mentions(content.text, entities, bot)
        marked, _ = remove_and_detect_bot_mentions(marked, entities and marked_entities, bot)
    is_of_others = message.forward_origin is not None or message.via_bot is not None
    is_same = update.edited_message is not None and message.edit_date is None  # as after the first reaction to it
    command = None if is_of_others or is_same else COMMAND.fullmatch(words)
    named = (command[2] or "").casefold() if command else ""
    us = (bot.username or "").casefold()
    text = _add_message_notes(message, words if command else marked.strip(), files, unread)
    argument = command[3] or "" if command else _add_message_notes(message, words, files, unread)
    kind: UpdateKind = "wordless"
    if update.edited_message:
        kind = "edited"
    elif command:
        kind = "command"
    elif words or files:
        kind = "text"
    return ParsedUpdate(
        kind=kind,
        update_id=update.update_id,
        bot_id=bot.id,
        chat=Chat(
            id=message.chat.id,
            thread=_find_thread_id(message),
            is_private=is_private,
            reply_to=None if is_private else message.message_id,
            # Other messages go into the group's memory, so everybody sees the answer.
            only_for=_parse_sole_viewer(message, sender) if command else None,
        ),
        person=replace(_parse_person(sender), name=_find_speaker_name(message)),
        addressed=_is_addressed_to_bot(message, bot, command, is_mentioned=is_mentioned),
        sent_at=message.date.astimezone(UTC),
        telegram_id=message.message_id or None,  # 0 for an ephemeral message
        text=text,
        units=count_utf16_units(message.text or message.caption or ""),
        command=command[1].lower() if command else "",
        argument=remove_invisible_characters(argument).strip() if command else argument,
        target=bool(command) and named == us,
        attachment=attachment,
        files=files,
        unread=unread,
        is_wordless=not words,
        album=message.media_group_id or "",
        origin="forwarded" if is_of_others else "",
        replied=_parse_reply_target(message, bot),
        replied_picture=_find_picture_replied_to(message),
        is_whole=kind == "text" or (kind == "command" and not _is_reply(message)),
    )


def _read_rich_text(message: telegram.Message | telegram.ExternalReplyInfo) -> RichText:
    if isinstance(message, telegram.Message) and (words := message.text or message.caption):
        return RichText(text=words)
    if message.checklist is not None:
        return RichText(text=format_checklist(message.checklist))
    return parse_rich_message(message.api_kwargs.get("rich_message"))


def format_checklist(checklist: telegram.Checklist) -> str:
    # An open task may carry the date 0 of Unix time.
    done = [task.completed_by_user or (task.completion_date or NEVER) > NEVER for task in checklist.tasks]
    tasks = (f"- [{'x' if is_done else ' '}] {task.text}" for task, is_done in zip(checklist.tasks, done, strict=True))
    return "\n".join([checklist.title, *tasks])


def _parse_button_press(
    update: telegram.Update, query: telegram.CallbackQuery, bot: telegram.User
) -> ParsedUpdate | None:
    message = query.message
    if message is None:  # an inline message, which the bot never sends
        return None
    shown = message if isinstance(message, telegram.Message) else None
    person, is_private = query.from_user, message.chat.type == "private"
    return ParsedUpdate(
        kind="press",
        update_id=update.update_id,
        bot_id=bot.id,
        chat=Chat(
            id=message.chat.id,
            thread=_find_thread_id(shown) if shown else 0,
            is_private=is_private,
            only_for=_parse_sole_viewer(message, person, query.id),
        ),
        person=_parse_person(person),
        addressed=True,
        sent_at=NEVER if shown is None else shown.date.astimezone(UTC),
        telegram_id=message.message_id,
        is_button_of_anonymous_admin=not is_private and (query.data or "").split(":")[1:2] == [str(ANONYMOUS_ADMIN)],
    )


def _parse_dislike(
    update: telegram.Update, reaction: telegram.MessageReactionUpdated, bot: telegram.User
) -> ParsedUpdate | None:
    user, actor, chat = reaction.user, reaction.actor_chat, reaction.chat
    if chat.type not in CHAT_TYPES or not _has_dislike(reaction.new_reaction) or _has_dislike(reaction.old_reaction):
        return None
    if user is not None and not user.is_bot:
        person = _parse_person(user)
    elif actor is not None and actor.id == chat.id:
        person = Person(id=ANONYMOUS_ADMIN, name=_clean_name(actor.title))
    else:
        return None
    return ParsedUpdate(
        kind="dislike",
        update_id=update.update_id,
        bot_id=bot.id,
        chat=Chat(id=chat.id, is_private=chat.type == "private"),  # Telegram does not name the topic
        person=person,
        addressed=True,
        sent_at=reaction.date.astimezone(UTC),
        telegram_id=reaction.message_id,
    )


def _parse_stop_request(update: telegram.Update, raw: object, bot: telegram.User) -> ParsedUpdate | None:
    match raw:  # Bot API 10.3
        case {"chat": {"type": "private", "id": int(chat), **fields}, **rest}:
            thread, draft = rest.get("message_thread_id"), rest.get("draft_id")
            return ParsedUpdate(
                kind="stopped",
                update_id=update.update_id,
                bot_id=bot.id,
                chat=Chat(id=chat, thread=thread if isinstance(thread, int) else 0),
                person=Person(id=chat, name=_clean_name(str(fields.get("first_name", ""))), username=None, language=""),
                addressed=True,
                sent_at=NEVER,
                draft_id=draft if isinstance(draft, int) else 0,
            )
    return None


def _has_dislike(reactions: Sequence[telegram.ReactionType]) -> bool:
    return any(isinstance(reaction, telegram.ReactionTypeEmoji) and reaction.emoji == "👎" for reaction in reactions)


def _parse_person(user: telegram.User) -> Person:
    # python-telegram-bot takes fields of any type.
    language = user.language_code if isinstance(user.language_code, str) else ""
    return Person(id=user.id, name=_clean_name(user.full_name), username=user.username, language=language)


def _parse_sole_viewer(
    message: telegram.MaybeInaccessibleMessage, person: telegram.User, callback_query_id: str = ""
) -> SoleViewer | None:
    ephemeral = message.api_kwargs.get("ephemeral_message_id")
    if not isinstance(ephemeral, int):
        return None
    return SoleViewer(receiver=person.id, query=callback_query_id, message_id=ephemeral)


def _find_thread_id(message: telegram.Message) -> int:
    # People who write to a channel share one chat, and each has a topic.
    if message.direct_messages_topic is not None:
        return -abs(message.direct_messages_topic.topic_id)
    # Replies in ordinary groups carry a thread id too, but it cannot be written to.
    return message.message_thread_id or 0 if message.is_topic_message else 0


def _find_speaker_name(message: telegram.Message) -> str:
    if message.sender_chat is not None:
        return _clean_name(message.author_signature or message.sender_chat.title)
    return _clean_name(message.from_user.full_name if message.from_user else None)


def _clean_name(name: str | None, default: str = "Anonymous") -> str:
    return collapse_to_single_line(name or "") or default


def _is_addressed_to_bot(
    message: telegram.Message, bot: telegram.User, command: re.Match[str] | None, *, is_mentioned: bool
) -> bool:
    if command and command[2]:  # a command that names a bot is for that bot alone, in private as well
        return command[2].casefold() == (bot.username or "").casefold()
    if message.chat.type == "private":
        return True
    earlier = message.reply_to_message if _is_reply(message) else None
    is_reply_to_bot = earlier is not None and earlier.from_user is not None and earlier.from_user.id == bot.id
    return is_mentioned or command is not None or is_reply_to_bot


def _is_reply(message: telegram.Message) -> bool:
    earlier = message.reply_to_message  # may be the service message that opened the topic
    return earlier is not None and earlier.forum_topic_created is None


def _parse_reply_target(message: telegram.Message, bot: telegram.User) -> ReplyTarget | None:
    earlier = message.external_reply or (message.reply_to_message if _is_reply(message) else None)
    if earlier is None:
        return None
    text = (message.quote.text if message.quote else _read_rich_text(earlier).text)[:MAX_REPLIED_CHARS]
    if not text.strip():
        return None
    if isinstance(earlier, telegram.ExternalReplyInfo):
        return ReplyTarget(text=text, speaker=_get_origin_name(earlier.origin))
    is_bot = earlier.from_user is not None and earlier.from_user.id == bot.id
    return ReplyTarget(telegram_id=earlier.message_id, text=text, speaker="" if is_bot else _find_speaker_name(earlier))


def _find_picture_replied_to(message: telegram.Message) -> AttachedFile | None:
    earlier = message.reply_to_message
    if earlier is None or find_attachment_kind(message):
        return None
    _, files, _ = find_kind_files_and_unread_kinds(earlier, _read_rich_text(earlier))
    return next((file for file in files if file.kind == "picture"), None)


def _add_message_notes(
    message: telegram.Message, text: str, files: Sequence[AttachedFile], unread_kinds: Sequence[str]
) -> str:
    if not text and not files:
        return ""
    along = [f"[Sent with {file.label}]" if text else f"[Sent {file.label}]" for file in files]
    along += [f"[Sent with {format_attachment_kind(kind)}, which was not read]" for kind in unread_kinds]
    origin = f"[Forwarded from {_get_origin_name(message.forward_origin)}]" if message.forward_origin else ""
    if not origin and message.via_bot is not None:
        origin = f"[Written by the bot {_clean_name(message.via_bot.first_name)}]"
    return "\n".join(part for part in (origin, text, *dict.fromkeys(along)) if part)


def _get_origin_name(origin: telegram.MessageOrigin) -> str:
    match origin:
        case telegram.MessageOriginUser():
            return _clean_name(origin.sender_user.full_name)
        case telegram.MessageOriginHiddenUser():
            return _clean_name(origin.sender_user_name)
        case telegram.MessageOriginChat():
            return _clean_name(origin.sender_chat.title, "a chat")
        case telegram.MessageOriginChannel():
            return _clean_name(origin.chat.title, "a channel")
    return "elsewhere"


def _remove_unreadable_fields(raw: dict[str, Any], bot: telegram.Bot) -> dict[str, Any]:
    """Return a copy of an update without the fields that cannot be parsed, marked with a field `unreadable`."""
    result = dict(raw)
    for kind in ("message", "edited_message"):
        if isinstance(message := raw.get(kind), dict):
            required = {name: message[name] for name in ("message_id", "date", "chat", "from") if name in message}
            result[kind] = {**required, "unreadable": {}}
            for name, value in message.items():
                with suppress(Exception):
                    telegram.Message.de_json({**required, name: value}, bot)
                    result[kind][name] = value
    return result


def _fits_limits(value: object, max_parts: int, max_depth: int, rich_messages_out: list[Any] | None = None) -> bool:
    """Return True if a value has at most `max_parts` parts and is nested at most `max_depth` levels deep.

    If `rich_messages_out` is given, rich messages are appended to it and their parts are not counted.
    """
    parts, level = 0, list[Any]([value])
    for _ in range(max_depth):
        parts += len(level)
        if not level or parts > max_parts:
            break
        if rich_messages_out is not None:
            dicts = (part for part in level if isinstance(part, dict))
            rich_messages_out += [part["rich_message"] for part in dicts if "rich_message" in part]
        inner = (
            value
            for part in level
            for name, value in (part.items() if isinstance(part, dict) else enumerate(part))
            if rich_messages_out is None or name != "rich_message"
        )
        level = [value for value in inner if isinstance(value, dict | list)]
    return not level and parts <= max_parts
