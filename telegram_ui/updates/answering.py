"""A turn of the talk: its files are read, it is answered, the answer is sent, and then its scope is settled.

Owns the order of these steps, what is done where one is cancelled or fails, where a message belongs, and how often an
answer is sent before it is given up.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from attrs import define, field
from telegram import InlineKeyboardMarkup
from telegram.error import BadRequest, InvalidToken, NetworkError

from chat.conversation import Conversation
from external_memory import ExternalMemory
from llm.quota import acting_for
from locales.catalog import speak_in
from locales.told import speak_to
from records.errors import KeepsakeError, StorageError
from records.scopes import Scope
from records.turns import Reply
from telegram_ui.commands import answers, proposals, summaries
from telegram_ui.commands.answers import format_shown_text
from telegram_ui.commands.family import AnswerControls
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.chat import Chat, demand_lease
from telegram_ui.sending.delivery import ChatGone, Delivery, DeliveryError, DeliveryUnknown
from telegram_ui.sending.http import was_unreachable
from telegram_ui.sending.streaming import AnswerStream
from telegram_ui.updates.durable_queue import SENDS_EVER, DurableQueue, Received
from telegram_ui.updates.error_boundary import ErrorBoundary, find_place
from telegram_ui.updates.files import AttachedFiles, Read
from telegram_ui.updates.parsing import ParsedUpdate
from telegram_ui.updates.repeats import Repeatable
from telegram_ui.updates.serial_queue import Queues, SerialQueues

logger = logging.getLogger(__name__)


@define(kw_only=True, eq=False)
class Placing:
    """Finds in which conversation something was said, and how memory stood then; asked while commands wait, so that a
    message belongs to what was open and chosen when it came. One for the whole bot.
    """

    _queue: DurableQueue
    _conversation: Conversation
    _memory: ExternalMemory
    _delivery: Delivery

    async def of_message(self, received: Received, parsed: ParsedUpdate) -> ParsedUpdate:
        """Return a message with its conversation, and with how memory stands now: what waits behind other turns is not
        to be stored for what is chosen after it.
        """
        parsed = await self.now(parsed, source=parsed.source if received.is_replayed else "")
        mode = received.mode
        if mode is None:
            try:
                mode = await self._conversation.mode(parsed.location.owner)
            except StorageError as error:
                logger.warning("How memory stands in %s is not known: %s", parsed.scope, type(error).__name__)
                return parsed
            if mode != "on":
                await self._queue.note_mode(parsed.update_id, mode)
        return replace(parsed, mode=mode)

    async def now(self, parsed: ParsedUpdate, *, source: str = "", telegram_id: int | None = None) -> ParsedUpdate:
        """Return an update in the conversation that is open, or in the one that holds a message of this source or
        Telegram id.

        In the first one, where the store cannot say.
        """
        try:
            if source or telegram_id is not None:
                scope = await self._memory.conversation_with(parsed.location, source=source, telegram_id=telegram_id)
            else:
                scope = await self._memory.conversation(parsed.location)
        except StorageError as error:
            logger.warning("Which conversation is open in %s is not known: %s", parsed.location, type(error).__name__)
            return parsed
        return parsed.within(scope)

    async def in_topic(self, parsed: ParsedUpdate) -> ParsedUpdate:
        """Return a reaction with the topic of its message, because Telegram names none; unchanged if it is unknown."""
        if parsed.telegram_id is None:
            return parsed
        thread = self._delivery.find_thread(parsed.chat.id, parsed.telegram_id)
        if not thread:
            try:
                place = await self._memory.find_place(parsed.chat.id, parsed.telegram_id)
            except StorageError as error:
                logger.warning("The topic of a reaction in %s is unknown: %s", parsed.location, type(error).__name__)
                return parsed
            thread = place.thread if place is not None else 0
        return replace(parsed, chat=replace(parsed.chat, thread=thread))

    async def again(self, parsed: ParsedUpdate) -> ParsedUpdate:
        """Return a message whose turn begins. Its conversation may have been forgotten while it waited: then it belongs
        to the one that is open now.
        """
        if not parsed.chat.conversation:
            return parsed
        try:
            is_there = await self._memory.has_conversation(parsed.location, parsed.scope)
        except KeepsakeError:  # the turn itself meets it again, and says so
            return parsed
        return parsed if is_there else await self.now(parsed)


Outcome = Literal["arrived", "lost", "later"]


@define(eq=False)
class AnswerDelivery:
    """Sends an answer again, leaves it to the next run, or gives it up. Counts in the queue how often each was sent.
    `pause` waits so many seconds.
    """

    _queue: DurableQueue
    _pause: Callable[[float], Awaitable[None]]
    _memory: ExternalMemory
    _left: set[int] = field(factory=set[int], init=False)

    def begin(
        self,
        delivery: Delivery,
        update_id: int,
        chat: Chat,
        stop: Callable[[], InlineKeyboardMarkup] | None,
        instead_of: Sequence[int] = (),
    ) -> AnswerStream:
        """Return the answer to an update, which takes the place of what an earlier run has shown of it."""
        return AnswerStream(
            delivery,
            chat,
            stop=stop,
            instead_of=self._queue.shown_before(update_id) or instead_of,
            note_shown=partial(self._queue.note_shown, update_id),
            wants_rich=partial(self._is_rich_wanted, chat.scope.owner),
        )

    async def _is_rich_wanted(self, owner: int) -> bool:
        try:
            config = await self._memory.config(owner)
        except KeepsakeError:  # the answer itself says what is wrong
            return False
        return config is not None and config.formatting == "rich"

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
                    logger.error("Update %s: Telegram refuses its answer (%s).", update_id, find_place(error))  # noqa: TRY400
                    return "lost", list(stream.sent)
                # Waiting for the network may take as long as it takes.
                refusals += not (isinstance(error.__cause__, NetworkError) and was_unreachable(error.__cause__))
                if refusals == 10:  # times that a reachable Telegram was too busy or broken
                    logger.error("Update %s: its answer is left to the next run.", update_id)  # noqa: TRY400
                    return "later", list(stream.sent)
                logger.warning("Update %s: its answer could not be sent yet.", update_id)
                await self._pause(wait)
                wait = min(30.0, wait * 2)
            else:
                return "arrived", list(stream.sent)
        logger.warning("Update %s: its answer is not sent a third time.", update_id)
        return "lost", list(stream.sent)

    async def send_for_press(
        self, update_id: int, stream: AnswerStream, text: str, keyboard: InlineKeyboardMarkup | None
    ) -> list[int]:
        """Send the answer that a button asked for, and return the ids of its messages."""
        outcome, shown_as = await self.send(update_id, stream, text, keyboard)
        if outcome == "later":
            self._left.add(update_id)
        else:
            # At once: a stop before the rest is done would have the next run ask the model again.
            await self._queue.done([update_id], soon=True)
        return shown_as

    async def done(self, update_id: int) -> None:
        """Mark a press as done, or leave it to the next run if its answer could not be sent."""
        if update_id in self._left:
            self._left.discard(update_id)
            self._queue.postpone([update_id])
        else:
            await self._queue.done([update_id])

    def controls(self, chats: SerialQueues) -> AnswerControls:
        """Return the controls for buttons. `chats`: the queues of the answers."""
        return AnswerControls(
            # What is being finished ends by itself: no button is to be taken from a message that is whole by then.
            stop=lambda location: chats.cancel(location) or chats.is_busy(location),
            stoppable=chats.stoppable,
            begin=self.begin,
            send=self.send_for_press,
        )


class Answering:
    """One for the whole bot. The queues are the dispatcher's."""

    def __init__(
        self,
        queue: DurableQueue,
        commands: Commands,
        queues: Queues,
        error_boundary: ErrorBoundary,
        placing: Placing,
        answer_delivery: AnswerDelivery,
    ) -> None:
        self._queue = queue
        self._commands = commands
        self._dependencies = commands.dependencies
        self._delivery = commands.dependencies.delivery
        self._conversation = commands.dependencies.services.conversation
        self._memory = commands.dependencies.services.memory
        self._attached_files = AttachedFiles(self._delivery, commands.dependencies.services.attachments)
        self._queues = queues
        self._error_boundary = error_boundary
        self._placing = placing
        self._answer_delivery = answer_delivery
        self._settling: set[Scope] = set()
        self._clearing: set[Scope] = set()

    async def answer(self, pieces: Sequence[ParsedUpdate]) -> None:
        """Answer what a person said, in its pieces; not where they were removed while it waited. Raises nothing but
        CancelledError.
        """
        if not self._memory.serves(pieces[0].person.id):
            await self._queue.done([piece.update_id for piece in pieces])
            return
        first = await self._placing.again(pieces[0])
        pieces = [piece.within(first.scope) for piece in pieces]
        language = await self._commands.choose_language(pieces[0].chat, pieces[0].person)
        runs_it = self._dependencies.operation.may_run_it(pieces[0].person)
        with speak_in(language), speak_to(operator=runs_it), acting_for(pieces[0].person.id):
            await self._answer_turn(pieces)

    async def _answer_turn(self, pieces: Sequence[ParsedUpdate]) -> None:
        parsed, asked = pieces[0], Repeatable(pieces=tuple(pieces))
        ids = [piece.update_id for piece in pieces]
        stop = partial(answers.make_stop_keyboard, self._dependencies, parsed.chat, parsed.person)
        stream = self._answer_delivery.begin(self._delivery, ids[-1], parsed.chat, stop)
        delivering: asyncio.Task[None] | None = None
        try:
            # Under a later lease of this process it is handed out again, behind what was before it.
            with self._queues.chats.stoppable(parsed.location):
                await demand_lease()
                read = await self._attached_files.read(pieces)
            if read.refusal:
                await self._error_boundary.say(parsed, read.refusal, asked if read.may_pass else None)
                await self._queue.done(ids)
                return
            async with self._delivery.typing(parsed.chat):
                with self._queues.chats.stoppable(parsed.location):
                    reply = await self._conversation.reply(read.incoming, on_text=stream.show, kept=stream.kept)
            # From here on it is stored: cancelling must not stop it half-way through its sending.
            delivering = asyncio.create_task(self._deliver_answer(pieces, stream, reply, read))
            await asyncio.shield(delivering)
        except asyncio.CancelledError:
            if delivering:
                await delivering
            else:
                await stream.interrupt()
                if not self._delivery.closing.is_set():
                    await self._queue.done(ids)
            raise
        except Exception as error:  # broad: the error boundary
            if delivering is None:
                await stream.break_off()  # or what was shown would be shown on and on
            if await self._error_boundary.apologise(parsed, error, asked):
                await self._queue.done(ids)

    async def _deliver_answer(
        self, pieces: Sequence[ParsedUpdate], stream: AnswerStream, reply: Reply, read: Read
    ) -> None:
        """Send the answer as often as it needs and no oftener, then its notices; then the updates are done."""
        parsed = pieces[0]
        ids = [piece.update_id for piece in pieces]
        keyboard = answers.make_answer_keyboard(self._dependencies, parsed.chat, parsed.person, reply)
        outcome, shown_as = await self._answer_delivery.send(
            pieces[-1].update_id, stream, format_shown_text(reply), keyboard
        )
        if outcome == "arrived":
            for notice in (*reply.notices, *read.notices):
                await self._error_boundary.guarded(parsed, partial(self._delivery.say, parsed.chat, notice))
            for proposal in reply.proposals:
                ask = partial(proposals.ask_about_proposal, self._dependencies, parsed.chat, parsed.person, proposal)
                await self._error_boundary.guarded(parsed, ask)
        if outcome == "later":
            self._queue.postpone(ids)
        else:
            await self._mark_done(ids, parsed.scope, reply)
            if not reply.is_error:
                await self._conversation.shown(read.incoming, shown_as)
            if keyboard is not None and self._dependencies.last_buttons.record_answer(parsed.chat, shown_as):
                self._clear_later(parsed.chat)
            self._speak_later(pieces, reply, shown_as)
        self.settle_later(parsed)

    async def _mark_done(self, ids: Sequence[int], scope: Scope, reply: Reply) -> None:
        """The updates are done; where the store did not take their turn, not before it is written, for the next run
        has to find them if this one dies first.
        """
        done = partial(self._queue.done, ids, is_remembered=reply.is_remembered, soon=True)
        if reply.is_durable or not self._conversation.after_writing(scope, done):
            await done()
        elif self._queue.are_on_disk(ids):
            self._queue.postpone(ids)
        # Otherwise it stays under way: once it can be written, it is neither done yet nor to be answered again.

    def _speak_later(self, pieces: Sequence[ParsedUpdate], reply: Reply, shown_as: Sequence[int]) -> None:
        """The next turn does not wait for an answer to be spoken; a stop in order meanwhile ends it."""
        parsed, dependencies = pieces[0], self._dependencies
        if dependencies.speech is not None:
            was_heard = any(file.kind == "speech" for piece in pieces for file in piece.files)
            args = dependencies, parsed.chat, parsed.person, reply, shown_as
            speak = partial(answers.speak_if_chosen, *args, was_heard=was_heard)
            self._queues.slow.submit(parsed.location, partial(self._error_boundary.guarded, parsed, speak))

    def _clear_later(self, chat: Chat) -> None:
        """Have the buttons of earlier answers taken away, next to the answers to others."""
        # One waiting per place is enough: it takes all of them.
        if chat.location not in self._clearing:
            self._clearing.add(chat.location)
            self._queues.buttons.submit(chat.location, partial(self._clear_draft, chat))

    async def _clear_draft(self, chat: Chat) -> None:
        self._clearing.discard(chat.location)
        await self._dependencies.last_buttons.clear_earlier(self._delivery, chat)

    def settle_later(self, parsed: ParsedUpdate) -> None:
        """Have a scope settled soon, next to the answers to others."""
        # One waiting per scope is enough: it will see everything that was stored before it began.
        if parsed.scope not in self._settling:
            self._settling.add(parsed.scope)
            settle = partial(self._settle_turn, parsed)
            self._queues.settling.submit(parsed.location, partial(self._error_boundary.guarded, parsed, settle))

    async def _settle_turn(self, parsed: ParsedUpdate) -> None:
        self._settling.discard(parsed.scope)
        # In a group it is said to everybody, and a button would be one person's alone.
        buttons = self._dependencies.buttons
        again = (
            summaries.make_fold_retry_keyboard(buttons, parsed.chat, parsed.person) if parsed.chat.is_private else None
        )
        with acting_for(parsed.person.id):
            notices = await self._conversation.settle(parsed.scope)
        for notice in notices:
            chat = Chat(id=parsed.chat.id, thread=parsed.chat.thread, is_private=parsed.chat.is_private)
            await self._delivery.say(chat, notice, keyboard=again)


class Waiting:
    """Work in the queue of its scope's answers that /stop may take out, as long as it has not come to the answer."""

    @property
    def update_ids(self) -> list[int]:
        raise NotImplementedError

    async def __call__(self) -> None:
        raise NotImplementedError


@define(eq=False)
class WaitingPress(Waiting):
    """A button that has something answered."""

    update_ids: list[int]
    _work: Callable[[], Awaitable[None]]

    async def __call__(self) -> None:
        await self._work()


@define(eq=False)
class WaitingTurn(Waiting):
    """A chat turn; it may get more pieces while its ticket is held."""

    pieces: list[ParsedUpdate]
    _answer: Callable[[Sequence[ParsedUpdate]], Awaitable[None]]

    @property
    def update_ids(self) -> list[int]:
        return [piece.update_id for piece in self.pieces]

    async def __call__(self) -> None:
        await self._answer(tuple(self.pieces))
