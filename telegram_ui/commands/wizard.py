"""/summary: two questions, storage and threshold, then memory is on.

Owns the steps, their words and what input counts. Where each person stands is kept in the store, so that a restart
changes nothing. Does not know other commands, nor how messages are sent.
"""

import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

import telegram
from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity

from records.errors import StorageError
from records.owners import OwnerConfig, StorageType
from records.scopes import Person, Scope
from storage.files.wizard_state import WizardState
from telegram_ui.commands.family import MayConfigure
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery, DeliveryError
from telegram_ui.sending.formatting import Piece, units
from text.characters import well_formed

logger = logging.getLogger(__name__)

PREFIX = "w"
LIFETIME = timedelta(minutes=10)
SMALLEST, LARGEST = 1, 500
STORAGE, NUMBER = "storage", "number"
LEFT = (
    "left"  # it is over, and `nonce` names the update that ended it: one that comes again after a crash is no message
)
NAMES = {StorageType.SQLITE: "SQLite", StorageType.JSON: "JSON"}

ADMINS_ONLY = "Only the admins of this group can change its memory settings."
EXPIRED = "This setup has expired: it waits 10 minutes. Nothing was changed. Send /summary to start again."
NOT_YOURS = "These buttons belong to somebody else. Send /summary for your own."
STALE = "This button is from an earlier setup and does nothing any more. Send /summary to start again."
CANCELLED = "Setup cancelled. Nothing was changed."
NOTHING_TO_CANCEL = "There is no setup to cancel."
FIRST = (
    "Setup, step 1 of 2: where shall your memory be kept?\n\n"
    "• SQLite: a database file, fast however much there is. The usual choice.\n"
    "• JSON: a text file that people can read.\n\n"
    "/cancel leaves the setup."
)
RANGE = f"a whole number from {SMALLEST} to {LARGEST}"


class States(Protocol):
    """What is needed of storage.wizards.WizardStates."""

    async def get(self, scope: Scope, person: int) -> WizardState | None: ...
    async def put(self, state: WizardState) -> None: ...
    async def drop(self, scope: Scope, person: int) -> bool: ...


class Memory(Protocol):
    """What is needed of external_memory.ExternalMemory."""

    async def config(self, owner: int) -> OwnerConfig | None: ...
    async def configure(self, owner: int, *, storage: StorageType, every_n: int) -> OwnerConfig: ...
    async def switch(self, owner: int, *, enabled: bool) -> OwnerConfig: ...
    async def total(self, owner: int) -> int: ...


def turns(number: int) -> str:
    return f"{number} turn" if number == 1 else f"{number} turns"


def messages(number: int) -> str:
    return f"{number} message" if number == 1 else f"{number} messages"


def number_in(text: str) -> int | None:
    """The threshold that a text says, in any script's digits; None when it says none within the limits."""
    words = text.strip()
    if not words.isdecimal() or len(words) > 10:
        return None
    number = int(words)
    return number if SMALLEST <= number <= LARGEST else None


class Wizard:
    """The /summary wizard of every scope and person."""

    def __init__(
        self,
        states: States,
        memory: Memory,
        delivery: Delivery,
        *,
        may_configure: MayConfigure,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        nonce: Callable[[], str] = lambda: secrets.token_urlsafe(9),
    ) -> None:
        self._states = states
        self._memory = memory
        self._delivery = delivery
        self._may_configure = may_configure
        self._now = now
        self._nonce = nonce
        self._unwritten: dict[tuple[Scope, int], WizardState] = {}  # ends that the disk did not take yet

    async def begin(self, chat: Chat, person: Person) -> None:
        """Ask the first question; an earlier setup of the same person here is replaced."""
        if not await self._may_configure(chat, person):
            await self._delivery.say(chat, ADMINS_ONLY)
            return
        state = WizardState(
            scope=chat.scope,
            person=person.id,
            step=STORAGE,
            nonce=self._nonce(),
            expires_at=self._now() + LIFETIME,
        )
        await self._states.put(state)
        self._unwritten.pop((chat.scope, person.id), None)
        await self._delivery.say(chat, FIRST, keyboard=_storage_keyboard(state))

    async def cancel(self, chat: Chat, person: Person) -> None:
        """Leave the setup, nothing changed."""
        state = await self._open(chat, person)
        if state is not None:
            await self._states.drop(chat.scope, person.id)
        if state is not None and self._is_expired(state):
            await self._delivery.say(chat, EXPIRED)
        else:
            await self._delivery.say(chat, CANCELLED if state is not None else NOTHING_TO_CANCEL)

    async def press(self, query: telegram.CallbackQuery, chat: Chat, person: Person) -> str | None:
        """A storage button; the words of the toast, if any. Whoever may not, or comes too late, changes nothing."""
        match (query.data or "").split(":"):
            case [_, presser, nonce, choice] if choice in set(StorageType):
                pass
            case _:
                return STALE
        if presser != str(person.id):
            return NOT_YOURS
        state = await self._open(chat, person)
        if state is None or not secrets.compare_digest(state.nonce.encode(), well_formed(nonce).encode()):
            return STALE
        if self._is_expired(state):
            await self._states.drop(chat.scope, person.id)
            await self._say_instead(query, chat, EXPIRED)
            return "This setup has expired."
        if state.step != STORAGE:
            return f"{NAMES[state.storage or StorageType.SQLITE]} is chosen. Now send {RANGE}."
        if not await self._may_configure(chat, person):
            return ADMINS_ONLY
        storage = StorageType(choice)
        await self._choose(chat, person, state, storage, query)
        return None

    async def input(self, update: telegram.Update, chat: Chat, person: Person, text: str) -> bool:
        """A text that may be meant for the setup; whether it was, so that it is no message to the bot."""
        state = await self._state(chat.scope, person.id)
        if state is None or state.step not in (STORAGE, NUMBER, LEFT):
            return False
        if state.step == LEFT:
            return secrets.compare_digest(state.nonce.encode(), str(update.update_id).encode())
        number = number_in(text)
        if not chat.is_private and number is None and not answers_the_bot(update):
            return False
        if self._is_expired(state):
            is_answer = state.step == NUMBER and number is not None
            await self._leave(state, update if is_answer else None)
            await self._delivery.say(chat, EXPIRED)
            return is_answer
        if state.step == STORAGE:
            choice = text.strip().lower()
            if choice not in set(StorageType):
                return False
            await self._choose(chat, person, state, StorageType(choice), None)
            return True
        if number is None:
            await self._ask_number(chat, person, f"That is not {RANGE}. Nothing is lost: please try again")
            return True
        await self._finish(update, chat, person, state, number)
        return True

    async def _open(self, chat: Chat, person: Person) -> WizardState | None:
        """The setup that is under way."""
        state = await self._state(chat.scope, person.id)
        return None if state is None or state.step == LEFT else state

    async def _leave(self, state: WizardState, update: telegram.Update | None) -> None:
        """The setup is over; the update that ended it, if one did, is known again when it is replayed.

        What the person was told stands, also where the disk does not take the end: it is kept here until it does.
        """
        end = replace(state, step=LEFT, nonce=str(update.update_id) if update else "", storage=None)
        self._unwritten[state.scope, state.person] = end
        await self._write_end(end)

    async def _state(self, scope: Scope, person: int) -> WizardState | None:
        """Where a person stands; an end that is not written yet is tried again."""
        end = self._unwritten.get((scope, person))
        if end is None:
            return await self._states.get(scope, person)
        await self._write_end(end)
        return end

    async def _write_end(self, end: WizardState) -> None:
        try:
            if end.nonce:
                await self._states.put(end)
            else:
                await self._states.drop(end.scope, end.person)
        except StorageError as error:
            logger.warning("The end of a setup of %s is not on disk yet (%s).", end.scope, type(error).__name__)
        else:
            self._unwritten.pop((end.scope, end.person), None)

    async def _choose(
        self,
        chat: Chat,
        person: Person,
        state: WizardState,
        storage: StorageType,
        query: telegram.CallbackQuery | None,
    ) -> None:
        await self._states.put(
            WizardState(
                scope=state.scope,
                person=state.person,
                step=NUMBER,
                nonce=state.nonce,
                expires_at=self._now() + LIFETIME,
                storage=storage,
            )
        )
        if query is not None:
            await self._say_instead(query, chat, f"Setup, step 1 of 2: {NAMES[storage]} is chosen.")
        await self._ask_number(
            chat,
            person,
            "Setup, step 2 of 2: after how many turns (your message and my answer) shall I summarise? "
            f"Send {RANGE}; 20 is a good start",
        )

    async def _finish(
        self, update: telegram.Update, chat: Chat, person: Person, state: WizardState, number: int
    ) -> None:
        storage = state.storage or StorageType.SQLITE
        if not await self._may_configure(chat, person):
            await self._leave(state, update)
            await self._delivery.say(chat, ADMINS_ONLY)
            return
        owner = chat.scope.owner
        before = await self._memory.config(owner)
        async with self._delivery.typing(chat):
            await self._memory.configure(owner, storage=storage, every_n=number)
            lines = [
                "✅ External memory configured",
                f"Storage: {NAMES[storage]}",
                f"Threshold: {turns(number)}",
            ]
            if before is not None and before.storage != storage:
                moved = messages(await self._memory.total(owner))
                lines.append(f"Moved: {moved} from {NAMES[before.storage]} to {NAMES[storage]}")
        lines += ["", "From now on I remember what is said here. /summary_status shows how it stands."]
        # Told before it is left: after a crash in between, the number comes again and finds its setup.
        try:
            await self._delivery.say(chat, "\n".join(lines))
        except DeliveryError:
            await self._leave(state, update)
            raise
        await self._leave(state, update)

    async def _ask_number(self, chat: Chat, person: Person, question: str) -> None:
        tail = ". /cancel leaves the setup."
        if chat.is_private:
            await self._delivery.say(chat, question + tail)
            return
        # Selective: only the person who is mentioned gets the reply field opened.
        name = well_formed(person.name).strip()[:64] or "You there"
        user = telegram.User(person.id, name, is_bot=False)
        mention = MessageEntity(MessageEntity.TEXT_MENTION, 0, units(name), user=user)
        text = f"{name}: {question}. Reply to this message{tail}"
        field = ForceReply(selective=True, input_field_placeholder=f"{SMALLEST}-{LARGEST}")
        await self._delivery.send(chat, [Piece(text=text, entities=(mention,), plain=text)], keyboard=field)

    async def _say_instead(self, query: telegram.CallbackQuery, chat: Chat, text: str) -> None:
        if query.message is None:
            await self._delivery.say(chat, text)
        else:
            await self._delivery.replace(chat, query.message.message_id, text)

    def _is_expired(self, state: WizardState) -> bool:
        return self._now() >= state.expires_at


def _storage_keyboard(state: WizardState) -> InlineKeyboardMarkup:
    buttons = [
        InlineKeyboardButton(name, callback_data=f"{PREFIX}:{state.person}:{state.nonce}:{storage}")
        for storage, name in NAMES.items()
    ]
    return InlineKeyboardMarkup([buttons])


def answers_the_bot(update: telegram.Update) -> bool:
    """Whether a message is a reply to one of the bot's."""
    message = update.effective_message
    replied = message.reply_to_message if message else None
    return replied is not None and replied.from_user is not None and replied.from_user.id == update.get_bot().id
