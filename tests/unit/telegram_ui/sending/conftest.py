"""Share the commands' peer, which has faults and a manual clock."""

from contextlib import suppress

from telegram_ui.sending.streaming import AnswerStream
from tests.unit.telegram_ui.commands.conftest import peer as peer


async def interrupt_answer(stream: AnswerStream, error: BaseException) -> None:
    """Raise an error while the answer is being written: CancelledError if its reader stops it."""
    with suppress(type(error)):
        async with stream.mark_if_interrupted():
            raise error
