"""The button [Try again], which repeats a request that failed.

The process remembers failed requests. After a restart, a request is read from the message that Telegram includes in the
button press. If that message does not contain the whole request, the person is asked to send it again.
"""

from dataclasses import dataclass, replace

import telegram
from attrs import define, field
from cachetools import LRUCache
from telegram import InlineKeyboardMarkup

from chat.corrections import Corrections
from locales.catalog import tr
from records.scopes import Scope
from telegram_ui.commands.buttons import AGAIN, IN_PROCESS, Buttons, ForeignButton, parse_button_kind
from telegram_ui.updates.durable_queue import QueuedUpdate
from telegram_ui.updates.parsing import ParsedUpdate, parse_update

MAX_KNOWN_PRESSES = 10_000  # messages whose button was pressed. A double tap counts once.
MAX_HELD_CHARS = 2_000_000  # characters of the remembered requests, about a thousand messages
CHARS_PER_MESSAGE = 2_000  # added to each message's text for its other fields


@dataclass(frozen=True, kw_only=True, slots=True)
class UserRequest:
    """A request that a button can repeat: the messages of a turn, or one update of another kind."""

    pieces: tuple[ParsedUpdate, ...]  # empty if the request is no longer known
    item: QueuedUpdate | None = None  # set if this is not a turn

    @property
    def first_update_id(self) -> int:
        return self.pieces[0].first_update_id or self.pieces[0].update_id


def _estimate_chars(request: UserRequest) -> int:
    return sum(CHARS_PER_MESSAGE + len(piece.text) for piece in request.pieces)


@define(eq=False)
class RequestRepeater:
    """Makes the buttons that repeat requests, and remembers the requests that failed in this process."""

    _buttons: Buttons
    _corrections: Corrections
    _pressed: LRUCache[tuple[int, int], int] = field(factory=lambda: LRUCache(MAX_KNOWN_PRESSES), init=False)
    _failed_requests: LRUCache[tuple[Scope, int, int], UserRequest] = field(
        factory=lambda: LRUCache(MAX_HELD_CHARS, getsizeof=_estimate_chars), init=False
    )

    def __attrs_post_init__(self) -> None:
        self._corrections.add_forgetting_callback(self._drop_owner_requests)

    def make_retry_keyboard(self, request: UserRequest) -> InlineKeyboardMarkup:
        """Remember a failed request, and return its [Try again] button."""
        parsed, first_id = request.pieces[0], request.first_update_id
        if _estimate_chars(request) <= MAX_HELD_CHARS:
            self._failed_requests[parsed.chat_scope, parsed.person.id, first_id] = request
        is_in_process = len(request.pieces) > 1 or not parsed.is_whole  # after a restart, only one message is known
        payload, label = f"{first_id}{IN_PROCESS if is_in_process else ''}", tr("answers-try-again")
        return InlineKeyboardMarkup.from_button(
            self._buttons.make_button(AGAIN, parsed.chat, parsed.person, label, payload)
        )

    def _drop_owner_requests(self, owner: int) -> None:
        for key in [key for key in self._failed_requests if key[0].owner == owner]:
            del self._failed_requests[key]

    def find_request_to_repeat(self, item: QueuedUpdate, button_press: ParsedUpdate) -> UserRequest | None:
        """Return the request to repeat, without pieces if it is no longer known. Return None for any other button."""
        query = item.update.callback_query
        message = query.message if query else None
        if query is None or message is None:
            return None
        try:
            payload = self._buttons.verify_and_extract_payload(query.data or "", button_press.chat, button_press.person)
        except ForeignButton:
            return None
        kind, number = parse_button_kind(query.data or ""), payload.removesuffix(IN_PROCESS)
        if kind != AGAIN or not number.isdecimal():
            return None
        shown_in = -button_press.chat.only_for.message_id if button_press.chat.only_for else message.message_id
        if self._pressed.setdefault((message.chat.id, shown_in), button_press.update_id) != button_press.update_id:
            return None
        first_id = int(number)
        if failed := self._failed_requests.pop((button_press.chat_scope, button_press.person.id, first_id), None):
            return self._copy_request_for_button_press(item, button_press, failed)
        question = message.reply_to_message if isinstance(message, telegram.Message) and payload == number else None
        if question is None or question.from_user is None or question.from_user.id != button_press.person.id:
            return UserRequest(pieces=())
        update = telegram.Update(button_press.update_id, message=question)
        return _make_request_from_update(item, button_press, update, first_id) or UserRequest(pieces=())

    def _copy_request_for_button_press(
        self, item: QueuedUpdate, button_press: ParsedUpdate, request: UserRequest
    ) -> UserRequest | None:
        if request.item is None:
            number = button_press.update_id
            pieces = (
                replace(piece, update_id=number, first_update_id=piece.first_update_id or piece.update_id)
                for piece in request.pieces
            )
            return UserRequest(pieces=tuple(pieces))
        earlier, query = request.item.update, item.update.callback_query
        pressed = earlier.callback_query
        if pressed is not None and query is not None:
            pressed = telegram.CallbackQuery(
                query.id, query.from_user, query.chat_instance, message=pressed.message, data=pressed.data
            )
            pressed.set_bot(query.get_bot())
        update = telegram.Update(
            button_press.update_id,
            message=earlier.message,
            edited_message=earlier.edited_message,
            callback_query=pressed,
        )
        return _make_request_from_update(item, button_press, update, request.first_update_id)


def _make_request_from_update(
    item: QueuedUpdate, button_press: ParsedUpdate, update: telegram.Update, first_update_id: int
) -> UserRequest | None:
    update.set_bot(item.update.get_bot())
    parsed = parse_update(update, update.get_bot().bot)
    if parsed is None or parsed.chat_scope != button_press.chat_scope:
        return None
    parsed = replace(parsed, addressed=True, first_update_id=first_update_id)
    # As if replayed, because it may be stored by now, in the conversation that was open then.
    return UserRequest(pieces=(parsed,), item=replace(item, update=update, is_replayed=True))
