"""Import a file into a memory: first plan what would be added, then import everything that is new."""

import asyncio
import logging
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from itertools import pairwise

from attrs import define, field

from external_memory import ExternalMemory
from locales.catalog import tr
from locales.told import format_retention
from records.errors import ImportBusy, ImportRefused, ServedElsewhere, StaleSummary, StorageError
from records.facts import LASTING, MAX_FACTS
from records.messages import Message, Role
from records.scopes import Clock, Scope
from records.summaries import SummaryLease
from runtime.cooperative import iterate_with_pauses
from runtime.tasks import acquire_or_undo, run_uncancelled
from storage.schema.portable_tables import PortableRow
from storage.stores.memory_store import MemoryStore
from text.characters import collapse_to_visible_line
from transfer.archiver import Archiver, HistoryArchive, split_chunks
from transfer.formats import detection
from transfer.formats.history import (
    ImportedHistory,
    ImportedMessage,
    ImportQuestion,
    date_undated_messages,
    list_message_sources,
    select_messages_without_source,
)
from transfer.formats.keepsake import Signer, find_signer
from transfer.plans import NOTHING_GIVEN, FileContext, Imported, ImportPlan
from transfer.reading import FileReader
from transfer.restorer import Progress, Restoration, Restorer, find_restoration, list_chosen_texts
from transfer.rows import FutureReminder, convert_history_to_rows, demote_long_instructions, select_future_reminders

log = logging.getLogger(__name__)

LEASE = timedelta(hours=6)  # nothing else is folded in the scope; the next start releases the leases of a dead process
BATCH = 500  # messages read from the store at once
MIN_OWN_MESSAGES = 2  # equal to the second, by which the chat with this bot is recognised


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    history: ImportedHistory
    new: tuple[ImportedMessage, ...]
    ids: Mapping[int, int]  # stored ids of known messages, by their number in the file
    imported_ids: Sequence[int]  # stored ids of messages that came with an earlier import
    after: int | None  # id of the last known message before the first new one
    rows: Mapping[str, Sequence[PortableRow]]
    restoration: Restoration | None  # None unless the export is restored as it was
    reminders: Sequence[FutureReminder] = ()  # only future ones of the owner


@define(kw_only=True, eq=False)
class Importer:
    """Imports files into the memories of owners. If `retention` is None, archives are kept forever."""

    _memory: ExternalMemory
    _archiver: Archiver
    _clock: Clock
    _wake_indexer: Callable[[], None] = lambda: None
    _retention: timedelta | None = None
    _reader: FileReader = field(factory=FileReader, init=False)
    _restorer: Restorer = field(init=False)
    _announced: list[int] = field(factory=list, init=False)
    _importing: set[int] = field(factory=set, init=False)
    _stopped: set[int] = field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self._restorer = Restorer(memory=self._memory, archiver=self._archiver, clock=self._clock)

    async def plan(self, scope: Scope, person: int, data: bytes, given: FileContext = NOTHING_GIVEN) -> ImportPlan:
        """Return a plan of what importing a file would add. Raise ImportRefused or StorageError on failure."""
        work = await self._prepare_import(scope, person, data, given)
        dates = await asyncio.to_thread(lambda: sorted(message.created_at for message in work.new))
        known = await asyncio.to_thread(lambda: sorted(said.created_at for said in work.new if not said.is_undated))
        facts, questions = work.rows.get("facts", ()), work.history.questions
        offered = [text for question in questions for text in question.options if question.name == "facts"]
        async with self._memory.open_store(scope.owner) as store:
            new_facts = await store.history.count_new_facts(scope.owner, facts)
            decided = await store.history.find_texts_of_decided_facts(scope.owner, offered)
            held = {(reminder.text, reminder.due_at) for reminder in await store.reminders.list_reminders(scope.owner)}
        notes = [*work.history.notes, *_describe_lost_data(work, scope.owner), *_describe_demoted_instructions(work)]
        if work.history.format == "keepsake":
            notes.insert(0, tr(f"import-signed-{await self._find_signer(work.history)}"))
        if self._retention and (old := bisect_left(dates, self._clock() - self._retention)):
            notes.append(f"{format_retention(self._retention.days)} {tr('import-retained', old=old)}")
        return ImportPlan(
            name=detection.find_format_title(work.history.format),
            total=len(work.history.messages),
            known=len(work.history.messages) - len(work.new),
            first_at=known[0] if known else None,
            last_at=known[-1] if known else None,
            notes=tuple(notes),
            facts=len(facts),
            new_facts=new_facts,
            is_restored=work.restoration is not None,
            missing_parts=work.restoration.missing_parts if work.restoration else "",
            turns_on=not await self._memory.is_memory_on(scope.owner),
            ids=None if work.new or work.restoration else await self._find_imported_range(scope.owner, work, []),
            reminders=sum((reminder.content.text, reminder.content.due_at) not in held for reminder in work.reminders),
            questions=tuple(_preselect_undecided_facts(question, decided) for question in questions),
            instructions=_list_instructions(work),
        )

    async def run(
        self, scope: Scope, person: int, data: bytes, given: FileContext = NOTHING_GIVEN, *, progress: Progress
    ) -> Imported:
        """Import everything in the file that is new. After an interruption, run it again with the same file.

        Raise ImportRefused, or StorageError if the memory was moved or erased during the import.
        """
        with self._lock_owner(scope.owner):
            work = await self._prepare_import(scope, person, data, given)
            must_answer = (question.key for question in work.history.questions if question.chosen is None)
            if any(key not in given.answers for key in must_answer):
                raise ImportRefused(tr("import-not-answered"))
            if not await self._memory.is_memory_on(scope.owner):
                await self._memory.set_enabled(scope.owner, enabled=True)
            lease = await self._take_lease(scope)
            try:
                if scope.owner in self._stopped:
                    raise StaleSummary
                if work.restoration:
                    facts, ids = await self._restorer.run(lease, work.restoration, work.rows, progress), None
                else:
                    facts, ids = await self._add_history(lease, work, progress)
                    await self._add_reminders(scope.owner, person, work.reminders)
            finally:
                await self._release_lease(lease)
                self._wake_indexer()
            log.info("imported %d messages (%s) into %s", len(work.new), work.history.format, scope)
            known = len(work.history.messages) - len(work.new)
            return Imported(
                messages=len(work.new),
                known=known,
                facts=facts,
                is_restored=work.restoration is not None,
                missing_parts=work.restoration.missing_parts if work.restoration else "",
                ids=ids,
            )

    @contextmanager
    def _lock_owner(self, owner: int) -> Iterator[None]:
        """Prevent other imports for the owner, whose topics share message ids. Raise ImportBusy if one is running."""
        if owner in self._importing:
            raise ImportBusy(tr("import-busy"))
        self._importing.add(owner)
        try:
            yield
        finally:
            self._importing.discard(owner)
            self._stopped.discard(owner)

    @contextmanager
    def announce_import(self, owner: int) -> Iterator[None]:
        """Mark an import as running while its file is being downloaded, so that it can already be stopped."""
        self._announced.append(owner)
        try:
            yield
        finally:
            self._announced.remove(owner)
            if not self.is_running(owner):
                self._stopped.discard(owner)

    def is_running(self, owner: int) -> bool:
        """Return True if an import for the owner has been announced or is running."""
        return owner in self._importing or owner in self._announced

    def stop(self, owner: int) -> None:
        """Stop the owner's import if it has no lease yet. Once it has one, revoke the lease instead."""
        if self.is_running(owner):
            self._stopped.add(owner)

    async def _prepare_import(self, scope: Scope, person: int, data: bytes, given: FileContext) -> _Work:
        config = await self._memory.get_config(scope.owner)
        if config is not None and config.incognito:
            raise ImportRefused(tr("transfer-incognito"))
        zone = config.zone if config else UTC
        more = {"name": given.name, "bot": given.bot, "answers": dict(given.answers), "now": self._clock()}
        history = await self._reader.read(data, person=person, zone=zone, **more)
        is_ours = await self._find_signer(history) == "here"
        rows = await asyncio.to_thread(convert_history_to_rows, history, scope.owner, self._clock(), is_ours=is_ours)
        async with self._memory.open_store(scope.owner) as store:
            if history.rows is None:
                history = await _remove_own_chat(store, scope.owner, history)
            is_own = history.owner == scope.owner
            way = await find_restoration(store, scope.owner, history, rows)
            known = await store.history.find_known_ids(
                scope.owner, await asyncio.to_thread(list_message_sources, history)
            )
            same = await _map_to_stored_ids(store, scope.owner, history) if is_own else {}
            earlier = await store.history.find_time_before_history(scope.owner)
        if way and way.is_part_restored:
            # This part was restored earlier. Its facts wait for the other parts.
            missing = tr("import-already", missing=way.missing_parts)
            history, rows, way = replace(history, notes=(*history.notes, missing)), {}, None
        reminders = select_future_reminders(rows.get("reminders", ()), now=self._clock(), zone=zone)
        rows = {**rows, "reminders": [reminder.row for reminder in reminders]}
        await self._check_fact_limit(scope.owner, rows.get("facts", ()))
        work = await asyncio.to_thread(_select_new_messages, history, rows, known, same, way)
        placed = await asyncio.to_thread(date_undated_messages, work.new, earlier or self._clock())
        return replace(work, new=placed, reminders=reminders if is_own else ())

    async def _find_signer(self, history: ImportedHistory) -> Signer:
        return find_signer(await self._memory.export_key(), history.signature)

    async def _check_fact_limit(self, owner: int, facts: Sequence[PortableRow]) -> None:
        """Raise ImportRefused if there would be too many facts, because every question ranks all of them."""
        if facts:
            async with self._memory.open_store(owner) as store:
                new = await store.history.count_new_facts(owner, facts)
                known = await store.facts.list_valid_facts(owner)
            if new and len(known) + new > MAX_FACTS:
                raise ImportRefused(tr("import-facts-in-all", what=tr("shared-facts", facts=MAX_FACTS)))

    async def _add_history(
        self, lease: SummaryLease, work: _Work, progress: Progress
    ) -> tuple[int, tuple[int, int] | None]:
        """Archive the messages of each thread, then store the facts. Return the fact count and the range of ids."""
        owner, done = lease.scope.owner, 0
        ends: list[int] = []
        ids = dict(work.ids)
        for scope, messages in (await asyncio.to_thread(_group_by_scope, lease.scope, work)).items():
            async with self._memory.open_store(owner) as store:
                first = await store.history.find_first_free_id(owner, len(messages), after=work.after)
            messages, beginnings = await asyncio.to_thread(order_by_time, messages)
            placed = await asyncio.to_thread(_make_stored_messages, scope, messages, beginnings, first)
            pairs = zip(messages, placed, strict=True)
            ids |= {given.number: one.id for given, one in pairs if given.number}
            ends += (placed[0].id, placed[-1].id)
            archive = HistoryArchive(self._archiver, lease, scope)
            for chunk in split_chunks(placed):
                await archive.add_chunk(chunk)
                done += len(chunk)
                await progress(done, len(work.new))
            await archive.close()
        came_in = await self._find_imported_range(owner, work, ends)
        facts = work.rows.get("facts", ())
        if not facts:
            return 0, came_in
        async with self._memory.open_store(owner) as store:
            return await store.history.add_facts(lease, facts, ids), came_in

    async def _add_reminders(self, owner: int, person: int, reminders: Sequence[FutureReminder]) -> None:
        for reminder in reminders:
            thread, language = int(str(reminder.row["thread_id"])), str(reminder.row["language"])
            async with self._memory.open_store(owner) as store:
                await store.reminders.add_reminder(
                    owner, reminder.content, thread=thread, person=person, language=language, now=self._clock()
                )

    async def _find_imported_range(self, owner: int, work: _Work, ends: Sequence[int]) -> tuple[int, int] | None:
        if not (around := ends or work.imported_ids):
            return None
        first, last = min(around), max(ends or [min(around)])
        async with self._memory.open_store(owner) as store:
            return await store.history.extend_range(owner, work.imported_ids, first, last)

    async def _take_lease(self, scope: Scope) -> SummaryLease:
        async def take() -> SummaryLease:
            async with self._memory.open_store(scope.owner) as store:
                lease = await store.acquire_summary_lease(scope, "import", now=self._clock(), duration=LEASE)
            if lease is None:
                raise ImportBusy(tr("import-busy"))
            return lease

        return await acquire_or_undo(take, self._release_lease)

    async def _release_lease(self, lease: SummaryLease) -> None:
        async def release() -> None:
            async with self._memory.open_store(lease.scope.owner) as store:
                await store.release_summary_lease(lease)

        with suppress(StorageError, ServedElsewhere):
            await run_uncancelled(release)


def _select_new_messages(
    history: ImportedHistory,
    rows: Mapping[str, Sequence[PortableRow]],
    known: Mapping[tuple[Role, str], int],
    same: Mapping[int, int],
    restoration: Restoration | None,
) -> _Work:
    fresh: list[ImportedMessage] = []
    seen: set[tuple[Role, str]] = set()
    ids = dict(same)
    imported_ids: list[int] = []
    after: int | None = None
    for message in iterate_with_pauses(history.messages):
        name = (message.role, message.source)
        stored = known.get(name, known.get((message.role, message.also or "")))
        if stored is None and message.number is not None:
            stored = same.get(message.number)
        if stored is None:
            fresh += [message] if name not in seen else []
        else:
            imported_ids += [stored] if stored < 1 else []
            after = stored if not fresh else after
            if message.number is not None:
                ids[message.number] = stored
        seen.add(name)
    return _Work(
        history=history,
        new=tuple(fresh),
        ids=ids,
        imported_ids=imported_ids,
        after=after,
        rows=rows,
        restoration=restoration,
    )


def _preselect_undecided_facts(question: ImportQuestion, decided: Set[str]) -> ImportQuestion:
    """Return a question in which the facts that the owner has not changed or deleted before are preselected."""
    chosen = tuple(number for number, text in enumerate(question.options) if text not in decided)
    return replace(question, chosen=chosen) if question.name == "facts" and decided else question


def _list_instructions(work: _Work) -> tuple[str, ...]:
    facts = work.rows.get("facts", ())
    listed, kept = _list_lasting_texts(demote_long_instructions(facts)), _list_lasting_texts(facts)
    chosen = list_chosen_texts(work.rows) if work.restoration else ()
    shown = [tr("shared-quoted", text=" ".join(text.split())) for text in (*chosen, *listed)]
    more = len(kept) - len(listed)
    return (*shown, *([tr("import-more", more=more)] if more else ()))


def _describe_demoted_instructions(work: _Work) -> list[str]:
    rows = work.history.rows
    kinds = [row.get("kind") for row in rows.get("facts", ())] if rows else [fact.kind for fact in work.history.facts]
    count = sum(kind in LASTING for kind in kinds) - len(_list_lasting_texts(work.rows.get("facts", ())))
    return [tr("import-only-told", count=count)] if "facts" in work.rows and count else []


def _list_lasting_texts(facts: Sequence[PortableRow]) -> list[str]:
    return [str(fact["text"]) for fact in facts if fact["kind"] in LASTING]


def _describe_lost_data(work: _Work, owner: int) -> list[str]:
    rows = work.history.rows
    if rows is None or work.restoration or not work.new:
        return []
    is_restorable = work.history.is_whole or work.history.export is not None
    why = "another" if work.history.owner != owner else "holds" if is_restorable else "earlier"
    told = tr("import-differs", why=tr(f"import-differs-{why}"))
    return [told if work.history.is_whole else f"{told} {tr('import-send-others')}"]


async def _remove_own_chat(store: MemoryStore, owner: int, history: ImportedHistory) -> ImportedHistory:
    """Return the history without the owner's chat with this bot.

    Telegram's HTML exports have no ids, so the chat is recognised by messages that are stored with the same times.
    """
    starts = [
        number for number, message in enumerate(iterate_with_pauses(history.messages)) if message.title or not number
    ]
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
    said = {(message.created_at, " ".join(message.content.split())) for message in iterate_with_pauses(chat)}
    since = min(at for at, _ in said)
    for scope in await store.list_scopes(owner):
        stored = await store.timeline.read_page(scope, since=since, kind="user", limit=BATCH)
        if sum((known.created_at, " ".join(known.content.split())) in said for known in stored) >= MIN_OWN_MESSAGES:
            return True
    return False


async def _map_to_stored_ids(store: MemoryStore, owner: int, history: ImportedHistory) -> Mapping[int, int]:
    by_number, threads = await asyncio.to_thread(select_messages_without_source, history)
    found: dict[int, int] = {}
    numbers = sorted(by_number)
    for thread in threads:
        for first in range(0, len(numbers), BATCH):
            for message in await store.read_messages(Scope(owner=owner, thread=thread), numbers[first : first + BATCH]):
                found_in_file = by_number[message.id]
                if (message.role, message.content) == (found_in_file.role, found_in_file.content):
                    found[message.id] = message.id
    return found


def _group_by_scope(scope: Scope, work: _Work) -> Mapping[Scope, Sequence[ImportedMessage]]:
    by_scope: dict[Scope, list[ImportedMessage]] = {}
    is_own = work.history.owner == scope.owner
    for message in iterate_with_pauses(work.new):
        by_scope.setdefault(Scope(owner=scope.owner, thread=message.thread) if is_own else scope, []).append(message)
    return by_scope


def order_by_time(messages: Sequence[ImportedMessage]) -> tuple[list[ImportedMessage], list[int]]:
    """Return the messages sorted by time, and for each the position of the message that started its turn."""
    begun: dict[int, int] = {}
    beginnings: list[int] = []
    for number, given in enumerate(iterate_with_pauses(messages)):
        if given.turn is not None:
            beginnings.append(begun.setdefault(given.turn, number))
        else:
            beginnings.append(beginnings[-1] if given.answers and beginnings else number)
    order = sorted(range(len(messages)), key=lambda number: messages[number].created_at)
    position = {number: index for index, number in enumerate(order)}
    return [messages[number] for number in order], [position[beginnings[number]] for number in order]


def _make_stored_messages(
    scope: Scope, messages: Sequence[ImportedMessage], beginnings: Sequence[int], first_id: int
) -> list[Message]:
    pairs = list(zip(messages, beginnings, strict=True))
    return [
        Message(
            id=number,
            scope=scope,
            role=given.role,
            content=given.content,
            created_at=given.created_at,
            turn=first_id + beginning,
            speaker=collapse_to_visible_line(given.speaker),
            title=collapse_to_visible_line(given.title),
            source=given.source,
            origin=given.origin if given.is_own or scope.owner < 0 else "overheard",
        )
        for number, (given, beginning) in enumerate(iterate_with_pauses(pairs), start=first_id)
    ]
