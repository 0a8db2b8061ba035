"""One answer on its way: shown as it grows, whole at the end, marked where it breaks off.

Owns the previews: drafts and edits, best effort, none of which delays or fails a final text. Does not know how final
texts get through (delivery.py), nor what an answer is about.
"""

import asyncio
import io
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from telegram import InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter, TelegramError

from locales.catalog import tr
from runtime.tasks import ended
from telegram_ui.sending.api_errors import is_about_entities, kind, says, seconds, surely_without_effect
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import NO_PREVIEW, Delivery, DeliveryError, DeliveryUnknown, referring_to
from telegram_ui.sending.documents import Documents
from telegram_ui.sending.formatting import MAX_UNITS, Piece, is_blank, messages, preview, split, units
from text.characters import well_formed

log = logging.getLogger(__name__)
T = TypeVar("T")

GROWING_FOR = 0.1  # seconds for which a text grows before it is shown: the whole of a shorter one is there as soon
STALLED_FOR = 0.5  # seconds after which its beginning is shown even though nothing follows
PREVIEW_EVERY = 1.0  # seconds between two drafts or edits in one chat (Telegram takes about one a second)
IN_A_GROUP_EVERY = 4.0  # seconds: of the 20 messages that a group takes in a minute, a quarter is for what must arrive
DRAFT_REFRESH = 20.0  # a draft disappears after 30 s (Bot API, sendMessageDraft)
LAST_PREVIEW = 1.0  # seconds that a final text waits for a draft that is on its way
CONVERTED_HERE = 500
"""Characters that are converted on the event loop (a few milliseconds at worst); more goes to a thread."""


class AnswerStream:
    """One answer on its way. Call `show` as often as you like, then exactly one of `finish`, `interrupt`
    and `break_off`.

    `stop`: the button under a message that grows by edits; a draft can have none. `instead_of`: the bot's message that
    the answer replaces.
    """

    def __init__(
        self,
        delivery: Delivery,
        chat: Chat,
        *,
        stop: InlineKeyboardMarkup | None = None,
        instead_of: int | None = None,
    ) -> None:
        self._delivery = delivery
        self._chat = chat
        self._stop = stop
        self._state = delivery.state(chat)
        mode = delivery.mode(chat)
        self._mode = "edit" if mode == "draft" and instead_of is not None else mode
        self._text = ""
        self._growing_from: float | None = None  # set while nothing is to be seen yet
        self._shown: Piece | None = None
        self._shown_at = 0.0
        self._message_id = instead_of
        self._arrived = 0  # pieces of the whole answer that an earlier finish() brought there
        self._draft_id = secrets.randbelow(2**31 - 1) + 1
        self._with_entities = True
        self._changed = asyncio.Event()
        self._painter: asyncio.Task[None] | None = None
        self._painting: asyncio.Task[None] | None = None

    async def show(self, text_so_far: str) -> None:
        """Show more of the answer soon, if possible: returns at once and raises nothing.

        What is whole almost at once is not shown before its end: nobody would see it.
        """
        if self._mode == "off" or is_blank(text_so_far):
            return
        self._text = text_so_far
        self._changed.set()
        now = self._delivery.clock.time()
        if self._painter is None:
            self._growing_from = now
            self._painter = asyncio.create_task(self._paint(STALLED_FOR))
        elif self._growing_from is not None and now - self._growing_from >= GROWING_FOR:
            self._growing_from = None
            self._painter.cancel()
            self._painter = asyncio.create_task(self._paint())

    async def finish(self, markdown: str, *, keyboard: InlineKeyboardMarkup | None = None) -> list[int]:
        """Send the whole answer; the ids of its messages. The keyboard is under the last text.

        Raises DeliveryError; called again, it continues where it failed.
        """
        await self._stop_painting()
        parts = await converted(messages, markdown)
        is_file = not parts and not is_blank(markdown)
        if is_file:
            told = f"\n\n{tr('answers-in-file')}"
            beginning = await converted(partial(preview, limit=MAX_UNITS - units(told)), markdown)
            parts = [Piece(text=beginning.text + told, entities=beginning.entities)]
        sent: list[int] = []
        try:
            if not is_file or not self._arrived:
                instead_of = None if self._arrived else self._message_id
                sent = await self._delivery.send(
                    self._chat, parts[self._arrived :], keyboard=keyboard, instead_of=instead_of
                )
        except DeliveryError as error:
            self._arrived += error.arrived
            raise
        if is_file:
            self._arrived = 1
            sent.append(await self._send_as_file(markdown, sent))
        return sent

    async def _send_as_file(self, markdown: str, before: Sequence[int]) -> int:
        content = io.BytesIO(well_formed(markdown).encode())
        try:
            return await Documents(self._delivery).send(self._chat, content, "answer.md", tr("answers-file"))
        except DeliveryUnknown as unknown:
            raise DeliveryUnknown(sent=before) from unknown

    async def interrupt(self) -> None:
        """The answer was cancelled: by its reader, who sees one mark of it, or as the bot stops. Raises nothing."""
        if self._delivery.is_closing:
            await self.break_off()
        elif not await self._marked(tr("answers-stopped")):
            with suppress(DeliveryError):
                await self._delivery.say(self._chat, tr("answers-stopped-message"))

    async def break_off(self) -> None:
        """Mark what was shown as broken off. One attempt: it is called while everything stops. Raises nothing."""
        await self._marked(tr("answers-broken-off"))

    async def _marked(self, mark: str) -> bool:
        """Whether there was something to mark."""
        await self._stop_painting()
        if self._shown is None:
            return False
        # Entities beyond the text's new end would be refused; the room for the mark is taken from the text.
        shown = next(split(self._shown.text, self._shown.entities, limit=MAX_UNITS - units(mark) - 2))
        try:
            # In place of a draft too: that would vanish by itself, and with it the text that was read so far.
            await self._put(f"{shown.text}\n\n{mark}", shown.entities)
        except TelegramError as error:
            log.info("broken-off answer not marked: %s", kind(error))
        return True

    async def _paint(self, after: float = 0.0) -> None:
        clock = self._delivery.clock
        if after:
            await clock.sleep(after)
            self._growing_from = None
        while True:
            await self._change()
            while (wait := max(self._state.preview_from, self._state.final_from) - clock.time()) > 0:
                await clock.sleep(wait)
            await self._delivery.pace.preview()
            self._changed.clear()
            piece = await converted(preview, self._text)
            if piece == self._shown and not self._is_draft_old():
                continue
            self._state.preview_from = clock.time() + (PREVIEW_EVERY if self._chat.is_private else IN_A_GROUP_EVERY)
            # A task of its own: once begun, a request is not torn off, or its message id would be lost.
            self._painting = asyncio.create_task(self._show_piece(piece))
            await asyncio.shield(self._painting)

    async def _change(self) -> None:
        """Wait until there is more to show, or a draft needs refreshing."""
        if self._mode != "draft" or self._shown is None:
            await self._changed.wait()
            return
        changed = asyncio.create_task(self._changed.wait())
        left = DRAFT_REFRESH - (self._delivery.clock.time() - self._shown_at)
        refresh = asyncio.create_task(self._delivery.clock.sleep(max(left, 0.0)))
        try:
            await asyncio.wait({changed, refresh}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await ended(changed)
            await ended(refresh)

    def _is_draft_old(self) -> bool:
        return self._mode == "draft" and self._delivery.clock.time() - self._shown_at >= DRAFT_REFRESH

    async def _show_piece(self, piece: Piece) -> None:
        if not self._with_entities:
            piece = Piece(text=piece.text)
        clock = self._delivery.clock
        try:
            await self._request(piece)
        except RetryAfter as refused:
            self._state.preview_from = clock.time() + seconds(refused)
            self._delivery.pace.refused()
            self._changed.set()
        except (BadRequest, InvalidToken) as refused:
            if self._mode == "edit" and says(refused, "message is not modified"):
                self._shown, self._shown_at = piece, clock.time()
            elif piece.entities and is_about_entities(refused):
                self._with_entities = False
                self._changed.set()
            elif self._mode == "draft" and not says(refused, "thread"):
                # 404 for a server without the method, 400 for a chat that takes none: from now on by editing.
                self._state.takes_drafts = False
                self._mode = "edit"
                self._shown = None
                self._changed.set()
            else:
                self._mode = "off"
                log.info("answer no longer shown while it is written: %s", kind(refused))
        except (Forbidden, ChatMigrated) as refused:
            self._mode = "off"
            log.info("answer no longer shown while it is written: %s", kind(refused))
        except TelegramError as error:
            if self._mode == "edit" and self._message_id is None and not surely_without_effect(error):
                # The first part may be there under an id that we do not know: a second one would double it.
                self._mode = "off"
            self._changed.set()
            log.debug("preview not shown: %s", kind(error))
        else:
            self._shown, self._shown_at = piece, clock.time()

    async def _request(self, piece: Piece) -> None:
        if self._mode == "draft":
            chat, entities = self._chat, piece.entities or None
            await self._delivery.bot.send_message_draft(
                chat.id, self._draft_id, piece.text, chat.topic, entities=entities
            )
        elif self._mode == "edit":
            await self._put(piece.text, piece.entities, self._stop)

    async def _put(
        self, text: str, entities: Sequence[MessageEntity], keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Change the message that shows the answer, or send it."""
        bot, chat = self._delivery.bot, self._chat
        if self._message_id is not None:
            await bot.edit_message_text(
                text,
                chat_id=chat.id,
                message_id=self._message_id,
                entities=entities or None,
                reply_markup=keyboard,
                link_preview_options=NO_PREVIEW,
            )
        else:
            message = await bot.send_message(
                chat.id,
                text,
                entities=entities or None,
                message_thread_id=chat.topic,
                direct_messages_topic_id=chat.direct_messages_topic,
                reply_markup=keyboard,
                reply_parameters=referring_to(chat.reply_to),
                link_preview_options=NO_PREVIEW,
            )
            self._message_id = message.message_id

    async def _stop_painting(self) -> None:
        if self._painter is not None:
            await ended(self._painter)
        painting, self._painting, self._painter = self._painting, None, None
        if painting is None or painting.done():
            return
        # A draft that is late is dropped. A message or an edit is waited for (the request has its own time limit):
        # its id is needed, or it would overwrite the final text.
        await asyncio.wait({painting}, timeout=LAST_PREVIEW if self._mode == "draft" else None)
        await ended(painting)


async def converted(convert: Callable[[str], T], markdown: str) -> T:
    """Markdown as messages, next to which others go on."""
    if len(markdown) <= CONVERTED_HERE:
        return convert(markdown)
    return await asyncio.to_thread(convert, markdown)
