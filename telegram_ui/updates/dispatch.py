"""Where an update goes: access, then command, button, wizard or chat, each in its scope's queue.

Commands have queues of their own, so they never wait behind a model; a chat message goes through its scope's command
queue first, so it waits for the commands before it. Does not know how updates are fetched, nor what commands do.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from cachetools import LRUCache
from telegram import InlineKeyboardMarkup

from chat.attachments import Attachments
from chat.conversation import Conversation
from chat.corrections import Corrections
from locales.catalog import speaking, tr
from records.scopes import Scope
from records.turns import Reply
from telegram_ui.commands import answers, proposals
from telegram_ui.commands.answers import shown_text
from telegram_ui.commands.outreach import admission
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.documents import document_in
from telegram_ui.sending.streaming import AnswerStream
from telegram_ui.updates.access import Access
from telegram_ui.updates.answer_delivery import AnswerDelivery
from telegram_ui.updates.attached import FILE, kind_name
from telegram_ui.updates.durable_queue import MOST_OF_ONE, DurableQueue, Received
from telegram_ui.updates.error_boundary import ErrorBoundary
from telegram_ui.updates.file_attempts import FileAttempts
from telegram_ui.updates.parsing import NO_WORDS, ParsedUpdate, parse, upgraded
from telegram_ui.updates.paste import Pastes, may_continue
from telegram_ui.updates.placing import Placing
from telegram_ui.updates.reading import AttachedFiles, Read
from telegram_ui.updates.serial_queue import SerialQueues, Work
from telegram_ui.updates.slot import Slot
from telegram_ui.updates.supergroups import SupergroupUpgrades

logger = logging.getLogger(__name__)

COMMANDS_AT_ONCE = 128
SLOW_AT_ONCE = 8
CHATS_AT_ONCE = 256  # most of them wait for a model, and nobody should wait for a place behind them
PREPARED_AT_ONCE = 16  # prompts; without a limit all would be made at the same time, and each be done last
SETTLING_AT_ONCE = 4
SETTLING_WAITS = 5.0  # seconds at most that a chat's folds and facts let the answers to others go first
COMMAND_PATIENCE = 2.0  # seconds; a command half done would be done and told a second time by the next run
NOTICES_AT_ONCE = 4
MOST_NOTICES = 100  # to strangers and to those who send too much, that wait to be sent
ALBUMS = 1_000  # chats of which the last album is known, so that its pictures are declined once


class Dispatcher:
    """Routes what the queue gives. `me` and `queue.replay` come before the first dispatch; close() ends it."""

    def __init__(
        self,
        *,
        queue: DurableQueue,
        access: Access,
        conversation: Conversation,
        corrections: Corrections,
        commands: Commands,
        delivery: Delivery,
        attachments: Attachments,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pastes: Pastes[ParsedUpdate] | None = None,
    ) -> None:
        self._queue = queue
        self._access = access
        self._conversation = conversation
        self._corrections = corrections
        self._commands = commands
        self._delivery = delivery
        self._error_boundary = ErrorBoundary(delivery, commands.language)
        memory = commands.dependencies.services.memory
        self._placing = Placing(queue=queue, conversation=conversation, memory=memory)
        self._answer_delivery = AnswerDelivery(queue, pause)
        self._file_attempts = FileAttempts(queue, delivery)
        self._attached_files = AttachedFiles(delivery, attachments)
        self._pastes = pastes or Pastes[ParsedUpdate](asyncio.get_running_loop().call_later)
        self._command_queues = SerialQueues("commands", at_once=COMMANDS_AT_ONCE)
        self._slow_queues = SerialQueues("slow commands", at_once=SLOW_AT_ONCE)
        self._chat_queues = SerialQueues("chats", at_once=CHATS_AT_ONCE)
        self._settle_queues = SerialQueues("settling", at_once=SETTLING_AT_ONCE)
        self._notice_queues = SerialQueues("notices", at_once=NOTICES_AT_ONCE)
        self._all_queues = (
            self._command_queues,
            self._slow_queues,
            self._chat_queues,
            self._settle_queues,
            self._notice_queues,
        )
        self._upgrades = SupergroupUpgrades(
            corrections,
            (self._command_queues, self._slow_queues, self._chat_queues),
            self._settle_queues,
            pause=pause,
        )
        delivery.on_upgrade(self._upgrades.begin)
        commands.dependencies.answers.stop = self._chat_queues.cancel
        commands.dependencies.answers.send = self._send_answer
        commands.dependencies.answers.begin = self._answer_delivery.begin
        self._left: set[int] = set()  # updates whose answers could not be sent: they are left to the next run
        self._settling: set[Scope] = set()
        self._preparing = asyncio.Semaphore(PREPARED_AT_ONCE)
        self._albums = LRUCache[Scope, str](ALBUMS)
        self._closing = False

    async def dispatch(self, received: Received) -> None:
        """Put an update into its queue. Quick: PTB hands over the next one when this returns."""
        if self._closing:  # it stays in the inbox
            return
        update = received.update
        bot = update.get_bot()
        if (ids := upgraded(update)) is not None:
            self._upgrades.begin(*ids, partial(self._done, received))
            return
        parsed = parse(update, bot.bot)
        parsed = parsed and self._upgrades.as_now(parsed)
        if parsed is None or (parsed.kind == "command" and not parsed.addressed):
            await self._done(received)
        elif not self._access.is_served(parsed.person):
            self._tell_stranger(parsed)
            await self._done(received)
        elif received.is_refused:
            self._notify(parsed, lambda: tr("notices-too-much", most=MOST_OF_ONE))
        elif parsed.kind == "edited":
            # The way that the message itself went, so that it is stored by then.
            enter = partial(self._in_chat, received, parsed, partial(self._correct, parsed))
            self._command_queues.submit(parsed.place, partial(_soon, enter))
        elif parsed.kind == "command":
            self._command(received, parsed)
        elif parsed.kind == "press":
            data = update.callback_query.data if update.callback_query else None
            press: Work = partial(self._commands.press, update, parsed.chat, parsed.person)
            if self._commands.press_reads_file(data or ""):
                press = partial(self._file_attempts.run, update, parsed.chat, press)
            queue = self._commands.queue_of_press(data or "", parsed.chat, parsed.person)
            if self._upgrades.is_former(update):
                self._in_commands(received, parsed, partial(self._upgrades.refuse_press, update))
            elif queue == "chat":
                self._in_chat(received, parsed, partial(self._answer_press, parsed, press))
            else:
                self._in_commands(received, parsed, press, is_slow=queue == "slow")
        else:
            self._command_queues.submit(parsed.place, partial(self._offer_to_wizard, received, parsed))

    async def idle(self) -> None:
        """Wait until everything dispatched is finished, settling included."""
        for queues in self._all_queues:
            await queues.idle()

    async def close(self, *, grace: float = 6.0) -> None:
        """Begin nothing more; answers being written break off, answers being sent are given time to arrive,
        commands to be done.

        What is not finished stays in the inbox and is taken up by the next run.
        """
        self._closing = self._delivery.is_closing = True
        self._pastes.close()
        patience = min(COMMAND_PATIENCE, grace)
        commands = (self._command_queues, self._slow_queues)
        await asyncio.gather(
            *(queues.close(grace=grace - patience, patience=patience) for queues in commands),
            self._chat_queues.close(grace=grace),
            self._settle_queues.close(grace=grace),
            self._notice_queues.close(grace=grace - patience, patience=patience),
        )

    # commands -----------------------------------------------------------------------------------------
    def _command(self, received: Received, parsed: ParsedUpdate) -> None:
        self._pastes.end(parsed.sender)
        if parsed.command == "stop":
            # At once, outside all queues; and again in its queue, for a message that came just before and has
            # not begun.
            stopped = self._chat_queues.cancel(parsed.place)
            self._in_commands(received, parsed, partial(self._stop, parsed, stopped=stopped))
        elif parsed.command in self._commands.names:
            handle = self._commands.handle
            update = received.update
            work: Work = partial(handle, update, parsed.chat, parsed.person, parsed.command, parsed.argument)
            if self._commands.reads_file(parsed.command) and document_in(update.effective_message):
                work = partial(self._file_attempts.run, update, parsed.chat, work)
            self._in_commands(received, parsed, work, is_slow=self._commands.queue_of(parsed.command) == "slow")
        elif parsed.chat.is_private or parsed.target:
            self._in_commands(received, parsed, partial(self._say_unknown, parsed))
        else:  # in a group, a command that some other bot may know
            self._in_commands(received, parsed, _nothing)

    def _in_commands(self, received: Received, parsed: ParsedUpdate, work: Work, *, is_slow: bool = False) -> None:
        async def finished() -> None:
            await self._error_boundary.guarded(parsed, work)
            await self._done(received)

        queues = self._slow_queues if is_slow else self._command_queues
        queues.submit(parsed.place, finished)

    def _in_chat(self, received: Received, parsed: ParsedUpdate, work: Work) -> None:
        """Never at the same time as a turn of its scope; an answer that it writes is stopped as any other."""

        async def finished() -> None:
            try:
                await self._error_boundary.guarded(parsed, work)
            except asyncio.CancelledError:
                if not self._closing:
                    await self._done(received)
                raise
            await self._done(received)

        self._chat_queues.submit(parsed.place, finished)

    async def _answer_press(self, parsed: ParsedUpdate, press: Work) -> None:
        """A button that has something answered: what came of it is settled as any turn is."""
        await press()
        self._settle_later(await self._placing.now(parsed))

    async def _send_answer(
        self, update_id: int, stream: AnswerStream, text: str, keyboard: InlineKeyboardMarkup | None
    ) -> list[int]:
        """Send the answer that a button asked for as often as it needs; the ids of its messages."""
        outcome, shown_as = await self._answer_delivery.send(update_id, stream, text, keyboard)
        if outcome == "later":
            self._left.add(update_id)
        else:
            # At once: a stop before the rest is done would have the next run ask the model again.
            await self._queue.done([update_id], soon=True)
        return shown_as

    async def _correct(self, parsed: ParsedUpdate) -> None:
        """What a person changed is changed in memory; where nothing was said since, a new answer is offered."""
        if (edited := parsed.telegram_id) is None:
            return
        parsed = await self._placing.now(parsed, telegram_id=edited)
        correction = await self._corrections.correct(parsed.scope, edited, parsed.text or NO_WORDS)
        if correction.turn is not None:
            self._settle_later(parsed)
        if correction.turn is not None and correction.is_last and parsed.text:
            await answers.offer(self._commands.dependencies, parsed.chat, parsed.person, correction.turn)

    async def _stop(self, parsed: ParsedUpdate, *, stopped: bool) -> None:
        # What had begun says by itself that it was stopped.
        if not stopped and not self._chat_queues.cancel(parsed.place):
            waiting = self._chat_queues.drop_next(parsed.place, _Turn)
            if waiting is None:
                await self._say(parsed.chat, tr("answers-nothing-to-stop"))
                return
            await self._queue.done(waiting.update_ids)
            await self._say(parsed.chat, tr("answers-stopped-message"))

    def _tell_stranger(self, parsed: ParsedUpdate) -> None:
        """Written nowhere, and behind nobody who is served."""
        is_to_be_told = parsed.chat.is_private and parsed.kind != "edited" and len(self._notice_queues) < MOST_NOTICES
        if is_to_be_told and self._access.may_tell_stranger(parsed.person):
            self._notify(parsed, lambda: tr("notices-stranger", id=str(parsed.person.id)))
            if self._access.may_ask_admins(parsed.person):
                ask = partial(admission.ask_admins, self._commands.dependencies, parsed.person, parsed.text)
                self._notice_queues.submit(parsed.scope, ask)

    def _notify(self, parsed: ParsedUpdate, sentence: Callable[[], str]) -> None:
        """Say something that nobody waits for; not at all where too much is to be said already."""
        if len(self._notice_queues) < MOST_NOTICES:

            async def say() -> None:
                # The store is not asked for a choice: what is said here must cost nothing.
                with speaking(self._commands.app_language(parsed.person)):
                    await self._say(parsed.chat, sentence())

            self._notice_queues.submit(parsed.place, partial(self._error_boundary.guarded, parsed, say, is_known=False))

    # chat ---------------------------------------------------------------------------------------------
    async def _offer_to_wizard(self, received: Received, parsed: ParsedUpdate) -> None:
        """The step from the command queue to the chat queue: wizards take their input before it is chat, and an
        import its file.
        """
        if await self._is_taken(received, parsed):
            self._pastes.end(parsed.sender)
            await self._done(received)
        elif received.is_durable:
            self._chat(await self._placing.of_message(received, parsed))

    async def _is_taken(self, received: Received, parsed: ParsedUpdate) -> bool:
        taken = False

        async def offer() -> None:
            nonlocal taken
            # What fails has taken its input, too: the person is told, and may send it again.
            taken = True
            if parsed.attachment == FILE:
                taken = self._commands.awaits_file(received.update, parsed.chat, parsed.person)
                if taken:
                    take = partial(self._commands.take_file, received.update, parsed.chat, parsed.person)
                    await self._file_attempts.run(received.update, parsed.chat, take)
            elif parsed.kind == "text" and not parsed.attachment:
                taken = await self._commands.take_text(received.update, parsed.chat, parsed.person, parsed.text)
            else:
                taken = False

        await self._error_boundary.guarded(parsed, offer)
        return taken

    def _chat(self, parsed: ParsedUpdate) -> None:
        if self._closing:  # it stays in the inbox
            return
        if parsed.kind == "wordless":
            self._pastes.end(parsed.sender)
            self._chat_queues.submit(parsed.place, partial(self._answer_wordless, parsed))
        elif not self._pastes.extend(parsed):
            turn = _Turn([parsed], self._answer)
            ticket = self._chat_queues.submit(parsed.place, turn, held=may_continue(parsed))
            if may_continue(parsed):
                self._pastes.begin(turn.pieces, ticket.release)

    async def _answer_wordless(self, parsed: ParsedUpdate) -> None:
        if not parsed.album or self._albums.get(parsed.place) != parsed.album:
            if parsed.album:
                self._albums[parsed.place] = parsed.album
            hint = tr("notices-mentioned")
            if parsed.attachment:
                hint = tr("files-write-instead", what=kind_name(parsed.attachment))
            await self._error_boundary.guarded(parsed, partial(self._say, parsed.chat, hint))
        await self._queue.done([parsed.update_id])

    async def _answer(self, pieces: Sequence[ParsedUpdate]) -> None:
        first = await self._placing.again(pieces[0])
        pieces = [replace(piece, chat=piece.chat.within(first.scope)) for piece in pieces]
        with speaking(await self._commands.language(pieces[0].chat, pieces[0].person)):
            await self._answer_turn(pieces)

    async def _answer_turn(self, pieces: Sequence[ParsedUpdate]) -> None:
        parsed = pieces[0]
        ids = [piece.update_id for piece in pieces]
        stop = answers.stop_keyboard(self._commands.dependencies, parsed.chat, parsed.person)
        stream = self._answer_delivery.begin(self._delivery, ids[-1], parsed.chat, stop)
        delivering: asyncio.Task[None] | None = None
        try:
            async with self._delivery.typing(parsed.chat):
                read = await self._attached_files.read(pieces)
                if read.refusal:
                    await self._say(parsed.chat, read.refusal)
                    await self._queue.done(ids)
                    return
                async with Slot(self._preparing) as slot:
                    reply = await self._conversation.reply(read.incoming, on_text=stream.show, on_prepared=slot.leave)
            # From here on it is stored: cancelling must not stop it half-way through its sending.
            delivering = asyncio.create_task(self._deliver(pieces, stream, reply, read))
            await asyncio.shield(delivering)
        except asyncio.CancelledError:
            if delivering:
                await delivering
            else:
                await stream.interrupt()
                if not self._closing:
                    await self._queue.done(ids)
            raise
        except Exception as error:  # broad: the error boundary
            if delivering is None:
                await stream.break_off()  # or what was shown would be shown on and on
            await self._error_boundary.apologise(parsed, error)
            await self._queue.done(ids)

    async def _deliver(self, pieces: Sequence[ParsedUpdate], stream: AnswerStream, reply: Reply, read: Read) -> None:
        """Send the answer as often as it needs and no oftener, then its notices; then the updates are done."""
        parsed = pieces[0]
        ids = [piece.update_id for piece in pieces]
        keyboard = answers.keyboard_under(self._commands.dependencies, parsed.chat, parsed.person, reply)
        outcome, shown_as = await self._answer_delivery.send(pieces[-1].update_id, stream, shown_text(reply), keyboard)
        if outcome == "arrived":
            for notice in (*reply.notices, *read.notices):
                await self._error_boundary.guarded(parsed, partial(self._say, parsed.chat, notice))
            for proposal in reply.proposals:
                ask = partial(proposals.ask, self._commands.dependencies, parsed.chat, parsed.person, proposal)
                await self._error_boundary.guarded(parsed, ask)
        if outcome == "later":
            self._queue.postpone(ids)
        else:
            await self._queue.done(ids, is_remembered=reply.is_remembered, soon=True)
            if not reply.is_error:
                await self._conversation.shown(read.incoming, shown_as)
            if keyboard is not None and len(self._notice_queues) < MOST_NOTICES:
                note = partial(self._commands.dependencies.last_buttons.note, self._delivery, parsed.chat, shown_as)
                self._notice_queues.submit(parsed.place, note)
        self._settle_later(parsed)

    def _settle_later(self, parsed: ParsedUpdate) -> None:
        # One waiting per scope is enough: it will see everything that was stored before it began.
        if parsed.scope not in self._settling:
            self._settling.add(parsed.scope)
            latest = asyncio.get_running_loop().time() + SETTLING_WAITS
            settle = partial(self._settle, parsed, latest)
            self._settle_queues.submit(parsed.place, partial(self._error_boundary.guarded, parsed, settle))

    async def _settle(self, parsed: ParsedUpdate, latest: float) -> None:
        """Once nobody waits for an answer, so that one settling serves several turns; by `latest` in any case."""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(latest):
                    await self._chat_queues.idle()
        finally:
            self._settling.discard(parsed.scope)
        for notice in await self._conversation.settle(parsed.scope):
            await self._say(
                Chat(id=parsed.chat.id, thread=parsed.chat.thread, is_private=parsed.chat.is_private), notice
            )

    async def _say(self, chat: Chat, text: str) -> None:
        await self._delivery.say(chat, text)

    async def _say_unknown(self, parsed: ParsedUpdate) -> None:
        await self._delivery.say(parsed.chat, self._commands.unknown(parsed.command))

    async def _done(self, received: Received) -> None:
        number = received.update_id
        if number in self._left:
            self._left.discard(number)
            self._queue.postpone([number])
        elif received.is_durable:
            await self._queue.done([number])


class _Turn:
    """A chat turn in its queue; it may get more pieces while its ticket is held."""

    def __init__(self, pieces: list[ParsedUpdate], answer: Callable[[Sequence[ParsedUpdate]], Awaitable[None]]) -> None:
        self.pieces = pieces
        self._answer = answer

    @property
    def update_ids(self) -> list[int]:
        return [piece.update_id for piece in self.pieces]

    async def __call__(self) -> None:
        await self._answer(tuple(self.pieces))


async def _soon(act: Callable[[], None]) -> None:
    act()


async def _nothing() -> None:
    return None
