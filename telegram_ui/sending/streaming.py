"""One answer on its way: shown as it grows, message by message, whole at the end, marked where it breaks off.

Owns the previews: drafts and edits, best effort, none of which delays or fails a final text.
"""

import asyncio
import io
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from telegram import InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter, TelegramError

from locales.catalog import tr
from records.errors import ServedElsewhere
from runtime.tasks import cancel_and_wait
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery, DeliveryError, DeliveryUnknown
from telegram_ui.sending.documents import Documents
from telegram_ui.sending.formatting import (
    MAX_MESSAGES,
    MAX_UNITS,
    Piece,
    count_units,
    cut_beginning,
    is_blank,
    make_rich_markdown,
    messages,
    split_piece,
)
from telegram_ui.sending.http import is_about_entities, is_saying, is_without_effect, name_error, parse_seconds
from telegram_ui.sending.markdown import with_marks_closed
from telegram_ui.sending.pace import Timer
from text.characters import replace_surrogates

log = logging.getLogger(__name__)
T = TypeVar("T")
NoteShown = Callable[[Sequence[int]], Awaitable[None]]
"""Store the messages that show an answer, so that the next run can continue after a kill."""

GROWING_FOR = 0.1  # seconds for which a text grows before it is shown: the whole of a shorter one is there as soon
STALLED_FOR = 0.5  # seconds after which its beginning is shown even though nothing follows
PREVIEW_EVERY = 1.0  # seconds between two drafts or edits in one chat (Telegram takes about one a second)
IN_A_GROUP_EVERY = 4.0  # seconds: of the 20 messages that a group takes in a minute, a quarter is for what must arrive
DRAFT_FOR = 3.0  # seconds that an answer grows as a draft; what takes longer becomes a message, which can have [Stop]


@dataclass(frozen=True, slots=True)
class _ShownPart:
    """The part of an answer that one message shows."""

    piece: Piece
    is_growing: bool


class AnswerStream:
    """One answer on its way. Call `show` as often as you like, then exactly one of `finish`, `interrupt`
    and `break_off`.

    What outgrows a message goes on in the next; only the last one is a draft, or has the button that `stop` makes (a
    draft has Telegram's own, if any). `instead_of`: the bot's messages that the answer replaces, in order. `note_shown`
    is told of messages that may be there without the whole answer. `wants_rich` says whether its reader chose rich
    messages; it is asked once.
    """

    def __init__(
        self,
        delivery: Delivery,
        chat: Chat,
        *,
        stop: Callable[[], InlineKeyboardMarkup] | None = None,
        instead_of: Sequence[int] = (),
        note_shown: NoteShown | None = None,
        wants_rich: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self._delivery = delivery
        self._chat = chat
        self._stop = stop
        self._state = delivery.state(chat)
        self._mode = delivery.mode(chat)
        self._text = ""
        self._growing_from: float | None = None  # set while nothing is to be seen yet
        self._shown: list[_ShownPart] = []
        self._drafted_at: float | None = None  # set when something is to be seen
        self._ids = list(instead_of)  # of the messages, in order; a draft has none
        self._note_shown = note_shown
        self._wants_rich = wants_rich
        self._is_rich: bool | None = None
        self._sent: list[int] = []  # messages with what finish() brought there
        self._arrived: int | None = None  # how many pieces of the whole answer that is
        self._draft_id = _make_draft_id()
        self._with_entities = True
        self._changed = asyncio.Event()
        self._stalled: Timer | None = None
        self._painter: asyncio.Task[None] | None = None
        self._painting: asyncio.Task[None] | None = None
        self._paints_draft = False

    async def show(self, text_so_far: str) -> None:
        """Show more of the answer soon, if possible: returns at once and raises nothing.

        What is whole almost at once is not shown before its end: nobody would see it.
        """
        if self._mode == "off" or is_blank(text_so_far):
            return
        self._text = text_so_far
        self._changed.set()
        now = self._delivery.clock.time()
        if self._stalled is None:
            self._growing_from = now
            self._stalled = self._delivery.clock.call_later(STALLED_FOR, self._begin_painting)
        elif self._growing_from is not None and now - self._growing_from >= GROWING_FOR:
            self._stalled.cancel()
            self._begin_painting()

    async def finish(self, markdown: str, *, keyboard: InlineKeyboardMarkup | None = None) -> list[int]:
        """Send the whole answer; the ids of its messages. The keyboard is under the last text.

        Raises DeliveryError; called again, it continues where it failed.
        """
        await self._stop_painting()
        if (rich := await self._make_rich_draft(markdown)) and await self._send_as_rich(rich, keyboard):
            return self._sent
        parts = await convert_safely(messages, markdown)
        is_file = not parts and not is_blank(markdown)
        if is_file:
            # What is there already stays to be read.
            most = min(max(1, len(self._ids)), MAX_MESSAGES)
            told = f"\n\n{tr('answers-in-file')}"
            parts = await convert_safely(partial(cut_beginning, most=most, ending=told), markdown)
        if self._arrived is None:
            self._arrived = self._count_standing(parts)
            self._sent = self._ids[: self._arrived]
        try:
            if self._arrived < max(len(parts), 1):
                await self._delivery.send(
                    replace(self._chat, reply_to=None) if self._arrived else self._chat,
                    parts[self._arrived :],
                    keyboard=keyboard,
                    instead_of=self._ids[self._arrived : max(len(parts), 1)],
                    on_sent=partial(self._note_arrived, of=len(parts)),
                )
        except DeliveryUnknown as unknown:
            # It is not known whether the next piece arrived: it is sent again, and may be there twice.
            self._sent += [one for one in unknown.sent if one not in self._sent]
            raise DeliveryUnknown(sent=self._sent) from unknown
        await self._delivery.remove(self._chat, self._ids[max(len(parts), 1) :])
        del self._ids[max(len(parts), 1) :]
        if is_file:
            self._sent.append(await self._send_as_file(markdown, self._sent))
        return self._sent

    async def _make_rich_draft(self, markdown: str) -> str:
        """Return the Markdown of a rich message if the reader chose rich and it shows more, else ""."""
        if self._is_rich is None:
            self._is_rich = self._wants_rich is not None and await self._wants_rich()
        return await convert_safely(make_rich_markdown, markdown) if self._is_rich else ""

    async def _send_as_rich(self, markdown: str, keyboard: InlineKeyboardMarkup | None) -> bool:
        """Send the whole answer as a rich message in place of what is shown; False where none is taken."""
        if self._arrived is not None:  # it had begun to arrive in plain messages
            return False
        sent = await self._delivery.send_rich(self._chat, markdown, keyboard=keyboard)
        if sent is None:
            return False
        self._sent = [sent]
        await self._delivery.remove(self._chat, self._ids)
        self._ids, self._shown = [], []
        return True

    def kept(self) -> str | None:
        """Return the text that the reader had seen when they stopped it, or None if the bot is stopping."""
        if self._delivery.closing.is_set():
            return None
        return self._text if self._shown else ""

    @property
    def sent(self) -> Sequence[int]:
        """Return the messages that finish() has sent, even if it failed."""
        return tuple(self._sent)

    def _count_standing(self, parts: Sequence[Piece]) -> int:
        """Count the pieces of the whole answer that are there as they should be; the last is sent in any case."""
        standing = 0
        for part, shown, _ in zip(parts[:-1], self._shown, self._ids, strict=False):
            if shown != _ShownPart(part, is_growing=False):
                break
            standing += 1
        return standing

    async def _note_arrived(self, message_ids: Sequence[int], *, of: int) -> None:
        self._sent += message_ids
        self._arrived = (self._arrived or 0) + 1
        if of > 1 and self._note_shown is not None:
            await self._note_shown([*self._sent, *self._ids[self._arrived :]])

    async def _send_as_file(self, markdown: str, before: Sequence[int]) -> int:
        content = io.BytesIO(replace_surrogates(markdown).encode())
        try:
            return await Documents(self._delivery).send(self._chat, content, "answer.md", tr("answers-in-file"))
        except DeliveryUnknown as unknown:
            raise DeliveryUnknown(sent=before) from unknown

    async def interrupt(self) -> None:
        """Mark a cancelled answer. Raises nothing."""
        if self._delivery.closing.is_set():
            await self._mark_sent(tr("answers-broken-off-again"))
        elif not await self._mark_sent(tr("answers-stopped")):
            with suppress(DeliveryError, ServedElsewhere):
                await self._delivery.say(self._chat, tr("answers-stopped"))

    async def break_off(self) -> None:
        """Try once to mark the shown text as broken off. Raises nothing."""
        await self._mark_sent(tr("answers-broken-off"))

    async def _mark_sent(self, mark: str) -> bool:
        """Return True if there was something to mark."""
        await self._stop_painting()
        if not self._shown:
            return False
        # Entities beyond the text's new end would be refused; the room for the mark is taken from the text.
        last = self._shown[-1].piece
        shown = next(split_piece(last.text, last.entities, limit=MAX_UNITS - count_units(mark) - 2))
        try:
            # In place of a draft too: that would vanish by itself, and with it the text that was read so far.
            await self._put(len(self._shown) - 1, f"{shown.text}\n\n{mark}", shown.entities)
        except ServedElsewhere:
            return True  # it is another process's by now
        except TelegramError as error:
            log.info("broken-off answer not marked: %s", name_error(error))
        if self._note_shown is not None:
            # What is marked stays as it is; whoever answers later does so in messages of their own.
            await self._note_shown(())
        return True

    def _begin_painting(self) -> None:
        self._growing_from = None
        self._painter = asyncio.create_task(self._paint_draft())

    async def _paint_draft(self) -> None:
        clock = self._delivery.clock
        while self._mode != "off":
            await self._change()
            while (wait := max(self._state.preview_from, self._state.final_from) - clock.time()) > 0:
                await clock.sleep(wait)
            await self._delivery.pace.preview()
            self._changed.clear()
            wanted = self._select_wanted(await convert_safely(cut_beginning, with_marks_closed(self._text)))
            number = self._choose_next(wanted) if wanted else None
            if number is None:
                continue
            # The more there is to convert, the rarer.
            every = PREVIEW_EVERY if self._chat.is_private else IN_A_GROUP_EVERY
            self._state.preview_from = clock.time() + max(every, PREVIEW_EVERY * len(wanted) / 2)
            # A task of its own: once begun, a request is not torn off, or its message id would be lost.
            self._paints_draft = number < len(wanted) and self._is_draft(number, wanted[number])
            self._painting = asyncio.create_task(self._show_part(number, wanted))
            await asyncio.shield(self._painting)
            if self._choose_next(wanted) is not None:
                self._changed.set()

    def _select_wanted(self, parts: Sequence[Piece]) -> list[_ShownPart]:
        keep = [part if self._with_entities else Piece(text=part.text) for part in parts]
        return [_ShownPart(part, is_growing=number == len(keep) - 1) for number, part in enumerate(keep)]

    def _choose_next(self, wanted: Sequence[_ShownPart]) -> int | None:
        """Return the first message whose text is outdated, or None."""
        for number, part in enumerate(wanted):
            if number >= len(self._shown) or self._shown[number] != part:
                return number
        return len(wanted) if len(self._shown) > len(wanted) else None

    async def _change(self) -> None:
        """Wait until there is more to show, or a draft is to become a message."""
        if self._mode != "draft" or self._drafted_at is None:
            await self._changed.wait()
            return
        changed = asyncio.create_task(self._changed.wait())
        left = DRAFT_FOR - (self._delivery.clock.time() - self._drafted_at)
        aged = asyncio.create_task(self._delivery.clock.sleep(max(left, 0.0)))
        try:
            await asyncio.wait({changed, aged}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_and_wait(changed)
            await cancel_and_wait(aged)
        if self._delivery.clock.time() - self._drafted_at >= DRAFT_FOR:
            self._mode = "edit"
            del self._shown[len(self._ids) :]

    async def _show_part(self, number: int, wanted: Sequence[_ShownPart]) -> None:
        """Make one message show what it should, or delete those that show what is no longer part of the answer."""
        if number == len(wanted):
            await self._delivery.remove(self._chat, self._ids[number:])
            del self._shown[number:], self._ids[number:]
            return
        part, clock = wanted[number], self._delivery.clock
        try:
            await self._request(number, part)
        except RetryAfter as refused:
            self._state.preview_from = clock.time() + parse_seconds(refused)
            self._delivery.pace.refused()
            self._changed.set()
        except (BadRequest, InvalidToken) as refused:
            if number < len(self._ids) and is_saying(refused, "message is not modified"):
                self._note_sent(number, part)
            elif part.piece.entities and is_about_entities(refused):
                self._with_entities = False
                self._changed.set()
            elif self._is_draft(number, part) and not is_saying(refused, "thread"):
                # 404 for a server without the method, 400 for a chat that takes none: from now on by editing.
                self._state.takes_drafts = False
                self._mode = "edit"
                del self._shown[number:]
                self._changed.set()
            else:
                self._mode = "off"
                log.info("answer no longer shown while it is written: %s", name_error(refused))
        except ServedElsewhere:
            self._mode = "off"
        except (Forbidden, ChatMigrated) as refused:
            self._mode = "off"
            log.info("answer no longer shown while it is written: %s", name_error(refused))
        except TelegramError as error:
            is_new = number >= len(self._ids) and not self._is_draft(number, part)
            if is_new and not is_without_effect(error):
                # The part may be there under an id that we do not know: a second one would double it.
                self._mode = "off"
            self._changed.set()
            log.debug("preview not shown: %s", name_error(error))
        else:
            self._note_sent(number, part)

    def _note_sent(self, number: int, part: _ShownPart) -> None:
        self._shown[number : number + 1] = [part]
        if self._drafted_at is None:
            self._drafted_at = self._delivery.clock.time()

    def _is_draft(self, number: int, part: _ShownPart) -> bool:
        return self._mode == "draft" and part.is_growing and number >= len(self._ids)

    async def _request(self, number: int, part: _ShownPart) -> None:
        chat, piece = self._chat, part.piece
        if self._is_draft(number, part):
            rich = await self._make_rich_draft(with_marks_closed(self._text)) if not number else ""
            await self._delivery.request_draft(chat, self._draft_id, piece, rich)
        else:
            keyboard = self._stop() if self._stop is not None and part.is_growing else None
            await self._put(number, piece.text, piece.entities, keyboard)

    async def _put(
        self, number: int, text: str, entities: Sequence[MessageEntity], keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Change one of the messages that show the answer, or send the next."""
        piece, chat = Piece(text=text, entities=tuple(entities)), self._chat
        if number < len(self._ids):
            await self._delivery.request_edit(chat, self._ids[number], piece, keyboard)
        else:
            here = chat if not number else replace(chat, reply_to=None)
            self._ids.append(await self._delivery.request_message(here, piece, keyboard))
            self._draft_id = _make_draft_id()
            if self._note_shown is not None:
                await self._note_shown(self._ids)

    async def _stop_painting(self) -> None:
        self._growing_from = None
        self._state.drafts.pop(self._chat.thread, None)
        if self._stalled is not None:
            self._stalled.cancel()
        if self._painter is not None:
            await cancel_and_wait(self._painter)
        painting, self._painting, self._painter = self._painting, None, None
        if painting is None or painting.done():
            return
        # A draft that is late is dropped. A message or an edit is waited for (the request has its own time limit):
        # its id is needed, or it would overwrite the final text.
        await asyncio.wait({painting}, timeout=1.0 if self._paints_draft else None)
        await cancel_and_wait(painting)


def _make_draft_id() -> int:
    return secrets.randbelow(2**31 - 1) + 1


async def convert_safely(convert: Callable[[str], T], markdown: str) -> T:
    """Convert Markdown to messages without blocking the event loop."""
    # A few milliseconds at worst.
    if len(markdown) <= 500:
        return convert(markdown)
    return await asyncio.to_thread(convert, markdown)
