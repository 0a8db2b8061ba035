"""Parse Telegram's updates into the bot's own types."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

import telegram

from records.messages import Origin
from records.owners import Mode
from records.scopes import MAX_TELEGRAM_ID, Person, Scope
from records.turns import ReplyTarget
from telegram_ui.commands.buttons import is_button_of_anonymous_admin
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat, SoleViewer
from telegram_ui.sending.formatting import count_utf16_units
from telegram_ui.updates.attached import AttachedFile, find_attachment_kind, find_attachments, format_attachment_kind
from text.characters import collapse_to_single_line, remove_invisible_characters
from text.rich_messages import RichText, read_rich_message

Kind = Literal["text", "command", "press", "wordless", "edited", "dislike", "stopped"]

ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "message_reaction", "stopped_message_generation")

NEVER = datetime.fromtimestamp(0, UTC)
COMMAND = re.compile(r"/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]{1,64}))?(?:\s+(.*))?\s*", re.DOTALL)
MENTION = re.compile(r"(?<![\w@])(@[A-Za-z0-9_]{1,64})")
COMMAS = ",，、،"
# The punctuation between the bot's name and the rest of the message.
AFTER_NAME = re.compile(r"[!?.…！？。؟]*(?:\s+[–—-](?=\s))?[\s,:;，、：；،؛]*")
CHAT_TYPES = ("private", "group", "supergroup")
MAX_REPLIED_CHARS = 2_000  # characters of a replied-to message that reach the model
NO_WORDS = "[The sender removed the words of this message]"  # the text after an edit that leaves only a mention


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedUpdate:
    """An update, parsed into the bot's own types."""

    kind: Kind
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
    argument: str = ""
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
    def sender_key(self) -> tuple[Scope, int]:
        return self.chat_scope, self.person.id

    @property
    def source(self) -> str:
        return f"{self.bot_id}:{self.first_update_id or self.update_id}"


def parse_update(update: telegram.Update, bot: telegram.User) -> ParsedUpdate | None:
    """Parse an update. Return None if it is a service message, or from a channel or another bot."""
    if update.callback_query:
        parsed = _parse_press(update, update.callback_query, bot)
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


def find_supergroup_upgrade(update: telegram.Update) -> tuple[int, int] | None:
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
    attachment, files, unread = find_attachments(message, content)
    if not content.text and not attachment:
        return None
    is_private = message.chat.type == "private"
    words, is_mentioned = content.text.strip(), False
    if not is_private:
        words, is_mentioned = _remove_mentions(message, content.text, bot)
    is_of_others = message.forward_origin is not None or message.via_bot is not None
    command = None if is_of_others else COMMAND.fullmatch(words)
    named = (command[2] or "").casefold() if command else ""
    us = (bot.username or "").casefold()
    text = _describe_message(message, words, files, unread)
    kind: Kind = "wordless"
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
        argument=remove_invisible_characters(command[3] or "").strip() if command else "",
        target=bool(command) and named == us,
        attachment=attachment,
        files=files,
        unread=unread,
        is_wordless=not words,
        album=message.media_group_id or "",
        origin="forwarded" if is_of_others else "",
        replied=_parse_replied_message(message, bot),
        replied_picture=_find_replied_picture(message),
        is_whole=kind == "text" or (kind == "command" and not _is_reply(message)),
    )


def _remove_mentions(message: telegram.Message, text: str, bot: telegram.User) -> tuple[str, bool]:
    if message.text or message.caption:
        segments = _split_at_mentions(text, message.entities or message.caption_entities, bot)
    else:  # a formatted message or a checklist has lost its entities
        parts = MENTION.split(text)  # every second one is a name
        ours = [at for at in range(1, len(parts), 2) if parts[at].casefold() == f"@{bot.username}".casefold()]
        begins, ends = [0, *(at + 1 for at in ours)], [*ours, len(parts)]
        segments = ["".join(parts[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    words, has_any = _join_segments(segments).strip(), len(segments) > 1
    called = None if has_any else _remove_bot_name(words, bot.first_name)
    return (words, has_any) if called is None else (called, True)


def _split_at_mentions(text: str, entities: Sequence[telegram.MessageEntity], bot: telegram.User) -> list[str]:
    units = text.encode("utf-16-le", "surrogatepass")
    segments, since = list[bytes](), 0
    for entity in entities:
        begin, end = entity.offset * 2, (entity.offset + entity.length) * 2
        if since <= begin and _is_mention_of(entity, units, bot):
            segments.append(units[since:begin])
            since = end
    segments.append(units[since:])
    return [segment.decode("utf-16-le", "surrogatepass") for segment in segments]


def _remove_bot_name(words: str, name: str) -> str | None:
    """Remove the bot's name from the beginning or end of `words`. Return None if the name is at neither end."""
    name = name.strip()
    if len(name) < 3:  # a shorter name may be any word
        return None
    begin, end = words[: len(name)], words[len(name) :]
    if begin.casefold() == name.casefold() and not (end[:1].isalnum() or end.startswith(("_", "'", "’", "@", "-"))):
        return AFTER_NAME.sub("", end, count=1)
    said = words.rstrip(" ?!.？！。؟")
    before = said[: -len(name)].rstrip()
    if said[len(before) :].strip().casefold() == name.casefold() and before and before[-1] in COMMAS:
        return before[:-1].rstrip() + words[len(said) :].strip()
    return None


def _join_segments(segments: Sequence[str]) -> str:
    """Join the text around mentions, so that "Hi @bot, how" becomes "Hi, how" and "Why, @bot?" becomes "Why?"."""
    made = [segments[0]]
    for after in segments[1:]:
        before, rest = made[-1].rstrip(" "), after.lstrip(" ")
        if len(made) == 1 and not before.strip(" ,"):
            made = [AFTER_NAME.sub("", after, count=1)]
        elif not rest or rest[0] in ",.;:!?，。；：！？、،؛؟":
            # The comma belonged to the mention.
            made[-1:] = [part for part in (before.rstrip(COMMAS).rstrip(), rest) if part] or [""]
        else:
            made[-1:] = [before, after]
    return "".join(made)


def _is_mention_of(entity: telegram.MessageEntity, utf16_bytes: bytes, bot: telegram.User) -> bool:
    if entity.type == telegram.MessageEntity.TEXT_MENTION:
        return entity.user is not None and entity.user.id == bot.id
    # Compare the length first, so that many wrong entities cost little.
    if entity.type != telegram.MessageEntity.MENTION or not bot.username or entity.length != len(bot.username) + 1:
        return False
    name = utf16_bytes[entity.offset * 2 : (entity.offset + entity.length) * 2].decode("utf-16-le", "surrogatepass")
    return name.casefold() == f"@{bot.username}".casefold()


def _read_rich_text(message: telegram.Message | telegram.ExternalReplyInfo) -> RichText:
    if isinstance(message, telegram.Message) and (words := message.text or message.caption):
        return RichText(text=words)
    if message.checklist is not None:
        return RichText(text=format_checklist(message.checklist))
    return read_rich_message(message.api_kwargs.get("rich_message"))


def format_checklist(checklist: telegram.Checklist) -> str:
    """Return the title and tasks of a checklist as Markdown."""
    # An open task may carry the date 0 of Unix time.
    done = [task.completed_by_user or (task.completion_date or NEVER) > NEVER for task in checklist.tasks]
    tasks = (f"- [{'x' if is_done else ' '}] {task.text}" for task, is_done in zip(checklist.tasks, done, strict=True))
    return "\n".join([checklist.title, *tasks])


def _parse_press(update: telegram.Update, query: telegram.CallbackQuery, bot: telegram.User) -> ParsedUpdate | None:
    message = query.message
    if message is None:  # an inline message, which the bot never sends
        return None
    shown = message if isinstance(message, telegram.Message) else None
    person = query.from_user
    return ParsedUpdate(
        kind="press",
        update_id=update.update_id,
        bot_id=bot.id,
        chat=Chat(
            id=message.chat.id,
            thread=_find_thread_id(shown) if shown else 0,
            is_private=message.chat.type == "private",
            only_for=_parse_sole_viewer(message, person, query.id),
        ),
        person=_parse_person(person),
        addressed=True,
        sent_at=NEVER if shown is None else shown.date.astimezone(UTC),
        telegram_id=message.message_id,
        is_button_of_anonymous_admin=message.chat.type != "private" and is_button_of_anonymous_admin(query.data or ""),
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
    message: telegram.MaybeInaccessibleMessage, person: telegram.User, query: str = ""
) -> SoleViewer | None:
    ephemeral = message.api_kwargs.get("ephemeral_message_id")
    return SoleViewer(receiver=person.id, query=query, message_id=ephemeral) if isinstance(ephemeral, int) else None


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


def _parse_replied_message(message: telegram.Message, bot: telegram.User) -> ReplyTarget | None:
    earlier = message.external_reply or (message.reply_to_message if _is_reply(message) else None)
    if earlier is None:
        return None
    text = (message.quote.text if message.quote else _read_rich_text(earlier).text)[:MAX_REPLIED_CHARS]
    if not text.strip():
        return None
    if isinstance(earlier, telegram.ExternalReplyInfo):
        return ReplyTarget(text=text, speaker=_format_origin(earlier.origin))
    is_bot = earlier.from_user is not None and earlier.from_user.id == bot.id
    return ReplyTarget(telegram_id=earlier.message_id, text=text, speaker="" if is_bot else _find_speaker_name(earlier))


def _find_replied_picture(message: telegram.Message) -> AttachedFile | None:
    earlier = message.reply_to_message
    if earlier is None or find_attachment_kind(message):
        return None
    _, files, _ = find_attachments(earlier, _read_rich_text(earlier))
    return next((file for file in files if file.kind == "picture"), None)


def _describe_message(
    message: telegram.Message, text: str, files: Sequence[AttachedFile], unread: Sequence[str]
) -> str:
    if not text and not files:
        return ""
    along = [f"[Sent with {file.label}]" if text else f"[Sent {file.label}]" for file in files]
    along += [f"[Sent with {format_attachment_kind(kind)}, which was not read]" for kind in unread]
    origin = f"[Forwarded from {_format_origin(message.forward_origin)}]" if message.forward_origin else ""
    if not origin and message.via_bot is not None:
        origin = f"[Written by the bot {_clean_name(message.via_bot.first_name)}]"
    return "\n".join(part for part in (origin, text, *dict.fromkeys(along)) if part)


def _format_origin(origin: telegram.MessageOrigin) -> str:
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
