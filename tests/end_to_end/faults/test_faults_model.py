"""A model that fails, in chat and in folding: a sentence, a number that the log has too, and nothing lost."""

from collections.abc import Iterator

import pytest

from reliability.invariants import find_violations
from tests.end_to_end.harness import ANSWERS, SUMMARIES, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour
from tests.peers.ports import kept_port

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAULTS = {
    "connection lost": (3, Behaviour(drop="start")),
    "hang": (1, Behaviour(text="Too late.", hold="start")),
    "hang in the middle": (1, Behaviour(text="Half of it is", hold="middle")),
    "429": (4, Behaviour(status=429)),
    "429 with a long retry-after": (1, Behaviour(status=429, retry_after="120")),
    "429 with a short retry-after": (3, Behaviour(status=429, retry_after="0")),
    "500": (4, Behaviour(status=500)),
    "context too long, twice": (4, Behaviour(status=400, code="context_length_exceeded")),
    "cut in the middle": (3, Behaviour(text="Half of it is", drop="middle")),
    "malformed JSON": (3, Behaviour(text="Half of it is", raw="{this is not JSON")),
    "empty choices": (4, Behaviour(empty_choices=True)),
    "empty text": (4, Behaviour(text="")),
    "refusal": (1, Behaviour(refusal="I will not talk of that.")),
}
PASSING = {
    "429": Behaviour(status=429, retry_after="0"),
    "500": Behaviour(status=500),
    "connection lost": Behaviour(drop="start"),
    "context too long": Behaviour(status=400, code="context_length_exceeded"),
}


def patience(behaviour: Behaviour) -> str:
    """MODEL_TIMEOUT: short only where the model is silent, since a busy machine may be for seconds."""
    return "4" if behaviour.hold else "60"


def check(house: LocalServers, ann: Member, said: list[str]) -> None:
    """What the owner said is stored once, in order; everything that must hold in the files holds."""
    files = house.memory.files()
    found = find_violations(files)
    assert not found, found
    assert [row["content"] for row in files.get_owner_rows(ann.owner).messages if row["role"] == "user"] == said


async def check_number(text: str, process: Process) -> None:
    """Exactly one line of the log has the number that a person was told."""
    number = text.rpartition("(error ")[2].rstrip(")")
    assert len(number) == 8, text
    await process.logged(f"[{number}]")
    assert process.text().count(f"[{number}]") == 1


@pytest.mark.parametrize("fault", FAULTS)
async def test_in_chat_a_sentence_says_what_happened_and_the_message_is_kept(house: LocalServers, fault: str) -> None:
    times, behaviour = FAULTS[fault]
    ann = house.person()
    async with house.bot(MODEL_TIMEOUT=patience(behaviour)) as process:
        await ann.sets_up()
        house.model.script(ANSWERS, *[behaviour] * times)
        told = await ann.asks("Remember the kohlrabi", "could not answer")
        await check_number(told, process)
        assert "is kept" in told
        house.model.unscript(ANSWERS)
        assert await ann.asks("And now?", "Noted.")
        # A message that the model declined stays in memory, and out of later prompts.
        assert ("kohlrabi" in str(house.chat_requests()[-1])) == (fault != "refusal")
        check(house, ann, ["Remember the kohlrabi", "And now?"])
    assert "Half of it" not in str(house.memory.files().get_owner_rows(ann.owner)), (
        "what is not whole is stored as no answer"
    )


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An endpoint where nobody listens."""
    with kept_port() as port:
        yield f"http://127.0.0.1:{port}/v1"


async def test_where_nobody_listens_the_message_is_kept(house: LocalServers, nowhere: str) -> None:
    ann = house.person()
    async with house.bot(OPENAI_BASE_URL=nowhere) as process:
        await ann.sets_up()
        told = await ann.asks("Remember the kohlrabi", "could not answer")
        assert "The model cannot be reached" in told
        await check_number(told, process)
        check(house, ann, ["Remember the kohlrabi"])


@pytest.mark.parametrize("fault", PASSING)
async def test_what_passes_is_overcome_without_a_word(house: LocalServers, fault: str) -> None:
    ann = house.person()
    async with house.bot():
        await ann.sets_up()
        house.model.script(ANSWERS, PASSING[fault])
        since = ann.now
        assert await ann.asks("Hello", "Noted.")
        assert len(ann.heard(since=since)) == 1
        check(house, ann, ["Hello"])


@pytest.mark.parametrize("fault", FAULTS)
async def test_in_folding_nothing_is_archived_and_the_owner_is_told_once(house: LocalServers, fault: str) -> None:
    _, behaviour = FAULTS[fault]
    ann = house.person()
    async with house.bot(MODEL_TIMEOUT=patience(behaviour)) as process:
        await ann.sets_up(every_n=1)
        house.model.default(SUMMARIES, behaviour)
        since = ann.now
        await ann.asks("One", "Noted.")
        told = await ann.hears("could not summarise", since=since)
        await check_number(told["text"], process)
        assert "Nothing is lost" in told["text"]
        assert all(row["is_active"] for row in house.memory.files().get_owner_rows(ann.owner).messages)
        house.model.default(SUMMARIES, "They talked.")
        logged = process.log.last
        await ann.asks("Two", "Noted.")
        await process.logged("summarized messages", since=logged)
        assert len([message for message in ann.heard(since=since) if "could not summarise" in message["text"]]) == 1
        check(house, ann, ["One", "Two"])


async def test_where_nobody_listens_nothing_is_archived(house: LocalServers, nowhere: str) -> None:
    ann = house.person()
    async with house.bot():
        await ann.sets_up()
        await ann.asks("One", "Noted.")
    async with house.bot(OPENAI_BASE_URL=nowhere):
        failed = await ann.tells("/summary_now", "The model cannot be reached")
        assert "Nothing was lost" in failed["text"]
        assert all(row["is_active"] for row in house.memory.files().get_owner_rows(ann.owner).messages)
    async with house.bot():
        since = ann.now
        ann.press(failed, "Try again")
        await ann.hears("Summarised: 1 summary made", since=since)
        check(house, ann, ["One"])
