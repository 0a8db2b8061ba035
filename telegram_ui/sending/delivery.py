"""Deliver final texts whole and in order, respecting Telegram's limits and requests to wait."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeVar
from weakref import WeakValueDictionary

from attrs import define, field
from cachetools import LRUCache
from telegram import Bot, InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError

from locales.catalog import tr
from records.errors import KeepsakeError, ServedElsewhere
from runtime.tasks import run_in_background
from telegram_ui.sending.chat import Chat, MessageId
from telegram_ui.sending.formatting import Piece, split_text
from telegram_ui.sending.http import contains_any_phrase, get_retry_seconds, is_entity_error, request_had_no_effect
from telegram_ui.sending.newer_api import CAN_STOP, Keyboard, NewerApi, edit_ephemeral_message, make_ephemeral_fields
from telegram_ui.sending.pace import SendingPace, SystemClock, TimeSource
from text.characters import repair_surrogates

log = logging.getLogger(__name__)
T = TypeVar("T")
Streaming = Literal["auto", "edit", "off"]

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
TYPING_DELAY_SECONDS = 0.5  # seconds before typing is shown. Quick answers need none.
ATTEMPTS = 5  # attempts at one request
MAX_WAIT_SECONDS = 600.0  # the total time that one final text may wait for Telegram
MAX_KNOWN_CHATS = 1_000  # idle chats whose state is kept


class DeliveryError(KeepsakeError):
    """Telegram did not accept the message."""


class DeliveryUnknown(DeliveryError):  # noqa: N818 - reads as the state it is
    """The connection broke, so it is unknown whether the message arrived."""

    def __init__(self) -> None:
        super().__init__(tr("errors-telegram-unknown"))


class ChatGone(DeliveryError):  # noqa: N818
    """The chat is gone: the bot was blocked or removed, or the chat was deleted."""


class _ChatState:
    """The state of sending to one chat: when it may resume, the open drafts, and a lock that keeps texts in order."""

    def __init__(self) -> None:
        self.order = asyncio.Lock()
        self.final_from = 0.0
        self.preview_from = 0.0
        self.takes_drafts = True
        self.drafts: dict[int, set[int]] = {}  # the draft ids of the growing answer, by topic


@define(eq=False, slots=False)
class Delivery:
    """Sends texts to chats. `closing` is set when the bot begins to stop."""

    bot: Bot
    _streaming: Streaming = field(default="auto", kw_only=True)
    clock: TimeSource = field(factory=SystemClock, kw_only=True)
    # Called with the old and new id of a group that became a supergroup.
    _on_upgrade: Callable[[int, int], None] = field(default=lambda old, new: None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        self.pace = SendingPace(self.clock)
        self.newer_api = NewerApi(self.clock.time)
        # A state in use stays the same object, even if the LRU cache has dropped it.
        self._states: WeakValueDictionary[int, _ChatState] = WeakValueDictionary()
        self._recent = LRUCache[int, _ChatState](MAX_KNOWN_CHATS)
        self._upgraded = LRUCache[int, int](MAX_KNOWN_CHATS)
        # By chat and message. A reaction to an older message is looked up in the memory.
        self._threads = LRUCache[tuple[int, int], int](10_000)
        self.closing = asyncio.Event()

    def get_current_chat_id(self, chat: Chat) -> int:
        """Return the id of a chat, or its new id if it became a supergroup."""
        return self._upgraded.get(chat.id, chat.id)

    def make_destination_fields(self, chat: Chat) -> dict[str, Any]:
        """Return the request fields that say where a message goes, and to which message it replies."""
        # Under the new id of a chat, message ids start again.
        reply_to = chat.reply_to if self.get_current_chat_id(chat) == chat.id else None
        return {
            "chat_id": self.get_current_chat_id(chat),
            "message_thread_id": chat.topic_id,
            "direct_messages_topic_id": chat.direct_messages_topic_id,
            "reply_parameters": ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None,
        }

    def find_thread_id_of_sent_message(self, chat_id: int, message_id: int) -> int:
        return self._threads.get((chat_id, message_id), 0)

    def _record_thread_and_get_message_id(self, chat: Chat, message_id: int) -> MessageId:
        if chat.thread:
            self._threads[self.get_current_chat_id(chat), message_id] = chat.thread
        return message_id

    async def send_text(
        self, chat: Chat, text: str | Piece, *, keyboard: Keyboard | None = None, replaced_ids: Sequence[int] = ()
    ) -> list[MessageId]:
        """Send a text, with a keyboard under its last message. Return the message ids, or raise DeliveryError."""
        whole = text if isinstance(text, Piece) else Piece(text=repair_surrogates(text))
        pieces = list(split_text(whole.text, whole.entities))
        return await self.send_pieces(chat, pieces, keyboard=keyboard, replaced_ids=replaced_ids)

    async def try_to_send_text(self, chat: Chat, text: str) -> Literal["arrived", "unknown", "gone", "later"]:
        """Send a text and return the outcome: "gone" if it can never arrive, "later" if it should be sent again."""
        try:
            await self.send_text(chat, text)
        except ServedElsewhere:
            return "later"
        except DeliveryUnknown:
            return "unknown"
        except DeliveryError as error:
            is_refused = isinstance(error, ChatGone) or isinstance(error.__cause__, BadRequest)
            return "gone" if is_refused else "later"
        return "arrived"

    async def edit_message_or_send_new(
        self, chat: Chat, message_id: int | None, text: str | Piece, *, keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Edit one of the bot's messages. Send a new message if `message_id` is None or the message is gone."""
        replaced_ids = () if message_id is None else (message_id,)
        await self.send_text(chat, text, keyboard=keyboard, replaced_ids=replaced_ids)

    async def add_reaction(self, chat: Chat, message_id: int, emoji: str) -> bool:
        """React to a message with an emoji. Return False if Telegram does not allow it."""
        request = partial(self.bot.set_message_reaction, self.get_current_chat_id(chat), message_id, emoji)
        with contextlib.suppress(TelegramError):
            return bool(await self.newer_api.try_feature("setMessageReaction", request, chat_id=chat.id))
        return False

    def show_typing(self, chat: Chat) -> contextlib.AbstractAsyncContextManager[None]:
        """Show the typing action while the block runs, after a delay of TYPING_DELAY_SECONDS."""
        return run_in_background(self._keep_typing(chat))

    def is_paused(self, chat: Chat) -> bool:
        """Return True if Telegram has asked the bot to pause in this chat."""
        return self.get_or_create_chat_state(chat).final_from > self.clock.time()

    def get_or_create_chat_state(self, chat: Chat) -> _ChatState:
        state = self._states.setdefault(chat.id, _ChatState())
        self._recent[chat.id] = state
        return state

    def choose_streaming_mode(self, chat: Chat) -> Literal["draft", "edit", "off"]:
        """Return how growing answers are shown in this chat: as drafts, by editing messages, or not at all."""
        if self._streaming == "auto":
            return "draft" if chat.is_private and self.get_or_create_chat_state(chat).takes_drafts else "edit"
        return self._streaming

    async def _keep_typing(self, chat: Chat) -> None:
        await self.clock.sleep(TYPING_DELAY_SECONDS)
        while True:
            await self.pace.wait_before_preview()
            state = self.get_or_create_chat_state(chat)
            if self.clock.time() >= max(state.preview_from, state.final_from):
                try:
                    await self.bot.send_chat_action(
                        self.get_current_chat_id(chat), ChatAction.TYPING, message_thread_id=chat.topic_id
                    )
                except RetryAfter as refused:
                    state.preview_from = self.clock.time() + get_retry_seconds(refused)
                except (TelegramError, ServedElsewhere) as error:
                    log.debug("typing action not shown: %s", type(error).__name__)
            await self.clock.sleep(5.0)  # a chat action is shown for 5 s or less

    async def send_pieces(
        self,
        chat: Chat,
        pieces: Sequence[Piece],
        *,
        keyboard: Keyboard | None = None,
        replaced_ids: Sequence[int] = (),
        on_sent: Callable[[Sequence[int]], Awaitable[None]] | None = None,
    ) -> list[MessageId]:
        """Send pieces in order and return their message ids. The first pieces replace the messages `replaced_ids`."""
        visible = [part for part in pieces if not part.is_blank] or [Piece(text=tr("answers-empty"))]
        sent: list[int] = []
        there = list(replaced_ids)
        state = self.get_or_create_chat_state(chat)
        async with state.order:
            for part in visible:
                markup = keyboard if part is visible[-1] else None
                new = [there.pop(0)] if there else []
                inline = markup if isinstance(markup, InlineKeyboardMarkup) else None
                if not new or not await self._try_to_edit_message(chat, new[0], part, inline):
                    # A new message comes last, so the later ones must not stay before it.
                    await self.delete_messages(chat, there)
                    there.clear()
                    new = await self._send_piece(chat, part, markup, is_first=not sent)
                sent += new
                if on_sent is not None:
                    await on_sent(new)
        return sent

    async def delete_messages(self, chat: Chat, message_ids: Sequence[int]) -> None:
        """Delete some of the bot's messages. Ignore Telegram errors."""
        if self.get_current_chat_id(chat) != chat.id:
            return  # under the new id, these are other messages
        for message_id in message_ids:
            with contextlib.suppress(TelegramError):
                await self.bot.delete_message(chat.id, message_id)

    async def _send_piece(
        self, chat: Chat, part: Piece, keyboard: Keyboard | None, *, is_first: bool
    ) -> list[MessageId]:
        # Buttons find their subject by the message that theirs replies to.
        reply = chat.reply_to if is_first or keyboard is not None else None
        try:
            return [await self._send_message(chat, part, keyboard, reply)]
        except BadRequest as refused:
            if not part.entities or not is_entity_error(refused):
                raise DeliveryError(tr("errors-telegram-refused")) from refused
        plain = [piece for piece in split_text(part.plain) if not piece.is_blank]
        ids = []
        for number, piece in enumerate(plain):
            markup = keyboard if piece is plain[-1] else None
            try:
                ids.append(await self._send_message(chat, piece, markup, None if number else reply))
            except BadRequest as refused:
                raise DeliveryError(tr("errors-telegram-refused")) from refused
        return ids

    async def try_to_send_rich_message(
        self, chat: Chat, markdown: str, *, keyboard: Keyboard | None = None
    ) -> MessageId | None:
        """Send Markdown as a rich message. Return its id, or None if refused. Raise DeliveryError on failure."""

        async def post_rich_message() -> MessageId:
            fields = {"rich_message": {"markdown": markdown}, "reply_markup": keyboard}
            sent = await self.bot.do_api_request("sendRichMessage", self.make_destination_fields(chat) | fields)
            if not isinstance(sent, dict) or not isinstance(sent.get("message_id"), int):
                raise TelegramError("Invalid server response")
            return self._record_thread_and_get_message_id(chat, sent["message_id"])

        attempt = partial(self.newer_api.try_feature, "sendRichMessage", post_rich_message, chat_id=chat.id)
        async with self.get_or_create_chat_state(chat).order:
            return await self.request_with_retries(chat, attempt, is_repeatable=False)

    async def send_draft_without_retries(self, chat: Chat, draft_id: int, piece: Piece, markdown: str) -> None:
        """Try once to show a draft, as a rich message if `markdown` is given. Raise TelegramError on failure."""
        self.get_or_create_chat_state(chat).drafts.setdefault(chat.thread, set()).add(draft_id)
        place: dict[str, Any] = {"chat_id": chat.id, "draft_id": draft_id, "message_thread_id": chat.topic_id}
        if markdown:

            async def send_rich_draft() -> Any:
                fields = {**place, "rich_message": {"markdown": markdown}, **CAN_STOP}
                return await self.bot.do_api_request("sendRichMessageDraft", fields)

            if await self.newer_api.try_feature("sendRichMessageDraft", send_rich_draft, chat_id=chat.id) is not None:
                return
        await self.bot.send_message_draft(
            text=piece.text, entities=piece.entities or None, api_kwargs=CAN_STOP, **place
        )

    def is_current_draft(self, chat: Chat, draft_id: int) -> bool:
        """Return True if the draft `draft_id` shows the answer that is currently being written in this topic."""
        return draft_id in self.get_or_create_chat_state(chat).drafts.get(chat.thread, ())

    async def _send_message(
        self, chat: Chat, piece: Piece, keyboard: Keyboard | None, reply_to: int | None
    ) -> MessageId:
        here = replace(chat, reply_to=reply_to)
        while True:
            request = partial(self.send_message_without_retries, here, piece, keyboard)
            try:
                return await self.request_with_retries(chat, request, is_repeatable=False)
            except BadRequest as refused:
                is_gone = contains_any_phrase(refused, "message thread not found", "topic_deleted", "topic_closed")
                if here.topic_id is None or not is_gone:
                    raise
                here = replace(here, thread=0)

    async def _try_to_edit_message(
        self, chat: Chat, message_id: int, part: Piece, keyboard: InlineKeyboardMarkup | None = None
    ) -> bool:
        for piece in (part, Piece(text=part.plain)):

            async def edit_message_unless_chat_migrated(piece: Piece = piece) -> None:
                if self.get_current_chat_id(chat) != chat.id:
                    raise BadRequest("Message to edit not found: its chat has another id now")
                await self.edit_text_without_retries(chat, message_id, piece, keyboard)

            try:
                await self.request_with_retries(chat, edit_message_unless_chat_migrated, is_repeatable=True)
            except BadRequest as refused:
                if contains_any_phrase(refused, "message is not modified"):
                    return True
                if piece.entities and is_entity_error(refused):
                    continue
                return False
            return True
        return False

    async def send_message_without_retries(self, chat: Chat, piece: Piece, keyboard: Keyboard | None) -> MessageId:
        """Try once to send a text, and return the id of its message. Raise TelegramError on failure."""
        try:
            send = partial(
                self.bot.send_message,
                text=piece.text,
                entities=piece.entities or None,
                link_preview_options=_NO_PREVIEW,
                reply_markup=keyboard,
                **self.make_destination_fields(chat),
            )
            if chat.only_for is None:
                message = await send()
            else:
                hidden = partial(send, api_kwargs=make_ephemeral_fields(chat.only_for))
                feature = "press" if chat.only_for.query else "reply" if chat.only_for.message_id else "message"
                message = await self.newer_api.request_with_fallback(
                    f"ephemeral.{feature}", hidden, send, chat_id=chat.id
                )
            return self._record_thread_and_get_message_id(chat, int(message.message_id))
        except (AttributeError, KeyError, TypeError, ValueError):
            # python-telegram-bot cannot parse the response, but the text may have arrived.
            raise TelegramError("Invalid server response") from None

    async def edit_text_without_retries(
        self, chat: Chat, message_id: int, piece: Piece, keyboard: InlineKeyboardMarkup | None
    ) -> None:
        """Try once to change the text and buttons of a message. Raise TelegramError on failure.

        If `message_id` is 0, edit the ephemeral message whose button was pressed.
        """
        if chat.only_for is not None and not message_id:
            await edit_ephemeral_message(self.bot, chat.id, chat.only_for, piece, keyboard)
            return
        await self.bot.edit_message_text(
            piece.text,
            chat.id,
            message_id,
            entities=piece.entities or None,
            link_preview_options=_NO_PREVIEW,
            reply_markup=keyboard,
        )

    async def request_with_retries(self, chat: Chat, request: Callable[[], Awaitable[T]], *, is_repeatable: bool) -> T:
        """Make a request, and retry it within limits if it had no effect or if `is_repeatable` is True.

        Raise BadRequest if Telegram refuses the content, and DeliveryError for other failures.
        """
        state, waited, failures = self.get_or_create_chat_state(chat), 0.0, 0
        while True:
            pause = max(0.0, state.final_from - self.clock.time())
            waited += pause
            if waited > MAX_WAIT_SECONDS:
                raise DeliveryError(tr("errors-telegram-busy"))
            if pause:
                await self.clock.sleep(pause)
            await self.pace.wait_before_final_message()
            try:
                return await request()
            except RetryAfter as refused:
                state.final_from = self.clock.time() + get_retry_seconds(refused)
                self.pace.limit_final_message_rate()
                failures += 1
                if failures >= ATTEMPTS:
                    raise DeliveryError(tr("errors-telegram-busy")) from refused
            except BadRequest as refused:
                if contains_any_phrase(refused, "chat not found", "user is deactivated", "peer_id_invalid"):
                    raise ChatGone from refused
                raise
            except ChatMigrated as refused:
                failures += 1
                if self.get_current_chat_id(chat) == refused.new_chat_id or failures >= ATTEMPTS:
                    raise ChatGone from refused
                self._upgraded[chat.id] = refused.new_chat_id
                self._on_upgrade(chat.id, refused.new_chat_id)
            except Forbidden as refused:
                raise ChatGone from refused
            except InvalidToken as refused:
                raise DeliveryError(tr("errors-telegram-token")) from refused
            except NetworkError as failed:
                if not is_repeatable and not request_had_no_effect(failed):
                    raise DeliveryUnknown from failed
                failures += 1
                if failures >= ATTEMPTS:
                    if not request_had_no_effect(failed):
                        raise DeliveryUnknown from failed
                    raise DeliveryError(tr("errors-telegram-unreachable")) from failed
                state.final_from = max(state.final_from, self.clock.time() + 0.5 * 2**failures)
            except TelegramError as failed:
                # The response was unreadable, such as a proxy's page, but the request may have succeeded.
                raise DeliveryUnknown from failed
