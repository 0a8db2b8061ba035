"""Where an update goes: access, then command, button, wizard or chat, each in its scope's queue.

Commands have queues of their own, so they never wait behind a model; a chat message goes through its scope's command
queue first, so it waits for the commands before it. Does not know how updates are fetched, nor what commands do.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from cachetools import LRUCache

from chat.conversation import Conversation
from chat.corrections import Corrections
from chat.notices import INCOGNITO
from records.errors import StorageError
from records.scopes import Scope
from records.turns import Reply
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.documents import document_in
from telegram_ui.sending.streaming import AnswerStream
from telegram_ui.updates.access import Access
from telegram_ui.updates.answer_delivery import AnswerDelivery
from telegram_ui.updates.durable_queue import MOST_OF_ONE, DurableQueue, Received
from telegram_ui.updates.error_boundary import ErrorBoundary
from telegram_ui.updates.file_attempts import FileAttempts
from telegram_ui.updates.parsing import FILE, NO_WORDS, ParsedUpdate, arrival, incoming, upgraded
from telegram_ui.updates.paste import Pastes, may_continue
from telegram_ui.updates.serial_queue import SerialQueues, Work
from telegram_ui.updates.supergroups import SupergroupUpgrades

logger = logging.getLogger(__name__)

COMMANDS_AT_ONCE = 128
SLOW_AT_ONCE = 8
CHATS_AT_ONCE = 64
SETTLING_AT_ONCE = 4
COMMAND_PATIENCE = 2.0  # seconds; a command half done would be done and told a second time by the next run
NOTICES_AT_ONCE = 4
MOST_NOTICES = 100  # to strangers and to those who send too much, that wait to be sent
TOO_MUCH = (
    f"I have {MOST_OF_ONE} messages of yours that are not answered yet. I did not take this one, and I take no more "
    "until I have caught up. Please send it again then."
)
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
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pastes: Pastes[ParsedUpdate] | None = None,
    ) -> None:
        self._queue = queue
        self._access = access
        self._conversation = conversation
        self._corrections = corrections
        self._commands = commands
        self._delivery = delivery
        self._error_boundary = ErrorBoundary(delivery)
        self._answer_delivery = AnswerDelivery(queue, pause)
        self._file_attempts = FileAttempts(queue, delivery)
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
        self._settling: set[Scope] = set()
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
        said = arrival(update, bot.bot)
        said = said and self._upgrades.as_now(said)
        if said is None or (said.kind == "command" and not said.addressed):
            await self._done(received)
        elif not self._access.is_served(said.person):
            self._tell_stranger(said)
            await self._done(received)
        elif received.is_refused:
            self._notify(said, TOO_MUCH)
        elif said.kind == "edited":
            # The way that the message itself went, so that it is stored by then.
            enter = partial(self._in_chat, received, said, partial(self._correct, said))
            self._command_queues.submit(said.scope, partial(_soon, enter))
        elif said.kind == "command":
            self._command(received, said)
        elif said.kind == "press":
            data = update.callback_query.data if update.callback_query else None
            press: Work = partial(self._commands.press, update, said.chat, said.person)
            if self._commands.press_reads_file(data or ""):
                press = partial(self._file_attempts.run, update, said.chat, press)
            queue = self._commands.queue_of_press(data or "")
            if self._upgrades.is_former(update):
                self._in_commands(received, said, partial(self._upgrades.refuse_press, update))
            elif queue == "chat":
                self._in_chat(received, said, press)
            else:
                self._in_commands(received, said, press, is_slow=queue == "slow")
        else:
            self._command_queues.submit(said.scope, partial(self._offer_to_wizard, received, said))

    async def idle(self) -> None:
        """Wait until everything dispatched is finished, settling included."""
        for queues in self._all_queues:
            await queues.idle()

    async def close(self, *, grace: float = 6.0) -> None:
        """Begin nothing more; answers being written break off, answers being sent are given time to arrive,
        commands to be done.

        What is not finished stays in the inbox and is taken up by the next run.
        """
        self._closing = True
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
    def _command(self, received: Received, said: ParsedUpdate) -> None:
        self._pastes.end(said.sender)
        if said.command == "stop":
            # At once, outside all queues; and again in its queue, for a message that came just before and has
            # not begun.
            stopped = self._chat_queues.cancel(said.scope)
            self._in_commands(received, said, partial(self._stop, said, stopped=stopped))
        elif said.command in self._commands.names:
            handle = self._commands.handle
            update = received.update
            work: Work = partial(handle, update, said.chat, said.person, said.command, said.argument)
            if self._commands.reads_file(said.command) and document_in(update.effective_message):
                work = partial(self._file_attempts.run, update, said.chat, work)
            self._in_commands(received, said, work, is_slow=self._commands.queue_of(said.command) == "slow")
        elif said.chat.is_private or said.target:
            hint = f"I do not know the command /{said.command}. /help lists those I know."
            self._in_commands(received, said, partial(self._say, said.chat, hint))
        else:  # in a group, a command that some other bot may know
            self._in_commands(received, said, _nothing)

    def _in_commands(self, received: Received, said: ParsedUpdate, work: Work, *, is_slow: bool = False) -> None:
        async def finished() -> None:
            await self._error_boundary.guarded(said, work)
            await self._done(received)

        queues = self._slow_queues if is_slow else self._command_queues
        queues.submit(said.scope, finished)

    def _in_chat(self, received: Received, said: ParsedUpdate, work: Work) -> None:
        """Beside no turn of its scope; an answer that it writes is stopped as any other."""

        async def finished() -> None:
            try:
                await self._error_boundary.guarded(said, work)
            except asyncio.CancelledError:
                if not self._closing:
                    await self._done(received)
                raise
            await self._done(received)

        self._chat_queues.submit(said.scope, finished)

    async def _correct(self, said: ParsedUpdate) -> None:
        """What a person changed is changed in memory; where nothing was said since, a new answer is offered."""
        if said.telegram_id is None:
            return
        correction = await self._corrections.correct(said.scope, said.telegram_id, said.text or NO_WORDS)
        if correction.turn is not None:
            self._settle_later(said)
        if correction.turn is not None and correction.is_last and said.text:
            await self._commands.offer_answer(said.chat, said.person, correction.turn)

    async def _stop(self, said: ParsedUpdate, *, stopped: bool) -> None:
        if not stopped and not self._chat_queues.cancel(said.scope):
            waiting = self._chat_queues.drop_next(said.scope, _Turn)
            if waiting is None:
                await self._say(said.chat, "Nothing is being written that could be stopped.")
                return
            await self._queue.done(waiting.update_ids)
        await self._say(said.chat, "Stopped.")

    def _tell_stranger(self, said: ParsedUpdate) -> None:
        """Written nowhere, and behind nobody who is served."""
        if said.chat.is_private and said.kind != "edited" and len(self._notice_queues) < MOST_NOTICES:
            sentence = self._access.stranger_sentence(said.person)
            if sentence is not None:
                self._notify(said, sentence)

    def _notify(self, said: ParsedUpdate, sentence: str) -> None:
        """Say something that nobody waits for; not at all where too much is to be said already."""
        if len(self._notice_queues) < MOST_NOTICES:
            say = partial(self._say, said.chat, sentence)
            self._notice_queues.submit(said.scope, partial(self._error_boundary.guarded, said, say))

    # chat ---------------------------------------------------------------------------------------------
    async def _offer_to_wizard(self, received: Received, said: ParsedUpdate) -> None:
        """The step from the command queue to the chat queue: wizards take their input before it is chat, and an
        import its file.
        """
        if await self._is_taken(received, said):
            self._pastes.end(said.sender)
            await self._done(received)
        elif received.is_kept:
            self._chat(await self._as_said(received, said))

    async def _as_said(self, received: Received, said: ParsedUpdate) -> ParsedUpdate:
        """With how memory stands now: what waits behind other turns is not to be stored for what is chosen after it."""
        mode = received.mode
        if mode is None:
            try:
                mode = await self._conversation.mode(said.scope.owner)
            except StorageError as error:
                logger.warning("How memory stands in %s is not known: %s", said.scope, type(error).__name__)
                return said
            if mode != "on":
                await self._queue.note_mode(said.update_id, mode)
        return replace(said, mode=mode)

    async def _is_taken(self, received: Received, said: ParsedUpdate) -> bool:
        taken = False

        async def offer() -> None:
            nonlocal taken
            # What fails has taken its input, too: the person is told, and may send it again.
            taken = True
            if said.attachment == FILE:
                taken = self._commands.awaits_file(received.update, said.chat, said.person)
                if taken:
                    take = partial(self._commands.take_file, received.update, said.chat, said.person)
                    await self._file_attempts.run(received.update, said.chat, take)
            elif said.kind == "text" and not said.attachment:
                taken = await self._commands.take_text(received.update, said.chat, said.person, said.text)
            else:
                taken = False

        await self._error_boundary.guarded(said, offer)
        return taken

    def _chat(self, said: ParsedUpdate) -> None:
        if self._closing:  # it stays in the inbox
            return
        if said.kind == "wordless":
            self._pastes.end(said.sender)
            self._chat_queues.submit(said.scope, partial(self._answer_wordless, said))
        elif not self._pastes.extend(said):
            turn = _Turn([said], self._answer)
            ticket = self._chat_queues.submit(said.scope, turn, held=may_continue(said))
            if may_continue(said):
                self._pastes.begin(turn.pieces, ticket.release)

    async def _answer_wordless(self, said: ParsedUpdate) -> None:
        if not said.album or self._albums.get(said.scope) != said.album:
            if said.album:
                self._albums[said.scope] = said.album
            hint = "Yes? Write what you need into the message that mentions me."
            if said.attachment:
                hint = f"I can't read {said.attachment} yet: please write it in words."
            if said.attachment == FILE:
                hint += " If it is an export of a chat, send /import first, then the file."
            await self._error_boundary.guarded(said, partial(self._say, said.chat, hint))
        await self._queue.done([said.update_id])

    async def _answer(self, pieces: Sequence[ParsedUpdate]) -> None:
        said = pieces[0]
        ids = [piece.update_id for piece in pieces]
        stream = AnswerStream(self._delivery, said.chat)
        delivering: asyncio.Task[None] | None = None
        try:
            async with self._delivery.typing(said.chat):
                reply = await self._conversation.reply(incoming(pieces), on_text=stream.show)
            # From here on it is stored: cancelling must not stop it half-way through its sending.
            delivering = asyncio.create_task(self._deliver(pieces, stream, reply))
            await asyncio.shield(delivering)
        except asyncio.CancelledError:
            if delivering:
                await delivering
            else:
                await stream.break_off()
                if not self._closing:
                    await self._queue.done(ids)
            raise
        except Exception as error:  # broad: the error boundary
            await self._error_boundary.apologise(said, error)
            await self._queue.done(ids)

    async def _deliver(self, pieces: Sequence[ParsedUpdate], stream: AnswerStream, reply: Reply) -> None:
        """Send the answer as often as it needs and no oftener, then its notices; then the updates are done."""
        said = pieces[0]
        ids = [piece.update_id for piece in pieces]
        text = f"{INCOGNITO}\n\n{reply.text}" if reply.is_incognito else reply.text
        outcome, shown_as = await self._answer_delivery.send(pieces[-1], stream, text)
        if outcome == "arrived":
            notices = list(reply.notices)
            if attachment := next((piece.attachment for piece in pieces if piece.attachment), ""):
                notices.append(f"I read your words only: I can't read {attachment} yet.")
            for notice in notices:
                await self._error_boundary.guarded(said, partial(self._say, said.chat, notice))
            for proposal in reply.proposals:
                await self._error_boundary.guarded(
                    said, partial(self._commands.propose, said.chat, said.person, proposal)
                )
        if outcome == "later":
            self._queue.postpone(ids)
        else:
            await self._queue.done(ids, is_remembered=reply.is_remembered, soon=True)
            if not reply.is_error:
                await self._conversation.shown(incoming(pieces), shown_as)
        self._settle_later(said)

    def _settle_later(self, said: ParsedUpdate) -> None:
        # One waiting per scope is enough: it will see everything that was stored before it began.
        if said.scope not in self._settling:
            self._settling.add(said.scope)
            self._settle_queues.submit(
                said.scope, partial(self._error_boundary.guarded, said, partial(self._settle, said))
            )

    async def _settle(self, said: ParsedUpdate) -> None:
        self._settling.discard(said.scope)
        for notice in await self._conversation.settle(said.scope):
            await self._say(Chat(id=said.chat.id, thread=said.chat.thread, is_private=said.chat.is_private), notice)

    async def _say(self, chat: Chat, text: str) -> None:
        await self._delivery.say(chat, text)

    async def _done(self, received: Received) -> None:
        if received.is_kept:
            await self._queue.done([received.update.update_id])


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
