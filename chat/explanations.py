"""Explains where answers came from, also those that are not stored."""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from attrs import define

from chat.session import Sessions, UnstoredAnswer
from external_memory import ExternalMemory
from records.errors import StorageError
from records.facts import Fact, Profile
from records.messages import Message
from records.scopes import Scope
from records.summaries import Summary
from records.turns import UserMessage
from retrieval.explanation import ChosenSource, ExplanationRecord, parse_explanation_record
from storage.stores.memory_store import MemoryStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """The messages, facts and other sources that an answer was based on. None stands for a forgotten one."""

    record: ExplanationRecord
    recent: tuple[Message, ...] = ()  # the first and the last message that the prompt carried verbatim
    summaries: tuple[Summary, ...] = ()
    gone_summaries: int = 0
    snippets: tuple[tuple[Message | None, ChosenSource], ...] = ()
    facts: tuple[tuple[Fact | None, ChosenSource], ...] = ()
    earlier: Mapping[int, Fact] = field(default_factory=dict)  # replaced facts, by the id of the new one
    profile: Profile | None = None
    looked_up: tuple[Message | None, ...] = ()  # found by tools
    is_stored: bool = True


@define(eq=False)
class Explanations:
    """Explains how answers were made. The sessions hold the records of unstored answers."""

    _memory: ExternalMemory
    _sessions: Sessions

    def cache_record_of_unstored_answer(self, turn: int, incoming: UserMessage, record: ExplanationRecord) -> None:
        ids = tuple(piece.telegram_id for piece in incoming.pieces if piece.telegram_id is not None)
        self._get_unstored_answers(incoming.scope).append(UnstoredAnswer(turn, incoming.source, ids, record))

    async def record_answer_message_ids(self, incoming: UserMessage, telegram_ids: Sequence[int]) -> None:
        """Record which Telegram messages show the answer to a turn. Log storage errors."""
        if not telegram_ids:
            return
        for cached in self._get_unstored_answers(incoming.scope):
            if cached.source == incoming.source:
                cached.record = replace(cached.record, shown=tuple(telegram_ids))
        await self._store_answer_message_ids(incoming.scope, incoming.source, telegram_ids)

    async def find_turn_number_of_answer_message(self, scope: Scope, telegram_id: int) -> int | None:
        """Return the number of the turn whose answer a Telegram message shows. Raise StorageError on failure."""
        for cached in reversed(self._get_unstored_answers(scope)):
            if telegram_id in cached.record.shown:
                return cached.turn
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            said = await store.explanations.find_message(scope, telegram_id) if store is not None else None
        return said.turn if said is not None and said.role == "assistant" else None

    async def list_message_ids_of_same_answer(self, scope: Scope, telegram_id: int) -> Sequence[int]:
        """Return the ids of all Telegram messages that show the same answer as the given one."""
        cached = self._find_cached_record(scope, telegram_id)
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            record = cached or await _find_stored_record(store, scope, telegram_id)
        return record.shown if record and telegram_id in record.shown else (telegram_id,)

    async def drop_record_of_stored_answer(self, scope: Scope, message_source: str) -> None:
        """Store the ids of an answer's Telegram messages, then drop its cached record. Call this once it is stored."""
        answers = self._get_unstored_answers(scope)
        for cached in [answer for answer in answers if answer.source == message_source]:
            answers.remove(cached)
            if cached.record.shown:
                await self._store_answer_message_ids(scope, message_source, cached.record.shown)

    async def _store_answer_message_ids(self, scope: Scope, message_source: str, telegram_ids: Sequence[int]) -> None:
        try:
            async with self._memory.open_store_if_enabled(scope.owner) as store:
                if store is not None:
                    await store.explanations.record_shown_messages(scope, message_source, telegram_ids)
        except StorageError as error:
            log.warning("where an answer in %s was shown is not kept: %s", scope, type(error).__name__)

    async def explain_answer(self, scope: Scope, telegram_id: int | None = None) -> Explanation | None:
        """Explain the latest answer, or the answer in a Telegram message. Raise StorageError on failure."""
        if telegram_id is None:
            return next((found for _, found in await self.explain_latest_answers_with_ids(scope, limit=1)), None)
        cached = self._find_cached_record(scope, telegram_id)
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            record = cached or await _find_stored_record(store, scope, telegram_id)
            return await _make_explanation(record, store, scope, is_stored=cached is None) if record else None

    async def explain_latest_answers_with_ids(
        self, scope: Scope, *, before_id: int | None = None, limit: int
    ) -> Sequence[tuple[int | None, Explanation]]:
        """Explain the latest answers, newest first, with their message ids. Raise StorageError on failure."""
        cached = self._find_cached_record(scope, None) if before_id is None else None
        async with self._memory.open_store_if_enabled(scope.owner) as store:
            texts = list[tuple[int, str]]()
            if store is not None:
                texts = await store.explanations.list_latest_explanations(scope, before_id=before_id, limit=limit)
            stored = [
                (number, record) for number, text in texts if (record := parse_explanation_record(text)) is not None
            ]
            records: list[tuple[int | None, ExplanationRecord]] = [*stored]
            if cached is not None and (not stored or cached.at > stored[0][1].at):
                records.insert(0, (None, cached))
            return [
                (number, await _make_explanation(record, store, scope, is_stored=number is not None))
                for number, record in records[:limit]
            ]

    def _find_cached_record(self, scope: Scope, telegram_id: int | None) -> ExplanationRecord | None:
        for cached in reversed(self._get_unstored_answers(scope)):
            if telegram_id is None or telegram_id in (*cached.record.shown, *cached.question_ids):
                return cached.record
        return None

    def _get_unstored_answers(self, scope: Scope) -> deque[UnstoredAnswer]:
        return self._sessions.get_or_create_session(scope).unstored_answers


async def _find_stored_record(store: MemoryStore | None, scope: Scope, telegram_id: int) -> ExplanationRecord | None:
    text = await store.explanations.find_explanation(scope, telegram_id) if store is not None else None
    return parse_explanation_record(text) if text else None


async def _make_explanation(
    record: ExplanationRecord, store: MemoryStore | None, scope: Scope, *, is_stored: bool
) -> Explanation:
    if store is None:
        return Explanation(record=record, is_stored=is_stored)
    recent_message_ids = [number for first, last in record.recent for number in range(first, last + 1)]
    wanted = {*recent_message_ids, *record.looked_up, *(snippet.id for snippet in record.snippets)}
    messages = {message.id: message for message in await store.read_messages(scope, sorted(wanted))}
    summaries = await store.list_summaries(scope, active_only=False, ids=record.summaries) if record.summaries else []
    facts = {fact.id: fact for fact in await store.facts.list_all_facts(scope.owner)} if record.facts else {}
    profiles = await store.profiles.list_versions(scope.owner) if record.profile is not None else []
    return Explanation(
        record=record,
        recent=tuple(messages[number] for number in recent_message_ids if number in messages),
        summaries=tuple(sorted(summaries, key=lambda summary: (-summary.level, *summary.sort_key))),
        gone_summaries=len(record.summaries) - len(summaries),
        snippets=tuple(
            (messages.get(snippet.id), snippet)
            for snippet in sorted(record.snippets, key=lambda snippet: -sum(snippet.score.values()))
        ),
        facts=tuple((facts.get(recalled.id), recalled) for recalled in record.facts),
        earlier={
            fact.superseded_by: fact
            for fact in facts.values()
            if fact.superseded_by is not None and fact.deleted_at is None and fact.origin != "earlier"
        },
        profile=next((profile for profile in profiles if profile.id == record.profile), None),
        looked_up=tuple(messages.get(number) for number in record.looked_up),
        is_stored=is_stored,
    )
