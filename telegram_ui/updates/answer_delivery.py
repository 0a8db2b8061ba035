"""How often an answer is sent before it is given up, and what of it an earlier run has shown already.

Owns the decision when delivery.py gives an attempt up: send it again, in the next run, or never.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Literal

from telegram import InlineKeyboardMarkup
from telegram.error import BadRequest, InvalidToken, NetworkError

from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import ChatGone, Delivery, DeliveryError, DeliveryUnknown
from telegram_ui.sending.http import was_unreachable
from telegram_ui.sending.streaming import AnswerStream
from telegram_ui.updates.durable_queue import SENDS_EVER, DurableQueue
from telegram_ui.updates.error_boundary import where

logger = logging.getLogger(__name__)

REFUSALS = 10
"""Times that a reachable Telegram is too busy or broken for one answer before it waits for the next run."""
LONGEST_WAIT = 30.0  # seconds between attempts while Telegram cannot be reached

Outcome = Literal["arrived", "lost", "later"]


class AnswerDelivery:
    """Counts in the queue how often each answer was sent. `pause` waits so many seconds."""

    def __init__(self, queue: DurableQueue, pause: Callable[[float], Awaitable[None]]) -> None:
        self._queue = queue
        self._pause = pause

    def begin(
        self,
        delivery: Delivery,
        update_id: int,
        chat: Chat,
        stop: Callable[[], InlineKeyboardMarkup] | None,
        instead_of: Sequence[int] = (),
    ) -> AnswerStream:
        """The answer to an update, which takes the place of what an earlier run has shown of it."""
        return AnswerStream(
            delivery,
            chat,
            stop=stop,
            instead_of=self._queue.shown_before(update_id) or instead_of,
            note_shown=partial(self._queue.note_shown, update_id),
        )

    async def send(
        self, update_id: int, stream: AnswerStream, text: str, keyboard: InlineKeyboardMarkup | None
    ) -> tuple[Outcome, list[int]]:
        """Send the whole answer to an update; what came of it, and the ids of the messages that are there now."""
        wait, refusals = 1.0, 0
        while await self._queue.begin(update_id, "sends") <= SENDS_EVER:
            try:
                await stream.finish(text, keyboard=keyboard)
            except DeliveryUnknown:
                logger.warning("Update %s: whether its answer arrived is unknown.", update_id)
            except ChatGone:
                logger.warning("Update %s: its chat is gone; there is nobody to answer.", update_id)
                return "lost", list(stream.sent)
            except DeliveryError as error:
                await self._queue.take_back(update_id, "sends")
                if isinstance(error.__cause__, BadRequest | InvalidToken):
                    logger.error("Update %s: Telegram refuses its answer (%s).", update_id, where(error))  # noqa: TRY400
                    return "lost", list(stream.sent)
                refusals += not _was_unreachable(error)
                if refusals == REFUSALS:
                    logger.error("Update %s: its answer is left to the next run.", update_id)  # noqa: TRY400
                    return "later", list(stream.sent)
                logger.warning("Update %s: its answer could not be sent yet.", update_id)
                await self._pause(wait)
                wait = min(LONGEST_WAIT, wait * 2)
            else:
                return "arrived", list(stream.sent)
        logger.warning("Update %s: its answer is not sent a third time.", update_id)
        return "lost", list(stream.sent)


def _was_unreachable(error: DeliveryError) -> bool:
    """Whether no connection was made at all: waiting for the network may take as long as it takes."""
    failed = error.__cause__
    return isinstance(failed, NetworkError) and was_unreachable(failed)
