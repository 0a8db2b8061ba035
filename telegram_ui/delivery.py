"""Showing answers: streamed while they are written, whole at the end, within Telegram's limits and pauses.

Two lanes per chat. Final texts go out in order and honour 429; drafts, edits of previews and typing are best effort
and never delay or fail a final text. Does not know what an answer is about, or what is done when one is not delivered.
"""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Literal, Protocol, TypeVar
from weakref import WeakValueDictionary

import httpx
from telegram import Bot, ForceReply, InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from errors import KeepsakeError
from newest import Newest
from telegram_ui.chat import Chat
from telegram_ui.formatting import MAX_UNITS, Piece, is_blank, pieces, scrubbed, split, units

log = logging.getLogger(__name__)
T = TypeVar("T")
Streaming = Literal["auto", "edit", "off"]
Keyboard = InlineKeyboardMarkup | ForceReply

PREVIEW_EVERY = 1.0  # seconds between two drafts or edits in one chat (Telegram bears about one a second)
DRAFT_REFRESH = 20.0  # a draft disappears after 30 s (Bot API, sendMessageDraft)
TYPING_EVERY = 5.0  # a chat action is shown for 5 s or less (Bot API, sendChatAction)
ATTEMPTS = 5
LONGEST_WAIT = 600.0  # seconds that one final text may spend waiting for Telegram in all
CHATS_KNOWN = 1_000  # of which it is remembered until when Telegram wants quiet
LAST_PREVIEW = 1.0  # seconds that a final text waits for a draft that is on its way
BROKEN_OFF = "⚠️ This answer was broken off."
NOTHING_TO_SHOW = "The answer was empty."
NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


class DeliveryError(KeepsakeError):
    """Telegram did not take the message."""

    arrived = 0
    """How many of the pieces that were to be sent arrived, from the first on: they need not be sent again."""


class DeliveryUnknown(DeliveryError):  # noqa: N818 - reads as the state it is
    """The connection broke after the message was sent: it may have arrived or not."""

    def __init__(self, sentence: str | None = None, sent: Sequence[int] = ()) -> None:
        super().__init__(sentence)
        self.sent = tuple(sent)


class ChatGone(DeliveryError):  # noqa: N818
    """The chat is gone: the bot was blocked or removed, or the chat was deleted."""


class Clock(Protocol):
    """Monotonic seconds, and waiting by them."""

    def time(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def time(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Lane:
    """What is known of one chat: whose turn it is, and until when Telegram wants quiet."""

    def __init__(self) -> None:
        self.order = asyncio.Lock()
        self.final_from = 0.0
        self.preview_from = 0.0
        self.takes_drafts = True


class Delivery:
    """Sends texts to chats. One for the whole bot; needs no closing."""

    def __init__(self, bot: Bot, *, streaming: Streaming = "auto", clock: Clock | None = None) -> None:
        self.bot = bot
        self.clock: Clock = clock or SystemClock()
        self._streaming: Streaming = streaming
        # A lane in use is one and the same, however many chats there are besides.
        self._lanes: WeakValueDictionary[int, _Lane] = WeakValueDictionary()
        self._known = Newest[int, _Lane](CHATS_KNOWN)
        self._upgraded = Newest[int, int](CHATS_KNOWN)
        self._on_upgrade: Callable[[int, int], None] = _nobody

    def on_upgrade(self, heard: Callable[[int, int], None]) -> None:
        """Who is told, by old and new id, when sending shows that a group has become a supergroup."""
        self._on_upgrade = heard

    def place(self, chat: Chat) -> int:
        """Under which id a chat is reached now."""
        return self._upgraded.get(chat.id, chat.id)

    async def say(self, chat: Chat, text: str, *, keyboard: Keyboard | None = None) -> list[int]:
        """Send the bot's own words, without Markdown; the ids of the messages. The keyboard is under the last one.

        Raises DeliveryError; DeliveryUnknown when the text may have arrived.
        """
        return await self.send(chat, [_as_plain(piece) for piece in split(scrubbed(text))], keyboard=keyboard)

    async def replace(
        self, chat: Chat, message_id: int, text: str, *, keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Change one of the bot's own messages; where it is gone, send a new one."""
        if not await self.edit(chat, message_id, Piece(text=text), keyboard=keyboard):
            await self.say(chat, text, keyboard=keyboard)

    def answer(self, chat: Chat) -> "AnswerStream":
        """Begin an answer: shown as it grows, as REPLY_STREAMING says."""
        return AnswerStream(self, chat, self.lane(chat), self._mode(chat))

    @contextlib.asynccontextmanager
    async def typing(self, chat: Chat) -> AsyncIterator[None]:
        """Show the typing action until the block is left."""
        repeating = asyncio.create_task(self._keep_typing(chat))
        try:
            yield
        finally:
            await _ended(repeating)

    def lane(self, chat: Chat) -> _Lane:
        lane = self._lanes.setdefault(chat.id, _Lane())
        self._known[chat.id] = lane
        return lane

    def _mode(self, chat: Chat) -> Literal["draft", "edit", "off"]:
        if self._streaming == "auto":
            return "draft" if chat.is_private and self.lane(chat).takes_drafts else "edit"
        return self._streaming

    async def _keep_typing(self, chat: Chat) -> None:
        while True:
            lane = self.lane(chat)
            if self.clock.time() >= max(lane.preview_from, lane.final_from):
                try:
                    await self.bot.send_chat_action(
                        self.place(chat), ChatAction.TYPING, message_thread_id=chat.thread or None
                    )
                except RetryAfter as refused:
                    lane.preview_from = self.clock.time() + _seconds(refused)
                except TelegramError as error:
                    log.debug("typing action not shown: %s", type(error).__name__)
            await self.clock.sleep(TYPING_EVERY)

    # The final lane ------------------------------------------------------------------------------------------

    async def send(
        self,
        chat: Chat,
        parts: Sequence[Piece],
        *,
        keyboard: Keyboard | None = None,
        instead_of: int | None = None,
    ) -> list[int]:
        """Send pieces in order, the first by changing the message `instead_of` where there is one."""
        visible = [part for part in parts if not part.is_blank] or [Piece(text=NOTHING_TO_SHOW)]
        sent: list[int] = []
        lane = self.lane(chat)
        async with lane.order:
            for number, part in enumerate(visible):
                markup = keyboard if part is visible[-1] else None
                try:
                    if part is visible[0] and instead_of is not None:
                        inline = markup if isinstance(markup, InlineKeyboardMarkup) else None
                        if await self._edit(chat, instead_of, part, inline):
                            sent.append(instead_of)
                            continue
                    sent += await self._send_piece(chat, part, markup, is_first=not sent)
                except DeliveryUnknown as unknown:
                    passed_on = DeliveryUnknown(sent=[*sent, *unknown.sent])
                    passed_on.arrived = number
                    raise passed_on from unknown
                except DeliveryError as error:
                    error.arrived = number
                    raise
        return sent

    async def edit(
        self, chat: Chat, message_id: int, part: Piece, *, keyboard: InlineKeyboardMarkup | None = None
    ) -> bool:
        """Change a message; False when there is no such message to change any more."""
        lane = self.lane(chat)
        async with lane.order:
            return await self._edit(chat, message_id, part, keyboard)

    async def _send_piece(self, chat: Chat, part: Piece, keyboard: Keyboard | None, *, is_first: bool) -> list[int]:
        reply = chat.reply_to if is_first else None
        try:
            return [await self._send_message(chat, part.text, part.entities, keyboard, reply)]
        except BadRequest as refused:
            if not part.entities or not _is_about_entities(refused):
                raise DeliveryError("Telegram refused the message.") from refused
        plain = [piece for piece in split(part.plain or part.text) if not piece.is_blank]
        ids = []
        for number, piece in enumerate(plain):
            markup = keyboard if piece is plain[-1] else None
            try:
                ids.append(await self._send_message(chat, piece.text, (), markup, None if number else reply))
            except BadRequest as refused:
                raise DeliveryError("Telegram refused the message.") from refused
            except DeliveryUnknown as unknown:
                raise DeliveryUnknown(sent=ids) from unknown
        return ids

    async def _send_message(
        self,
        chat: Chat,
        text: str,
        entities: Sequence[MessageEntity],
        keyboard: Keyboard | None,
        reply_to: int | None,
    ) -> int:
        thread = chat.thread
        while True:

            async def request(thread: int = thread) -> int:
                place = self.place(chat)
                message = await self.bot.send_message(
                    place,
                    text,
                    entities=entities or None,
                    message_thread_id=thread or None,
                    reply_markup=keyboard,
                    # In a chat with another id messages are counted anew.
                    reply_parameters=_reply(reply_to if place == chat.id else None),
                    link_preview_options=NO_PREVIEW,
                )
                return message.message_id

            try:
                return await self.insist(chat, request, repeatable=False)
            except BadRequest as refused:
                if not thread or not _says(refused, "message thread not found", "topic_deleted", "topic_closed"):
                    raise
                thread = 0

    async def _edit(
        self, chat: Chat, message_id: int, part: Piece, keyboard: InlineKeyboardMarkup | None = None
    ) -> bool:
        for text, entities in ((part.text, part.entities), (part.plain or part.text, ())):

            async def request(text: str = text, entities: Sequence[MessageEntity] = entities) -> None:
                if self.place(chat) != chat.id:
                    raise BadRequest("Message to edit not found: its chat has another id now")
                await self.bot.edit_message_text(
                    text,
                    chat_id=chat.id,
                    message_id=message_id,
                    entities=entities or None,
                    reply_markup=keyboard,
                    link_preview_options=NO_PREVIEW,
                )

            try:
                await self.insist(chat, request, repeatable=True)
            except BadRequest as refused:
                if _says(refused, "message is not modified"):
                    return True
                if entities and _is_about_entities(refused):
                    continue
                log.info("message not changed, a new one is sent: %s", _kind(refused))
                return False
            return True
        return False

    async def insist(self, chat: Chat, request: Callable[[], Awaitable[T]], *, repeatable: bool) -> T:
        """Do a request, again where it surely had no effect (or may be repeated), a bounded number of times.

        Raises BadRequest for the caller to judge, and DeliveryError.
        """
        lane, waited, failures = self.lane(chat), 0.0, 0
        while True:
            pause = max(0.0, lane.final_from - self.clock.time())
            waited += pause
            if waited > LONGEST_WAIT:
                raise DeliveryError("Telegram asks for a longer pause than can be waited for.")
            if pause:
                await self.clock.sleep(pause)
            try:
                return await request()
            except RetryAfter as refused:
                lane.final_from = self.clock.time() + _seconds(refused)
                failures += 1
                if failures >= ATTEMPTS:
                    raise DeliveryError("Telegram is too busy.") from refused
            except BadRequest as refused:
                if _says(refused, "chat not found", "user is deactivated", "peer_id_invalid"):
                    raise ChatGone from refused
                raise
            except ChatMigrated as refused:
                if self.place(chat) == refused.new_chat_id:
                    raise ChatGone from refused
                self._upgraded[chat.id] = refused.new_chat_id
                self._on_upgrade(chat.id, refused.new_chat_id)
            except Forbidden as refused:
                raise ChatGone from refused
            except InvalidToken as refused:
                raise DeliveryError("Telegram does not accept the bot's token.") from refused
            except NetworkError as failed:
                if not repeatable and not _surely_without_effect(failed):
                    raise DeliveryUnknown from failed
                failures += 1
                if failures >= ATTEMPTS:
                    if not _surely_without_effect(failed):
                        raise DeliveryUnknown from failed
                    raise DeliveryError("Telegram cannot be reached.") from failed
                lane.final_from = max(lane.final_from, self.clock.time() + 0.5 * 2**failures)
            except TelegramError as failed:
                # The answer came but could not be read (a proxy's page, half a body): it may have been a success.
                raise DeliveryUnknown from failed


class AnswerStream:
    """One answer on its way. `show` at will, then exactly one of `finish` and `break_off`."""

    def __init__(self, delivery: Delivery, chat: Chat, lane: _Lane, mode: Literal["draft", "edit", "off"]) -> None:
        self._delivery = delivery
        self._chat = chat
        self._lane = lane
        self._mode = mode
        self._text = ""
        self._shown: Piece | None = None
        self._shown_at = 0.0
        self._message_id: int | None = None
        self._arrived = 0  # pieces of the whole answer that an earlier finish() brought there
        self._draft_id = secrets.randbelow(2**31 - 1) + 1
        self._with_entities = True
        self._changed = asyncio.Event()
        self._painter: asyncio.Task[None] | None = None
        self._painting: asyncio.Task[None] | None = None

    async def show(self, text_so_far: str) -> None:
        """Show more of the answer, soon and at best: returns at once, raises nothing."""
        if self._mode == "off" or is_blank(text_so_far):
            return
        self._text = text_so_far
        self._changed.set()
        if self._painter is None:
            self._painter = asyncio.create_task(self._paint())

    async def finish(self, markdown: str) -> list[int]:
        """Send the whole answer; its message ids. Raises DeliveryError; called again, it goes on where it failed."""
        await self._stop_painting()
        parts = [part for part in pieces(markdown) if not part.is_blank]
        instead_of = None if self._arrived else self._message_id
        try:
            return await self._delivery.send(self._chat, parts[self._arrived :], instead_of=instead_of)
        except DeliveryError as error:
            self._arrived += error.arrived
            raise

    async def break_off(self, mark: str = BROKEN_OFF) -> None:
        """Mark what was shown as broken off. One attempt: it is called while everything stops. Raises nothing."""
        await self._stop_painting()
        if self._shown is None:
            return
        # Entities beyond the text's new end would be refused; the room for the mark is taken from the text.
        shown = next(split(self._shown.text, self._shown.entities, limit=MAX_UNITS - units(mark) - 2))
        text = f"{shown.text}\n\n{mark}"
        chat, bot = self._chat, self._delivery.bot
        try:
            if self._message_id is not None:
                await bot.edit_message_text(
                    text,
                    chat_id=chat.id,
                    message_id=self._message_id,
                    entities=shown.entities or None,
                    link_preview_options=NO_PREVIEW,
                )
            else:
                # A draft would vanish by itself, and with it what its reader has read.
                await bot.send_message(
                    chat.id,
                    text,
                    entities=shown.entities or None,
                    message_thread_id=chat.thread or None,
                    reply_parameters=_reply(chat.reply_to),
                    link_preview_options=NO_PREVIEW,
                )
        except TelegramError as error:
            log.info("broken-off answer not marked: %s", _kind(error))

    async def _paint(self) -> None:
        clock = self._delivery.clock
        while True:
            await self._news()
            while (wait := max(self._lane.preview_from, self._lane.final_from) - clock.time()) > 0:
                await clock.sleep(wait)
            self._changed.clear()
            piece = _preview(self._text)
            if piece == self._shown and not self._is_draft_old():
                continue
            self._lane.preview_from = clock.time() + PREVIEW_EVERY
            # A task of its own: once begun, a request is not torn off, or its message id would be lost.
            self._painting = asyncio.create_task(self._show_piece(piece))
            await asyncio.shield(self._painting)

    async def _news(self) -> None:
        """Until there is more to show, or a draft needs refreshing."""
        if self._mode != "draft" or self._shown is None:
            await self._changed.wait()
            return
        changed = asyncio.create_task(self._changed.wait())
        left = DRAFT_REFRESH - (self._delivery.clock.time() - self._shown_at)
        refresh = asyncio.create_task(self._delivery.clock.sleep(max(left, 0.0)))
        try:
            await asyncio.wait({changed, refresh}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _ended(changed)
            await _ended(refresh)

    def _is_draft_old(self) -> bool:
        return self._mode == "draft" and self._delivery.clock.time() - self._shown_at >= DRAFT_REFRESH

    async def _show_piece(self, piece: Piece) -> None:
        if not self._with_entities:
            piece = Piece(text=piece.text)
        clock = self._delivery.clock
        try:
            await self._request(piece)
        except RetryAfter as refused:
            self._lane.preview_from = clock.time() + _seconds(refused)
            self._changed.set()
        except (BadRequest, InvalidToken) as refused:
            if self._mode == "edit" and _says(refused, "message is not modified"):
                self._shown, self._shown_at = piece, clock.time()
            elif piece.entities and _is_about_entities(refused):
                self._with_entities = False
                self._changed.set()
            elif self._mode == "draft" and not _says(refused, "thread"):
                # 404 for a server without the method, 400 for a chat that takes none: from now on by editing.
                self._lane.takes_drafts = False
                self._mode = "edit"
                self._shown = None
                self._changed.set()
            else:
                self._mode = "off"
                log.info("answer no longer shown while it is written: %s", _kind(refused))
        except (Forbidden, ChatMigrated) as refused:
            self._mode = "off"
            log.info("answer no longer shown while it is written: %s", _kind(refused))
        except TelegramError as error:
            if self._mode == "edit" and self._message_id is None and not _surely_without_effect(error):
                # The first part may be there under an id that we do not know: a second one would double it.
                self._mode = "off"
            self._changed.set()
            log.debug("preview not shown: %s", _kind(error))
        else:
            self._shown, self._shown_at = piece, clock.time()

    async def _request(self, piece: Piece) -> None:
        bot, chat = self._delivery.bot, self._chat
        entities = piece.entities or None
        if self._mode == "draft":
            thread = chat.thread or None
            await bot.send_message_draft(chat.id, self._draft_id, piece.text, thread, entities=entities)
        elif self._mode == "edit" and self._message_id is None:
            message = await bot.send_message(
                chat.id,
                piece.text,
                entities=entities,
                message_thread_id=chat.thread or None,
                reply_parameters=_reply(chat.reply_to),
                link_preview_options=NO_PREVIEW,
            )
            self._message_id = message.message_id
        elif self._mode == "edit":
            await bot.edit_message_text(
                piece.text,
                chat_id=chat.id,
                message_id=self._message_id,
                entities=entities,
                link_preview_options=NO_PREVIEW,
            )

    async def _stop_painting(self) -> None:
        if self._painter is not None:
            await _ended(self._painter)
        painting, self._painting, self._painter = self._painting, None, None
        if painting is None or painting.done():
            return
        # A draft that is late is dropped. A message or an edit is waited for (the request has its own time limit):
        # its id is needed, or it would overwrite the final text.
        await asyncio.wait({painting}, timeout=LAST_PREVIEW if self._mode == "draft" else None)
        await _ended(painting)


def _nobody(old: int, new: int) -> None:
    """Nobody is told."""


def _preview(text: str) -> Piece:
    """The beginning of an unfinished answer, as much as one message holds."""
    parts = pieces(text)
    if len(parts) == 1:
        return parts[0]
    first = next(split(parts[0].text, parts[0].entities, limit=4000))
    return Piece(text=first.text + "…", entities=first.entities)


def _as_plain(piece: Piece) -> Piece:
    return Piece(text=piece.text)


def _reply(message_id: int | None) -> ReplyParameters | None:
    return ReplyParameters(message_id, allow_sending_without_reply=True) if message_id else None


def _seconds(refused: RetryAfter) -> float:
    after = refused.retry_after
    return after.total_seconds() if isinstance(after, timedelta) else float(after)


def _says(error: TelegramError, *phrases: str) -> bool:
    return any(phrase in error.message.lower() for phrase in phrases)


def _is_about_entities(error: TelegramError) -> bool:
    return _says(error, "can't parse", "can't find end", "entit", "unsupported url", "wrong http url")


def _kind(error: TelegramError) -> str:
    """What may stand in a log: never the message, which may quote the text."""
    return type(error).__name__


def _surely_without_effect(error: TelegramError) -> bool:
    """Whether a request was never sent, or was answered by an error."""
    cause = error.__cause__
    if cause is None or isinstance(cause, TelegramError):
        return isinstance(error, NetworkError)  # a status of 500 and above, whatever its body
    return isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)


async def _ended(task: asyncio.Task[None] | asyncio.Task[bool] | asyncio.Task[Literal[True]]) -> None:
    """Cancel a task and wait until it is over; what it raised is of no interest any more."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
