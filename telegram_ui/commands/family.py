"""Families of commands: commands and buttons are declared next to the methods that answer them.

A family is a class; registry.py lists them all.
"""

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta, tzinfo
from typing import Any, Literal, TypedDict, Unpack

import telegram
from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup

from chat.attachments import Speech
from chat.operation import Operation
from chat.services import Services
from locales.catalog import ENGLISH, current_language, tr
from locales.told import STORAGE_NAMES
from records.scopes import Person, Scope
from storage.bot_state.wizard_state import LEFT, WizardState, WizardStates
from telegram_ui.commands.buttons import BACK, SETTINGS, Buttons, LastButtons, make_keyboard, make_nonce
from telegram_ui.commands.wording import zone_of
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.formatting import Piece
from telegram_ui.sending.streaming import AnswerStream

Who = Literal["everyone", "admins"]  # who may use a command or a button in a group; in private chats everybody may
Where = Literal["private", "everywhere", "admins"]
"""The menus that list a command; "admins": none, for only ADMIN_USER_IDS know it."""
Queue = Literal["commands", "slow", "chat"]
"""The queue of the work: that of the commands; that of those that take as long as a model; or that of the scope's
answers, where /stop reaches it."""
MayConfigure = Callable[[Chat, Person], Awaitable[bool]]
BeginAnswer = Callable[[Delivery, int, Chat, Callable[[], InlineKeyboardMarkup] | None, Sequence[int]], AnswerStream]
GiveCommand = Callable[[Chat, Person, str, str, int | None], Awaitable[None]]
SendAnswer = Callable[[int, AnswerStream, str, InlineKeyboardMarkup | None], Awaitable[list[int]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """Somebody's command, press, text or file.

    `argument`: what follows a command's name, the payload of a pressed button, or the text. `requested_in`: the stored
    turn whose answer offered the command, where the model did.
    """

    update: telegram.Update
    chat: Chat
    person: Person
    argument: str = ""
    requested_in: int | None = None

    @property
    def _replied(self) -> telegram.Message | None:
        message = self.update.effective_message
        return message.reply_to_message if message else None

    @property
    def replied_to(self) -> int | None:
        """The Telegram id of the message that the command replies to.

        None for a message of the group from before it became a supergroup: another message may have its id by now.
        """
        replied = self._replied
        # In a topic everything "replies" to the service message that opened it.
        is_none = replied is None or replied.forum_topic_created is not None or self.replies_to_former
        return None if replied is None or is_none else replied.message_id

    @property
    def replies_to_former(self) -> bool:
        """Whether the command replies to a message of the group from before it became a supergroup."""
        message, replied = self.update.effective_message, self._replied
        return message is not None and replied is not None and replied.chat.id != message.chat.id

    @property
    def answers_the_bot(self) -> bool:
        """Whether the message is a reply to one of the bot's."""
        author = self._replied.from_user if self._replied else None
        return author is not None and author.id == self.update.get_bot().id

    @property
    def answers_themselves(self) -> bool:
        """Whether the message is a reply to one of the same person's, or of the channel in whose name they write."""
        message, replied = self.update.effective_message, self._replied
        return message is not None and replied is not None and _author_of(message) == _author_of(replied) is not None

    @property
    def message_id(self) -> int | None:
        """The Telegram id of the command, or of the message whose button was pressed."""
        message = self.update.effective_message
        return message.message_id if message else None

    @property
    def message_text(self) -> str:
        """The text of the command, or of the message whose button was pressed; "" if Telegram does not give it."""
        message = self.update.effective_message
        return message.text or "" if isinstance(message, telegram.Message) else ""


def _author_of(message: telegram.Message) -> tuple[int, int] | None:
    """Telegram gives all channels the same sender, and all anonymous admins."""
    if message.from_user is None:
        return None
    return message.from_user.id, message.sender_chat.id if message.sender_chat else 0


Handler = Callable[[Any, Ask], Awaitable[str | None]]
"""A family's method. The text that it returns is sent as a message (command) or shown as a toast (press)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Press:
    """A kind of inline button, and the method that answers a press of it. The button is known to be its presser's.

    `reads_file`: whether an untrusted file, where the message has one, decides what the work costs. `is_ephemeral`: in
    a group only the one who asks sees the answer, where the server can do that.
    """

    name: str
    handler: Handler
    who: Who = "everyone"
    queue: Queue = "commands"
    reads_file: bool = False
    is_ephemeral: bool = False

    @property
    def key(self) -> str:
        """The key that finds it."""
        return self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Command(Press):
    """A command as /help, the menus and docs show it, and the method that answers it.

    `where`: the menus that list it. `stands_alone`: words after it mean nothing, and whoever writes them is told so.
    `heading`: under which /help lists it.
    """

    where: Where = "everywhere"
    stands_alone: bool = False
    heading: str = ""

    @property
    def description(self) -> str:
        """Its line in the menus, /help and the docs: the text menu-NAME."""
        return tr(f"menu-{self.name}")

    @property
    def key(self) -> str:
        """The key that finds it; no kind of button begins with a slash."""
        return f"/{self.name}"


class PressOptions(TypedDict, total=False):
    """See Press."""

    who: Who
    queue: Queue
    reads_file: bool
    is_ephemeral: bool


class CommandOptions(PressOptions, total=False):
    """See Command."""

    where: Where
    stands_alone: bool


def command(name: str, **options: Unpack[CommandOptions]) -> Callable[[Handler], Command]:
    """Declare a method of a family as the answer to a command. Its description is the text menu-NAME."""
    return lambda handler: Command(name=name, handler=handler, **options)


def press(kind: str, **options: Unpack[PressOptions]) -> Callable[[Handler], Press]:
    """Declare a method of a family as the answer to its buttons of a kind (at most three characters)."""
    return lambda handler: Press(name=kind, handler=handler, **options)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerControls:
    """How buttons have answers shown and stopped. The defaults know no queues: nothing runs next to anything else.

    `stop`: stop the answer of a scope; True if one was being written. `stoppable`: the part of an answer that `stop`
    may end. `begin`: begin to show the answer to an update, in the place of these messages, if any. `send`: send the
    whole answer to an update until it arrives, and return the ids of its messages.
    """

    stop: Callable[[Scope], bool] = lambda scope: False
    stoppable: Callable[[Scope], AbstractContextManager[None]] = lambda scope: nullcontext()
    begin: BeginAnswer = lambda delivery, update_id, chat, stop, there: AnswerStream(
        delivery, chat, stop=stop, instead_of=there
    )
    send: SendAnswer = lambda update_id, stream, text, keyboard: stream.finish(text, keyboard=keyboard)


async def _give_nothing(*_: object) -> None:
    raise NotImplementedError


@dataclass(frozen=True, kw_only=True, slots=True)
class Dependencies:
    """The parts that families work with. `commands`: all rows, for /help; `give_command`: answer a command as if a
    person had written it (both set by Commands). `monotonic`: seconds; `last_buttons`: which message has the buttons of
    the last answer.

    `default_language`: of those who speak none of
    ours. `speech` None: nothing is spoken. `dashboard_url` empty: there is no page.
    """

    services: Services
    delivery: Delivery
    buttons: Buttons
    may_configure: MayConfigure
    commands: Sequence[Command] = ()
    give_command: GiveCommand = _give_nothing
    default_language: str = ENGLISH
    operation: Operation = field(default_factory=Operation)
    dashboard_url: str = ""
    monotonic: Callable[[], float] = time.monotonic
    last_buttons: LastButtons = field(default_factory=LastButtons)
    speech: Speech | None = None
    answers: AnswerControls = field(default_factory=AnswerControls)


class Family:
    """Base of every family. A subclass declares its commands and presses, and overrides what it needs."""

    heading = "more"
    """Of its commands in /help: the text menu-heading-NAME. Families may share one."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._services = dependencies.services
        self._delivery = dependencies.delivery
        self._buttons = dependencies.buttons
        self._may_configure = dependencies.may_configure
        self._now = dependencies.services.clock
        self._monotonic = dependencies.monotonic

    @classmethod
    def list_declarations(cls) -> Iterator[Press]:
        """Yield its commands and presses, in the order of the class's body."""
        return (value for value in vars(cls).values() if isinstance(value, Press))

    async def awaits_text(self, chat: Chat, person: Person, update_id: int) -> bool:
        """Return True if take_text() may deal with a person's text in this update: something was asked of them here."""
        state = await self._services.memory.wizards.get(chat.location, person.id)
        return state is not None and state.concerns(update_id)

    async def take_text(self, ask: Ask) -> bool:
        """Return True if a text was asked for by this family, and has been dealt with: then it is no message to the
        bot. Called where `awaits_text` says so.
        """
        return False

    def awaits_file(self, ask: Ask) -> bool:
        """Return True if take_file() would deal with this file."""
        return False

    async def take_file(self, ask: Ask) -> bool:
        """Return True if a file was asked for by this family, and has been dealt with."""
        return False

    async def cancel(self, ask: Ask) -> bool:
        """Return True if it waited for something here from this person, and has said that it no longer does."""
        return False

    async def _read_zone(self, owner: int) -> tzinfo:
        return zone_of(await self._services.memory.config(owner))

    async def _keep_language(self, ask: Ask) -> None:
        """A group in which somebody sets memory up goes on in the language in which they did."""
        if not ask.chat.is_private:
            spoken = current_language()
            await self._services.memory.choose(ask.chat.scope.owner, lambda known: replace(known, language=spoken))

    async def _switch_memory_on(self, ask: Ask) -> tuple[str, bool]:
        """Turn memory on, with the usual choices where none were made; what to say, and whether it was on."""
        owner, memory = ask.chat.scope.owner, self._services.memory
        before = await memory.config(owner)
        was_on = before is not None and before.enabled
        config = before if before is not None and was_on else await memory.switch(owner, enabled=True)
        if before is None:
            await self._keep_language(ask)
        return tr("summaries-on", storage=STORAGE_NAMES[config.storage], turns=config.every_n), was_on

    def _make_button(
        self, ask: Ask, kind: str, label: str, payload: str = "", *, erases: bool = False
    ) -> InlineKeyboardButton:
        """Return a button for this person alone."""
        return self._buttons.make_button(kind, ask.chat, ask.person, label, payload, erases=erases)

    def _make_settings_button(self, ask: Ask) -> InlineKeyboardButton:
        """Puts /settings in the place of a list to which one of its buttons leads."""
        return self._make_button(ask, SETTINGS, f"‹ {tr('choices-heading')}", BACK)

    async def _say_failed(self, ask: Ask, text: str) -> None:
        """Say, in a reply to a command, why it was not done, with the button that tries it again."""
        keyboard = self._buttons.make_retry_keyboard(ask.chat, ask.person, ask.update.update_id)
        await self._delivery.say(replace(ask.chat, reply_to=ask.message_id), text, keyboard=keyboard)

    async def _show_text(self, ask: Ask, text: str | Piece, *rows: Sequence[InlineKeyboardButton]) -> None:
        """Put a text, with rows of buttons, in place of the message whose button was pressed, else send it."""
        pressed = ask.message_id if ask.update.callback_query is not None else None
        await self._delivery.replace(ask.chat, pressed, text, keyboard=make_keyboard(*rows))


LIFETIME = timedelta(minutes=10)


class NextText:
    """One kind of question that the person's next text answers. It waits LIFETIME.

    `kind` begins its step in the store, so that a restart changes nothing.
    """

    def __init__(self, kind: str, dependencies: Dependencies) -> None:
        self._kind = f"{kind}:"
        self._states = dependencies.services.memory.wizards
        self._delivery = dependencies.delivery
        self._may_configure = dependencies.may_configure
        self._now = dependencies.services.clock

    async def ask_for(self, ask: Ask, question: str, *, about: int | None, example: str) -> None:
        """Ask a person; an earlier question or setup of theirs here is replaced. `about`: a number that the answer
        needs; `example`: stands in the empty reply field, which only groups need.
        """
        await self._put(ask, f"{self._kind}{about or ''}", make_nonce())
        if ask.chat.is_private:
            await self._delivery.say(ask.chat, question)
        else:
            field = ForceReply(selective=True, input_field_placeholder=example[:64])
            # Shown to all, for the answer has to be a reply to it.
            public = replace(ask.chat, only_for=None)
            await self._delivery.say(public, tr("choices-reply", question=question), keyboard=field)

    async def match_answer(self, ask: Ask) -> int | None:
        """Return the number that the answered question was about (0: no number); None where the text answers none, or
        too late.
        """
        state = await self._states.get(ask.chat.location, ask.person.id)
        if state is None or not state.step.startswith(self._kind):
            return None
        if not ask.chat.is_private and not ask.answers_the_bot:
            return None
        if self._now() >= state.expires_at:
            await self._states.drop(ask.chat.location, ask.person.id)
            return None
        return int(state.step.removeprefix(self._kind) or 0)

    async def take_answer(self, ask: Ask, handle: Callable[[int], Awaitable[str | None]], *, most: int) -> bool:
        """Return True if a text is an answer, and has been dealt with, where its person may configure. `handle` is
        given what the question was about, and returns what to say. A text of more than `most` characters leaves the
        question open.
        """
        about = await self.match_answer(ask)
        if about is None:
            return False
        may = await self._may_configure(ask.chat, ask.person)
        told = await handle(about) if may else tr("shared-admins-only")
        is_too_long = len(" ".join(ask.argument.split())) > most
        if not is_too_long:
            await self.close_question(ask)
        if told:
            await self._delivery.say(ask.chat, f"{told}\n{tr('shared-once-more')}" if is_too_long else told)
        return True

    async def close_question(self, ask: Ask) -> None:
        """End the question. The update that ended it is taken for nothing else when it is replayed."""
        await self._put(ask, LEFT, str(ask.update.update_id))

    @staticmethod
    async def drop_question(ask: Ask, states: WizardStates) -> None:
        """A command was sent instead: in private, the words after it would be taken for the answer. In a group only a
        reply is one.
        """
        state = await states.get(ask.chat.location, ask.person.id) if ask.chat.is_private else None
        if state is not None and ":" in state.step:
            await states.drop(ask.chat.location, ask.person.id)

    async def _put(self, ask: Ask, step: str, nonce_: str) -> None:
        await self._states.put(
            WizardState(
                scope=ask.chat.location,
                person=ask.person.id,
                step=step,
                nonce=nonce_,
                expires_at=self._now() + LIFETIME,
            )
        )
