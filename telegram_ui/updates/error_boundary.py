"""The error boundary: the only place that catches all errors raised while handling an update."""

import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from traceback import extract_tb

from attrs import define

from locales.catalog import tr, use_language
from locales.sentences import add_error_number, format_error, use_reader_role
from records.errors import KeepsakeError, ServedElsewhere
from records.scopes import Person
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import ChatGone, Delivery, DeliveryError
from telegram_ui.updates.parsing import ParsedUpdate
from telegram_ui.updates.repeats import RequestRepeater, UserRequest

logger = logging.getLogger(__name__)


@define(eq=False)
class ErrorBoundary:
    """Runs work for updates, and reports failures to the senders."""

    _delivery: Delivery
    _repeats: RequestRepeater
    _choose_language: Callable[[Chat, Person], Awaitable[str]]
    _is_operator: Callable[[Person], bool]

    async def run_work_if_served_here(
        self,
        parsed: ParsedUpdate,
        work: Callable[[], Awaitable[object]],
        *,
        request_to_repeat: UserRequest | None = None,
    ) -> bool:
        """Run `work` in the language of the update's sender, and report any failure. Raise only CancelledError.

        Return False if another process or run must do it. The [Try again] button repeats `request_to_repeat`.
        """
        with ExitStack() as stack:
            try:
                stack.enter_context(use_language(await self._choose_language(parsed.chat, parsed.person)))
                stack.enter_context(use_reader_role(is_operator=self._is_operator(parsed.person)))
                await work()
            except Exception as error:  # broad: see above
                return await self.report_failure_if_served_here(parsed, error, request_to_repeat)
        return True

    async def report_failure_if_served_here(
        self, parsed: ParsedUpdate, error: Exception, request_to_repeat: UserRequest | None
    ) -> bool:
        """Log an error and tell the person. Offer to repeat `request_to_repeat` if that may succeed.

        If another process or run must do the work, return False and say nothing.
        """
        if isinstance(error, ServedElsewhere):
            logger.info("Update %s, scope %s: left to another process or run.", parsed.update_id, parsed.scope)
            return False
        number, place = secrets.token_hex(4), format_innermost_frames(error)
        # Without the error's text, which may quote a message.
        kind = type(error).__name__
        logger.error("[%s] Update %s, scope %s: %s at %s", number, parsed.update_id, parsed.scope, kind, place)
        if isinstance(error, ChatGone):
            return True
        may_pass = not isinstance(error, KeepsakeError) or error.may_pass
        reason = format_error(error) if isinstance(error, KeepsakeError) else tr("notices-went-wrong")
        try:
            text = add_error_number(f"{reason.rstrip('.')}.", number)
            await self.send_error_message(parsed, text, request_to_repeat if may_pass else None)
        except DeliveryError as unsaid:
            logger.warning("[%s] The person could not be told (%s).", number, type(unsaid).__name__)
        except ServedElsewhere:
            return False
        return True

    async def send_error_message(self, parsed: ParsedUpdate, text: str, request_to_repeat: UserRequest | None) -> None:
        """Send an error message, with a button to repeat the request if any. Raise DeliveryError on failure."""
        if request_to_repeat is None or parsed.telegram_id is None:
            await self._delivery.send_text(parsed.chat, text)
        else:
            keyboard = self._repeats.make_retry_keyboard(request_to_repeat)
            await self._delivery.send_text(replace(parsed.chat, reply_to=parsed.telegram_id), text, keyboard=keyboard)


def format_innermost_frames(error: BaseException) -> str:
    """Return the file names and line numbers of an error's innermost frames, without the error's text."""
    frames = extract_tb(error.__traceback__)[-4:]
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
