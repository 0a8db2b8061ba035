"""Several processes that share one PostgreSQL database: who serves whom, and what one taken for dead may still do."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from external_memory import ExternalMemory
from records.errors import ServedElsewhere, StorageError
from records.forgetting import ForgetRequest
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from records.summaries import SummaryPlan
from settings import Secret
from storage.bot_state.inbox import Inbox, ReceivedUpdate
from storage.bot_state.postgres_inbox import SharedWork
from storage.bot_state.postgres_leases import PostgresLeases
from telegram_ui.sending.chat import require_chat_lease, require_lease_for_sending
from tests.contract.conftest import NOW, fold, lease, made
from tests.support.postgres_server import address, new_database
from tests.support.postgres_wire import laid
from tests.support.talk import BORIS, talking, unfinished

BOT, ANN, BEN = 900, 7, 8


@dataclass
class Machine:
    """One process's view of the memory, in a DATA_DIR of its own."""

    memory: ExternalMemory

    @property
    def inbox(self) -> Inbox:
        return self.memory.inbox

    @property
    def work(self) -> SharedWork:
        assert self.memory.shared_work is not None
        return self.memory.shared_work

    @property
    def leases(self) -> PostgresLeases:
        return self.work.leases

    async def claims(self) -> list[int]:
        return [update.update_id for update in await self.work.claim_updates(BOT, limit=100, now=NOW)]

    async def says(self, owner: int, text: str, *, update_id: int) -> None:
        async with self.memory.open_store_if_enabled(owner) as store:
            assert store is not None
            message = NewMessage(role="user", content=text, created_at=NOW, source=f"{BOT}:{update_id}")
            await store.append_messages(Scope(owner=owner), [message])


class Machines:
    """Machines with one database, and a hand on its clock."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self._folder = folder

    @contextlib.asynccontextmanager
    async def opened(self, name: str) -> AsyncIterator[Machine]:
        path = self._folder / name
        async with ExternalMemory.open(path, clock=lambda: NOW, database_url=self.url) as memory:
            yield Machine(memory)

    def dies(self, machine: Machine) -> None:
        """It is taken for dead, whether or not it still runs; it has not noticed."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "UPDATE replicas SET expires_at = '-infinity' WHERE id = %s", (machine.leases.replica.id,)
            )

    async def beats(self, machine: Machine) -> None:
        """It says again that it lives, hears that it was taken for dead, and has looked which leases it lost."""
        changed = asyncio.create_task(machine.leases.wait_for_lease_change())
        await asyncio.sleep(0)
        with psycopg.connect(self.url, autocommit=True) as connection:
            listens = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE %s"
            connection.execute(listens, (f'LISTEN%_{machine.leases.replica.id}"',))
        await changed


@pytest.fixture
def machines(postgres_url: str, tmp_path: Path) -> Machines:
    return Machines(address(postgres_url, tmp_path), tmp_path)


def three(machines: Machines) -> AbstractAsyncContextManager[list[Machine]]:
    @contextlib.asynccontextmanager
    async def opened() -> AsyncIterator[list[Machine]]:
        async with contextlib.AsyncExitStack() as stack:
            yield [await stack.enter_async_context(machines.opened(name)) for name in "abc"]

    return opened()


async def test_three_claimers_get_each_update_once_and_an_owners_in_order(machines: Machines) -> None:
    async with three(machines) as those:
        arrivals = [ReceivedUpdate(number, "{}", owner=number % 10) for number in range(1, 101)]
        await those[0].inbox.store_and_get_new_ids(BOT, arrivals, NOW)
        found = await asyncio.gather(*(replica.claims() for replica in those for _ in range(3)))
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
        assert [await replica.claims() for replica in those if replica is not server] == [[], []]
        assert await server.claims() == [201, 202, 203]


async def test_each_takes_its_share_of_new_owners_and_anybody_those_who_wait(machines: Machines) -> None:
    async with three(machines) as those:
        first, second, _ = those
        arrivals = [ReceivedUpdate(number, "{}", owner=number) for number in range(1, 10)]
        await first.inbox.store_and_get_new_ids(BOT, arrivals, NOW)
        assert [len(await replica.claims()) for replica in (first, first, second)] == [3, 0, 3]
        # The third may hang: what it leaves is not left for long.
        late = await first.work.claim_updates(BOT, limit=100, now=NOW + timedelta(seconds=3))
        assert len(late) == 3
        await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(10, "{}", owner=10)], NOW)
        assert [await replica.claims() for replica in those] == [[], [10], []]


async def test_the_work_of_one_that_died_is_taken_over_and_it_cannot_commit(machines: Machines) -> None:
    async with machines.opened("a") as first, machines.opened("b") as second:
        await first.inbox.store_and_get_new_ids(
            BOT, [ReceivedUpdate(1, "{}", owner=ANN), ReceivedUpdate(2, "{}", owner=ANN)], NOW
        )
        assert await first.claims() == [1, 2]
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        await first.says(ANN, "before", update_id=1)
        await first.inbox.mark_updates_done(BOT, [1], NOW)
        assert await second.claims() == []
        with pytest.raises(ServedElsewhere):
            await second.memory.get_config(ANN)
        machines.dies(first)
        assert await second.claims() == [2]
        for commit in (
            first.says(ANN, "from the grave", update_id=2),
            first.inbox.increment_and_get(BOT, 2, "sends"),
            first.memory.set_enabled(ANN, enabled=False),
            first.memory.forget(ANN, ForgetRequest(what="everything")),
        ):
            with pytest.raises(ServedElsewhere):
                await commit
        await first.inbox.mark_updates_done(BOT, [2], NOW)
        assert [update.update_id for update in await second.inbox.list_pending_updates(BOT)] == [2]
        await second.says(ANN, "after", update_id=2)
        async with second.memory.open_store_if_enabled(ANN) as store:
            assert store is not None
            assert [message.content for message in await store.timeline.read_page(Scope(owner=ANN))] == [
                "before",
                "after",
            ]
        # Once it has noticed, it serves others, and leaves this one alone.
        await machines.beats(first)
        assert not first.leases.is_serving(ANN)
        with pytest.raises(ServedElsewhere):
            await first.memory.get_config(ANN)


async def test_a_lease_whose_reply_was_lost_is_taken_again(machines: Machines) -> None:
    """Until then the process would handle updates under a lease of which it does not know."""
    async with laid(machines.url) as (behind, wire):
        machines.url = behind
        async with machines.opened("a") as alone:
            await alone.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
            wire.cuts = True
            with pytest.raises(StorageError):
                await alone.claims()
            assert not alone.leases.is_serving(ANN)
            [claimed] = await alone.work.claim_updates(BOT, limit=100, now=NOW)
            assert claimed.lease == alone.work.find_lease(ANN)


async def test_an_update_wakes_the_process_that_serves_its_owner(machines: Machines) -> None:
    """/stop, too, reaches the one that answers, wherever it came in."""
    async with machines.opened("a") as first, machines.opened("b") as second:
        await second.memory.get_config(ANN)
        second.leases.replica.called.clear()
        await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
        async with asyncio.timeout(30):
            await second.leases.replica.called.wait()
        assert await first.claims() == []
        assert await second.claims() == [1]


async def test_a_fold_that_died_with_its_process_holds_nobody_up(machines: Machines) -> None:
    async with machines.opened("a") as first, machines.opened("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        await first.says(ANN, "to be folded", update_id=1)
        scope = Scope(owner=ANN)
        async with first.memory.open_store_if_enabled(ANN) as store:
            assert store is not None
            [message] = await store.timeline.read_page(scope)
            begun = await lease(store, scope)
        machines.dies(first)
        async with second.memory.open_store_if_enabled(ANN) as taken_over:
            assert taken_over is not None
            summary = await fold(taken_over, scope, [message])
        plan = SummaryPlan(level=1, message_ids=(message.id,), reason="now")
        with pytest.raises(ServedElsewhere):
            await store.commit_summary(begun, plan, made(), now=NOW)
        async with second.memory.open_store_if_enabled(ANN) as taken_over:
            assert taken_over is not None
            assert [summary.id for summary in await taken_over.list_summaries(scope)] == [summary.id]


async def test_background_work_is_looked_for_where_the_owner_is_served(machines: Machines) -> None:
    async with machines.opened("a") as first, machines.opened("b") as second:
        for owner, machine in ((ANN, first), (BEN, second)):
            await machine.memory.configure(owner, storage=StorageType.POSTGRES, every_n=5)
            await machine.says(owner, "to be embedded", update_id=owner)
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


async def test_one_that_leaves_hands_its_work_over_at_once(machines: Machines) -> None:
    async with machines.opened("b") as second:
        async with machines.opened("a") as first:
            await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
            assert await first.claims() == [1]
            mine, others = first.work.make_polling_leader(BOT), second.work.make_polling_leader(BOT)
            for duty in (mine, others):
                await duty.try_to_become_leader()
            assert (mine.is_leader(), others.is_leader()) == (True, False)
        await others.try_to_become_leader()
        assert others.is_leader()
        assert await second.claims() == [1]


async def test_the_next_run_in_the_same_folder_need_not_wait(machines: Machines) -> None:
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(machines.opened("a"))
        await first.inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}", owner=ANN)], NOW)
        assert await first.claims() == [1]
        first.leases.replica.held.clear()  # killed: nothing is given back
    async with machines.opened("a") as again:
        [claimed] = await again.work.claim_updates(BOT, limit=9, now=NOW)
        assert (claimed.update_id, claimed.attempts) == (1, 1)


async def test_a_memory_in_files_is_served_where_the_files_are(machines: Machines) -> None:
    async with machines.opened("a") as first:
        await first.memory.configure(ANN, storage=StorageType.JSON, every_n=5)
        await first.says(ANN, "in a file", update_id=1)
    async with machines.opened("b") as second:
        await second.inbox.store_and_get_new_ids(
            BOT, [ReceivedUpdate(2, "{}", owner=ANN), ReceivedUpdate(3, "{}", owner=BEN)], NOW
        )
        assert await second.claims() == [3]
        with pytest.raises(ServedElsewhere):
            await second.memory.get_config(ANN)
        async with machines.opened("a") as first:
            assert await first.claims() == [2]
            await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        assert (await second.memory.count_messages(ANN)) == 1, "what has moved to the server is served by all"


async def test_what_one_process_left_half_forgotten_is_finished_before_anything_else(machines: Machines) -> None:
    async with machines.opened("a") as first, machines.opened("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        await first.says(ANN, "walrus", update_id=1)
        async with first.inbox.database.open_transaction(ANN) as tx:
            await tx.execute(
                "INSERT INTO forgettings (user_id, what, begun_at) VALUES (?, ?, ?)",
                ANN,
                '{"what": "everything", "ids": [], "since": null, "until": null, "with_quotes": false}',
                NOW.isoformat(),
            )
        machines.dies(first)
        assert await second.memory.count_messages(ANN) == 0


async def test_the_mark_of_a_forgetting_is_the_serving_process_s(machines: Machines) -> None:
    """One that was taken for dead does not drop the record of what another has still to finish."""
    async with machines.opened("a") as first, machines.opened("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        machines.dies(first)
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
        assert len(await unfinished(second.memory)) == 1
        await second.memory.overwrite_erased_data()
        assert await unfinished(second.memory) == []


async def test_a_budget_counts_what_a_person_spent_in_every_process(machines: Machines, tmp_path: Path) -> None:
    settings = {"database_url": Secret(machines.url), "daily_token_budget_per_user": 20}
    async with talking(tmp_path / "a", **settings) as first, talking(tmp_path / "b", **settings) as second:
        assert not (await second.say("Hello there.", person=BORIS)).is_error  # it has read the ledger
        assert not (await first.say("Hello there, how do you do?")).is_error
        in_a_group = replace(second.incoming("And how are you here?"), scope=Scope(owner=-5))
        assert "share of" in (await second.conversation.reply(in_a_group)).text


async def test_a_process_knows_whether_it_can_write(postgres_url: str, tmp_path: Path) -> None:
    url, name = new_database(postgres_url, "writable"), "writable"
    async with ExternalMemory.open(tmp_path / "a", clock=lambda: NOW, database_url=url) as memory:
        await memory.check_writable()
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
            ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
            connection.execute(ended, (name,))
        # As after a failover to a server that only reads.
        with pytest.raises(StorageError):
            await memory.check_writable()


async def test_a_folder_that_takes_nothing_is_not_writable(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with ExternalMemory.open(folder, clock=lambda: NOW) as memory:
        await memory.check_writable()
        assert not list(folder.glob(".probe-*"))
        folder.rename(tmp_path / "unmounted")
        with pytest.raises(StorageError):
            await memory.check_writable()
        (tmp_path / "unmounted").rename(folder)


async def test_a_message_to_everybody_goes_on_elsewhere_with_whom_a_paused_process_had_in_hand(
    machines: Machines,
) -> None:
    """It claims one person, is paused before it sends, and wakes when another process goes on."""
    async with machines.opened("a") as first, machines.opened("b") as second:
        assert await first.memory.select_served_owners([ANN]) == [ANN]
        require_lease_for_sending(first.work, ANN)
        await require_chat_lease()
        one = await first.memory.broadcasts.store_draft(ANN, "We move.", now=NOW)
        assert await first.memory.broadcasts.try_to_start(one, [BEN], receipt_id=1)
        [one] = await first.memory.broadcasts.list_broadcasts_in_progress()
        assert await first.memory.broadcasts.take_next_recipient_id(one) == BEN
        machines.dies(first)
        assert await second.memory.select_served_owners([ANN]) == [ANN]
        assert await second.memory.broadcasts.take_next_recipient_id(one) is None
        await machines.beats(first)
        with pytest.raises(ServedElsewhere):
            await require_chat_lease()
        with pytest.raises(ServedElsewhere):
            require_lease_for_sending(first.work, ANN)
        with pytest.raises(ServedElsewhere):
            await first.memory.broadcasts.record_outcome(one, BEN, "arrived")
        await first.memory.broadcasts.requeue_recipient(one, BEN)
        assert await second.memory.broadcasts.take_next_recipient_id(one) == BEN


async def test_an_owner_is_let_go_for_whom_another_process_asks_unless_something_is_under_way(
    machines: Machines,
) -> None:
    async with machines.opened("a") as first, machines.opened("b") as second:
        await first.memory.configure(ANN, storage=StorageType.POSTGRES, every_n=5)
        scope, busy, refused = Scope(owner=ANN), [ANN], asyncio.Event()

        async def lets_go() -> None:
            while first.leases.is_serving(ANN):
                await first.work.leases.replica.wait_for_work()
                if first.leases.replica.wanted:
                    await first.work.leases.release_requested_owners(busy)
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
                    folding = await lease(store, scope)
            assert await refuses(), "a fold is"
            async with first.memory.open_store(ANN) as store:
                await store.release_summary_lease(folding)
            await asking
        assert (first.leases.is_serving(ANN), second.leases.is_serving(ANN)) == (False, True)


async def test_an_owner_who_is_busy_elsewhere_is_not_waited_for_without_end(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.bot_state.postgres_leases.RELEASE_POLL_SECONDS", 0)
    async with machines.opened("a") as first, machines.opened("b") as second:
        await first.memory.set_enabled(ANN, enabled=True)
        with pytest.raises(ServedElsewhere):
            async with second.memory.hold_owner_lease(ANN):
                pass
