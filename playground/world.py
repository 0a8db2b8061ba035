"""The state of a small Telegram: people, chats, messages, files, command menus and pending updates.

People act through methods such as say() and press_button(), and the bot through post_message() and replace_message().
Everything is kept in memory and runs in one event loop. Stored messages are replaced, never modified.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from locales.catalog import tr
from playground.feed import Feed
from playground.files import Files, make_attachment
from playground.menus import Menus, is_ephemeral_command
from playground.people import Chat, Impossible, Person, make_membership_update, make_topic_message
from playground.reactions import Reactions, format_message_for_api, make_reaction_update
from playground.refusals import Json
from playground.text import (
    CAPTION_LIMIT,
    MAX_MESSAGE_CHARS,
    MAX_PASTE_CHARS,
    TEXT_LIMIT,
    clean_and_detect_entities,
    count_utf16_units,
    make_text_content,
    split_text,
)
from playground.updates import FIRST_UPDATE_ID, CallbackQueries, Updates, is_visible_in_privacy_mode

DRAFT_LIFETIME = 30  # seconds that clients show a draft


class World:
    """A bot and the people and chats around it. The message ids of each chat begin at `first_id`."""

    def __init__(self, *, token: str, clock: Callable[[], float] = time.time, first_id: int = 1) -> None:
        self.token = token
        self.clock = clock
        number = token.partition(":")[0]
        if not number.isdecimal():
            raise ValueError("A bot token starts with digits.")
        self.bot: Json = {"id": int(number), "is_bot": True, "first_name": "Keepsake", "username": "keepsake_bot"}
        self.privacy_mode = False
        self.people: dict[int, Person] = {}
        self.chats: dict[int, Chat] = {}
        self.messages: dict[int, dict[int, Json]] = {}
        self.updates = Updates(clock, first_id=FIRST_UPDATE_ID + first_id)
        self._first_id = first_id
        self.files = Files()
        self.menus = Menus()
        self.feed = Feed()  # events, for pages and tests
        self.calls = Feed()  # Bot API calls
        self._last_ids: dict[int, int] = {}
        self._drafts: dict[int, Json] = {}
        self._queries = CallbackQueries()
        self._last_restored_ids: dict[int, int] = {}
        self._last_ephemeral_id = 0  # counted over all chats
        self._started: set[int] = set()
        self._blocked: set[int] = set()
        self._reactions = Reactions()

    # People and chats

    def restore_message(self, chat_id: int, author: Json, content: Json, *, unix_time: int) -> None:
        """Add a message from an earlier run, sent at the Unix time `unix_time`, without an update for the bot."""
        message = self.post_message(chat_id, author, {**content, "date": unix_time})
        self._last_restored_ids[chat_id] = message["message_id"]
        self._started |= {chat_id} & self.people.keys()

    def clear_chat(self, chat_id: int) -> None:
        """Remove all messages of a chat, except those that open its topics."""
        topics = self.chats[chat_id].topics
        self.messages[chat_id] = {id_: kept for id_, kept in self.messages[chat_id].items() if id_ in topics}
        self._drafts.pop(chat_id, None)
        self._started.discard(chat_id)
        self.feed.add({"kind": "reset"})

    def set_language(self, person_id: int, code: str) -> None:
        """Set the language of a person's app, which the bot sees in its updates."""
        self.people[person_id] = replace(self._require_person(person_id), language_code=code)
        self.feed.add({"kind": "reset"})

    def add_person(
        self, person_id: int, first_name: str, *, username: str | None = None, language_code: str = "en"
    ) -> Person:
        person = Person(id=person_id, first_name=first_name, username=username, language_code=language_code)
        self.people[person_id] = person
        self.chats[person_id] = Chat(
            id=person_id, type="private", title=first_name, username=username, members=(person_id,)
        )
        self.messages.setdefault(person_id, {})
        return person

    def add_group(
        self,
        chat_id: int,
        title: str,
        *,
        members: Sequence[int],
        admins: Sequence[int],
        is_forum: bool = False,
        topics: Mapping[int, str] | None = None,
    ) -> Chat:
        """Add a group that includes the bot. The first admin is its creator. `topics` maps thread ids to names."""
        if chat_id >= 0:
            raise Impossible("The id of a group is negative.")
        for person_id in (*members, *admins):
            self._require_person(person_id)
        kind = "supergroup" if is_forum or chat_id < -1_000_000_000_000 else "group"
        everybody = tuple(dict.fromkeys((*admins, *members)))
        chat = Chat(
            id=chat_id,
            type=kind,
            title=title,
            members=everybody,
            admins=tuple(admins),
            is_forum=is_forum,
            topics=dict(topics or {}),
        )
        self.chats[chat_id] = chat
        self.messages.setdefault(chat_id, {})
        self._last_ids[chat_id] = max(chat.topics, default=0)  # a thread's id is that of its first message
        for thread_id, name in chat.topics.items():
            opener = self.people[chat.members[0]].to_user_json()
            self.messages[chat_id][thread_id] = make_topic_message(chat, opener, thread_id, name, int(self.clock()))
        return chat

    def upgrade_group(self, chat_id: int) -> int:
        """Turn a group into a supergroup and return its new id.

        The old chat is closed, and the new one has no messages. As on Telegram, the bot gets a service message in each.
        """
        old = self.chats[chat_id]
        if old.type != "group" or old.upgraded_to is not None:
            raise Impossible("Only a group can become a supergroup, and once.")
        new_id = -1_000_000_000_000 + chat_id
        author = self.people[old.admins[0]].to_user_json()
        self.chats[new_id] = replace(old, id=new_id, type="supergroup")
        self.messages[new_id] = {}
        service_messages = [
            self.post_message(chat_id, author, {"migrate_to_chat_id": new_id}),
            self.post_message(new_id, author, {"migrate_from_chat_id": chat_id}),
        ]
        self.chats[chat_id] = replace(old, upgraded_to=new_id)
        for message in service_messages if old.has_bot else ():
            self.updates.add("message", message)
        return new_id

    def delete_topic(self, chat_id: int, thread_id: int) -> None:
        """Delete a topic and its messages. As on Telegram, the bot is not notified."""
        chat = self.chats[chat_id]
        rest = {number: name for number, name in chat.topics.items() if number != thread_id}
        self.chats[chat_id] = replace(chat, topics=rest)
        for message in list(self.messages[chat_id].values()):
            if message.get("message_thread_id") == thread_id:
                self.remove_message(chat_id, message["message_id"])

    def remove_bot(self, chat_id: int) -> None:
        """Remove the bot from a group."""
        chat = self.chats[chat_id]
        self.chats[chat_id] = replace(chat, has_bot=False)
        self._announce_membership(chat, chat.admins[0] if chat.admins else chat.members[0], "member", "left")

    def block_bot(self, person_id: int) -> None:
        self._require_person(person_id)
        self._blocked.add(person_id)
        self._announce_membership(self.chats[person_id], person_id, "member", "kicked")

    def unblock_bot(self, person_id: int) -> None:
        self._blocked.discard(person_id)
        self._announce_membership(self.chats[person_id], person_id, "kicked", "member")

    def has_blocked_bot(self, person_id: int) -> bool:
        return person_id in self._blocked

    def has_started_bot(self, person_id: int) -> bool:
        """Return True if this person has ever written to the bot. Before that, the bot may not write to them."""
        return person_id in self._started

    # Actions of people

    def say(
        self,
        person_id: int,
        chat_id: int,
        text: str,
        *,
        reply_to: int | None = None,
        thread_id: int | None = None,
        forward_from: int | str | None = None,
    ) -> Json:
        """Send a text as a person. Return the message, or the last one if the text was split.

        `forward_from` is the id of the original author, or the author's name if the account is hidden.
        """
        self._require_write_permission(person_id, chat_id, thread_id)
        if reply_to is not None:
            self._require_message(chat_id, reply_to)
        origin = self._make_forward_origin(forward_from)
        if len(text) > MAX_PASTE_CHARS:
            raise Impossible(f"At most {MAX_PASTE_CHARS:,} characters are sent at once.")
        texts = [content for piece in split_text(text) if (content := make_text_content(piece))]
        if not texts:
            raise Impossible("A message needs some text.")
        is_group = not self.chats[chat_id].is_private
        receiver = (
            self.bot if is_group and is_ephemeral_command(text, self.list_menu_commands(person_id, chat_id)) else None
        )
        for content in texts:
            message = self.post_from_person(
                person_id, chat_id, {**origin, **content}, thread_id=thread_id, reply_to=reply_to, receiver=receiver
            )
            reply_to = None
        return message

    def send_file(
        self,
        person_id: int,
        chat_id: int,
        *,
        kind: str,
        name: str,
        data: bytes,
        caption: str | None = None,
        thread_id: int | None = None,
        reply_to: int | None = None,
        album: str | None = None,
    ) -> Json:
        """Send a file as a person. `kind` is photo, voice, sticker, document, audio, video, animation or video_note."""
        self._require_write_permission(person_id, chat_id, thread_id)
        if reply_to is not None:
            self._require_message(chat_id, reply_to)
        if count_utf16_units(caption or "") > CAPTION_LIMIT:
            raise Impossible(tr("page-caption-long", most=CAPTION_LIMIT))
        try:
            content = make_attachment(kind, self.files.add(kind, name, data))
        except KeyError:
            raise Impossible(f"There is no such kind of file: {kind}.") from None
        if album:
            content["media_group_id"] = album
        if caption:
            content["caption"], entities = clean_and_detect_entities(caption)
            if entities:
                content["caption_entities"] = entities
        return self.post_from_person(person_id, chat_id, content, thread_id=thread_id, reply_to=reply_to)

    def edit_message(self, person_id: int, chat_id: int, message_id: int, text: str) -> Json:
        """Replace the text of a person's own message."""
        message = self._require_message(chat_id, message_id)
        if message["from"]["id"] != person_id or "text" not in message:
            raise Impossible("Only one's own text messages can be edited.")
        content = make_text_content(text) if len(text) <= MAX_MESSAGE_CHARS else {}
        if not content or count_utf16_units(content["text"]) > TEXT_LIMIT:
            raise Impossible(tr("page-edit-long", most=TEXT_LIMIT))
        other_fields = {key: value for key, value in message.items() if key not in ("text", "entities")}
        edited = self.replace_message(chat_id, {**other_fields, **content, "edit_date": int(self.clock())})
        if self._is_visible_to_bot(edited):
            self.updates.add("edited_message", edited)
        return edited

    def press_button(self, person_id: int, chat_id: int, message_id: int, data: str) -> str:
        """Press an inline button and return the query's id. Like a modified client, this may send any `data`."""
        self._require_write_permission(person_id, chat_id, None)
        message = self._require_message(chat_id, message_id)
        if message["from"]["id"] != self.bot["id"]:
            raise Impossible("Only the bot's messages have buttons.")
        if message.get("receiver_user", {"id": person_id})["id"] != person_id:
            raise Impossible("Somebody else's ephemeral message is not seen.")
        if not 1 <= len(data.encode()) <= 64:
            raise Impossible("The data of a button has 1 to 64 bytes.")
        query_id = self._queries.add(person_id, self.clock())
        self.updates.add(
            "callback_query",
            {
                "id": query_id,
                "from": self.people[person_id].to_user_json(),
                "message": format_message_for_api(message),
                "chat_instance": str(abs(chat_id) * 1_000_003),
                "data": data,
            },
        )
        return query_id

    def react(self, person_id: int, chat_id: int, message_id: int, *emoji: str) -> None:
        """Replace the person's reactions to a message."""
        self._require_write_permission(person_id, chat_id, None)
        message, chat = self._require_message(chat_id, message_id), self.chats[chat_id]
        before = self._reactions.get_emoji(message, person_id)
        self.set_reaction(message, person_id, emoji)
        # In a group the bot has to be an administrator (Bot API, Update).
        if before != emoji and (chat.is_private or self.bot["id"] in chat.admins):
            user, at = self.people[person_id].to_user_json(), int(self.clock())
            self.updates.add("message_reaction", make_reaction_update(message, user, before, emoji, at))

    # Actions of the bot

    def set_reaction(self, message: Json, author_id: int, emoji: Sequence[str]) -> None:
        changed = self._reactions.replace_emoji(message, author_id, emoji)
        self.replace_message(message["chat"]["id"], changed, kind="markup")

    def post_message(
        self,
        chat_id: int,
        author: Json,
        content: Json,
        *,
        thread_id: int | None = None,
        reply_to: int | None = None,
        receiver: Json | None = None,
    ) -> Json:
        """Store a new message, add it to the feed, and return it.

        With `receiver`, the message is ephemeral: only the receiver and the author see it. It is stored under a
        negative id, for which the Bot API shows 0 (see format_message_for_api).
        """
        chat = self.chats[chat_id]
        if receiver is None:
            message_id = self._last_ids[chat_id] = self._last_ids.get(chat_id, self._first_id - 1) + 1
        else:
            self._last_ephemeral_id += 1
            message_id = -self._last_ephemeral_id
        message: Json = {
            "message_id": message_id,
            **({"ephemeral_message_id": self._last_ephemeral_id, "receiver_user": receiver} if receiver else {}),
            "from": author,
            "chat": chat.to_chat_json(),
            "date": int(self.clock()),
            **self._make_placement_fields(chat, thread_id, reply_to),
            **content,
        }
        self.messages[chat_id][message_id] = message
        if author["id"] == self.bot["id"]:
            self._drafts.pop(chat_id, None)
        self.feed.add({"kind": "message", "chat_id": chat_id, "message": message})
        return message

    def replace_message(self, chat_id: int, message: Json, *, kind: str = "edit") -> Json:
        """Replace the message that has the same id. The kind is "markup" if only buttons or reactions changed."""
        self.messages[chat_id][message["message_id"]] = message
        self.feed.add({"kind": kind, "chat_id": chat_id, "message": message})
        return message

    def remove_message(self, chat_id: int, message_id: int) -> None:
        del self.messages[chat_id][message_id]
        for message in self.messages[chat_id].values():
            if message.get("reply_to_message", {}).get("message_id") == message_id:
                del message["reply_to_message"]  # as in Telegram
        self.feed.add({"kind": "delete", "chat_id": chat_id, "message_id": message_id})

    def show_draft(self, chat_id: int, draft: Json) -> None:
        """Show a draft until the bot's next message, for at most DRAFT_LIFETIME seconds."""
        self._drafts[chat_id] = {**draft, "date": self.clock()}
        self.feed.add({"kind": "draft", "chat_id": chat_id, "draft": self._drafts[chat_id]})

    def find_button_presser(self, query_id: str) -> int | None:
        """Return the id of the person who pressed the button, or None if the query is unknown or too old."""
        return self._queries.find_button_presser(query_id, self.clock())

    # Views for pages

    def make_snapshot(self) -> Json:
        """Return the complete state as JSON. `version` is the number of the last event that it includes."""
        oldest_draft = self.clock() - DRAFT_LIFETIME
        people, restored = self.people.values(), self._last_restored_ids
        return {
            "bot": self.bot,
            "people": [{**person.to_user_json(), "blocked": self.has_blocked_bot(person.id)} for person in people],
            "chats": [{**chat.to_page_json(), "recalled": restored.get(chat.id, 0)} for chat in self.chats.values()],
            "messages": {str(chat_id): list(messages.values()) for chat_id, messages in self.messages.items()},
            "commands": self.menus.list_menus(),
            "drafts": {str(chat): draft for chat, draft in self._drafts.items() if draft["date"] > oldest_draft},
            "version": self.feed.last,
        }

    async def wait_for_events(self, since: int) -> list[Json]:
        """Wait for events after number `since`, and return them. A "reset" event calls for a new snapshot."""
        if not self.feed.has_all_entries_since(since):
            return [{"n": self.feed.last, "kind": "reset"}]
        return await self.feed.wait_for_entries(since)

    def list_menu_commands(self, person_id: int, chat_id: int) -> list[Json]:
        """Return the commands that a person's client shows in a chat."""
        chat = self.chats[chat_id]
        language = self.people[person_id].language_code
        return self.menus.find_visible_commands(chat_id, person_id, language, chat.is_private, person_id in chat.admins)

    # Checks and message fields

    def _require_person(self, person_id: int) -> Person:
        if person_id not in self.people:
            raise Impossible(f"There is no person {person_id}.")
        return self.people[person_id]

    def _require_message(self, chat_id: int, message_id: int) -> Json:
        if message_id not in self.messages[chat_id]:
            raise Impossible(f"There is no message {message_id} in chat {chat_id}.")
        return self.messages[chat_id][message_id]

    def _require_write_permission(self, person_id: int, chat_id: int, thread_id: int | None) -> None:
        self._require_person(person_id)
        if chat_id not in self.chats:
            raise Impossible(f"There is no chat {chat_id}.")
        chat = self.chats[chat_id]
        if chat.upgraded_to is not None:
            raise Impossible(f"Chat {chat_id} is a supergroup now: {chat.upgraded_to}.")
        if person_id not in chat.members:
            raise Impossible(f"Person {person_id} is not in chat {chat_id}.")
        if chat.is_private and self.has_blocked_bot(person_id):
            raise Impossible(f"Person {person_id} has blocked the bot.")
        if thread_id is not None and thread_id not in chat.topics:
            raise Impossible(f"There is no topic {thread_id} in chat {chat_id}.")

    def post_from_person(self, person_id: int, chat_id: int, content: Json, **placement: Any) -> Json:
        """Post a person's message, and notify the bot if it may see it. See post_message() for `placement`."""
        message = self.post_message(chat_id, self.people[person_id].to_user_json(), content, **placement)
        if chat_id == person_id:
            self._started.add(person_id)
        if self._is_visible_to_bot(message):
            self.updates.add("message", format_message_for_api(message))
        return message

    def _make_placement_fields(self, chat: Chat, thread_id: int | None, reply_to: int | None) -> Json:
        """Return a message's topic and reply fields. Messages in a topic reply to its first message by default."""
        placement: Json = {}
        if thread_id is not None:
            placement |= {"message_thread_id": thread_id, "is_topic_message": True}
        replied = self.messages[chat.id].get(reply_to if reply_to is not None else thread_id or 0)
        if replied:
            sent = format_message_for_api(replied)
            placement["reply_to_message"] = {name: sent[name] for name in sent if name != "reply_to_message"}
        return placement

    def _make_forward_origin(self, forward_from: int | str | None) -> Json:
        if forward_from is None:
            return {}
        origin: Json = {"date": int(self.clock())}
        if isinstance(forward_from, str):
            origin |= {"type": "hidden_user", "sender_user_name": forward_from}
        else:
            origin |= {"type": "user", "sender_user": self._require_person(forward_from).to_user_json()}
        return {"forward_origin": origin}

    def _announce_membership(self, chat: Chat, person_id: int, old_status: str, new_status: str) -> None:
        user, at = self.people[person_id].to_user_json(), int(self.clock())
        self.updates.add("my_chat_member", make_membership_update(chat, self.bot, user, old_status, new_status, at))

    def _is_visible_to_bot(self, message: Json) -> bool:
        """Return True if the bot may see this message, which privacy mode restricts in groups."""
        chat = self.chats[message["chat"]["id"]]
        if not chat.has_bot:
            return False
        if chat.is_private or not self.privacy_mode:
            return True
        return is_visible_in_privacy_mode(self.bot, message)
