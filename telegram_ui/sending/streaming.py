"""Show one answer while it grows, send it whole at the end, and mark it if it is interrupted."""

import asyncio
import io
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial

from attrs import define, field
from telegram import InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter, TelegramError

from locales.catalog import tr
from records.errors import ServedElsewhere
from runtime.tasks import cancel_and_wait, run_in_thread_if_long
from telegram_ui.sending.chat import Chat, MessageId
from telegram_ui.sending.delivery import Delivery, DeliveryError
from telegram_ui.sending.documents import send_file
from telegram_ui.sending.formatting import (
    MAX_MESSAGES,
    MAX_UNITS,
    Piece,
    convert_markdown_if_short,
    convert_to_rich_markdown_if_needed,
    count_utf16_units,
    is_blank,
    split_text,
    truncate_answer,
)
from telegram_ui.sending.http import contains_any_phrase, get_retry_seconds, is_entity_error, request_had_no_effect
from telegram_ui.sending.markdown import close_open_formatting
from telegram_ui.sending.pace import Timer
from text.characters import repair_surrogates

log = logging.getLogger(__name__)

MIN_GROWING_SECONDS = 0.1  # seconds before a text is shown. A short answer is complete by then.
MAX_STALL_SECONDS = 0.5  # seconds after which the beginning is shown even if no more text arrives
PREVIEW_SECONDS = 1.0  # seconds between previews in one chat. Telegram accepts about one a second.
GROUP_PREVIEW_SECONDS = 4.0  # seconds between previews in a group, where Telegram accepts 20 messages a minute
MAX_CHARS_ON_LOOP = 500  # characters converted on the event loop, which takes a few milliseconds at worst
DRAFT_SECONDS = 3.0  # seconds before a draft becomes a message, which can have a [Stop] button


@dataclass(frozen=True, slots=True)
class _ShownPart:
    """The part of an answer in one message. `is_growing` is True while text may still be added to it."""

    piece: Piece
    is_growing: bool


@define(eq=False, slots=False)
class AnswerStream:
    """A growing answer. Schedule any number of previews, then send the final answer or mark it as stopped or broken."""

    _delivery: Delivery
    _chat: Chat
    # For the last message of a growing answer.
    _make_stop_keyboard: Callable[[], InlineKeyboardMarkup] | None = field(default=None, kw_only=True)
    _replaced_ids: Sequence[int] = field(default=(), kw_only=True)  # the messages that the answer replaces, in order
    # Records the messages that show a part of the answer, for the next run.
    _note_shown: Callable[[Sequence[int]], Awaitable[None]] | None = field(default=None, kw_only=True)
    _wants_rich: Callable[[], Awaitable[bool]] | None = field(default=None, kw_only=True)  # called once

    # Lets /stop and [Stop] cancel the task within its block.
    _allow_stopping: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, kw_only=True)

    def __attrs_post_init__(self) -> None:
        self._state = self._delivery.get_or_create_chat_state(self._chat)
        self._mode = self._delivery.choose_streaming_mode(self._chat)
        self._text = ""
        self._growing_from: float | None = None  # set while nothing is visible yet
        self._shown: list[_ShownPart] = []
        self._drafted_at: float | None = None  # set when something is visible
        self._ids = list(self._replaced_ids)  # the messages in order; a draft has no id
        self._is_rich: bool | None = None
        self._sent: list[int] = []  # the messages sent by send_final_answer()
        self._arrived: int | None = None  # the number of pieces in them
        self._draft_id = 0  # 0 until a draft is shown
        self._with_entities = True
        self._changed = asyncio.Event()
        self._stalled: Timer | None = None
        self._preview_task: asyncio.Task[None] | None = None
        self._preview_request: asyncio.Task[None] | None = None
        self._is_requesting_draft = False

    @asynccontextmanager
    async def mark_if_interrupted(self, on_stopped: Callable[[], Awaitable[None]] | None = None) -> AsyncIterator[None]:
        """Let the person stop the answer while the block runs. If it is stopped or fails, mark it as interrupted.

        If the person stops the answer, call `on_stopped` first.
        """
        try:
            async with self._delivery.show_typing(self._chat):
                with self._allow_stopping():
                    yield
        except asyncio.CancelledError:
            if self._delivery.closing.is_set():
                await self._append_mark_if_anything_shown(tr("answers-broken-off-again"))
                raise
            if on_stopped is not None:
                await on_stopped()
            if not await self._append_mark_if_anything_shown(tr("answers-stopped")):
                with suppress(DeliveryError, ServedElsewhere):
                    await self._delivery.send_text(self._chat, tr("answers-stopped"))
            raise
        except Exception:
            await self._append_mark_if_anything_shown(tr("answers-broken-off"))
            raise

    async def schedule_preview(self, text_so_far: str) -> None:
        """Schedule a preview of the text so far, and return at once. Skip the preview if the answer ends first."""
        if self._mode == "off" or is_blank(text_so_far):
            return
        self._text = text_so_far
        self._changed.set()
        now = self._delivery.clock.time()
        if self._stalled is None:
            self._growing_from = now
            self._stalled = self._delivery.clock.call_later(MAX_STALL_SECONDS, self._start_previews)
        elif self._growing_from is not None and now - self._growing_from >= MIN_GROWING_SECONDS:
            self._stalled.cancel()
            self._start_previews()

    async def send_final_answer(
        self, markdown: str, *, keyboard: InlineKeyboardMarkup | None = None
    ) -> list[MessageId]:
        """Send the answer, except for parts already in messages, and return all ids. Raise DeliveryError on failure."""
        await self._stop_previews()
        # Not if a part has arrived in plain messages.
        if self._arrived is None and (rich := await self._make_rich_markdown(markdown)):
            sent = await self._delivery.try_to_send_rich_message(self._chat, rich, keyboard=keyboard)
            if sent is not None:
                self._sent = [sent]
                await self._delivery.delete_messages(self._chat, self._ids)
                self._ids, self._shown = [], []
                return self._sent
        parts = await run_in_thread_if_long(
            partial(convert_markdown_if_short, markdown), len(markdown), MAX_CHARS_ON_LOOP
        )
        is_file = not parts and not is_blank(markdown)
        if is_file:
            # The messages that are already there stay.
            most = min(max(1, len(self._ids)), MAX_MESSAGES)
            told = f"\n\n{tr('answers-in-file')}"
            parts = await asyncio.to_thread(truncate_answer, markdown, max_messages=most, ending=told)
        if self._arrived is None:
            self._arrived = 0
            for part, shown, _ in zip(parts[:-1], self._shown, self._ids, strict=False):
                if shown != _ShownPart(part, is_growing=False):
                    break
                self._arrived += 1
            self._sent = self._ids[: self._arrived]
        if self._arrived < max(len(parts), 1):
            # After DeliveryUnknown, a piece may have arrived. It is sent again, and may appear twice.
            await self._delivery.send_pieces(
                replace(self._chat, reply_to=None) if self._arrived else self._chat,
                parts[self._arrived :],
                keyboard=keyboard,
                replaced_ids=self._ids[self._arrived : max(len(parts), 1)],
                on_sent=partial(self._record_sent_piece, piece_count=len(parts)),
            )
        await self._delivery.delete_messages(self._chat, self._ids[max(len(parts), 1) :])
        del self._ids[max(len(parts), 1) :]
        if is_file:
            content = io.BytesIO(repair_surrogates(markdown).encode())
            self._sent.append(await send_file(self._delivery, self._chat, content, "answer.md", tr("answers-in-file")))
        return self._sent

    async def _make_rich_markdown(self, markdown: str) -> str:
        if self._is_rich is None:
            self._is_rich = self._wants_rich is not None and await self._wants_rich()
        convert = partial(convert_to_rich_markdown_if_needed, markdown)
        return await run_in_thread_if_long(convert, len(markdown), MAX_CHARS_ON_LOOP) if self._is_rich else ""

    def get_text_seen_by_reader(self) -> str | None:
        """Return the text that the reader has seen ("" if none), or None if the bot is shutting down."""
        if self._delivery.closing.is_set():
            return None
        return self._text if self._shown else ""

    @property
    def sent_message_ids(self) -> Sequence[MessageId]:
        """The ids of the messages that send_final_answer() has sent so far, even if it failed."""
        return tuple(self._sent)

    async def _record_sent_piece(self, message_ids: Sequence[int], *, piece_count: int) -> None:
        self._sent += message_ids
        self._arrived = (self._arrived or 0) + 1
        if piece_count > 1 and self._note_shown is not None:
            await self._note_shown([*self._sent, *self._ids[self._arrived :]])

    async def _append_mark_if_anything_shown(self, mark: str) -> bool:
        await self._stop_previews()
        if not self._shown:
            return False
        # Shorten the text to make room for the mark. Entities beyond its end would be refused.
        last = self._shown[-1].piece
        shown = next(split_text(last.text, last.entities, max_units=MAX_UNITS - count_utf16_units(mark) - 2))
        try:
            # A draft is replaced too, or it would vanish with its text.
            await self._send_or_edit_part(len(self._shown) - 1, f"{shown.text}\n\n{mark}", shown.entities)
        except ServedElsewhere:
            return True
        except TelegramError as error:
            log.info("broken-off answer not marked: %s", type(error).__name__)
        if self._note_shown is not None:
            # The marked messages stay. A later answer gets its own.
            await self._note_shown(())
        return True

    def _start_previews(self) -> None:
        self._growing_from = None
        self._preview_task = asyncio.create_task(self._update_previews())

    async def _update_previews(self) -> None:
        clock = self._delivery.clock
        while self._mode != "off":
            await self._wait_for_change()
            while (wait := max(self._state.preview_from, self._state.final_from) - clock.time()) > 0:
                await clock.sleep(wait)
            await self._delivery.pace.wait_before_preview()
            self._changed.clear()
            cut = partial(truncate_answer, close_open_formatting(self._text))
            parts = await run_in_thread_if_long(cut, len(self._text), MAX_CHARS_ON_LOOP)
            pieces = [part if self._with_entities else Piece(text=part.text) for part in parts]
            wanted_parts = [_ShownPart(piece, is_growing=piece is pieces[-1]) for piece in pieces]
            number = self._find_first_outdated_part_index(wanted_parts) if wanted_parts else None
            if number is None:
                continue
            # Longer answers are converted less often.
            every = PREVIEW_SECONDS if self._chat.is_private else GROUP_PREVIEW_SECONDS
            self._state.preview_from = clock.time() + max(every, PREVIEW_SECONDS * len(wanted_parts) / 2)
            # In a task of its own, because a cancelled request would lose its message id.
            self._is_requesting_draft = number < len(wanted_parts) and self._is_draft(number, wanted_parts[number])
            self._preview_request = asyncio.create_task(self._update_part(number, wanted_parts))
            await asyncio.shield(self._preview_request)
            if self._find_first_outdated_part_index(wanted_parts) is not None:
                self._changed.set()

    def _find_first_outdated_part_index(self, wanted_parts: Sequence[_ShownPart]) -> int | None:
        for number, part in enumerate(wanted_parts):
            if number >= len(self._shown) or self._shown[number] != part:
                return number
        return len(wanted_parts) if len(self._shown) > len(wanted_parts) else None

    async def _wait_for_change(self) -> None:
        if self._mode != "draft" or self._drafted_at is None:
            await self._changed.wait()
            return
        changed = asyncio.create_task(self._changed.wait())
        left = DRAFT_SECONDS - (self._delivery.clock.time() - self._drafted_at)
        aged = asyncio.create_task(self._delivery.clock.sleep(max(left, 0.0)))
        try:
            await asyncio.wait({changed, aged}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_and_wait(changed, aged)
        if self._delivery.clock.time() - self._drafted_at >= DRAFT_SECONDS:
            self._mode = "edit"
            del self._shown[len(self._ids) :]

    async def _update_part(self, index: int, wanted_parts: Sequence[_ShownPart]) -> None:
        if index == len(wanted_parts):
            await self._delivery.delete_messages(self._chat, self._ids[index:])
            del self._shown[index:], self._ids[index:]
            return
        part, clock = wanted_parts[index], self._delivery.clock
        try:
            await self._request_preview(index, part)
        except RetryAfter as refused:
            self._state.preview_from = clock.time() + get_retry_seconds(refused)
            self._delivery.pace.limit_final_message_rate()
            self._changed.set()
        except (BadRequest, InvalidToken) as refused:
            if index < len(self._ids) and contains_any_phrase(refused, "message is not modified"):
                self._record_shown_part(index, part)
            elif part.piece.entities and is_entity_error(refused):
                self._with_entities = False
                self._changed.set()
            elif self._is_draft(index, part) and not contains_any_phrase(refused, "thread"):
                # 404: the server has no drafts. 400: the chat takes none. Edit messages instead.
                self._state.takes_drafts = False
                self._mode = "edit"
                del self._shown[index:]
                self._changed.set()
            else:
                self._mode = "off"
        except (ServedElsewhere, Forbidden, ChatMigrated):
            self._mode = "off"
        except TelegramError as error:
            is_new = index >= len(self._ids) and not self._is_draft(index, part)
            if is_new and not request_had_no_effect(error):
                # The message may have arrived under an unknown id. Another one would double it.
                self._mode = "off"
            self._changed.set()
        else:
            self._record_shown_part(index, part)

    def _record_shown_part(self, index: int, part: _ShownPart) -> None:
        self._shown[index : index + 1] = [part]
        if self._drafted_at is None:
            self._drafted_at = self._delivery.clock.time()

    def _is_draft(self, index: int, part: _ShownPart) -> bool:
        return self._mode == "draft" and part.is_growing and index >= len(self._ids)

    async def _request_preview(self, index: int, part: _ShownPart) -> None:
        chat, piece = self._chat, part.piece
        if self._is_draft(index, part):
            rich = await self._make_rich_markdown(close_open_formatting(self._text)) if not index else ""
            self._draft_id = self._draft_id or secrets.randbelow(2**31 - 1) + 1
            await self._delivery.send_draft_without_retries(chat, self._draft_id, piece, rich)
        else:
            keyboard = self._make_stop_keyboard() if self._make_stop_keyboard and part.is_growing else None
            await self._send_or_edit_part(index, piece.text, piece.entities, keyboard)

    async def _send_or_edit_part(
        self, index: int, text: str, entities: Sequence[MessageEntity], keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        piece, chat = Piece(text=text, entities=tuple(entities)), self._chat
        if index < len(self._ids):
            await self._delivery.edit_text_without_retries(chat, self._ids[index], piece, keyboard)
        else:
            here = chat if not index else replace(chat, reply_to=None)
            self._ids.append(await self._delivery.send_message_without_retries(here, piece, keyboard))
            self._draft_id = 0
            if self._note_shown is not None:
                await self._note_shown(self._ids)

    async def _stop_previews(self) -> None:
        self._growing_from = None
        self._state.drafts.pop(self._chat.thread, None)
        if self._stalled is not None:
            self._stalled.cancel()
        if self._preview_task is not None:
            await cancel_and_wait(self._preview_task)
        request, self._preview_request, self._preview_task = self._preview_request, None, None
        if request is None or request.done():
            return
        # A late draft is dropped. A message or edit is waited for, within the request's time limit. Without its id, it
        # would overwrite the final text.
        await asyncio.wait({request}, timeout=1.0 if self._is_requesting_draft else None)
        await cancel_and_wait(request)
