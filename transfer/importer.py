"""Import a file into a memory: first plan what would be added, then import everything that is new."""

import asyncio
import logging
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise

from attrs import define, field

from external_memory import ExternalMemory
from locales.catalog import tr
from locales.sentences import format_retention
from records.errors import ImportBusy, ImportRefused, ServedElsewhere, StaleSummary, StorageError
from records.facts import LASTING, MAX_FACTS
from records.messages import Message, Role
from records.reminders import Reminder
from records.scopes import Clock, Scope
from records.summaries import SummaryLease
from runtime.tasks import acquire_or_undo, run_to_completion
from storage.schema.portable_tables import PortableRow
from storage.stores.memory_store import MemoryStore
from storage.tables.reminders import make_reminder_row
from text.characters import collapse_to_single_line
from transfer.archiver import Archiver, HistoryArchive, split_into_chunks
from transfer.formats import detection
from transfer.formats.conversations import REACTIONS
from transfer.formats.history import ImportedHistory, ImportedMessage, ImportQuestion, ReadContext, list_message_sources
from transfer.formats.keepsake import Signer, identify_signer
from transfer.plans import ImportPlan, ImportResult
from transfer.reading import FileReader
from transfer.restorer import Progress, RestorePlan, Restorer, list_persona_and_instructions, plan_restore
from transfer.rows import convert_history_to_rows, demote_long_instructions, select_future_reminders

log = logging.getLogger(__name__)

LEASE = timedelta(hours=6)  # blocks other summaries in the scope. The next start releases a dead process's lease.
BATCH = 500  # messages read from the store at once
MIN_OWN_MESSAGES = 2  # matching texts and times that identify the chat with this bot


@dataclass(frozen=True, kw_only=True, slots=True)
class _ImportJob:
    history: ImportedHistory
    new: tuple[ImportedMessage, ...]
    ids: Mapping[int, int]  # stored ids of known messages, by their number in the file
    imported_ids: Sequence[int]  # stored ids of messages that came with an earlier import
    after: int | None  # id of the last known message before the first new one
    rows: Mapping[str, Sequence[PortableRow]]
    restore_plan: RestorePlan | None  # None unless the export is restored as it was
    new_facts: int = 0
    reminders: Sequence[Reminder] = ()  # only future ones of the owner


@define(kw_only=True, eq=False)
class Importer:
    """Imports files into the memories of owners. If `retention` is None, archives are kept forever."""

    _memory: ExternalMemory
    _archiver: Archiver
    _clock: Clock
    _wake_indexer: Callable[[], None] = lambda: None
    _retention: timedelta | None = None
    _reader: FileReader = field(factory=FileReader, init=False)
    _marked_running: list[int] = field(factory=list, init=False)
    _importing: set[int] = field(factory=set, init=False)
    _stopped: set[int] = field(factory=set, init=False)

    async def plan(self, scope: Scope, person: int, data: bytes, context: ReadContext | None = None) -> ImportPlan:
        """Return a plan of what importing a file would add. Raise ImportRefused or StorageError on failure."""
        job = await self._read_file_and_make_import_job(scope, data, context or ReadContext(person=person))
        dates = await asyncio.to_thread(lambda: sorted(message.created_at for message in job.new))
        known = await asyncio.to_thread(lambda: sorted(said.created_at for said in job.new if not said.is_undated))
        questions = job.history.questions
        offered = [text for question in questions for text in question.options if question.name == "facts"]
        async with self._memory.open_store(scope.owner) as store:
            decided = await store.history.select_texts_with_decisions(scope.owner, offered)
            held = {(reminder.text, reminder.due_at) for reminder in await store.reminders.list_reminders(scope.owner)}
        notes = [*job.history.notes, *_describe_lost_data(job, scope.owner), *_describe_demoted_instructions(job)]
        if undated := len(dates) - len(known):
            notes.append(tr("import-undated", count=undated))
        if job.history.format == "keepsake":
            notes.insert(0, tr(f"import-signed-{await self._identify_signer(job.history)}"))
        if self._retention and (old := bisect_left(dates, self._clock() - self._retention)):
            notes.append(f"{format_retention(self._retention.days)} {tr('import-retained', old=old)}")
        return ImportPlan(
            name=detection.get_format_title(job.history.format),
            total=len(job.history.messages),
            known=len(job.history.messages) - len(job.new),
            first_at=known[0] if known else None,
            last_at=known[-1] if known else None,
            notes=tuple(notes),
            facts=len(job.rows.get("facts", ())),
            new_facts=job.new_facts,
            is_restored=job.restore_plan is not None,
            missing_parts_text=job.restore_plan.missing_parts_text if job.restore_plan else "",
            turns_on=not await self._memory.is_memory_on(scope.owner),
            ids=None if job.new or job.restore_plan else await self._find_id_range(scope.owner, job, []),
            reminders=sum((reminder.text, reminder.due_at) not in held for reminder in job.reminders),
            questions=tuple(_preselect_undecided_facts(question, decided) for question in questions),
            instructions=_list_imported_instructions(job) if job.new or job.restore_plan or job.new_facts else (),
        )

    async def import_file(
        self, scope: Scope, person: int, data: bytes, context: ReadContext | None = None, *, progress: Progress
    ) -> ImportResult:
        """Import everything in the file that is new. Raise ImportRefused, or StorageError if the memory has moved."""
        with self._lock_owner(scope.owner):
            context = context or ReadContext(person=person)
            job = await self._read_file_and_make_import_job(scope, data, context)
            must_answer = (question.key for question in job.history.questions if question.chosen is None)
            if any(key not in context.answers for key in must_answer):
                raise ImportRefused(tr("import-not-answered"))
            if not await self._memory.is_memory_on(scope.owner):
                await self._memory.set_enabled(scope.owner, enabled=True)
            lease = await acquire_or_undo(partial(self._acquire_lease, scope), self._release_lease)
            try:
                if scope.owner in self._stopped:
                    raise StaleSummary
                if job.restore_plan:
                    restorer = Restorer(memory=self._memory, archiver=self._archiver, clock=self._clock)
                    facts, ids = await restorer.restore_file(lease, job.restore_plan, job.rows, progress), None
                else:
                    facts, ids = await self._add_history_and_count_facts(lease, job, progress)
                    await self._add_reminders(scope.owner, person, job.reminders)
            finally:
                with suppress(StorageError, ServedElsewhere):
                    await run_to_completion(partial(self._release_lease, lease))
                self._wake_indexer()
            log.info("imported %d messages (%s) into %s", len(job.new), job.history.format, scope)
            return ImportResult(
                messages=len(job.new),
                known=len(job.history.messages) - len(job.new),
                facts=facts,
                is_restored=job.restore_plan is not None,
                missing_parts_text=job.restore_plan.missing_parts_text if job.restore_plan else "",
                ids=ids,
            )

    @contextmanager
    def _lock_owner(self, owner: int) -> Iterator[None]:
        """Prevent other imports for the owner in any topic while the block runs. Raise ImportBusy if one is running."""
        if owner in self._importing:
            raise ImportBusy(tr("import-busy"))
        self._importing.add(owner)
        try:
            with self.mark_import_running(owner):
                yield
        finally:
            self._importing.discard(owner)

    @contextmanager
    def mark_import_running(self, owner: int) -> Iterator[None]:
        """Mark an import as running while its file is still being downloaded, so that the owner can stop it."""
        self._marked_running.append(owner)
        try:
            yield
        finally:
            self._marked_running.remove(owner)
            if not self.is_running(owner):
                self._stopped.discard(owner)

    def is_running(self, owner: int) -> bool:
        return owner in self._marked_running

    def stop_import(self, owner: int) -> None:
        """Stop the owner's import if it does not hold a lease yet. Otherwise, the caller must revoke the lease."""
        if self.is_running(owner):
            self._stopped.add(owner)

    async def _read_file_and_make_import_job(self, scope: Scope, data: bytes, context: ReadContext) -> _ImportJob:
        owner = scope.owner
        config = await self._memory.get_config(owner)
        if config is not None and config.incognito:
            raise ImportRefused(tr("transfer-incognito"))
        zone = config.zone if config else UTC
        history = await self._reader.read(data, replace(context, zone=zone, now=self._clock()))
        is_signed = await self._identify_signer(history) == "here"
        rows = await asyncio.to_thread(convert_history_to_rows, history, owner, self._clock(), is_signed_here=is_signed)
        async with self._memory.open_store(owner) as store:
            if history.rows is None:
                history = await _remove_chat_with_this_bot(store, owner, history)
            is_own = history.owner == owner
            restore_plan = await plan_restore(store, owner, history, rows)
            known = await store.history.find_stored_message_ids(
                owner, await asyncio.to_thread(list_message_sources, history)
            )
            ids_by_number = await _map_ids_of_stored_messages(store, owner, history) if is_own else {}
            earlier = await store.history.find_moment_before_first_live_record(owner)
        if restore_plan and restore_plan.part in restore_plan.parts:
            # This part was restored earlier. Its facts wait for the other parts.
            missing = tr("import-already", missing=restore_plan.missing_parts_text)
            history, rows, restore_plan = replace(history, notes=(*history.notes, missing)), {}, None
        reminders = select_future_reminders(rows.get("reminders", ()), now=self._clock(), zone=zone)
        rows = {**rows, "reminders": [make_reminder_row(reminder) for reminder in reminders]}
        new_facts = await self._count_new_facts(owner, rows.get("facts", ()))
        job = await asyncio.to_thread(
            _make_import_job, history, rows, known, ids_by_number, restore_plan, earlier or self._clock()
        )
        return replace(job, new_facts=new_facts, reminders=reminders if is_own else ())

    async def _identify_signer(self, history: ImportedHistory) -> Signer:
        return identify_signer(await self._memory.export_key(), history.signature)

    async def _count_new_facts(self, owner: int, facts: Sequence[PortableRow]) -> int:
        """Return the number of new facts. Raise ImportRefused if the memory would have too many to rank."""
        async with self._memory.open_store(owner) as store:
            new = await store.history.count_new_facts(owner, facts)
            if new and len(await store.facts.list_valid_facts(owner)) + new > MAX_FACTS:
                raise ImportRefused(tr("import-facts-in-all", what=tr("shared-facts", facts=MAX_FACTS)))
        return new

    async def _add_history_and_count_facts(
        self, lease: SummaryLease, job: _ImportJob, progress: Progress
    ) -> tuple[int, tuple[int, int] | None]:
        """Archive each thread's messages, then store the facts. Return the fact count and the range of message ids."""
        owner, done = lease.scope.owner, 0
        new_ids: list[int] = []
        ids = dict(job.ids)
        for scope, messages in (await asyncio.to_thread(_group_new_messages_by_scope, lease.scope, job)).items():
            async with self._memory.open_store(owner) as store:
                first = await store.history.find_first_id_of_free_range(owner, len(messages), after=job.after)
            messages, turn_starts = await asyncio.to_thread(sort_messages_and_find_turn_starts, messages)
            placed = await asyncio.to_thread(_make_messages_to_store, scope, messages, turn_starts, first)
            pairs = zip(messages, placed, strict=True)
            ids |= {given.number: one.id for given, one in pairs if given.number}
            new_ids += (placed[0].id, placed[-1].id)
            archive = HistoryArchive(self._archiver, lease, scope)
            for chunk in split_into_chunks(placed):
                await archive.add_chunk(chunk)
                done += len(chunk)
                await progress(done, len(job.new))
            await archive.finish_by_merging_summaries()
        came_in = await self._find_id_range(owner, job, new_ids)
        if not (facts := job.rows.get("facts", ())):
            return 0, came_in
        async with self._memory.open_store(owner) as store:
            return await store.history.add_new_facts(lease, facts, ids), came_in

    async def _add_reminders(self, owner: int, person: int, reminders: Sequence[Reminder]) -> None:
        for reminder in reminders:
            thread, language = reminder.thread, reminder.language
            async with self._memory.open_store(owner) as store:
                await store.reminders.add_reminder(
                    owner, reminder, thread=thread, person_id=person, language=language, now=self._clock()
                )

    async def _find_id_range(self, owner: int, job: _ImportJob, new_ids: Sequence[int]) -> tuple[int, int] | None:
        if not (around := new_ids or job.imported_ids):
            return None
        first, last = min(around), max(new_ids or [min(around)])
        async with self._memory.open_store(owner) as store:
            return await store.history.extend_id_range(owner, job.imported_ids, first, last)

    async def _acquire_lease(self, scope: Scope) -> SummaryLease:
        async with self._memory.open_store(scope.owner) as store:
            lease = await store.acquire_summary_lease(scope, "import", now=self._clock(), duration=LEASE)
        if lease is None:
            raise ImportBusy(tr("import-busy"))
        return lease

    async def _release_lease(self, lease: SummaryLease) -> None:
        async with self._memory.open_store(lease.scope.owner) as store:
            await store.release_summary_lease(lease)


def _make_import_job(
    history: ImportedHistory,
    rows: Mapping[str, Sequence[PortableRow]],
    known_ids: Mapping[tuple[Role, str], int],
    ids_by_number: Mapping[int, int],
    restore_plan: RestorePlan | None,
    before: datetime,
) -> _ImportJob:
    """Find what is new. Undated messages get the time `before`, so that they precede everything in this memory."""
    fresh: list[ImportedMessage] = []
    seen: set[tuple[Role, str]] = set()
    ids = dict(ids_by_number)
    imported_ids: list[int] = []
    after: int | None = None
    for message in history.messages:
        name = (message.role, message.source)
        stored = known_ids.get(name, known_ids.get((message.role, message.also or "")))
        if stored is None and message.number is not None:
            stored = ids_by_number.get(message.number)
        if stored is not None:
            imported_ids += [stored] if stored < 1 else []
            after = stored if not fresh else after
            if message.number is not None:
                ids[message.number] = stored
        elif name not in seen:
            is_too_late = message.is_undated and message.created_at > before
            fresh.append(replace(message, created_at=before) if is_too_late else message)
        seen.add(name)
    return _ImportJob(
        history=history,
        new=tuple(fresh),
        ids=ids,
        imported_ids=imported_ids,
        after=after,
        rows=rows,
        restore_plan=restore_plan,
    )


def _preselect_undecided_facts(question: ImportQuestion, decided_texts: Set[str]) -> ImportQuestion:
    """Return a question that preselects only the facts that the owner has not changed or deleted before."""
    chosen = tuple(number for number, text in enumerate(question.options) if text not in decided_texts)
    return replace(question, chosen=chosen) if question.name == "facts" and decided_texts else question


def _list_imported_instructions(job: _ImportJob) -> tuple[str, ...]:
    facts = job.rows.get("facts", ())
    listed, kept = _list_instruction_texts(demote_long_instructions(facts)), _list_instruction_texts(facts)
    chosen = list_persona_and_instructions(job.rows) if job.restore_plan else ()
    shown = [tr("shared-quoted", text=" ".join(text.split())) for text in (*chosen, *listed)]
    more = len(kept) - len(listed)
    return (*shown, *([tr("import-more", more=more)] if more else ()))


def _describe_demoted_instructions(job: _ImportJob) -> list[str]:
    rows = job.history.rows
    kinds = [row.get("kind") for row in rows.get("facts", ())] if rows else [fact.kind for fact in job.history.facts]
    count = sum(kind in LASTING for kind in kinds) - len(_list_instruction_texts(job.rows.get("facts", ())))
    return [tr("import-only-told", count=count)] if "facts" in job.rows and count else []


def _list_instruction_texts(facts: Sequence[PortableRow]) -> list[str]:
    return [str(fact["text"]) for fact in facts if fact["kind"] in LASTING]


def _describe_lost_data(job: _ImportJob, owner: int) -> list[str]:
    rows = job.history.rows
    if rows is None or job.restore_plan or not job.new:
        return []
    why = "another" if job.history.owner != owner else "holds" if job.history.is_restorable else "earlier"
    told = tr("import-differs", why=tr(f"import-differs-{why}"))
    return [told if job.history.is_complete else f"{told} {tr('import-send-others')}"]


async def _remove_chat_with_this_bot(store: MemoryStore, owner: int, history: ImportedHistory) -> ImportedHistory:
    """Leave out the chat with this bot. Find it by the times and texts of its messages, since pages have no ids."""
    starts = [number for number, message in enumerate(history.messages) if message.title or not number]
    kept: list[ImportedMessage] = []
    for start, end in pairwise([*starts, len(history.messages)]):
        chat = history.messages[start:end]
        if not await _is_chat_stored(store, owner, chat):
            kept += chat
    if len(kept) == len(history.messages):
        return history
    note = tr("import-left-here", count=len(history.messages) - len(kept))
    return replace(history, messages=kept, notes=(*history.notes, note))


async def _is_chat_stored(store: MemoryStore, owner: int, chat: Sequence[ImportedMessage]) -> bool:
    if len({message.speaker for message in chat}) != 2 or owner < 0:
        return False
    said = {(one.created_at, " ".join(one.content.partition(REACTIONS)[0].split())) for one in chat}
    since = min(at for at, _ in said)
    for scope in await store.list_scopes(owner):
        stored = await store.timeline.read_page(scope, since=since, kind="user", limit=BATCH)
        if sum((known.created_at, " ".join(known.content.split())) in said for known in stored) >= MIN_OWN_MESSAGES:
            return True
    return False


async def _map_ids_of_stored_messages(store: MemoryStore, owner: int, history: ImportedHistory) -> Mapping[int, int]:
    """Return the ids of exported messages that lack a source and are stored under the same id, mapped to themselves."""
    by_thread = await asyncio.to_thread(_group_sourceless_by_thread_and_id, history)
    found: dict[int, int] = {}
    for thread, said in by_thread.items():
        numbers = sorted(said)
        for first in range(0, len(numbers), BATCH):
            for message in await store.read_messages(Scope(owner=owner, thread=thread), numbers[first : first + BATCH]):
                if (message.role, message.content) == (said[message.id].role, said[message.id].content):
                    found[message.id] = message.id
    return found


def _group_sourceless_by_thread_and_id(history: ImportedHistory) -> dict[int, dict[int, ImportedMessage]]:
    by_thread: dict[int, dict[int, ImportedMessage]] = {}
    for message in history.messages:
        if message.number is not None and message.also is None:
            by_thread.setdefault(message.thread, {})[message.number] = message
    return by_thread


def _group_new_messages_by_scope(scope: Scope, job: _ImportJob) -> Mapping[Scope, Sequence[ImportedMessage]]:
    by_scope: dict[Scope, list[ImportedMessage]] = {}
    is_own = job.history.owner == scope.owner
    for message in job.new:
        by_scope.setdefault(Scope(owner=scope.owner, thread=message.thread) if is_own else scope, []).append(message)
    return by_scope


def sort_messages_and_find_turn_starts(messages: Sequence[ImportedMessage]) -> tuple[list[ImportedMessage], list[int]]:
    """Return the messages sorted by time, and for each the position of the message that started its turn."""
    start_by_turn: dict[int, int] = {}
    turn_starts: list[int] = []
    for number, given in enumerate(messages):
        if given.turn is not None:
            turn_starts.append(start_by_turn.setdefault(given.turn, number))
        else:
            turn_starts.append(turn_starts[-1] if given.answers and turn_starts else number)
    order = sorted(range(len(messages)), key=lambda number: messages[number].created_at)
    position = {number: index for index, number in enumerate(order)}
    return [messages[number] for number in order], [position[turn_starts[number]] for number in order]


def _make_messages_to_store(
    scope: Scope, messages: Sequence[ImportedMessage], turn_starts: Sequence[int], first_id: int
) -> list[Message]:
    return [
        Message(
            id=number,
            scope=scope,
            role=given.role,
            content=given.content,
            created_at=given.created_at,
            turn=first_id + turn_start,
            speaker=collapse_to_single_line(given.speaker),
            title=collapse_to_single_line(given.title),
            source=given.source,
            origin=given.origin if given.is_own or scope.owner < 0 else "overheard",
        )
        for number, (given, turn_start) in enumerate(zip(messages, turn_starts, strict=True), start=first_id)
    ]
