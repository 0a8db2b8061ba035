"""A value that is read during a change is never cached as current."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from records.owners import KnownPerson
from records.scopes import Scope
from tests.support.stepping import run_with_interruption
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

PLACE = Scope(owner=ANNA.id)
MAX_STEPS = 60


async def write_with_reader_at_each_step(
    write: Callable[[], Awaitable[object]], read: Callable[[], Awaitable[object]], check: Callable[[], Awaitable[None]]
) -> None:
    """Write repeatedly, each time with a read one step later, and call `check` after each write."""

    async def work() -> None:
        await write()

    for number in range(1, MAX_STEPS):
        was_reached = await run_with_interruption(work, number, read)
        await check()
        if not was_reached:
            assert number > 1
            return
    raise AssertionError("it has more steps than expected")


async def say_hello_if_empty(talk: ChatHarness, scope: Scope) -> None:
    async with talk.services.memory.open_store(ANNA.id) as store:
        if not (await store.count_messages_and_summaries(scope)).total:
            await talk.services.conversation.reply(talk.make_user_message("Hello.", thread=scope.thread))


async def test_begun_conversation_stays_open_despite_concurrent_reads(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        memory = talk.services.memory

        async def begin() -> None:
            await say_hello_if_empty(talk, await memory.find_open_conversation_or_chat_scope(PLACE))
            begun.append(await memory.begin_conversation(PLACE))

        async def check() -> None:
            assert await memory.find_open_conversation_or_chat_scope(PLACE) == begun[-1]

        begun = list[Scope]()
        await write_with_reader_at_each_step(begin, lambda: memory.find_open_conversation_or_chat_scope(PLACE), check)


async def test_opened_conversation_stays_open_despite_concurrent_reads(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        memory = talk.services.memory
        await say_hello_if_empty(talk, PLACE)
        other = await memory.begin_conversation(PLACE)
        await say_hello_if_empty(talk, other)
        wanted = [other]

        async def open_other() -> None:
            wanted.append(PLACE if wanted[-1] == other else other)
            assert await memory.open_conversation_if_exists(PLACE, wanted[-1])

        async def check() -> None:
            assert await memory.find_open_conversation_or_chat_scope(PLACE) == wanted[-1]

        await write_with_reader_at_each_step(
            open_other, lambda: memory.find_open_conversation_or_chat_scope(PLACE), check
        )


async def test_concurrent_reload_keeps_latest_access_status(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        people, now = talk.services.memory.people, talk.moment[0]
        standing = ["removed"]

        async def decide() -> None:
            standing.append("allowed" if standing[-1] == "removed" else "removed")
            one = KnownPerson(id=8, standing=standing[-1], name="Boris", language="en")  # type: ignore[arg-type]
            await people.try_to_set_status(one, admin_id=7, now=now + timedelta(seconds=len(standing)))

        async def load() -> None:
            await people.load_people()

        async def check() -> None:
            assert people.get_access_status(8) == standing[-1]

        await write_with_reader_at_each_step(decide, people.load_people, check)
        await write_with_reader_at_each_step(load, decide, check)
