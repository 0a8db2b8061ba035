"""Update → ParsedUpdate → Incoming: the only place that knows what Telegram's updates look like."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

import telegram

from records.messages import Origin
from records.owners import MODES, Mode
from records.scopes import MAX_TELEGRAM_ID, Person, Scope
from records.turns import Incoming, IncomingPiece, Replied
from telegram_ui.commands.buttons import is_for_anonymous
from telegram_ui.sending.chat import Chat, Ephemeral
from telegram_ui.updates.attached import AttachedFile, find_file, find_files, name_attachment, name_kind_in_memory
from telegram_ui.updates.mentions import remove_mentions
from telegram_ui.updates.paste import LIMIT
from text.characters import visible_line
from text.rich_messages import RichWords, read_rich_message

Kind = Literal["text", "command", "press", "wordless", "edited", "dislike", "stopped"]

# What Telegram is asked to send; anything else would be thrown away.
ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "message_reaction", "stopped_message_generation")

NEVER = datetime.fromtimestamp(0, UTC)
DISLIKE = "👎"

COMMAND = re.compile(r"/([A-Za-z0-9_]{1,64})(?:@([A-Za-z0-9_]{1,64}))?(?:\s+(.*))?\s*", re.DOTALL)

MAX_REPLIED_CHARS = 2_000  # the most characters of a replied-to message

NO_WORDS = "[The sender removed the words of this message]"
"""The text of an edited message of which only the mention of the bot, or a picture, is left."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedUpdate:
    """An update in our own values.

    `addressed`: a command that names another bot never is. In private everything else is; in a group what mentions
    the bot or calls it by its name, replies to it, presses its buttons, or is a command. `target`: a command named this
    bot. `units`: the length as sent, in UTF-16 units.
    `mode`: how memory stood when it was said, None where nobody knows.
    `attachment`: what was sent along ("photo"); `files`: the same where it may be read, several inside a formatted
    message; `unread`: the kinds of the others. What is neither words nor such a file is of the kind "wordless".
    `is_wordless`: there are no words; a text then only names the file.
    `replied_picture`: of the message that it replies to. `is_whole`: it says by itself what it asks for, and so can be
    asked for again; a command that replies to another message does not. `first`: the update that asked for it first,
    where this one only does so again. `draft_id`: of the draft that was stopped.
    `is_for_anonymous`: the pressed button was made for an anonymous admin, who presses under their own name.
    """

    kind: Kind
    update_id: int
    bot_id: int
    chat: Chat
    person: Person
    addressed: bool
    sent_at: datetime
    telegram_id: int | None = None
    text: str = ""
    units: int = 0
    command: str = ""
    argument: str = ""
    target: bool = False
    attachment: str = ""
    files: tuple[AttachedFile, ...] = ()
    unread: tuple[str, ...] = ()
    is_wordless: bool = False
    album: str = ""
    origin: Origin = ""
    mode: Mode | None = None
    replied: Replied | None = None
    replied_picture: AttachedFile | None = None
    is_whole: bool = False
    first: int = 0
    draft_id: int = 0
    is_for_anonymous: bool = False

    @property
    def scope(self) -> Scope:
        return self.chat.scope

    @property
    def location(self) -> Scope:
        return self.chat.location

    @property
    def sender(self) -> tuple[Scope, int]:
        """Return the key of a paste: the person and the place."""
        return self.location, self.person.id

    def within(self, scope: Scope) -> "ParsedUpdate":
        """Return the update with this conversation open."""
        chat = self.chat.within(scope)
        return self if chat is self.chat else replace(self, chat=chat)

    @property
    def source(self) -> str:
        return f"{self.bot_id}:{self.first or self.update_id}"


def parse_update(update: telegram.Update, bot: telegram.User) -> ParsedUpdate | None:
    """Parse an update into our own values. None for service messages, channels and other bots."""
    parsed = _parse_kind(update, bot)
    if parsed is None:
        return None
    ids = (parsed.update_id, parsed.chat.id, parsed.chat.thread, parsed.person.id, parsed.telegram_id or 0)
    # PTB takes numbers of any length; no store could hold a longer one.
    return parsed if max(map(abs, ids)) < MAX_TELEGRAM_ID else None


def _parse_kind(update: telegram.Update, bot: telegram.User) -> ParsedUpdate | None:
    if update.callback_query:
        return _press(update, update.callback_query, bot)
    if update.message_reaction:
        return _parse_dislike(update, update.message_reaction, bot)
    if "stopped_message_generation" in update.api_kwargs:
        return _parse_stop(update, update.api_kwargs["stopped_message_generation"], bot)
    message = update.message or update.edited_message
    if message is None or message.from_user is None or message.is_automatic_forward:
        return None
    anonymous = message.sender_chat is not None and message.sender_chat.id == message.chat.id
    if message.from_user.is_bot and not anonymous:
        return None
    return _parse_message(update, message, bot, anonymous=anonymous)


def find_upgrade(update: telegram.Update) -> tuple[int, int] | None:
    """Return the old and new id of a group that became a supergroup, which Telegram says once in each."""
    message = update.message
    if message is None:
        return None
    ids: tuple[object, object] = (message.chat.id, message.migrate_to_chat_id)
    if message.migrate_from_chat_id:
        ids = (message.migrate_from_chat_id, message.chat.id)
    match ids:
        # PTB takes fields of any type. A group's id is negative.
        case (int(old), int(new)) if -MAX_TELEGRAM_ID < old < 0 and -MAX_TELEGRAM_ID < new < 0:
            return old, new
    return None


def make_incoming(pieces: Sequence[ParsedUpdate]) -> Incoming:
    """Build the turn of these texts, usually one, or several of one paste."""
    first = pieces[0]
    return Incoming(
        scope=first.scope,
        person=first.person,
        in_group=not first.chat.is_private,
        replied=first.replied,
        is_wordless=all(piece.is_wordless for piece in pieces),
        mode=min((piece.mode for piece in pieces if piece.mode), key=MODES.index, default=None),
        pieces=tuple(
            IncomingPiece(
                text=piece.text,
                source=piece.source,
                sent_at=piece.sent_at,
                telegram_id=piece.telegram_id,
                # A client that splits at a gap, before its limit, drops the gap.
                seam="\n" if piece.units < LIMIT else "",
                origin=piece.origin,
            )
            for piece in pieces
        ),
    )


def _parse_message(
    update: telegram.Update, message: telegram.Message, bot: telegram.User, *, anonymous: bool
) -> ParsedUpdate | None:
    sender = message.from_user
    if sender is None or message.chat.type not in ("private", "group", "supergroup"):
        return None
    said = _read_words(message)
    attachment, files, unread = _find_attachments(message, said)
    if not said.text and not attachment:
        return None
    chat = _parse_chat(message)
    words, mentioned = remove_mentions(message, said.text, bot)
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
        # What is no command is said to the group, whose memory it goes into: so is the answer.
        chat=replace(chat, only_for=_make_ephemeral(message, sender)) if command else chat,
        person=Person(id=sender.id, name=_speaker_of(message), username=sender.username, language=_language(sender)),
        addressed=_is_addressed(message, bot, command, mentioned=mentioned),
        sent_at=message.date.astimezone(UTC),
        telegram_id=message.message_id or None,  # 0: an ephemeral message
        text=text,
        units=_count_units(message.text or message.caption or ""),
        command=command[1].lower() if command else "",
        argument=_visible_words((command[3] or "").strip()) if command else "",
        target=bool(command) and named == us,
        attachment=attachment,
        files=files,
        unread=unread,
        is_wordless=not words,
        album=message.media_group_id or "",
        origin="forwarded" if is_of_others else "",
        replied=_parse_replied(message, bot),
        replied_picture=_find_replied_picture(message),
        is_whole=kind == "text" or (kind == "command" and not _is_reply(message)),
    )


def _read_words(message: telegram.Message) -> RichWords:
    """Return the text of a message, from whatever field, and its media."""
    if words := message.text or message.caption:
        return RichWords(text=words)
    if message.checklist is not None:
        return RichWords(text=read_checklist(message.checklist))
    return read_rich_message(message.api_kwargs.get("rich_message"))


def read_checklist(checklist: telegram.Checklist) -> str:
    """Return the title and tasks of a checklist as Markdown."""
    # The date of an open task may be the second 0 of Unix time.
    done = [task.completed_by_user or (task.completion_date or NEVER) > NEVER for task in checklist.tasks]
    tasks = (f"- [{'x' if is_done else ' '}] {task.text}" for task, is_done in zip(checklist.tasks, done, strict=True))
    return "\n".join([checklist.title, *tasks])


def _find_attachments(
    message: telegram.Message, said: RichWords
) -> tuple[str, tuple[AttachedFile, ...], tuple[str, ...]]:
    """Return the kind of an attachment, the readable files, and the kinds that cannot be read."""
    if said.media:
        files, unread = find_files(said.media)
        return next(iter(unread), "new"), files, unread
    attachment, file = name_attachment(message), find_file(message)
    if file is not None:
        return attachment, (file,), ()
    is_only_words = attachment == "new" and bool(said.text)
    return ("", (), ()) if is_only_words or not attachment else (attachment, (), (attachment,))


def _press(update: telegram.Update, query: telegram.CallbackQuery, bot: telegram.User) -> ParsedUpdate | None:
    message = query.message
    if message is None:  # an inline message of another chat: not one of ours
        return None
    shown = message if isinstance(message, telegram.Message) else None
    person = query.from_user
    return ParsedUpdate(
        kind="press",
        update_id=update.update_id,
        bot_id=bot.id,
        chat=Chat(
            id=message.chat.id,
            thread=_thread_of(shown) if shown else 0,
            is_private=message.chat.type == "private",
            only_for=_make_ephemeral(message, person, query.id),
        ),
        person=Person(id=person.id, name=_name(person.full_name), username=person.username, language=_language(person)),
        addressed=True,
        sent_at=NEVER if shown is None else shown.date.astimezone(UTC),
        telegram_id=message.message_id,
        is_for_anonymous=message.chat.type != "private" and is_for_anonymous(query.data or ""),
    )


def _parse_dislike(
    update: telegram.Update, reaction: telegram.MessageReactionUpdated, bot: telegram.User
) -> ParsedUpdate | None:
    """Parse a new 👎 under a message. None for any other change of reactions."""
    person, chat = reaction.user, reaction.chat
    if person is None or person.is_bot or chat.type not in ("private", "group", "supergroup"):
        return None
    if not _has_dislike(reaction.new_reaction) or _has_dislike(reaction.old_reaction):
        return None
    return ParsedUpdate(
        kind="dislike",
        update_id=update.update_id,
        bot_id=bot.id,
        chat=Chat(id=chat.id, is_private=chat.type == "private"),  # Telegram does not say in which topic
        person=Person(id=person.id, name=_name(person.full_name), username=person.username, language=_language(person)),
        addressed=True,
        sent_at=reaction.date.astimezone(UTC),
        telegram_id=reaction.message_id,
    )


def _parse_stop(update: telegram.Update, raw: object, bot: telegram.User) -> ParsedUpdate | None:
    """Parse a press of a draft's stop button (Bot API 10.3)."""
    match raw:
        case {"chat": {"type": "private", "id": int(chat), **fields}, **rest}:
            thread, draft = rest.get("message_thread_id"), rest.get("draft_id")
            return ParsedUpdate(
                kind="stopped",
                update_id=update.update_id,
                bot_id=bot.id,
                chat=Chat(id=chat, thread=thread if isinstance(thread, int) else 0),
                person=Person(id=chat, name=_name(str(fields.get("first_name", ""))), username=None, language=""),
                addressed=True,
                sent_at=NEVER,
                draft_id=draft if isinstance(draft, int) else 0,
            )
    return None


def _has_dislike(reactions: Sequence[telegram.ReactionType]) -> bool:
    return any(isinstance(reaction, telegram.ReactionTypeEmoji) and reaction.emoji == DISLIKE for reaction in reactions)


def _visible_words(words: str) -> str:
    """Return a text, or "" if it consists of spaces and zero-width characters."""
    return words if any(word.isprintable() and not word.isspace() for word in words) else ""


def _count_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _language(user: telegram.User) -> str:
    # PTB takes fields of any type.
    return user.language_code if isinstance(user.language_code, str) else ""


def _parse_chat(message: telegram.Message) -> Chat:
    is_private = message.chat.type == "private"
    return Chat(
        id=message.chat.id,
        thread=_thread_of(message),
        is_private=is_private,
        reply_to=None if is_private else message.message_id,
    )


def _make_ephemeral(
    message: telegram.MaybeInaccessibleMessage, person: telegram.User, query: str = ""
) -> Ephemeral | None:
    """Return the one person who sees this message and what answers it; None for all others (Bot API 10.2)."""
    ephemeral = message.api_kwargs.get("ephemeral_message_id")
    return Ephemeral(receiver=person.id, query=query, message_id=ephemeral) if isinstance(ephemeral, int) else None


def _thread_of(message: telegram.Message) -> int:
    # All persons who write to a channel do so in one chat, each in a topic of their own.
    if message.direct_messages_topic is not None:
        return -abs(message.direct_messages_topic.topic_id)
    # Replies in ordinary groups carry a thread id too; only a topic's is one that can be written to.
    return message.message_thread_id or 0 if message.is_topic_message else 0


def _speaker_of(message: telegram.Message) -> str:
    sender = message.from_user
    if message.sender_chat is not None:
        return _name(message.author_signature or message.sender_chat.title)
    return _name(sender.full_name if sender else None)


def _name(given: str | None, instead: str = "Anonymous") -> str:
    """Return a name as clients draw it, on one line; `instead` where they draw nothing."""
    return visible_line(given or "") or instead


def _is_addressed(
    message: telegram.Message, bot: telegram.User, command: re.Match[str] | None, *, mentioned: bool
) -> bool:
    if command and command[2]:  # a command that names its bot is for that one alone, in private as well
        return command[2].casefold() == (bot.username or "").casefold()
    if message.chat.type == "private":
        return True
    return mentioned or command is not None or _is_reply_to(message, bot)


def _is_reply(message: telegram.Message) -> bool:
    """Return the replied-to message, but not the service message that opened the topic."""
    earlier = message.reply_to_message
    return earlier is not None and earlier.forum_topic_created is None


def _parse_replied(message: telegram.Message, bot: telegram.User) -> Replied | None:
    if message.external_reply is not None and message.quote is not None:
        who = _parse_origin(message.external_reply.origin) or "Anonymous"
        return Replied(text=message.quote.text[:MAX_REPLIED_CHARS], speaker=who) if message.quote.text.strip() else None
    earlier = message.reply_to_message if _is_reply(message) else None
    if earlier is None:
        return None
    text = message.quote.text if message.quote else _read_words(earlier).text
    if not text.strip():
        return None
    is_ours = earlier.from_user is not None and earlier.from_user.id == bot.id
    speaker = "" if is_ours else _speaker_of(earlier)
    return Replied(telegram_id=earlier.message_id, text=text[:MAX_REPLIED_CHARS], speaker=speaker)


def _find_replied_picture(message: telegram.Message) -> AttachedFile | None:
    """Return the picture that a message replies to, to look at it again."""
    earlier = message.reply_to_message
    if earlier is None or name_attachment(message):
        return None
    _, files, _ = _find_attachments(earlier, _read_words(earlier))
    return next((file for file in files if file.kind == "picture"), None)


def _is_reply_to(message: telegram.Message, bot: telegram.User) -> bool:
    earlier = message.reply_to_message if _is_reply(message) else None
    return earlier is not None and earlier.from_user is not None and earlier.from_user.id == bot.id


def _describe_message(
    message: telegram.Message, words: str, files: Sequence[AttachedFile], unread: Sequence[str]
) -> str:
    """Return the text for memory and model, with words of others marked as such."""
    if not words and not files:
        return ""
    along = [f"[Sent with {file.shown}]" if words else f"[Sent {file.shown}]" for file in files]
    along += [f"[Sent with {name_kind_in_memory(kind)}, which was not read]" for kind in unread]
    origin = f"[Forwarded from {_parse_origin(message.forward_origin)}]" if message.forward_origin else ""
    if not origin and message.via_bot is not None:
        origin = f"[Written by the bot {_name(message.via_bot.first_name)}]"
    return "\n".join(part for part in (origin, words, *dict.fromkeys(along)) if part)


def _parse_origin(origin: telegram.MessageOrigin) -> str:
    match origin:
        case telegram.MessageOriginUser():
            return _name(origin.sender_user.full_name)
        case telegram.MessageOriginHiddenUser():
            return _name(origin.sender_user_name)
        case telegram.MessageOriginChat():
            return _name(origin.sender_chat.title, "a chat")
        case telegram.MessageOriginChannel():
            return _name(origin.chat.title, "a channel")
    return "elsewhere"
