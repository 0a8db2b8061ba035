"""The base class of command groups, which declare commands and buttons next to their handler methods."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta, tzinfo
from functools import partial
from typing import Any, Literal, Protocol, Self

import telegram
from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup

from chat.choices import save_settings
from chat.operation import Operator
from chat.services import Services
from locales.catalog import choose_language, get_current_language, tr
from locales.sentences import STORAGE_NAMES
from records.owners import OwnerConfig
from records.scopes import Person, Scope
from records.turns import Reply, UserMessage
from settings import Settings
from storage.bot_state.wizard_state import LEFT, WizardState, WizardStates
from telegram_ui.commands.buttons import BACK, SETTINGS, Buttons, LastButtons, make_keyboard, make_nonce
from telegram_ui.commands.wording import format_option, get_zone_or_utc
from telegram_ui.sending.chat import Chat, MessageId
from telegram_ui.sending.delivery import ChatGone, Delivery
from telegram_ui.sending.formatting import Piece
from telegram_ui.sending.streaming import AnswerStream

Who = Literal["everyone", "admins"]  # who may use a command or a button in a group; in private chats everybody may
Where = Literal["private", "everywhere", "admins"]
"""The menus that list a command. With "admins", none does, and only the bot's admins may use it or press the button."""
Queue = Literal["commands", "slow", "chat"]
"""The work queue: for quick commands, for work that waits for a model, or for answers, which /stop can cancel."""
MayConfigure = Callable[[Chat, Person], Awaitable[bool]]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChatEvent:
    """A command, button press, text or file that one person sent to the bot."""

    update: telegram.Update
    chat: Chat
    person: Person
    argument: str = ""  # the text after the command's name, the payload of the pressed button, or the text itself
    requested_in: int | None = None  # the stored turn in which the model offered the command, if it did

    @property
    def _replied_message(self) -> telegram.Message | None:
        message = self.update.effective_message
        return message.reply_to_message if message else None

    @property
    def replied_message_id(self) -> int | None:
        replied = self._replied_message
        # In a topic everything "replies" to the service message that opened it. Ids from before a group became a
        # supergroup are ambiguous.
        if replied is None or replied.forum_topic_created is not None or self.replies_to_message_before_upgrade:
            return None
        return replied.message_id

    @property
    def replies_to_message_before_upgrade(self) -> bool:
        """True if the command replies to a message from before the group became a supergroup."""
        message, replied = self.update.effective_message, self._replied_message
        return message is not None and replied is not None and replied.chat.id != message.chat.id

    @property
    def replies_to_bot(self) -> bool:
        author = self._replied_message.from_user if self._replied_message else None
        return author is not None and author.id == self.update.get_bot().id

    @property
    def replies_to_same_author(self) -> bool:
        message, replied = self.update.effective_message, self._replied_message
        author = None if message is None else _get_user_and_sender_chat_ids(message)
        return author is not None and replied is not None and author == _get_user_and_sender_chat_ids(replied)

    @property
    def message_id(self) -> int | None:
        """The Telegram id of the command, or of the message with the pressed button."""
        message = self.update.effective_message
        return message.message_id if message else None

    @property
    def message_text(self) -> str:
        """The text of the command, or of the message with the pressed button, or "" if it is unknown."""
        message = self.update.effective_message
        return message.text or "" if isinstance(message, telegram.Message) else ""


def _get_user_and_sender_chat_ids(message: telegram.Message) -> tuple[int, int] | None:
    if message.from_user is None:
        return None
    # All channels have the same sender, and so have all anonymous admins.
    return message.from_user.id, message.sender_chat.id if message.sender_chat else 0


HandlerReply = str | None
"""What a handler replies: a message after a command, a toast after a press. None if it has sent its reply itself."""
Handler = Callable[[Any, ChatEvent], Awaitable[HandlerReply]]
"""A group's method for a command or a press."""


async def _raise_not_implemented(*_: object) -> None:
    raise NotImplementedError


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """The action of one kind of inline button, used as a decorator on the method that handles its presses."""

    name: str = field(kw_only=False)  # at most three characters for a button
    handler: Handler = _raise_not_implemented
    who: Who = "everyone"
    queue: Queue = "commands"
    reads_file: bool = False  # the cost of the work depends on an untrusted file
    is_ephemeral: bool = False  # in a group only this person sees the answer, except on older Bot API servers
    # A second press of the same button, or of any such button of a message, does nothing unless the first one failed.
    runs_once: Literal["", "by button", "by message"] = ""
    where: Where = "everywhere"

    @property
    def registry_key(self) -> str:
        return self.name

    def __call__(self, handler: Handler) -> Self:
        return replace(self, handler=handler)

    def __get__(self, group: "CommandGroup", owner: type) -> Callable[[ChatEvent], Awaitable[HandlerReply]]:
        return partial(self.handler, group)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command(Action):
    """A bot command, used as a decorator on the method that handles it."""

    stands_alone: bool = False  # takes no argument
    heading: str = ""  # the section of /help

    @property
    def description(self) -> str:
        """The description in the menus, /help and the docs."""
        return tr(f"menu-{self.name}")

    @property
    def registry_key(self) -> str:
        return f"/{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """An answer to be delivered, and the request that it belongs to."""

    update_ids: Sequence[int]  # of the request
    chat: Chat
    person: Person
    asked_by: Literal["text", "voice", "press"]
    incoming: UserMessage
    reply: Reply


class AnswerSender(Protocol):
    """Begins, sends and stops answers."""

    def open_stream(
        self, update_id: int, chat: Chat, person: Person, replaced_ids: Sequence[MessageId] = ()
    ) -> AnswerStream:
        """Begin to show the answer to an update, in place of the messages `replaced_ids`."""

    async def send_answer(
        self, answer: Answer, stream: AnswerStream, text: str, keyboard: InlineKeyboardMarkup | None
    ) -> tuple[bool, Sequence[MessageId]]:
        """Send an answer, with retries. Return True if all of it arrived, and the ids of the messages that show it.

        Raise ServedElsewhere if the next run must send it.
        """

    async def mark_done_once_stored(self, answer: Answer) -> None:
        """Mark the updates of an answer as done. After that, no later run sends it again."""

    def try_to_stop(self, chat_scope: Scope) -> bool:
        """Cancel the answer in a scope. Return True if one was being written or sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dependencies:
    """The parts of the bot that command groups use."""

    services: Services
    delivery: Delivery
    buttons: Buttons
    may_configure: MayConfigure
    commands: Sequence[Command] = ()
    # Handles a command, given its name, as if a person had sent it.
    give_command: Callable[[str, ChatEvent], Awaitable[None]] = _raise_not_implemented
    settings: Settings = field(default_factory=Settings)
    last_buttons: LastButtons = field(default_factory=LastButtons)
    answers: AnswerSender

    @property
    def operator(self) -> Operator:
        return Operator(settings=self.settings, people=self.services.memory.people)

    def choose_language(self, chosen: str, app_language: str = "", *, is_shared: bool = False) -> str:
        """Return the chosen language, else the app's (unless the chat is shared), or else the bot's default."""
        return choose_language(chosen, app_language, is_shared_chat=is_shared, default=self.settings.default_language)


class CommandGroup:
    """The base class of command groups. Subclasses declare commands and button actions, and override what they need."""

    heading = "more"  # the section of /help with its commands: the text menu-heading-NAME
    question_kind = ""  # names the question of this group that a text answers, if it asks one

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies
        self._services = dependencies.services
        self._operation = dependencies.operator
        self._last_buttons = dependencies.last_buttons
        self._delivery = dependencies.delivery
        self._may_configure = dependencies.may_configure
        self._now = dependencies.services.clock
        self._question = TextQuestion(self.question_kind, dependencies)

    @classmethod
    def list_actions(cls) -> Iterator[Action]:
        """Return the commands and button actions of the class in the order of their declaration."""
        return (value for value in vars(cls).values() if isinstance(value, Action))

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        """Handle a text that this group asked for. Return False if the text is an ordinary message."""
        return False

    async def awaits_file(self, event: ChatEvent) -> bool:
        """Return True if accept_file_if_awaited() would handle this file."""
        return False

    async def accept_file_if_awaited(self, event: ChatEvent) -> None:
        """Handle a file if this group asked for it."""

    async def try_to_cancel_awaited_input(self, event: ChatEvent) -> bool:
        """Stop waiting for this person's input and say so. Return True if this group was waiting."""
        return False

    async def _read_config(self, event: ChatEvent) -> OwnerConfig | None:
        return await self._services.memory.get_config(event.chat.scope.owner)

    async def _read_zone(self, owner: int) -> tzinfo:
        return get_zone_or_utc(await self._services.memory.get_config(owner))

    async def _update_config(self, event: ChatEvent, **choices: object) -> OwnerConfig:
        """Store the owner's choices. Raise NotOffered for a value that cannot be chosen."""
        return await save_settings(self._services, event.chat.scope.owner, choices)

    async def _save_current_language_for_group(self, event: ChatEvent) -> None:
        if not event.chat.is_private:
            owner, spoken = event.chat.scope.owner, get_current_language()
            await self._services.memory.change_config(owner, lambda known: replace(known, language=spoken))

    async def _switch_on_memory_and_get_old_state(self, event: ChatEvent) -> tuple[str, bool]:
        """Turn memory on. Return the reply, and True if memory was already on."""
        owner, memory = event.chat.scope.owner, self._services.memory
        before = await memory.get_config(owner)
        was_on = before is not None and before.enabled
        config = before if before is not None and was_on else await memory.set_enabled(owner, enabled=True)
        if before is None:
            await self._save_current_language_for_group(event)
        return tr("summaries-on", storage=STORAGE_NAMES[config.storage], turns=config.every_n), was_on

    def _make_button(
        self, event: ChatEvent, kind: str, label: str, payload: str = "", *, erases: bool = False
    ) -> InlineKeyboardButton:
        return self._dependencies.buttons.make_button(kind, event.chat, event.person, label, payload, erases=erases)

    def _make_choice_buttons(
        self, event: ChatEvent, kind: str, labels_by_payload: Mapping[str, str], chosen_payload: str
    ) -> list[InlineKeyboardButton]:
        return [
            self._make_button(event, kind, format_option(label, is_chosen=payload == chosen_payload), payload)
            for payload, label in labels_by_payload.items()
        ]

    def _make_settings_button(self, event: ChatEvent) -> InlineKeyboardButton:
        return self._make_button(event, SETTINGS, f"‹ {tr('choices-heading')}", BACK)

    async def _send_new(
        self, event: ChatEvent, text: str | Piece, *rows: Sequence[InlineKeyboardButton]
    ) -> HandlerReply:
        """Send a text as a new message, even after a button press."""
        await self._delivery.send_text(event.chat, text, keyboard=make_keyboard(*rows))
        return None

    async def _send_to_private_chat(
        self, event: ChatEvent, command: str, send: Callable[[Chat], Awaitable[object]]
    ) -> HandlerReply:
        """Call `send` with the person's private chat. In a group, reply whether it could be sent there."""
        if event.chat.is_private:
            await send(event.chat)
            return None
        try:
            await send(Chat(id=event.person.id))
        except ChatGone:
            return tr("transfer-not-private", command=command)
        return tr("transfer-sent")

    async def _show_text(
        self, event: ChatEvent, text: str | Piece, *rows: Sequence[InlineKeyboardButton], message_id: int | None = None
    ) -> HandlerReply:
        """Show a text in a given message or the one whose button was pressed, or in a new message after a command."""
        shown_in = event.message_id if event.update.callback_query is not None else message_id
        await self._delivery.edit_message_or_send_new(event.chat, shown_in, text, keyboard=make_keyboard(*rows))
        return None


LIFETIME = timedelta(minutes=10)


class TextQuestion:
    """A question that a person answers with their next text. It survives restarts and expires after LIFETIME."""

    def __init__(self, kind: str, dependencies: Dependencies) -> None:
        self._kind = f"{kind}:"
        self._states = dependencies.services.memory.wizards
        self._delivery = dependencies.delivery
        self._may_configure = dependencies.may_configure
        self._now = dependencies.services.clock

    async def ask(
        self, event: ChatEvent, question: str, *, subject_id: int | None = None, placeholder: str = ""
    ) -> HandlerReply:
        """Ask a question about a subject, replacing the person's open question, if any."""
        await self.store_state(event, f"{self._kind}{subject_id or ''}", make_nonce())
        if event.chat.is_private:
            await self._delivery.send_text(event.chat, question)
        else:
            field = ForceReply(selective=True, input_field_placeholder=placeholder[:64])
            public = replace(event.chat, only_for=None)  # an ephemeral message cannot be replied to
            await self._delivery.send_text(public, tr("choices-reply", question=question), keyboard=field)
        return None

    async def find_subject_id_of_answer(self, event: ChatEvent) -> int | None:
        """Return the subject id (or 0) of the question that a text answers, or None if the text answers no question."""
        state = await self._states.find_state(event.chat.chat_scope, event.person.id)
        if state is None or not state.step.startswith(self._kind):
            return None
        if not event.chat.is_private and not event.replies_to_bot:
            return None
        if self._now() >= state.expires_at:
            await self._states.delete_state_if_exists(event.chat.chat_scope, event.person.id)
            return None
        return int(state.step.removeprefix(self._kind) or 0)

    async def accept_text_if_answer(
        self, event: ChatEvent, apply_answer: Callable[[int], Awaitable[str | None]], *, max_chars: int
    ) -> bool:
        """Handle a text that answers the open question, and return True. Return False for other texts.

        `apply_answer` takes the subject's id and returns the reply. After a longer text, the question stays open.
        """
        subject_id = await self.find_subject_id_of_answer(event)
        if subject_id is None:
            return False
        may_configure = await self._may_configure(event.chat, event.person)
        reply = await apply_answer(subject_id) if may_configure else tr("shared-admins-only")
        is_too_long = len(" ".join(event.argument.split())) > max_chars
        if not is_too_long:
            await self.close(event)
        if reply:
            await self._delivery.send_text(event.chat, f"{reply}\n{tr('shared-once-more')}" if is_too_long else reply)
        return True

    async def close(self, event: ChatEvent) -> None:
        """Close the question. Store the update's id, so that a replay of the update is not taken for a new message."""
        await self.store_state(event, LEFT, str(event.update.update_id))

    @staticmethod
    async def delete_open_question(event: ChatEvent, states: WizardStates) -> None:
        """In a private chat, delete the person's open question, because any later text would count as its answer."""
        state = await states.find_state(event.chat.chat_scope, event.person.id) if event.chat.is_private else None
        if state is not None and ":" in state.step:
            await states.delete_state_if_exists(event.chat.chat_scope, event.person.id)

    async def store_state(self, event: ChatEvent, step: str, nonce: str) -> WizardState:
        """Store what is asked of a person, for LIFETIME."""
        chat_scope, person, expires_at = event.chat.chat_scope, event.person.id, self._now() + LIFETIME
        state = WizardState(scope=chat_scope, person=person, step=step, nonce=nonce, expires_at=expires_at)
        await self._states.store_state(state)
        return state
