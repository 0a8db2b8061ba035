"""Several processes share one PostgreSQL database: leases on owners, and fencing of processes declared dead."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from external_memory import ExternalMemory
from records.errors import ServedElsewhere, StorageError
from records.forgetting import ForgetRequest
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from records.summaries import SummaryPlan
from settings import Secret
from storage.bot_state.inbox import ReceivedUpdate
from storage.bot_state.leases import POLLING
from storage.bot_state.postgres_inbox import PostgresInbox
from storage.bot_state.postgres_leases import PostgresLeases
from telegram_ui.sending.chat import require_chat_lease, require_lease_for_sending
from tests.contract.conftest import NOW, acquire_lease, fold_messages, make_summary
from tests.support.postgres_server import create_database, make_schema_address
from tests.support.postgres_wire import lay_wire
from tests.support.talk import BORIS, list_unfinished_forgettings, open_chat_harness

BOT, ANN, BEN = 900, 7, 8


@dataclass
class ReplicaProcess:
    """One process's view of the memory, in a DATA_DIR of its own."""

    memory: ExternalMemory

    @property
    def inbox(self) -> PostgresInbox:
        assert self.memory.shared_inbox is not None
        return self.memory.shared_inbox

    @property
    def leases(self) -> PostgresLeases:
        return self.inbox.leases

    async def claim_update_ids(self) -> list[int]:
        return [update.update_id for update in await self.inbox.claim_updates(BOT, limit=100, now=NOW)]

    async def append_message(self, owner: int, text: str, *, update_id: int) -> None:
        async with self.memory.open_store_if_enabled(owner) as store:
            assert store is not None
            message = NewMessage(role="user", content=text, created_at=NOW, source=f"{BOT}:{update_id}")
            await store.append_messages(Scope(owner=owner), [message])


class ReplicaProcesses:
    """A group of processes that share one database, and whose leases a test can expire."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self._folder = folder

    @contextlib.asynccontextmanager
    async def open_process(self, name: str) -> AsyncIterator[ReplicaProcess]:
        path = self._folder / name
        async with ExternalMemory.open(path, clock=lambda: NOW, database_url=self.url) as memory:
            yield ReplicaProcess(memory)

    def mark_as_dead(self, machine: ReplicaProcess) -> None:
        """Expire a process's heartbeat without its knowledge, whether or not it still runs."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "UPDATE replicas SET expires_at = '-infinity' WHERE id = %s", (machine.leases.replica.id,)
            )

    async def reconnect_and_check_leases(self, machine: ReplicaProcess) -> None:
        """Force a reconnect, after which the process notices which leases it has lost."""
        held = dict(machine.leases.replica.held)
        with psycopg.connect(self.url, autocommit=True) as connection:
            listens = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE %s"
            connection.execute(listens, (f'LISTEN%_{machine.leases.replica.id}"',))
        while machine.leases.replica.held == held:
            await machine.leases.wait_for_lease_change()


@pytest.fixture
def machines(postgres_url: str, tmp_path: Path) -> ReplicaProcesses:
    return ReplicaProcesses(make_schema_address(postgres_url, tmp_path), tmp_path)


def three(machines: ReplicaProcesses) -> AbstractAsyncContextManager[list[ReplicaProcess]]:
    @contextlib.asynccontextmanager
    async def opened() -> AsyncIterator[list[ReplicaProcess]]:
        async with contextlib.AsyncExitStack() as stack:
            yield [await stack.enter_async_context(machines.open_process(name)) for name in "abc"]

    return opened()


async def test_replicas_claim_each_update_once_and_in_owner_order(machines: ReplicaProcesses) -> None:
    async with three(machines) as those:
        arrivals = [ReceivedUpdate(number, "{}", owner=number % 10) for number in range(1, 101)]
        await those[0].inbox.store_and_get_new_ids(BOT, arrivals, NOW)
        found = await asyncio.gather(*(replica.claim_update_ids() for replica in those for _ in range(3)))
        by_machine = [found[start] + found[start + 1] + found[start + 2] for start in (0, 3, 6)]
        assert sorted(number for claimed in found for number in claimed) == list(range(1, 101))
        for owner in range(10):
            of_owner = [[number for number in claimed if number % 10 == owner] for claimed in by_machine]
            [mine] = [claimed for claimed in of_owner if claimed]
            assert mine == sorted(mine)
        # What comes later goes to whoever serves the owner, wherever it arrives.
        server = next(replica for replica in those if replica.leases.is_serving(3))
        for number, replica in enumerate(those, start=201):
            await replica.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(number, "{}", owner=3)], NOW)
        assert [await replica.claim_update_ids() for replica in those if replica is not server] == [[], []]
        assert await server.claim_update_ids() == [201, 202, 203]


async def test_replicas_share_new_owners_and_claim_updates_left_waiting(machines: ReplicaProcesses) -> None:
    async with three(machines) as those:
        first, second, _ = those
        arrivals = [ReceivedUpdate(number, "{}", owner=number) for number in range(1, 10)]
        await first.inbox.store_and_get_new_ids(BOT, arrivals, NOW)
        assert [len(await replica.claim_update_ids()) for replica in (first, first, second)] == [3, 0, 3]
        # The third may hang: what it leaves is not left for long.
        late = await first.inbox.claim_updates(BOT, limit=100, now=NOW + timedelta(seconds=3))
        assert len(late) == 3
        await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(10, "{}", owner=10)], NOW)
        assert [await replica.claim_update_ids() for replica in those] == [[], [10], []]


async def test_dead_replica_is_replaced_and_cannot_commit(machines: ReplicaProcesses) -> None:
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await first.inbox.store_and_get_new_ids(
            BOT, [ReceivedUpdate(1, "{}", owner=ANN), ReceivedUpdate(2, "{}", owner=ANN)], NOW
        )
        assert await first.claim_update_ids() == [1, 2]
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        await first.append_message(ANN, "before", update_id=1)
        await first.inbox.mark_updates_done(BOT, [1], NOW)
        assert await second.claim_update_ids() == []
        with pytest.raises(ServedElsewhere):
            await second.memory.get_config(ANN)
        machines.mark_as_dead(first)
        assert await second.claim_update_ids() == [2]
        for commit in (
            first.append_message(ANN, "from the grave", update_id=2),
            first.inbox.increment_and_get(BOT, 2, "sends"),
            first.memory.set_enabled(ANN, enabled=False),
            first.memory.forget(ANN, ForgetRequest(what="everything")),
        ):
            with pytest.raises(ServedElsewhere):
                await commit
        await first.inbox.mark_updates_done(BOT, [2], NOW)
        assert [update.update_id for update in await second.inbox.list_pending_updates(BOT)] == [2]
        await second.append_message(ANN, "after", update_id=2)
        async with second.memory.open_store_if_enabled(ANN) as store:
            assert store is not None
            assert [message.content for message in await store.timeline.read_page(Scope(owner=ANN))] == [
                "before",
                "after",
            ]
        # Once it has noticed, it serves others, and leaves this one alone.
        await machines.reconnect_and_check_leases(first)
        assert not first.leases.is_serving(ANN)
        with pytest.raises(ServedElsewhere):
            await first.memory.get_config(ANN)


async def test_lease_is_acquired_again_after_lost_reply(machines: ReplicaProcesses) -> None:
    """Otherwise the process would handle updates under a lease that it does not know about."""
    async with lay_wire(machines.url) as (behind, wire):
        machines.url = behind
        async with machines.open_process("a") as alone:
            await alone.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
            wire.cuts = True
            with pytest.raises(StorageError):
                await alone.claim_update_ids()
            assert not alone.leases.is_serving(ANN)
            [claimed] = await alone.inbox.claim_updates(BOT, limit=100, now=NOW)
            assert claimed.lease == alone.inbox.find_lease(ANN)


async def test_update_wakes_replica_that_serves_its_owner(machines: ReplicaProcesses) -> None:
    """For example, a /stop may arrive at a process that does not serve its owner."""
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await second.memory.get_config(ANN)
        second.leases.replica.called.clear()
        await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
        async with asyncio.timeout(30):
            await second.leases.replica.called.wait()
        assert await first.claim_update_ids() == []
        assert await second.claim_update_ids() == [1]


async def test_fold_of_dead_replica_does_not_block_successor(machines: ReplicaProcesses) -> None:
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        await first.append_message(ANN, "to be folded", update_id=1)
        scope = Scope(owner=ANN)
        async with first.memory.open_store_if_enabled(ANN) as store:
            assert store is not None
            [message] = await store.timeline.read_page(scope)
            begun = await acquire_lease(store, scope)
        machines.mark_as_dead(first)
        async with second.memory.open_store_if_enabled(ANN) as taken_over:
            assert taken_over is not None
            summary = await fold_messages(taken_over, scope, [message])
        plan = SummaryPlan(level=1, message_ids=(message.id,), reason="now")
        with pytest.raises(ServedElsewhere):
            await store.commit_summary(begun, plan, make_summary(), now=NOW)
        async with second.memory.open_store_if_enabled(ANN) as taken_over:
            assert taken_over is not None
            assert [summary.id for summary in await taken_over.list_summaries(scope)] == [summary.id]


async def test_background_work_is_listed_only_on_serving_replica(machines: ReplicaProcesses) -> None:
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        for owner, machine in ((ANN, first), (BEN, second)):
            await machine.memory.configure(owner, storage=StorageType.POSTGRES, every_n=5)
            await machine.append_message(owner, "to be embedded", update_id=owner)
        stores = [
            store
            for replica in (first, second)
            for store in replica.memory.stores
            if store.kind is StorageType.POSTGRES
        ]
        found = [
            [message.scope.owner for _, message in await store.vectors.list_unembedded_messages_with_seqs("m", 9)]
            for store in stores
        ]
        assert found == [[ANN], [BEN]]
        quiet = [[scope.owner for scope, _ in await store.list_idle_scopes_with_last_ids(NOW)] for store in stores]
        assert quiet == [[ANN], [BEN]]
        assert await first.memory.select_served_owners([ANN, BEN]) == [ANN]


async def test_stopping_replica_hands_over_work_immediately(machines: ReplicaProcesses) -> None:
    async with machines.open_process("b") as second:
        async with machines.open_process("a") as first:
            await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
            assert await first.claim_update_ids() == [1]
            await first.leases.start_serving(POLLING - BOT)
            with pytest.raises(ServedElsewhere):
                await second.leases.start_serving(POLLING - BOT)
        await second.leases.start_serving(POLLING - BOT)
        assert second.leases.is_serving(POLLING - BOT)
        assert await second.claim_update_ids() == [1]


async def wait_until(connection: psycopg.Connection[Any], condition: str) -> None:
    """Wait until an SQL condition about the server's sessions is true."""
    script = f"""
    SET statement_timeout = '60s';
    DO $$ BEGIN
      WHILE NOT ({condition}) LOOP
        PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
      END LOOP;
    END $$
    """
    await asyncio.to_thread(connection.execute, script.encode())


async def test_stopping_replica_sends_no_heartbeat_after_it_is_removed(machines: ReplicaProcesses) -> None:
    """Such a heartbeat would register the process again, and a restore would be refused until it expires."""
    machines.url = make_conninfo(machines.url, application_name="stopping")
    beating = """EXISTS (
      SELECT 1 FROM pg_stat_activity WHERE application_name = 'stopping'
      AND trim(E' \\n' FROM query) LIKE 'DELETE FROM replicas WHERE expires_at %'
    )"""  # the last statement of a heartbeat
    removing = "EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'replicas'::regclass AND NOT granted)"
    with psycopg.connect(machines.url) as hand, psycopg.connect(machines.url, autocommit=True) as eye:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(machines.open_process("a"))
            await wait_until(eye, beating)
            hand.execute("LOCK TABLE replicas IN SHARE MODE")
            stopping = asyncio.create_task(stack.pop_all().aclose())
            await wait_until(eye, f"{removing} AND NOT {beating}")
            hand.rollback()
            await stopping
        assert eye.execute("SELECT * FROM replicas").fetchall() == []


async def test_heartbeat_that_arrives_after_the_stop_registers_nobody(machines: ReplicaProcesses) -> None:
    """The process cuts its connection and cancels its statement, but the server receives the statement after that."""
    url, machines.url = machines.url, make_conninfo(machines.url, application_name="stopping")
    with psycopg.connect(url) as hand, psycopg.connect(url, autocommit=True) as eye:
        async with machines.open_process("a"):
            eye.execute("""
            CREATE FUNCTION wait_for_hand() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
              PERFORM pg_advisory_xact_lock_shared(20);
              RETURN NULL;
            EXCEPTION WHEN query_canceled THEN
              PERFORM pg_advisory_xact_lock_shared(20);
              RETURN NULL;
            END $$
            """)
            hand.execute("SELECT pg_advisory_xact_lock(20)")
            delay = "CREATE TRIGGER late BEFORE INSERT OR UPDATE ON replicas EXECUTE FUNCTION wait_for_hand()"
            eye.execute(delay.encode())
            await wait_until(eye, "EXISTS (SELECT 1 FROM pg_locks WHERE objid = 20 AND NOT granted)")
        assert eye.execute("SELECT * FROM replicas").fetchall() == []
        hand.rollback()
        await wait_until(eye, "NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = 'stopping')")
        assert eye.execute("SELECT * FROM replicas").fetchall() == []


async def test_process_whose_row_was_deleted_registers_itself_again(machines: ReplicaProcesses) -> None:
    """Other processes delete the row of one that sent no heartbeat for a day, such as that of a laptop asleep."""
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await first.memory.get_config(ANN)
        with psycopg.connect(machines.url, autocommit=True) as connection:
            connection.execute("DELETE FROM replicas WHERE id = %s", (first.leases.replica.id,))
        await second.memory.get_config(ANN)
        await machines.reconnect_and_check_leases(first)
        assert not first.leases.is_serving(ANN)
        await first.memory.get_config(BEN)
        with pytest.raises(ServedElsewhere):
            await second.leases.start_serving(BEN)


async def test_restart_in_same_data_dir_reclaims_updates_immediately(machines: ReplicaProcesses) -> None:
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(machines.open_process("a"))
        await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
        assert await first.claim_update_ids() == [1]
        first.leases.replica.held.clear()  # killed: nothing is given back
    async with machines.open_process("a") as again:
        [claimed] = await again.inbox.claim_updates(BOT, limit=9, now=NOW)
        assert (claimed.update_id, claimed.attempts) == (1, 1)


async def test_owner_stored_in_files_is_served_only_where_files_are(machines: ReplicaProcesses) -> None:
    async with machines.open_process("a") as first:
        await first.memory.configure(ANN, storage=StorageType.JSON, every_n=5)
        await first.append_message(ANN, "in a file", update_id=1)
    async with machines.open_process("b") as second:
        await second.inbox.store_and_get_new_ids(
            BOT, [ReceivedUpdate(2, "{}", owner=ANN), ReceivedUpdate(3, "{}", owner=BEN)], NOW
        )
        assert await second.claim_update_ids() == [3]
        with pytest.raises(ServedElsewhere):
            await second.memory.get_config(ANN)
        async with machines.open_process("a") as first:
            assert await first.claim_update_ids() == [2]
            await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        assert (await second.memory.count_messages(ANN)) == 1, "what has moved to the server is served by all"


async def test_successor_first_finishes_deletion_of_dead_replica(machines: ReplicaProcesses) -> None:
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        await first.append_message(ANN, "walrus", update_id=1)
        async with first.inbox.database.open_transaction(ANN) as tx:
            await tx.execute(
                "INSERT INTO forgettings (user_id, what, begun_at) VALUES (?, ?, ?)",
                ANN,
                '{"what": "everything", "ids": [], "since": null, "until": null, "with_quotes": false}',
                NOW.isoformat(),
            )
        machines.mark_as_dead(first)
        assert await second.memory.count_messages(ANN) == 0


async def test_dead_replica_keeps_deletion_record_of_successor(machines: ReplicaProcesses) -> None:
    """A process declared dead must not delete the record of a deletion that its successor has to finish."""
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        machines.mark_as_dead(first)
        assert await second.memory.count_messages(ANN) == 0
        async with second.inbox.database.open_transaction(ANN) as tx:
            await tx.execute(
                "INSERT INTO forgettings (user_id, what, begun_at, is_erased) VALUES (?, ?, ?, 1)",
                ANN,
                '{"what": "everything", "ids": [], "since": null, "until": null, "with_quotes": false}',
                NOW.isoformat(),
            )
        assert first.leases.is_serving(ANN), "it has not noticed"
        await first.memory.overwrite_erased_data()
        assert len(await list_unfinished_forgettings(second.memory)) == 1
        await second.memory.overwrite_erased_data()
        assert await list_unfinished_forgettings(second.memory) == []


async def test_token_budget_counts_spending_of_all_replicas(machines: ReplicaProcesses, tmp_path: Path) -> None:
    settings = {"database_url": Secret(machines.url), "daily_token_budget_per_user": 20}
    async with (
        open_chat_harness(tmp_path / "a", **settings) as first,
        open_chat_harness(tmp_path / "b", **settings) as second,
    ):
        assert not (await second.say("Hello there.", person=BORIS)).is_error  # it has read the ledger
        assert not (await first.say("Hello there, how do you do?")).is_error
        in_a_group = replace(second.make_user_message("And how are you here?"), scope=Scope(owner=-5))
        assert "share of" in (await second.conversation.reply(in_a_group)).text


async def test_check_writable_fails_on_read_only_server(postgres_url: str, tmp_path: Path) -> None:
    url, name = create_database(postgres_url, "writable"), "writable"
    async with ExternalMemory.open(tmp_path / "a", clock=lambda: NOW, database_url=url) as memory:
        await memory.check_writable()
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
            ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
            connection.execute(ended, (name,))
        # As after a failover to a server that only reads.
        with pytest.raises(StorageError):
            await memory.check_writable()


async def test_check_writable_fails_without_data_dir(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with ExternalMemory.open(folder, clock=lambda: NOW) as memory:
        await memory.check_writable()
        assert not list(folder.glob(".probe-*"))
        folder.rename(tmp_path / "unmounted")
        with pytest.raises(StorageError):
            await memory.check_writable()
        (tmp_path / "unmounted").rename(folder)


async def test_successor_resumes_broadcast_at_recipient_of_paused_replica(machines: ReplicaProcesses) -> None:
    """The first process takes a recipient, and is paused until another process has continued the broadcast."""
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        assert await first.memory.select_served_owners([ANN]) == [ANN]
        require_lease_for_sending(first.inbox, ANN)
        await require_chat_lease()
        one = await first.memory.broadcasts.store_draft(ANN, "We move.", now=NOW)
        assert await first.memory.broadcasts.try_to_start(one, [BEN], receipt_id=1)
        [one] = await first.memory.broadcasts.list_broadcasts_in_progress()
        assert await first.memory.broadcasts.take_next_recipient_id(one) == BEN
        machines.mark_as_dead(first)
        assert await second.memory.select_served_owners([ANN]) == [ANN]
        assert await second.memory.broadcasts.take_next_recipient_id(one) is None
        await machines.reconnect_and_check_leases(first)
        with pytest.raises(ServedElsewhere):
            await require_chat_lease()
        with pytest.raises(ServedElsewhere):
            require_lease_for_sending(first.inbox, ANN)
        with pytest.raises(ServedElsewhere):
            await first.memory.broadcasts.record_outcome(one, BEN, "arrived")
        await first.memory.broadcasts.requeue_recipient(one, BEN)
        assert await second.memory.broadcasts.take_next_recipient_id(one) == BEN


async def test_requested_owner_is_released_only_when_idle(machines: ReplicaProcesses) -> None:
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        scope, busy, refused = Scope(owner=ANN), [ANN], asyncio.Event()

        async def lets_go() -> None:
            while first.leases.is_serving(ANN):
                await first.inbox.leases.replica.wait_for_work()
                if first.leases.replica.wanted:
                    await first.inbox.leases.release_requested_owners(busy)
                    refused.set()

        async def refuses() -> bool:
            refused.clear()
            await refused.wait()
            return first.leases.is_serving(ANN) and not second.leases.is_serving(ANN)

        async def visits() -> None:
            async with second.memory.hold_owner_lease(ANN), second.memory.open_store(ANN) as store:
                assert (await store.count_messages_and_summaries(scope)).total == 0

        async with asyncio.TaskGroup() as group:
            group.create_task(lets_go())
            asking = group.create_task(visits())
            assert await refuses(), "an update of hers is under way"
            async with first.memory.hold_owner_lease(ANN):
                busy.clear()
                assert await refuses(), "a request of the page is"
                async with first.memory.open_store(ANN) as store:
                    folding = await acquire_lease(store, scope)
            assert await refuses(), "a fold is"
            async with first.memory.open_store(ANN) as store:
                await store.release_summary_lease(folding)
            await asking
        assert (first.leases.is_serving(ANN), second.leases.is_serving(ANN)) == (False, True)


async def test_waiting_for_lease_of_busy_owner_ends(
    machines: ReplicaProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.bot_state.postgres_leases.RELEASE_POLL_SECONDS", 0)
    async with machines.open_process("a") as first, machines.open_process("b") as second:
        await first.memory.set_enabled(ANN, enabled=True)
        with pytest.raises(ServedElsewhere):
            async with second.memory.hold_owner_lease(ANN):
                pass
