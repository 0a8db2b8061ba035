"""What is said while nothing is to be stored stays unstored, whatever its owner chooses before it is answered."""

import pytest

from tests.end_to_end.harness import ANSWERS, HANGS, LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECRET = "The heliotrope is in the cellar"
CHOICES = {
    "incognito": ("/incognito on", "is on", "/incognito off", "is off"),
    "off": ("/summary_off", "Memory is off", "/summary_on", "Memory is on"),
}


def in_files(house: LocalServers, folder: str) -> list[str]:
    return house.memory_in(folder).files_with("heliotrope")


@pytest.mark.parametrize(("storage", "choice"), [("SQLite", "incognito"), ("JSON", "off")])
async def test_what_waited_behind_a_slow_answer(house: LocalServers, storage: str, choice: str) -> None:
    ann, folder = house.person(), f"waited-{storage}-{choice}"
    begin, begun, end, ended = CHOICES[choice]
    held = house.model.held
    async with house.bot(DATA_DIR=folder, FACTS="off") as process:
        await ann.sets_up(storage)
        house.model.script(ANSWERS, HANGS)
        since = ann.now
        ann.says("A long question")
        await house.model.until_held(held + 1)
        await ann.asks(begin, begun)
        house.model.script(ANSWERS, "Well hidden.")
        ann.says(SECRET)
        await ann.asks(end, ended)
        await house.model.release()
        answer = await ann.hears("Well hidden.", since=since)
        assert answer["text"].startswith("🕶") is (choice == "incognito")
        await ann.asks("And now?", "Noted.")
        assert SECRET not in str(house.chat_requests()[-1])
        assert await process.terminate() == 0
    assert in_files(house, folder) == []
    assert house.memory_in(folder).files_with("And now?")


async def test_what_was_said_before_memory_was_first_turned_on(house: LocalServers) -> None:
    ann = house.person()
    held = house.model.held
    async with house.bot(DATA_DIR="first", FACTS="off") as process:
        house.model.script(ANSWERS, HANGS)
        since = ann.now
        ann.says("A long question")
        await house.model.until_held(held + 1)
        house.model.script(ANSWERS, "Well hidden.")
        ann.says(SECRET)
        await ann.sets_up()
        await house.model.release()
        await ann.hears("Well hidden.", since=since)
        assert await process.terminate() == 0
    assert in_files(house, "first") == []


@pytest.mark.parametrize("choice", CHOICES)
async def test_what_the_next_run_answers(house: LocalServers, choice: str) -> None:
    ann, folder = house.person(), f"next-{choice}"
    begin, begun, end, ended = CHOICES[choice]
    held = house.model.held
    async with house.bot(DATA_DIR=folder, FACTS="off") as process:
        await ann.sets_up()
        await ann.asks(begin, begun)
        house.model.script(ANSWERS, HANGS)
        since = ann.now
        ann.says(SECRET)
        await house.model.until_held(held + 1)
        await ann.asks(end, ended)
        await process.kill()
    house.model.script(ANSWERS, "Well hidden.")
    async with house.bot(DATA_DIR=folder, FACTS="off") as process:
        await ann.hears("Well hidden.", since=since)
        await ann.asks("And now?", "Noted.")
        assert await process.terminate() == 0
    assert in_files(house, folder) == []
