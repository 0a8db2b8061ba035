"""Stores a question, answers it and stores the answer. Independent of Telegram."""

import asyncio
import logging
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from attrs import define, field

from chat import pictures
from chat.answer_loop import AnswerResult, OnStop
from chat.answerer import Answerer
from chat.explanations import Explanations
from chat.follow_up import FollowUp
from chat.session import Session, Sessions, UnwrittenMessages, choose_stricter_mode
from chat.turn import Turn, record_turn_metrics, restore_incoming_message
from external_memory import ExternalMemory
from llm.chat_model import OnText
from locales.catalog import tr
from locales.sentences import add_error_number, format_apology, format_error
from records.errors import ModelDeclined, ModelError, ServedElsewhere, StorageCorrupt, StorageError
from records.messages import UNSTORED, AnswerVersions, Message, NewMessage
from records.owners import Mode, OwnerConfig, get_memory_mode
from records.scopes import Clock, Person, Scope
from records.turns import Notices, Reply, UserMessage
from retrieval.explanation import ExplanationRecord
from text.characters import QUESTION_MARKS, count_weighted_characters

log = logging.getLogger(__name__)


@define(kw_only=True, eq=False)
class Conversation:
    """Answers questions and stores the conversation. Turns of the same scope must not overlap."""

    _memory: ExternalMemory
    _sessions: Sessions
    _follow_up: FollowUp
    _answerer: Answerer
    _explanations: Explanations
    _clock: Clock
    _wake_indexer: Callable[[], None]
    _store_fails: bool = field(default=False, init=False)

    async def reply(
        self, incoming: UserMessage, *, on_text: OnText | None = None, on_stop: OnStop | None = None
    ) -> Reply:
        """Store the question, answer it, and store the answer. On failure, return a Reply whose `is_error` is True.

        If the question was answered before, return that answer. If the answer is stopped, keep the text from `on_stop`.
        """
        session = self._sessions.get_or_create_session(incoming.scope)
        with record_turn_metrics() as record_reply:
            try:
                async with session.mark_turn_running(), self._memory.mark_turn_running(incoming.scope.owner):
                    config, mode = await self._read_config_and_switch_mode(session, incoming.mode)
                    turn = Turn(
                        incoming=incoming,
                        session=session,
                        config=config,
                        mode=mode or "on",
                        is_mode_known=mode is not None,
                        local_id=self._sessions.make_local_id(),
                    )
                    await self._store_user_messages(turn)
                    session.set_last_turn(turn.number, incoming.replied)
                    if turn.answer is not None:
                        return record_reply(
                            Reply(text=turn.answer.content, is_repeated=True, is_remembered=True, turn=turn.stored)
                        )
                    try:
                        result = await self._answerer.answer(turn, on_text, on_stop)
                    except ModelError as error:
                        if isinstance(error, ModelDeclined):
                            await self._mark_declined_turns(turn, (turn.number, turn.local_id))
                        return record_reply(self._make_failure_reply(turn, error))
                    await self._mark_declined_turns(turn, result.suspects)
                    await self._store_answer(turn, result)
                    return record_reply(self._make_reply(turn, result))
            finally:
                self._wake_indexer()  # not before: the question needs the embedder first

    async def answer_last_turn_again(
        self,
        scope: Scope,
        turn: int,
        person: Person,
        *,
        in_group: bool = False,
        on_text: OnText | None = None,
        on_stop: OnStop | None = None,
    ) -> tuple[UserMessage, Reply] | None:
        """Answer the last turn again, and keep the earlier answer as a version.

        Return None if `turn` is not the last turn. Raise StorageError if the store fails.
        """
        session = self._sessions.get_or_create_session(scope)
        async with session.mark_turn_running(), self._memory.mark_turn_running(scope.owner):
            if (last := await self._restore_last_turn_and_answer(session, turn, person, in_group)) is None:
                return None
            again, earlier = last
            if earlier is not None and earlier.chunk_id is not None:
                # A summary that was made meanwhile would show the model the answer that was rejected.
                async with self._memory.open_store_if_enabled(scope.owner) as store:
                    if store is not None:
                        await store.forgetting.unarchive_message(scope, earlier.id)
            with record_turn_metrics() as record_reply:
                reply = await self._replace_answer(again, earlier, on_text, on_stop, record_reply)
        self._wake_indexer()
        return again.incoming, reply

    async def _replace_answer(
        self,
        turn: Turn,
        old_answer: Message | None,
        on_text: OnText | None,
        on_stop: OnStop | None,
        record_reply: Callable[[Reply], Reply],
    ) -> Reply:
        """Answer again and return the reply. Return the earlier answer if answering fails or is stopped."""
        try:
            result = await self._answerer.answer(turn, on_text, on_stop)
            if old_answer is None:
                await self._store_answer(turn, result)
            else:
                await self._store_revised_answer(turn, old_answer, result)
        except (ModelError, StorageError) as error:
            failed = record_reply(self._make_failure_reply(turn, error))
            stands = await self._make_reply_from_old_answer(turn, old_answer)
            return replace(stands, notices=(*failed.notices, failed.text)) if stands else failed
        except asyncio.CancelledError:
            if on_stop is None or on_stop() is None:
                raise
            if (stands := await self._make_reply_from_old_answer(turn, old_answer)) is None:
                raise
            return replace(stands, notices=(tr("answers-stopped"),))
        reply = record_reply(self._make_reply(turn, result))
        stands = await self._make_reply_from_old_answer(turn, old_answer)
        return replace(reply, version=stands.version, versions=stands.versions) if stands else reply

    async def switch_answer_version(
        self, scope: Scope, turn: int, version_number: int, person: Person, *, in_group: bool = False
    ) -> tuple[UserMessage, Reply] | None:
        """Select a version of the last answer by its number. Return None if there is no such version."""
        session = self._sessions.get_or_create_session(scope)
        async with session.mark_turn_running(), self._memory.mark_turn_running(scope.owner):
            shown, earlier = await self._restore_last_turn_and_answer(session, turn, person, in_group) or (None, None)
            if shown is None or earlier is None:
                return None
            if shown.stored is None:
                texts = session.get_answer_versions(turn, shown.mode).texts
                if 1 <= version_number <= len(texts):
                    session.show_answer_version(texts[version_number - 1], shown.mode)
            else:
                lost = ExplanationRecord(at=self._clock()).to_json()  # what this process did not answer itself
                accounts = defaultdict[str, str](lambda: lost)
                accounts |= {text: given.record.to_json() for text, given in session.set_last_turn(turn).given.items()}
                async with self._memory.open_store_if_enabled(scope.owner) as store:
                    if store is not None:
                        await store.forgetting.switch_answer_version_and_get_text(
                            scope, earlier.id, version_number, explanations=accounts
                        )
                session.recent.clear()
            reply = await self._make_reply_from_old_answer(shown, earlier)
            chosen = session.set_last_turn(turn).given.get(reply.text) if reply is not None else None
            if shown.stored is None and chosen:
                self._explanations.cache_record_of_unstored_answer(shown.number, shown.incoming, chosen.record)
        self._wake_indexer()
        return None if reply is None or reply.version != version_number else (shown.incoming, reply)

    async def _restore_last_turn_and_answer(
        self, session: Session, turn: int, person: Person, in_group: bool
    ) -> tuple[Turn, Message | None] | None:
        config = await self._memory.get_config(session.scope.owner)
        mode = get_memory_mode(config)
        if (turn < UNSTORED) != (mode == "on"):
            return None
        held = session.get_cached_messages(mode)
        last: Sequence[Message] = [message for message in held if message.turn == held[-1].turn]
        if mode == "on":
            # First what a failing store did not take: of two answers to one turn it would keep the earlier one.
            await self._flush_unwritten_turns_of_session(session)
            async with self._memory.open_store_if_enabled(session.scope.owner) as store:
                last = await store.read_last_turns(session.scope, 1) if store else []
        incoming = restore_incoming_message(last, person, in_group=in_group)
        if incoming is None or last[-1].turn != turn:
            return None
        incoming = replace(incoming, replied=session.set_last_turn(turn).replied)
        again = Turn(incoming=incoming, session=session, config=config, mode=mode, local_id=turn)
        if mode == "on":
            again.local_id, again.stored = self._sessions.make_local_id(), turn
        return again, next((message for message in reversed(last) if message.role == "assistant"), None)

    async def _store_revised_answer(self, turn: Turn, old_answer: Message, result: AnswerResult) -> None:
        text, record = result.completion.text, result.explanation_record
        turn.session.set_last_turn(turn.number).given[text] = result.outcome
        if turn.stored is None:
            turn.session.show_answer_version(text, turn.mode)
            self._explanations.cache_record_of_unstored_answer(turn.number, turn.incoming, record)
            return
        turn.session.recent.clear()
        # Nothing is written where memory was turned off while the model answered.
        async with self._memory.open_store_if_enabled(turn.scope.owner) as store:
            if store is not None:
                await store.forgetting.replace_message_text_if_changed(
                    turn.scope,
                    old_answer.id,
                    text,
                    reason="superseded",
                    now=self._clock(),
                    explanation=record.to_json(),
                )

    async def _make_reply_from_old_answer(self, turn: Turn, answer: Message | None) -> Reply | None:
        versions = turn.session.get_answer_versions(turn.number, turn.mode)
        if turn.stored is not None and answer is not None:
            versions = AnswerVersions(texts=(answer.content,), number=1)
            with suppress(StorageError):
                async with self._memory.open_store_if_enabled(turn.scope.owner) as store:
                    versions = await store.forgetting.list_versions(turn.scope, answer.id) if store else versions
        if not versions.number:
            return None
        text = versions.texts[versions.number - 1]
        given = turn.session.set_last_turn(turn.number).given.get(text)
        return Reply(
            text=text,
            is_truncated=given is not None and given.is_truncated,
            is_stopped=given is not None and given.is_stopped,
            is_remembered=turn.is_memory_on,
            is_incognito=turn.mode == "incognito",
            turn=turn.number,
            version=versions.number,
            versions=len(versions.texts),
        )

    async def read_memory_mode(self, owner: int) -> Mode:
        """Return the memory mode of an owner. Raise StorageError if the store cannot be read."""
        return get_memory_mode(await self._memory.get_config(owner))

    async def run_post_turn_tasks(self, scope: Scope) -> Notices:
        return await self._follow_up.run_post_turn_tasks(scope)

    def try_to_defer_until_stored(self, scope: Scope, callback: Callable[[], Awaitable[None]]) -> bool:
        """Call `callback` once a scope's unwritten messages are stored, or return False if there are none."""
        unwritten = self._sessions.get_or_create_session(scope).unwritten
        if unwritten:
            unwritten[-1].then.append(callback)
        return bool(unwritten)

    async def flush_turns_and_count_unwritten(self) -> int:
        """Store the turns that could not be stored before. Return how many are still waiting."""
        for session in self._sessions:
            owner = session.scope.owner
            # A turn writes them itself, so none is waited for, and no other scope's turn waits behind this.
            if not session.unwritten or any(other.is_in_turn for other in self._sessions.list_owner_sessions(owner)):
                continue
            # Alone: a turn, a deletion or a new id of the owner must not meet half of it.
            async with self._memory.block_turns(owner):
                with suppress(StorageError, ServedElsewhere):
                    await self._flush_unwritten_turns_of_session(session)
        return sum(len(session.unwritten) for session in self._sessions)

    async def _read_config_and_switch_mode(
        self, session: Session, mode_when_sent: Mode | None
    ) -> tuple[OwnerConfig | None, Mode | None]:
        """Return the owner's configuration and a turn's memory mode (None if unknown). Set the session to that mode."""
        config, mode = None, None
        try:
            config = await self._memory.get_config(session.scope.owner)
            mode = get_memory_mode(config)
        except StorageError as error:
            log.warning("whether memory is on in %s is not known: %s", session.scope, type(error).__name__)
        mode = choose_stricter_mode(mode, mode_when_sent)
        if mode is not None:
            session.switch_mode(mode)
        return config, mode

    async def _store_user_messages(self, turn: Turn) -> None:
        person, in_group = turn.incoming.person, turn.incoming.in_group
        questions = [
            NewMessage(
                role="user",
                content=piece.text,
                created_at=piece.sent_at,
                speaker=person.name,
                source=piece.source,
                telegram_id=piece.telegram_id,
                origin=piece.origin,
                person_id=person.id if in_group else 0,
            )
            for piece in turn.incoming.pieces
        ]
        if turn.is_memory_on:
            try:
                await self._flush_unwritten_turns_of_session(turn.session)
                async with self._memory.open_store_if_enabled(turn.scope.owner) as store:
                    if store is None:
                        turn.mode = "off"
                    else:
                        if in_group:
                            name = await store.timeline.choose_unique_name(turn.scope.owner, person.id, person.name)
                            questions = [replace(question, speaker=name) for question in questions]
                            turn.incoming = replace(turn.incoming, person=replace(person, name=name))
                        stored = await store.store_question(turn.scope, questions)
                        turn.stored, turn.answer = stored.turn, stored.answer
                self._store_fails = False
            except StorageError as error:
                self._report_storage_error(error, turn)
                turn.session.unwritten.append(UnwrittenMessages(questions, if_on=not turn.is_mode_known))
        self._sessions.add_messages(turn.session, questions, turn=turn.local_id, mode=turn.mode)

    async def _store_answer(self, turn: Turn, result: AnswerResult) -> None:
        pictures.queue_pictures_for_description(turn)
        turn.session.set_last_turn(turn.number).given[result.completion.text] = result.outcome
        messages = result.make_messages_to_store(
            turn.incoming.source, turn.stored, includes_explanation=turn.is_memory_on
        )
        self._sessions.add_messages(turn.session, messages[-1:], turn=turn.local_id, mode=turn.mode)
        if turn.stored is None:
            self._explanations.cache_record_of_unstored_answer(turn.number, turn.incoming, result.explanation_record)
            if turn.is_memory_on:
                turn.session.unwritten[-1].messages += messages
            return
        try:
            async with self._memory.open_store_if_enabled(turn.scope.owner) as store:
                if store is not None:
                    await store.append_messages(turn.scope, messages)
        except StorageError as error:
            self._report_storage_error(error, turn)
            turn.session.unwritten.append(UnwrittenMessages(messages, turn=turn.stored))
            self._explanations.cache_record_of_unstored_answer(turn.number, turn.incoming, result.explanation_record)

    async def _mark_declined_turns(self, turn: Turn, turn_numbers: Sequence[int]) -> None:
        turn.session.mark_declined_turns(turn_numbers)
        stored = [number for number in turn_numbers if number < UNSTORED]
        if not stored or not turn.is_memory_on:
            return
        try:
            async with self._memory.open_store_if_enabled(turn.scope.owner) as store:
                if store is not None:
                    await store.mark_turns_declined(turn.scope, stored)
        except StorageError as error:
            self._report_storage_error(error, turn)

    def _start_reply(self, turn: Turn) -> partial[Reply]:
        return partial(
            Reply,
            notices=tuple(turn.notices),
            is_durable=not turn.session.unwritten,
            is_remembered=turn.is_memory_on,
            is_incognito=turn.mode == "incognito",
            turn=turn.number,
        )

    def _make_reply(self, turn: Turn, result: AnswerResult) -> Reply:
        return self._start_reply(turn)(
            text=result.completion.text,
            context=result.context,
            proposals=tuple(dict.fromkeys(tool.proposal for tool in result.results if tool.proposal)),
            is_truncated=result.completion.is_truncated,
            is_stopped=result.is_stopped,
            offers_memory=self._should_offer_memory(turn),
        )

    def _should_offer_memory(self, turn: Turn) -> bool:
        session, incoming = turn.session, turn.incoming
        if turn.mode != "off" or incoming.in_group or session.memory_was_offered:
            return False
        said = incoming.own_text.rstrip()
        session.memory_was_offered = count_weighted_characters(said) >= 20 and not said.endswith(QUESTION_MARKS)
        return session.memory_was_offered

    def _make_failure_reply(self, turn: Turn, error: ModelError | StorageError) -> Reply:
        number = secrets.token_hex(4)
        log.warning("[%s] no answer for %s: %s %s", number, turn.scope, type(error).__name__, error.remedy)
        return self._start_reply(turn)(
            text=add_error_number(format_apology(error, is_stored=turn.is_memory_on), number),
            half=error.half.strip() if isinstance(error, ModelError) else "",
            error_type=type(error).__name__,
        )

    async def _flush_unwritten_turns_of_session(self, session: Session) -> None:
        """Store unwritten turns, oldest first. Storing them twice is harmless. Raise StorageError on failure."""
        while session.unwritten:
            first = session.unwritten[0]
            is_dropped = first.if_on and await self.read_memory_mode(session.scope.owner) != "on"
            async with self._memory.open_store(session.scope.owner) as store:
                for message in () if is_dropped else first.messages:
                    stored = await store.append_messages(session.scope, [replace(message, turn=first.turn)])
                    first.turn = stored[0].turn
            session.unwritten.popleft()
            for run_callback in first.then:
                await run_callback()
            if not is_dropped and (source := first.messages[-1].source):
                await self._explanations.drop_record_of_stored_answer(session.scope, source)
            log.info("a turn of %s that a store had not taken is written", session.scope)
            self._wake_indexer()

    def _report_storage_error(self, error: StorageError, turn: Turn) -> None:
        number = secrets.token_hex(4)
        log.error("[%s] storing failed: %s", number, error.sentence)
        if not self._store_fails:
            said = format_error(error) if isinstance(error, StorageCorrupt) else tr("notices-store")
            turn.notices.append(add_error_number(said, number))
        self._store_fails = True
