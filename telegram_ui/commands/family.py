"""What commands.py expects of a family of commands: handlers by name, presses by the kind of button.

Does not know any family; each has a file of its own, families.py lists them.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import telegram

from records.scopes import Person
from telegram_ui.sending.chat import Chat


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """Somebody's command or press. `argument`: what follows a command's name, or the payload of a pressed button."""

    update: telegram.Update
    chat: Chat
    person: Person
    argument: str = ""

    @property
    def replied_to(self) -> int | None:
        """The Telegram id of the message that the command replies to."""
        message = self.update.effective_message
        replied = message.reply_to_message if message else None
        # In a topic everything "replies" to the service message that opened it.
        return replied.message_id if replied and replied.forum_topic_created is None else None

    @property
    def message_id(self) -> int | None:
        """The Telegram id of the command, or of the message whose button was pressed."""
        message = self.update.effective_message
        return message.message_id if message else None

    @property
    def shown(self) -> str:
        """The text of the command, or of the message whose button was pressed; "" where Telegram gives it no more."""
        message = self.update.effective_message
        return message.text or "" if isinstance(message, telegram.Message) else ""


Handler = Callable[[Ask], Awaitable[None]]
Press = Callable[[Ask], Awaitable[str | None]]
"""Gives the words of the toast, if any. The button is known to be its presser's."""
MayConfigure = Callable[[Chat, Person], Awaitable[bool]]


@runtime_checkable
class Input(Protocol):
    """A family that asks for a text, and takes it before it is chat."""

    async def input(self, update: telegram.Update, chat: Chat, person: Person, text: str) -> bool:
        """Whether the text was meant for it, and is answered."""
        ...


class Family(Protocol):
    """A family of commands. `presses`: by the kind that its buttons were made with (buttons.py). One that asks for a
    text is an Input as well.
    """

    @property
    def handlers(self) -> Mapping[str, Handler]: ...
    @property
    def presses(self) -> Mapping[str, Press]: ...


@runtime_checkable
class TakesFiles(Protocol):
    """A family that files may be meant for. `slow_presses`: the kinds of buttons that nothing is to wait behind."""

    @property
    def slow_presses(self) -> frozenset[str]: ...
    async def take_file(self, ask: Ask) -> bool:
        """Whether a file was meant for it, and has been dealt with."""
        ...

    async def stop_waiting(self, ask: Ask) -> bool:
        """Whether it awaited a file here from this person, and has said that it no longer does."""
        ...
