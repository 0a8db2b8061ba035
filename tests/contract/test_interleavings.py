"""Property tests: writing, folding, failing, moving, erasing and restarting in any order keep the invariants."""

import asyncio
import contextlib
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from records.errors import StaleSummary
from records.messages import Message
from records.owners import StorageType
from records.scopes import Scope
from records.summaries import Summary, SummaryLease, SummaryPlan
from storage.bot_state.directory import Directory
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import MINUTE, NOW, make_config, make_message, make_summary, open_postgres

Result = TypeVar("Result")

SCOPES = [Scope(owner=1), Scope(owner=1, thread=5), Scope(owner=-2)]
WORDS = ["walrus", "машина", "喝茶", "Zürich", "DR-2041"]


@dataclass
class Expected:
    """The expected content of a scope, kept in plain Python."""

    messages: list[Message] = field(default_factory=list)
    summaries: dict[int, Summary] = field(default_factory=dict)
    chunk_of: dict[int, int] = field(default_factory=dict)
    lease: SummaryLease | None = None
    leased_until: datetime = NOW


class Interleavings(RuleBasedStateMachine):
    """A state machine over all stores and the directory that records each owner's store."""

    postgres_url: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.expected = {scope: Expected() for scope in SCOPES}
        self.highest = {scope.owner: 0 for scope in SCOPES}
        self.enabled = dict.fromkeys(self.highest, True)
        self.sources = 0
        self.now = NOW
        self.run(self.start())
        for owner in self.highest:
            self.run(self.settle(owner))

    # the machinery -------------------------------------------------------------------------------------------
    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self.runner.run(work)

    async def start(self) -> None:
        folder = Path(self.folder.name)
        self.stack = contextlib.AsyncExitStack()
        # The machine's disk is not asked to sync here: what a dying process leaves is test_killed.py's subject.
        database = await self.stack.enter_async_context(
            Database.open(folder / "memory.db", durable=False, migrations=MIGRATIONS)
        )
        json = await self.stack.enter_async_context(JsonStore.open(folder, clock=lambda: NOW))
        assert json.reports == []
        self.directory = Directory(database)
        self.stores: dict[StorageType, MemoryStore] = {
            StorageType.SQLITE: MemoryStore(database, StorageType.SQLITE),
            StorageType.JSON: json,
            StorageType.POSTGRES: await self.stack.enter_async_context(open_postgres(self.postgres_url, folder)),
        }

    async def settle(self, owner: int) -> None:
        place = await self.directory.get_storage_or_register_owner(make_config(self.stores[StorageType.SQLITE], owner))
        await self.stores[place].upsert_owner(make_config(self.stores[place], owner))

    async def find_store(self, owner: int) -> MemoryStore:
        place = await self.directory.find_storage_type(owner)
        assert place is not None
        return self.stores[place]

    def teardown(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()
        self.folder.cleanup()

    # what may happen -----------------------------------------------------------------------------------------
    @rule(scope=st.sampled_from(SCOPES), words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
    def append(self, scope: Scope, words: list[str]) -> None:
        async def work() -> None:
            store = await self.find_store(scope.owner)
            self.sources += 1
            drafts = [make_message(word, source=f"1:{self.sources}-{n}") for n, word in enumerate(words)]
            stored = await store.append_messages(scope, drafts)
            assert await store.append_messages(scope, drafts) == stored
            assert [message.id for message in stored] == sorted(message.id for message in stored)
            assert stored[0].id > self.highest[scope.owner]
            self.highest[scope.owner] = stored[-1].id
            self.expected[scope].messages += stored

        self.run(work())

    @rule(scope=st.sampled_from(SCOPES))
    def acquire_summary_lease(self, scope: Scope) -> None:
        async def work() -> None:
            taken = await (await self.find_store(scope.owner)).acquire_summary_lease(
                scope, "now", now=self.now, duration=MINUTE
            )
            held = self.expected[scope].lease
            assert (taken is None) == (held is not None and self.expected[scope].leased_until > self.now)
            if taken is not None:
                self.expected[scope].lease, self.expected[scope].leased_until = taken, self.now + MINUTE

        self.run(work())

    @rule(scope=st.sampled_from(SCOPES), size=st.integers(1, 5), upwards=st.booleans())
    def commit_summary(self, scope: Scope, size: int, upwards: bool) -> None:
        expected = self.expected[scope]
        held = expected.lease
        active = [message for message in expected.messages if message.id not in expected.chunk_of][:size]
        below = [summary for summary in expected.summaries.values() if summary.is_active and summary.level == 1][:size]
        sources: list[Any] = list(below if upwards else active)
        if held is None or not sources:
            return

        async def work() -> None:
            ids = tuple(source.id for source in sources)
            plan = (
                SummaryPlan(level=2, summary_ids=ids, reason="upwards")
                if upwards
                else SummaryPlan(level=1, message_ids=ids, reason="now")
            )
            store = await self.find_store(scope.owner)
            summary = await store.commit_summary(held, plan, make_summary(), now=self.now)
            with pytest.raises(StaleSummary):
                await store.commit_summary(held, plan, make_summary(), now=self.now)
            expected.summaries[summary.id] = summary
            if upwards:
                for message in below:
                    expected.summaries[message.id] = replace(message, is_active=False)
            else:
                expected.chunk_of |= dict.fromkeys(ids, summary.id)

        self.run(work())
        expected.lease = None

    @rule(scope=st.sampled_from(SCOPES), release=st.booleans())
    def give_up_fold(self, scope: Scope, release: bool) -> None:
        held = self.expected[scope].lease
        if held is None:
            return

        async def work() -> None:
            store = await self.find_store(scope.owner)
            if release:
                await store.release_summary_lease(held)
            else:
                failure = await store.record_summary_failure(held, "no answer", now=self.now)
                assert failure.attempts >= 1

        self.run(work())
        self.expected[scope].lease = None

    @rule(seconds=st.sampled_from([10, 61]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(owner=st.sampled_from([1, -2]), goal=st.sampled_from(list(StorageType)))
    def move(self, owner: int, goal: StorageType) -> None:
        async def work() -> bool:
            before = await self.directory.find_storage_type(owner)
            await self.directory.move_owner(owner, self.stores, goal, now=self.now)
            assert await self.directory.find_storage_type(owner) is goal
            return before is not goal

        if self.run(work()):
            # Leases stay behind: a fold that was running is stale.
            for scope, expected in self.expected.items():
                if scope.owner == owner:
                    expected.lease = None

    @rule(owner=st.sampled_from([1, -2]), enabled=st.booleans())
    def toggle(self, owner: int, enabled: bool) -> None:
        async def work() -> None:
            store = await self.find_store(owner)
            switched = make_config(store, owner, enabled=enabled)
            await self.directory.get_storage_or_register_owner(switched)
            await store.upsert_owner(switched)

        self.run(work())
        self.enabled[owner] = enabled

    @rule(source=st.sampled_from(["index.db", "nothing"]))
    def restart(self, source: str) -> None:
        async def work() -> None:
            await self.stack.aclose()
            (Path(self.folder.name) / source).unlink(missing_ok=True)
            await self.start()
            for store in self.stores.values():
                await store.void_leases()

        self.run(work())
        for expected in self.expected.values():
            expected.lease = None

    @precondition(lambda self: any(expected.messages for expected in self.expected.values()))
    @rule(owner=st.sampled_from([1, -2]))
    def erase(self, owner: int) -> None:
        async def work() -> None:
            await (await self.find_store(owner)).erase_owner(owner)
            async with self.directory.database.open_transaction(owner) as tx:
                await tx.execute("DELETE FROM users WHERE user_id = ?", owner)
            assert await self.directory.find_storage_type(owner) is None
            await self.settle(owner)

        self.run(work())
        self.highest[owner] = 0
        self.enabled[owner] = True
        for scope in SCOPES:
            if scope.owner == owner:
                self.expected[scope] = Expected()

    # what must hold ------------------------------------------------------------------------------------------
    @invariant()
    def everything_is_where_it_should_be(self) -> None:
        self.run(self.check())

    async def check(self) -> None:
        for scope, expected in self.expected.items():
            place = await self.directory.find_storage_type(scope.owner)
            assert place is not None
            kept = await self.stores[place].find_owner_config(scope.owner)
            assert kept is not None
            assert kept.enabled == self.enabled[scope.owner]
            for kind, store in self.stores.items():
                if kind is not place:
                    assert await store.find_owner_config(scope.owner) is None
                    assert (await store.count_messages_and_summaries(scope)).total == 0
                    continue
                found = await store.timeline.read_page(scope, limit=10_000)
                wanted = [replace(message, chunk_id=expected.chunk_of.get(message.id)) for message in expected.messages]
                assert found == wanted
                assert await store.list_unsummarized_messages(scope) == [
                    message for message in wanted if message.is_active
                ]
                assert await store.list_summaries(scope, active_only=False) == list(expected.summaries.values())
                counts = await store.count_messages_and_summaries(scope)
                assert (counts.total, counts.archived) == (len(wanted), len(expected.chunk_of))
                assert counts.active_turns == len([message for message in wanted if message.is_active])
                for summary in expected.summaries.values():
                    covered = [message.id for message in found if message.chunk_id in summary.source_chunk_ids]
                    assert len(covered) == summary.message_count
                    assert (covered[0], covered[-1]) == (summary.first_id, summary.last_id)
                hits = await store.search_messages(scope, ["walrus"], limit=10_000)
                assert {hit.id for hit in hits} == {message.id for message in wanted if message.content == "walrus"}


@pytest.fixture(autouse=True)
def _server(postgres_url: str) -> None:
    Interleavings.postgres_url = postgres_url


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(
    max_examples=4, stateful_step_count=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
