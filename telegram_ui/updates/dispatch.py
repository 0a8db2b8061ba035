"""Route updates from people with access to commands, buttons, wizards or the chat, through each chat's queues.

Commands have their own queues, so they never wait for a model. A chat message waits for earlier commands of its chat.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from attrs import define, field
from cachetools import LRUCache
from telegram import Update

from locales.catalog import tr, use_language
from records.errors import ServedElsewhere, StorageError
from records.scopes import Scope
from telegram_ui.commands import admin, answer_buttons
from telegram_ui.commands.command_group import ChatEvent
from telegram_ui.commands.memory import NOTED_REACTION
from telegram_ui.commands.registry import Commands
from telegram_ui.sending.chat import set_lease_check
from telegram_ui.sending.documents import find_document
from telegram_ui.updates.access import AccessPolicy, AdminClaim
from telegram_ui.updates.answering import TurnAnswerer, WaitingTurn
from telegram_ui.updates.attached import FILE
from telegram_ui.updates.durable_queue import MAX_UNFINISHED_PER_PERSON, DurableQueue, QueuedUpdate
from telegram_ui.updates.error_boundary import ErrorBoundary
from telegram_ui.updates.files import FileAttempts
from telegram_ui.updates.parsing import NO_WORDS, ParsedUpdate, find_old_and_new_group_id, parse_update
from telegram_ui.updates.pieces import PieceCollector, can_be_continued
from telegram_ui.updates.repeats import RequestRepeater, UserRequest
from telegram_ui.updates.serial_queue import Queues, Work
from telegram_ui.updates.supergroups import SupergroupUpgrades

logger = logging.getLogger(__name__)

MAX_NOTICES = 100  # unsent notices to strangers and to people who send too much
DO_NOTHING: Work = partial(asyncio.sleep, 0)


@define(eq=False, slots=False)
class Dispatcher:
    """Routes the updates from the durable queue to their handlers."""

    _inbox: DurableQueue
    _access: AccessPolicy
    _commands: Commands
    _queues: Queues
    _upgrades: SupergroupUpgrades
    _claim: AdminClaim
    _albums: LRUCache[Scope, str] = field(factory=partial(LRUCache, 1_000), init=False)  # the last one declined
    _closing: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        dependencies, services = self._commands.dependencies, self._commands.dependencies.services
        self._delivery, self._corrections = dependencies.delivery, services.corrections
        self._pieces = PieceCollector(self._delivery.clock.call_later)
        self._file_attempts = FileAttempts(self._inbox, self._delivery)
        self._repeats = RequestRepeater(dependencies.buttons, services.corrections)
        self._error_boundary = ErrorBoundary(
            self._delivery,
            self._repeats,
            self._commands.choose_reply_language,
            dependencies.operator.is_admin_or_bot_has_none,
        )
        self._answering = TurnAnswerer(self._inbox, self._commands, self._queues, self._error_boundary)

    async def keep_dispatching_updates(self) -> None:
        """Dispatch updates one at a time, in order, for as long as the bot runs."""
        while True:
            item = await self._inbox.get()
            try:
                await self.dispatch(item)
            except Exception as error:  # broad: one update must not keep the others from being handled
                logger.error("Handing over an update failed with %s.", type(error).__name__)  # noqa: TRY400

    async def dispatch(self, item: QueuedUpdate) -> None:
        """Route an update, and submit the work for it to a queue of its chat."""
        if self._closing:  # it stays in the inbox
            return
        set_lease_check(partial(self._inbox.require_lease, item.lease) if item.lease is not None else None)
        update = item.update
        if (ids := find_old_and_new_group_id(update)) is not None:
            self._upgrades.submit_memory_move(*ids, partial(self._mark_update_done, item))
            return
        parsed = parse_update(update, update.get_bot().bot)
        if parsed is None or (parsed.kind == "command" and not parsed.addressed):
            await self._mark_update_done(item)
            return
        if (group := self._upgrades.find_current_owner_id(parsed.chat.id)) != parsed.chat.id:
            # The old group's message ids mean nothing in its supergroup.
            parsed = replace(parsed, chat=replace(parsed.chat, id=group, reply_to=None), telegram_id=None)
        if item.is_durable:
            # The process that stored it may already know of a person whom an admin has just let in.
            with suppress(StorageError):
                await self._access.reload_access_decisions([parsed.person.id])
        if not self._access.may_use_bot(parsed.button_owner):
            if parsed.chat.is_private and parsed.command == "start" and self._claim.matches_token(parsed.argument):
                claim = partial(self._make_admin_or_tell_stranger, item, parsed)
                self._queues.notices.submit(
                    parsed.chat_scope, partial(self._error_boundary.run_work_if_served_here, parsed, claim)
                )
            else:
                self._tell_stranger_about_access(parsed)
            await self._mark_update_done(item)
        elif item.is_refused:
            self._submit_notice(parsed, lambda: tr("notices-too-much", most=MAX_UNFINISHED_PER_PERSON))
        else:
            self._route_update(item, parsed)

    def _route_update(self, item: QueuedUpdate, parsed: ParsedUpdate) -> None:
        if parsed.kind == "stopped":
            # A late press was meant for an earlier answer.
            if self._delivery.is_current_draft(parsed.chat, parsed.draft_id):
                self._queues.chats.try_to_cancel_running_job(parsed.chat_scope)
            self._submit_command(item, parsed, DO_NOTHING)
        elif parsed.kind == "edited":
            # Through the same queues as the message itself, so that it is stored by then.
            edit = partial(self._apply_message_edit, parsed, is_replayed=item.is_replayed)
            enter = partial(self._submit_chat_job, item, parsed, edit, is_answer=False)
            self._queues.commands.submit(parsed.chat_scope, partial(_run_as_coroutine, enter))
        elif parsed.kind == "dislike":
            self._queues.commands.submit(parsed.chat_scope, partial(self._submit_dislike_question, item, parsed))
        elif parsed.kind == "press":
            self._dispatch_button_press(item, parsed)
        elif parsed.kind == "command":
            self._dispatch_command(item, parsed)
        else:
            self._queues.commands.submit(parsed.chat_scope, partial(self._route_message, item, parsed))

    async def close(self, *, grace: float = 6.0) -> None:
        """Interrupt streamed answers, and give other work `grace` seconds. Leave unfinished updates to the next run."""
        self._closing = True
        self._delivery.closing.set()
        self._pieces.close()
        await self._queues.close(grace=grace)

    def _dispatch_command(self, item: QueuedUpdate, parsed: ParsedUpdate) -> None:
        self._pieces.complete_collection(parsed.sender_key)
        if parsed.command == "stop":
            # At once, and again in its queue for a message that came just before and has not begun.
            was_cancelled = self._queues.chats.try_to_cancel_running_job(parsed.chat_scope)
            self._submit_command(item, parsed, partial(self._stop_answer_if_any, parsed, was_stopped=was_cancelled))
        elif parsed.command in self._commands.names:
            event = _make_event(item, parsed, parsed.argument)
            work: Work = partial(self._commands.run_command_and_send_reply, parsed.command, event)
            row = self._commands.find_command_action(parsed.command)
            if row.reads_file and find_document(item.update.effective_message):
                work = partial(self._file_attempts.run_with_attempt_limit, event, work)
            self._submit_command(item, parsed, work, is_slow=row.queue == "slow")
        elif parsed.chat.is_private or parsed.target:
            say, format_unknown = self._delivery.send_text, self._commands.format_unknown_command
            self._submit_command(item, parsed, lambda: say(parsed.chat, format_unknown(parsed.command)))
        else:  # in a group, another bot may know the command
            self._submit_command(item, parsed, DO_NOTHING)

    def _dispatch_button_press(self, item: QueuedUpdate, parsed: ParsedUpdate) -> None:
        query = item.update.callback_query
        if query is not None and self._upgrades.is_press_in_old_chat(query):
            self._submit_command(item, parsed, lambda: query.answer(tr("shared-dead-button")))
        elif parsed.is_button_of_anonymous_admin:
            self._queues.commands.submit(parsed.chat_scope, partial(self._route_press_for_anonymous, item, parsed))
        else:
            self._route_button_press(item, parsed)

    async def _route_press_for_anonymous(self, item: QueuedUpdate, parsed: ParsedUpdate) -> None:
        # Any admin may press for them. Other members are told so now, and not behind a running answer.
        is_admin = await self._commands.dependencies.may_configure(parsed.chat, parsed.person)
        person = parsed.button_owner if is_admin else parsed.person
        self._route_button_press(item, replace(parsed, person=person), is_next=True)

    def _route_button_press(self, item: QueuedUpdate, parsed: ParsedUpdate, *, is_next: bool = False) -> None:
        event, query = _make_event(item, parsed), item.update.callback_query
        if (again := self._repeats.find_request_to_repeat(item, parsed)) is not None:
            self._submit_repeated_request(item, parsed, again)
            return
        data = (query.data if query else None) or ""
        press: Work = partial(self._commands.run_action_of_pressed_button, event)
        row = self._commands.find_button_action(data, parsed.chat, parsed.person)
        if row is not None and row.reads_file:
            press = partial(self._file_attempts.run_with_attempt_limit, event, press)
        if row is not None and row.queue == "chat":
            self._submit_chat_job(item, parsed, partial(self._run_action_and_submit_post_turn_tasks, parsed, press))
        else:
            is_slow = row is not None and row.queue == "slow"
            self._submit_command(item, parsed, press, is_slow=is_slow, is_next=is_next)

    def _submit_repeated_request(self, item: QueuedUpdate, parsed: ParsedUpdate, request: UserRequest) -> None:
        if not request.pieces:
            show = partial(self._delivery.edit_message_or_send_new, parsed.chat, parsed.telegram_id)
            self._submit_command(item, parsed, lambda: show(tr("answers-send-again")))
        elif request.item is not None:
            self._route_update(request.item, request.pieces[0])
        else:
            turn = WaitingTurn(self._answering.answer_message, list(request.pieces))
            enter = partial(self._queues.chats.submit, parsed.chat_scope, turn)
            self._queues.commands.submit(parsed.chat_scope, partial(_run_as_coroutine, enter))
        is_answered_by_handler = bool(request.pieces) and request.pieces[0].kind == "press"
        take = partial(self._acknowledge_press, item.update, parsed, is_answered_by_handler=is_answered_by_handler)
        self._queues.notices.submit(parsed.chat_scope, take)

    async def _acknowledge_press(self, update: Update, parsed: ParsedUpdate, *, is_answered_by_handler: bool) -> None:
        await self._commands.dependencies.last_buttons.remove_buttons(self._delivery, parsed.chat, parsed.telegram_id)
        if not is_answered_by_handler:
            await answer_buttons.acknowledge_press(update)

    def _submit_command(
        self, item: QueuedUpdate, parsed: ParsedUpdate, work: Work, *, is_slow: bool = False, is_next: bool = False
    ) -> None:
        queues = self._queues.slow if is_slow else self._queues.commands
        queues.submit(parsed.chat_scope, partial(self._run_and_mark_done, item, parsed, work), is_next=is_next)

    def _submit_chat_job(self, item: QueuedUpdate, parsed: ParsedUpdate, work: Work, *, is_answer: bool = True) -> None:
        async def run_request(_: object = None) -> None:
            try:
                await self._run_and_mark_done(item, parsed, work)
            except asyncio.CancelledError:
                if not self._closing:
                    await self._mark_update_done(item)
                raise

        self._queues.chats.submit(parsed.chat_scope, WaitingTurn(run_request, [parsed]) if is_answer else run_request)

    async def _run_and_mark_done(self, item: QueuedUpdate, parsed: ParsedUpdate, work: Work) -> None:
        request = UserRequest(pieces=(parsed,), item=item)
        if await self._error_boundary.run_work_if_served_here(parsed, work, request_to_repeat=request):
            await self._mark_update_done(item)

    async def _run_action_and_submit_post_turn_tasks(self, parsed: ParsedUpdate, run_action: Work) -> None:
        await run_action()
        scope = await self._answering.find_conversation_scope_or_use_chat(parsed.chat_scope)
        self._answering.submit_post_turn_tasks(replace(parsed, chat=parsed.chat.with_conversation(scope)))

    async def _apply_message_edit(self, parsed: ParsedUpdate, *, is_replayed: bool) -> None:
        if (edited := parsed.telegram_id) is None:
            return
        scope = await self._answering.find_conversation_scope_or_use_chat(parsed.chat_scope, telegram_id=edited)
        parsed = replace(parsed, chat=parsed.chat.with_conversation(scope))
        new_text = parsed.text or NO_WORDS
        correction = await self._corrections.correct_message(scope, edited, new_text, is_replayed=is_replayed)
        if correction.turn is None:
            if parsed.command and parsed.addressed and parsed.chat.is_private:
                await self._delivery.send_text(replace(parsed.chat, reply_to=edited), tr("answers-edited-command"))
            return
        self._answering.submit_post_turn_tasks(parsed)
        if correction.is_last and parsed.text:
            dependencies = self._commands.dependencies
            await answer_buttons.offer_to_answer_again(dependencies, parsed.chat, parsed.person, correction.turn)
        elif parsed.chat.is_private:
            await self._delivery.send_text(replace(parsed.chat, reply_to=edited), tr("answers-edited"))
        else:  # a message for each edit would be noise in a group
            await self._delivery.add_reaction(parsed.chat, edited, NOTED_REACTION)

    async def _submit_dislike_question(self, item: QueuedUpdate, parsed: ParsedUpdate) -> None:
        parsed = await self._answering.fill_in_topic_of_reaction(parsed)
        # Behind the answer in question, so that its message ids are known by then.
        self._submit_chat_job(item, parsed, partial(self._ask_for_dislike_reason, parsed), is_answer=False)

    async def _ask_for_dislike_reason(self, parsed: ParsedUpdate) -> None:
        if (disliked := parsed.telegram_id) is not None:
            scope = await self._answering.find_conversation_scope_or_use_chat(parsed.chat_scope, telegram_id=disliked)
            chat = parsed.chat.with_conversation(scope)
            await answer_buttons.ask_what_was_wrong(self._commands.dependencies, chat, parsed.person, disliked)

    async def _stop_answer_if_any(self, parsed: ParsedUpdate, *, was_stopped: bool) -> None:
        # An answer that had begun says itself that it was stopped.
        if not was_stopped and not self._queues.chats.try_to_cancel_running_job(parsed.chat_scope):
            waiting = self._queues.chats.pop_first_work_of_type(parsed.chat_scope, WaitingTurn)
            if waiting is None:
                await self._delivery.send_text(parsed.chat, tr("answers-nothing-to-stop"))
                return
            await self._inbox.mark_updates_done(waiting.update_ids)
            await self._delivery.send_text(parsed.chat, tr("answers-stopped"))

    async def _make_admin_or_tell_stranger(self, item: QueuedUpdate, parsed: ParsedUpdate) -> None:
        if await self._claim.make_admin_if_first(parsed.person):
            logger.warning("%s has opened the link, and is the bot's admin from now on.", parsed.person.id)
            await self._delivery.send_text(parsed.chat, tr("notices-claimed"))
            self._route_update(item, replace(parsed, argument=""))
        else:
            self._tell_stranger_about_access(parsed)

    def _tell_stranger_about_access(self, parsed: ParsedUpdate) -> None:
        has_written = parsed.chat.is_private and parsed.kind not in ("edited", "dislike")
        has_room = len(self._queues.notices) < MAX_NOTICES
        if has_written and has_room and self._access.try_to_reserve_stranger_notice(parsed.person):
            asks, id_ = self._access.try_to_reserve_admission_request(parsed.person), str(parsed.person.id)
            is_waiting = asks or self._access.has_requested_access(parsed.person.id)
            key = "notices-stranger-asked" if is_waiting else "notices-stranger"
            self._submit_notice(parsed, lambda: tr(key, id=id_))
            if asks:
                ask = partial(
                    admin.ask_admins_to_admit_stranger, self._commands.dependencies, parsed.person, parsed.text
                )
                self._queues.notices.submit(parsed.scope, ask)

    def _submit_notice(self, parsed: ParsedUpdate, make_notice: Callable[[], str]) -> None:
        """Queue a notice to the sender of an update, unless too many notices are waiting."""
        if len(self._queues.notices) >= MAX_NOTICES:
            return

        async def send_notice_to_sender() -> None:
            # The stored language is not read, because a notice must cost nothing.
            with use_language(self._commands.dependencies.choose_language("", parsed.person.language)):
                await self._delivery.send_text(parsed.chat, make_notice())

        self._queues.notices.submit(parsed.chat_scope, send_notice_to_sender)

    async def _route_message(self, item: QueuedUpdate, parsed: ParsedUpdate) -> None:
        """Pass a message to the wizard or import that is waiting for it, or queue it to be answered."""
        try:
            if await self._pass_input_to_command_if_awaited(item, parsed):
                self._pieces.complete_collection(parsed.sender_key)
                await self._mark_update_done(item)
                return
            if not item.is_durable:
                return
            source = parsed.message_source if item.is_replayed else ""
            scope = await self._answering.find_conversation_scope_or_use_chat(parsed.chat_scope, message_source=source)
            mode = item.mode or await self._answering.read_and_record_memory_mode(item.update_id, scope.owner)
            # Later changes of the open conversation and of the mode do not apply to this message.
            parsed = replace(parsed, chat=parsed.chat.with_conversation(scope), mode=mode)
        except ServedElsewhere as error:
            await self._error_boundary.report_failure_if_served_here(parsed, error, None)
            return
        if self._closing:
            return
        if parsed.kind == "wordless":
            self._pieces.complete_collection(parsed.sender_key)
            self._queues.chats.submit(parsed.chat_scope, partial(self._reply_to_message_without_text, parsed))
        elif not self._pieces.try_to_add_piece(parsed):
            pieces = [parsed]
            turn = WaitingTurn(self._answering.answer_message, pieces)
            ticket = self._queues.chats.submit(parsed.chat_scope, turn, waits_for_release=can_be_continued(parsed))
            if ticket.is_held:
                self._pieces.collect_further_pieces(pieces, partial(self._queues.chats.release_held_job, ticket))

    async def _pass_input_to_command_if_awaited(self, item: QueuedUpdate, parsed: ParsedUpdate) -> bool:
        is_file = parsed.attachment == FILE
        if not is_file:
            if parsed.kind != "text" or parsed.attachment:
                return False
            if not await self._commands.awaits_text(parsed.chat_scope, parsed.person.id, item.update_id):
                return False
        event = _make_event(item, parsed, "" if is_file else parsed.argument)
        was_taken = False

        async def pass_to_command() -> None:
            nonlocal was_taken
            # A failing wizard has taken its input too. The person is told, and may send it again.
            was_taken = True
            if not is_file:
                was_taken = await self._commands.pass_text_to_command_if_awaited(event)
            elif was_taken := await self._commands.awaits_file(event):
                take = partial(self._commands.pass_file_to_command_if_awaited, event)
                await self._file_attempts.run_with_attempt_limit(event, take)

        request = UserRequest(pieces=(parsed,), item=item)
        if not await self._error_boundary.run_work_if_served_here(parsed, pass_to_command, request_to_repeat=request):
            raise ServedElsewhere
        return was_taken

    async def _reply_to_message_without_text(self, parsed: ParsedUpdate) -> None:
        async def send_hint_to_write_text() -> None:
            hint = tr("notices-mentioned")
            if parsed.attachment:
                kind = f"files-kind-{parsed.attachment}"
                hint = f"{tr('files-cannot-read', what=tr(kind))} {tr('files-write')}"
            await self._delivery.send_text(parsed.chat, hint)

        if not parsed.album or self._albums.get(parsed.chat_scope) != parsed.album:
            if parsed.album:
                self._albums[parsed.chat_scope] = parsed.album
            if not await self._error_boundary.run_work_if_served_here(parsed, send_hint_to_write_text):
                return
        await self._inbox.mark_updates_done([parsed.update_id])

    async def _mark_update_done(self, item: QueuedUpdate) -> None:
        if item.is_durable:
            await self._inbox.mark_updates_done([item.update_id])


def _make_event(item: QueuedUpdate, parsed: ParsedUpdate, argument: str = "") -> ChatEvent:
    return ChatEvent(update=item.update, chat=parsed.chat, person=parsed.person, argument=argument)


async def _run_as_coroutine(function: Callable[[], object]) -> None:
    function()
