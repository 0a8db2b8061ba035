"""A turn of the talk: its files are read, it is answered, the answer is sent, and then its scope is settled.

Owns the order of these steps and what is done where one is cancelled or fails.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from attrs import define, field

from chat.conversation import Conversation
from locales.catalog import speaking
from locales.told import speaking_to
from records.scopes import Scope
from records.turns import Reply
from telegram_ui.commands import answers, proposals, summaries
from telegram_ui.commands.answers import shown_text
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.streaming import AnswerStream
from telegram_ui.updates.answer_delivery import AnswerDelivery
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.error_boundary import ErrorBoundary
from telegram_ui.updates.parsing import ParsedUpdate
from telegram_ui.updates.placing import Placing
from telegram_ui.updates.reading import AttachedFiles, Read
from telegram_ui.updates.repeats import Asked
from telegram_ui.updates.serial_queue import SerialQueues


@define(kw_only=True, eq=False)
class Answering:
    """One for the whole bot. The queues are the dispatcher's."""

    _queue: DurableQueue
    _conversation: Conversation
    _commands: Commands
    _delivery: Delivery
    _error_boundary: ErrorBoundary
    _placing: Placing
    _answer_delivery: AnswerDelivery
    _attached_files: AttachedFiles
    _chat_queues: SerialQueues
    _slow_queues: SerialQueues
    _settle_queues: SerialQueues
    _button_queues: SerialQueues
    _settling: set[Scope] = field(factory=set, init=False)
    _clearing: set[Scope] = field(factory=set, init=False)

    async def answer(self, pieces: Sequence[ParsedUpdate]) -> None:
        """Answer what a person said, in its pieces. Raises nothing but CancelledError."""
        first = await self._placing.again(pieces[0])
        pieces = [piece.within(first.scope) for piece in pieces]
        language = await self._commands.language(pieces[0].chat, pieces[0].person)
        runs_it = self._commands.dependencies.operation.may_run_it(pieces[0].person)
        with speaking(language), speaking_to(operator=runs_it):
            await self._answer_turn(pieces)

    async def _answer_turn(self, pieces: Sequence[ParsedUpdate]) -> None:
        parsed, asked = pieces[0], Asked(pieces=tuple(pieces))
        ids = [piece.update_id for piece in pieces]
        stop = partial(answers.stop_keyboard, self._commands.dependencies, parsed.chat, parsed.person)
        stream = self._answer_delivery.begin(self._delivery, ids[-1], parsed.chat, stop)
        delivering: asyncio.Task[None] | None = None
        try:
            read = await self._attached_files.read(pieces)
            if read.refusal:
                await self._error_boundary.say(parsed, read.refusal, asked if read.may_pass else None)
                await self._queue.done(ids)
                return
            async with self._delivery.typing(parsed.chat):
                reply = await self._conversation.reply(read.incoming, on_text=stream.show)
            # From here on it is stored: cancelling must not stop it half-way through its sending.
            delivering = asyncio.create_task(self._deliver(pieces, stream, reply, read))
            await asyncio.shield(delivering)
        except asyncio.CancelledError:
            if delivering:
                await delivering
            else:
                await stream.interrupt()
                if not self._delivery.is_closing:
                    await self._queue.done(ids)
            raise
        except Exception as error:  # broad: the error boundary
            if delivering is None:
                await stream.break_off()  # or what was shown would be shown on and on
            if await self._error_boundary.apologise(parsed, error, asked):
                await self._queue.done(ids)

    async def _deliver(self, pieces: Sequence[ParsedUpdate], stream: AnswerStream, reply: Reply, read: Read) -> None:
        """Send the answer as often as it needs and no oftener, then its notices; then the updates are done."""
        parsed = pieces[0]
        ids = [piece.update_id for piece in pieces]
        keyboard = answers.keyboard_under(self._commands.dependencies, parsed.chat, parsed.person, reply)
        outcome, shown_as = await self._answer_delivery.send(pieces[-1].update_id, stream, shown_text(reply), keyboard)
        if outcome == "arrived":
            for notice in (*reply.notices, *read.notices):
                await self._error_boundary.guarded(parsed, partial(self._delivery.say, parsed.chat, notice))
            for proposal in reply.proposals:
                ask = partial(proposals.ask, self._commands.dependencies, parsed.chat, parsed.person, proposal)
                await self._error_boundary.guarded(parsed, ask)
        if outcome == "later":
            self._queue.postpone(ids)
        else:
            await self._queue.done(ids, is_remembered=reply.is_remembered, soon=True)
            if not reply.is_error:
                await self._conversation.shown(read.incoming, shown_as)
            if keyboard is not None and self._commands.dependencies.last_buttons.note(parsed.chat, shown_as):
                self._clear_later(parsed.chat)
            self._speak_later(pieces, reply, shown_as)
        self.settle_later(parsed)

    def _speak_later(self, pieces: Sequence[ParsedUpdate], reply: Reply, shown_as: Sequence[int]) -> None:
        """The next turn does not wait for an answer to be spoken; a stop in order meanwhile ends it."""
        parsed, dependencies = pieces[0], self._commands.dependencies
        if dependencies.speech is not None:
            was_heard = any(piece.file is not None and piece.file.kind == "speech" for piece in pieces)
            args = dependencies, parsed.chat, parsed.person, reply, shown_as
            speak = partial(answers.speak_if_chosen, *args, was_heard=was_heard)
            self._slow_queues.submit(parsed.place, partial(self._error_boundary.guarded, parsed, speak))

    def _clear_later(self, chat: Chat) -> None:
        """Have the buttons of earlier answers taken away, next to the answers to others."""
        # One waiting per place is enough: it takes all of them.
        if chat.place not in self._clearing:
            self._clearing.add(chat.place)
            self._button_queues.submit(chat.place, partial(self._clear, chat))

    async def _clear(self, chat: Chat) -> None:
        self._clearing.discard(chat.place)
        await self._commands.dependencies.last_buttons.clear(self._delivery, chat)

    def settle_later(self, parsed: ParsedUpdate) -> None:
        """Have a scope settled soon, next to the answers to others."""
        # One waiting per scope is enough: it will see everything that was stored before it began.
        if parsed.scope not in self._settling:
            self._settling.add(parsed.scope)
            settle = partial(self._settle, parsed)
            self._settle_queues.submit(parsed.place, partial(self._error_boundary.guarded, parsed, settle))

    async def _settle(self, parsed: ParsedUpdate) -> None:
        self._settling.discard(parsed.scope)
        # In a group it is said to everybody, and a button would be one person's alone.
        buttons = self._commands.dependencies.buttons
        again = summaries.fold_again(buttons, parsed.chat, parsed.person) if parsed.chat.is_private else None
        for notice in await self._conversation.settle(parsed.scope):
            chat = Chat(id=parsed.chat.id, thread=parsed.chat.thread, is_private=parsed.chat.is_private)
            await self._delivery.say(chat, notice, keyboard=again)


class WaitingTurn:
    """A chat turn in its queue; it may get more pieces while its ticket is held."""

    def __init__(self, pieces: list[ParsedUpdate], answer: Callable[[Sequence[ParsedUpdate]], Awaitable[None]]) -> None:
        self.pieces = pieces
        self._answer = answer

    @property
    def update_ids(self) -> list[int]:
        return [piece.update_id for piece in self.pieces]

    async def __call__(self) -> None:
        await self._answer(tuple(self.pieces))
