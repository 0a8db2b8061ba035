"""Answer a turn: find its conversation, read its files, ask the model, send the answer, and run the follow-up work."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from attrs import define, field
from telegram import InlineKeyboardMarkup
from telegram.error import BadRequest, InvalidToken, NetworkError

from chat.conversation import Conversation
from external_memory import ExternalMemory
from llm.quota import charge_tokens_to_speaker
from locales.catalog import tr, use_language
from locales.sentences import use_reader_role
from records.errors import KeepsakeError, ServedElsewhere, StorageError
from records.owners import MODES, Mode
from records.scopes import Person, Scope
from records.turns import IncomingPiece, Reply, UserMessage
from runtime.tasks import finish_if_cancelled
from telegram_ui.commands import answer_buttons, summaries
from telegram_ui.commands.buttons import Buttons, make_keyboard
from telegram_ui.commands.command_group import Answer
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.chat import Chat, MessageId, require_chat_lease
from telegram_ui.sending.delivery import ChatGone, Delivery, DeliveryError, DeliveryUnknown
from telegram_ui.sending.formatting import MAX_UNITS
from telegram_ui.sending.http import failed_without_response
from telegram_ui.sending.streaming import AnswerStream
from telegram_ui.updates.durable_queue import MAX_SENDS, DurableQueue
from telegram_ui.updates.error_boundary import ErrorBoundary, format_innermost_frames
from telegram_ui.updates.files import AttachedFiles, TurnWithFiles
from telegram_ui.updates.parsing import ParsedUpdate
from telegram_ui.updates.repeats import UserRequest
from telegram_ui.updates.serial_queue import Queues, SerialQueues, Work

logger = logging.getLogger(__name__)

T = TypeVar("T")


@define(eq=False)
class AnswerDelivery:
    """Sends answers with retries, each at most MAX_SENDS times over all runs."""

    _inbox: DurableQueue
    _pause: Callable[[float], Awaitable[None]]
    _memory: ExternalMemory
    _conversation: Conversation
    _chat_queues: SerialQueues
    _delivery: Delivery
    _buttons: Buttons

    def open_stream(
        self, update_id: int, chat: Chat, person: Person, replaced_ids: Sequence[MessageId] = ()
    ) -> AnswerStream:
        """Return a stream for an answer. It replaces the messages that an earlier run sent, or else `replaced_ids`."""

        def make_stop_keyboard() -> InlineKeyboardMarkup:
            button = self._buttons.make_button(answer_buttons.STOP, chat, person, tr("answers-stop"))
            return InlineKeyboardMarkup.from_button(button)

        return AnswerStream(
            self._delivery,
            chat,
            make_stop_keyboard=make_stop_keyboard,
            replaced_ids=self._inbox.get_earlier_answer_message_ids(update_id) or replaced_ids,
            note_shown=partial(self._inbox.record_answer_message_ids, update_id),
            wants_rich=partial(self._wants_rich_messages, chat.scope.owner),
            allow_stopping=partial(self._chat_queues.allow_cancelling_job, chat.chat_scope),
        )

    async def _wants_rich_messages(self, owner: int) -> bool:
        try:
            config = await self._memory.get_config(owner)
        except KeepsakeError:  # the answer itself will report it
            return False
        return config is not None and config.formatting == "rich"

    async def send_answer(
        self, answer: Answer, stream: AnswerStream, text: str, keyboard: InlineKeyboardMarkup | None
    ) -> tuple[bool, Sequence[MessageId]]:
        """Send an answer. Leave it to the next run if Telegram, although reachable, goes on refusing it."""
        update_id, wait, refusals = answer.update_ids[-1], 1.0, 0
        while await self._inbox.increment_and_get_attempts(update_id, "sends") <= MAX_SENDS:
            try:
                await stream.send_final_answer(text, keyboard=keyboard)
            except DeliveryUnknown:
                logger.warning("Update %s: whether its answer arrived is unknown.", update_id)
            except ChatGone:
                logger.warning("Update %s: its chat is gone; there is nobody to answer.", update_id)
                return False, stream.sent_message_ids
            except DeliveryError as error:
                await self._inbox.decrement_attempts(update_id, "sends")
                if isinstance(error.__cause__, BadRequest | InvalidToken):
                    frames = format_innermost_frames(error)
                    logger.error("Update %s: Telegram refuses its answer (%s).", update_id, frames)  # noqa: TRY400
                    return False, stream.sent_message_ids
                # Wait for the network without a limit.
                refusals += not (isinstance(error.__cause__, NetworkError) and failed_without_response(error.__cause__))
                if refusals == 10:  # times that a reachable Telegram was too busy or broken
                    logger.error("Update %s: its answer is left to the next run.", update_id)  # noqa: TRY400
                    self._inbox.stop_tracking_updates(answer.update_ids)
                    raise ServedElsewhere from error
                logger.warning("Update %s: its answer could not be sent yet.", update_id)
                await self._pause(wait)
                wait = min(30.0, wait * 2)
            else:
                return True, stream.sent_message_ids
        logger.warning("Update %s: its answer is not sent a third time.", update_id)
        return False, stream.sent_message_ids

    async def mark_done_once_stored(self, answer: Answer) -> None:
        """Mark the updates of an answer as done once its turn is stored, so that a crash does not lose the turn."""
        ids, reply = answer.update_ids, answer.reply
        done = partial(
            self._inbox.mark_updates_done, ids, is_text_stored=reply.is_remembered, may_truncate_log_later=True
        )
        if reply.is_durable or not self._conversation.try_to_defer_until_stored(answer.incoming.scope, done):
            await done()
        elif self._inbox.are_updates_on_disk(ids):
            self._inbox.stop_tracking_updates(ids)
        # Otherwise the update stays in progress, so that it is not answered again once it can be written.

    def try_to_stop(self, chat_scope: Scope) -> bool:
        """Cancel the answer in a scope. Return True if one was being written or sent."""
        # An answer that is already being sent counts as stopped, because its message loses the button anyway.
        return self._chat_queues.try_to_cancel_running_job(chat_scope) or self._chat_queues.has_running_job(chat_scope)


@define(eq=False, slots=False)
class TurnAnswerer:
    """Answers messages in their conversations, and queues the work that follows an answer."""

    _inbox: DurableQueue
    _commands: Commands
    _queues: Queues
    _error_boundary: ErrorBoundary
    _awaiting_follow_up: set[Scope] = field(factory=set[Scope], init=False)

    def __attrs_post_init__(self) -> None:
        self._dependencies = self._commands.dependencies
        self._delivery, services = self._dependencies.delivery, self._dependencies.services
        self._conversation, self._memory = services.conversation, services.memory
        self._attached_files = AttachedFiles(self._delivery, services.attachments)

    async def answer_message(self, pieces: Sequence[ParsedUpdate]) -> None:
        """Answer the message made up of `pieces` if its sender still has access. Raise only CancelledError."""
        person, ids = pieces[0].person, [piece.update_id for piece in pieces]
        if not self._memory.serves(person.id):
            await self._inbox.mark_updates_done(ids)
            return
        scope = await self._find_existing_conversation_scope(pieces[0].chat)
        pieces = [replace(piece, chat=piece.chat.with_conversation(scope)) for piece in pieces]
        parsed, request = pieces[0], UserRequest(pieces=tuple(pieces))
        language = await self._commands.choose_reply_language(parsed.chat, person)
        is_operator = self._dependencies.operator.is_admin_or_bot_has_none(person)
        with use_language(language), use_reader_role(is_operator=is_operator), charge_tokens_to_speaker(person.id):
            stream = self._dependencies.answers.open_stream(ids[-1], parsed.chat, person)
            turn = TurnWithFiles(make_user_message(pieces))
            try:
                async with stream.mark_if_interrupted(on_stopped=partial(self._inbox.mark_updates_done, ids)):
                    await require_chat_lease()  # if it was lost, the update is handed out again in its old order
                    if any(piece.attachment or piece.replied_picture for piece in pieces):
                        await self._attached_files.add_file_contents_to_turn(turn, pieces)
                    if not turn.refusal:
                        reply_to = self._conversation.reply
                        reply = await reply_to(
                            turn.incoming, on_text=stream.schedule_preview, on_stop=stream.get_text_seen_by_reader
                        )
                if turn.refusal:
                    retry = request if turn.may_pass else None
                    await self._error_boundary.send_error_message(parsed, turn.refusal, retry)
                    await self._inbox.mark_updates_done(ids)
                else:
                    # It is stored, so it is delivered even if this task is cancelled.
                    await finish_if_cancelled(self._deliver_answer(pieces, stream, turn, reply))
            except Exception as error:  # broad: the error boundary
                if await self._error_boundary.report_failure_if_served_here(parsed, error, request):
                    await self._inbox.mark_updates_done(ids)

    async def _deliver_answer(
        self, pieces: Sequence[ParsedUpdate], stream: AnswerStream, turn: TurnWithFiles, reply: Reply
    ) -> None:
        parsed = pieces[0]
        was_heard = any(file.kind == "speech" for piece in pieces for file in piece.files)
        answer = Answer(
            update_ids=[piece.update_id for piece in pieces],
            chat=parsed.chat,
            person=parsed.person,
            asked_by="voice" if was_heard else "text",
            incoming=turn.incoming,
            reply=replace(reply, notices=(*reply.notices, *turn.notices)),
        )
        run_follow_up = partial(self._run_or_submit_follow_up, parsed)
        await answer_buttons.deliver_answer(self._dependencies, stream, answer, run_follow_up)
        self.submit_post_turn_tasks(parsed)

    async def _run_or_submit_follow_up(self, parsed: ParsedUpdate, when: str, work: Work) -> None:
        run = partial(self._error_boundary.run_work_if_served_here, parsed, work)
        if when == "now":
            await run()
        elif when == "slow":
            self._queues.slow.submit(parsed.chat_scope, run)
        # If many messages go out, one waiting job per chat is enough. Some earlier answers then keep their buttons.
        elif not self._queues.buttons.has_waiting_job(parsed.chat_scope):
            self._queues.buttons.submit(parsed.chat_scope, work)

    def submit_post_turn_tasks(self, parsed: ParsedUpdate) -> None:
        """Queue the work that follows an answer, such as summarising its conversation."""
        # One waiting job per scope is enough: it will see everything stored before it begins.
        if parsed.scope not in self._awaiting_follow_up:
            self._awaiting_follow_up.add(parsed.scope)
            work = partial(self._run_post_turn_tasks_and_send_notices, parsed)
            self._queues.follow_ups.submit(
                parsed.chat_scope, partial(self._error_boundary.run_work_if_served_here, parsed, work)
            )

    async def _run_post_turn_tasks_and_send_notices(self, parsed: ParsedUpdate) -> None:
        self._awaiting_follow_up.discard(parsed.scope)
        chat = Chat(id=parsed.chat.id, thread=parsed.chat.thread, is_private=parsed.chat.is_private)
        make_button = partial(self._dependencies.buttons.make_button, summaries.FOLD, chat, parsed.person)
        # In a group everybody reads the notice, but a button would belong to one person.
        keyboard = make_keyboard([make_button(tr("answers-try-again"))] if chat.is_private else [])
        with charge_tokens_to_speaker(parsed.person.id):
            notices = await self._conversation.run_post_turn_tasks(parsed.scope)
        for notice in notices:
            await self._delivery.send_text(chat, notice, keyboard=keyboard)

    async def read_and_record_memory_mode(self, update_id: int, owner: int) -> Mode | None:
        """Return the present memory mode, or None if it is unknown. Record it with the update unless it is "on"."""
        read = self._conversation.read_memory_mode(owner)
        mode: Mode | None = await self._read_or_use_default("the memory mode", read, None, owner)
        if mode not in (None, "on"):
            await self._inbox.record_memory_mode(update_id, mode)
        return mode

    async def find_conversation_scope_or_use_chat(
        self, chat_scope: Scope, *, message_source: str = "", telegram_id: int | None = None
    ) -> Scope:
        """Return the given message's conversation, or else the open one. If the store fails, return `chat_scope`."""
        memory = self._memory
        find = (
            memory.find_conversation_of_message(chat_scope, message_source=message_source, telegram_id=telegram_id)
            if message_source or telegram_id is not None
            else memory.find_open_conversation_or_chat_scope(chat_scope)
        )
        return await self._read_or_use_default("the conversation", find, chat_scope, chat_scope)

    async def _read_or_use_default(self, value_name: str, read: Awaitable[T], default: T, place: object) -> T:
        try:
            return await read
        except StorageError as error:
            logger.warning("In %s, %s cannot be read (%s).", place, value_name, type(error).__name__)
            return default

    async def fill_in_topic_of_reaction(self, reaction: ParsedUpdate) -> ParsedUpdate:
        """Return the reaction with its message's topic filled in, if known. Telegram does not include the topic."""
        if reaction.telegram_id is None:
            return reaction
        thread = self._delivery.find_thread_id_of_sent_message(reaction.chat.id, reaction.telegram_id)
        if not thread:
            find = self._memory.find_chat_of_message(reaction.chat.id, reaction.telegram_id)
            place = await self._read_or_use_default("a message's topic", find, None, reaction.chat_scope)
            thread = place.thread if place is not None else 0
        return replace(reaction, chat=replace(reaction.chat, thread=thread))

    async def _find_existing_conversation_scope(self, chat: Chat) -> Scope:
        """Return the scope of the chat's conversation. If that conversation was forgotten, use the open one."""
        try:
            if not chat.conversation or await self._memory.has_conversation(chat.chat_scope, chat.scope):
                return chat.scope
        except KeepsakeError:  # the turn itself will report it
            return chat.scope
        return await self.find_conversation_scope_or_use_chat(chat.chat_scope)


def make_user_message(pieces: Sequence[ParsedUpdate]) -> UserMessage:
    """Combine the updates that make up one message, such as the pieces of a long text, into a UserMessage."""
    first = pieces[0]
    return UserMessage(
        scope=first.scope,
        person=first.person,
        in_group=not first.chat.is_private,
        replied=first.replied,
        is_wordless=all(piece.is_wordless for piece in pieces),
        mode=min((piece.mode for piece in pieces if piece.mode), key=MODES.index, default=None),
        pieces=tuple(
            IncomingPiece(
                text=piece.text,
                source=piece.message_source,
                sent_at=piece.sent_at,
                telegram_id=piece.telegram_id,
                # A client that splits at a line end, before its limit, drops the line end. A fence ends its line.
                seam="\n" if piece.units < MAX_UNITS or piece.text.endswith("```") else "",
                origin=piece.origin,
            )
            for piece in pieces
        ),
    )


class WaitingTurn(partial[Awaitable[None]]):
    """A job that answers a queued turn. Its first argument is a list of pieces that can grow while the job is held."""

    @property
    def update_ids(self) -> list[int]:
        return [piece.update_id for piece in self.args[0]]
