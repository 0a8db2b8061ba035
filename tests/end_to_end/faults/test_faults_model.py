"""Model failures in chat and in folding: they are reported with a logged number, and nothing is lost."""

from collections.abc import Iterator

import pytest

from reliability.invariants import find_violations
from tests.end_to_end.harness import ANSWERS, SUMMARIES, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour
from tests.peers.ports import reserve_port

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAULTS = {
    "connection lost": (4, Behaviour(drop="start")),
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
    """Return MODEL_TIMEOUT in seconds: short only if the model hangs, because a busy machine may pause for seconds."""
    return "4" if behaviour.hold else "60"


def check(servers: LocalServers, ann: Member, said: list[str]) -> None:
    """Check that the owner's messages are stored once, in order, and that all invariants hold."""
    files = servers.memory.read_state()
    found = find_violations(files)
    assert not found, found
    assert [row["content"] for row in files.get_owner_rows(ann.owner).messages if row["role"] == "user"] == said


async def check_number(text: str, process: Process) -> None:
    """Check that exactly one log line has the error number that the user was shown."""
    number = text.rpartition("(error ")[2].rstrip(")")
    assert len(number) == 8, text
    await process.wait_for_log_line(f"[{number}]")
    assert process.get_log_text().count(f"[{number}]") == 1


@pytest.mark.parametrize("fault", FAULTS)
async def test_model_failure_in_chat_is_reported_and_keeps_message(servers: LocalServers, fault: str) -> None:
    times, behaviour = FAULTS[fault]
    ann = servers.add_person()
    async with servers.run_bot(MODEL_TIMEOUT=patience(behaviour)) as process:
        await ann.set_up_memory()
        servers.model.script(ANSWERS, *[behaviour] * times)
        told = await ann.ask("Remember the kohlrabi", "could not answer")
        await check_number(told, process)
        assert "is kept" in told
        servers.model.unscript(ANSWERS)
        assert await ann.ask("And now?", "Noted.")
        # A message that the model declined stays in memory, and out of later prompts.
        assert ("kohlrabi" in str(servers.list_chat_requests()[-1])) == (fault != "refusal")
        check(servers, ann, ["Remember the kohlrabi", "And now?"])
    assert "Half of it" not in str(servers.memory.read_state().get_owner_rows(ann.owner)), (
        "what is not whole is stored as no answer"
    )


@pytest.fixture
def nowhere() -> Iterator[str]:
    """Yield the URL of an endpoint where nothing listens."""
    with reserve_port() as port:
        yield f"http://127.0.0.1:{port}/v1"


async def test_unreachable_model_is_reported_and_message_is_kept(servers: LocalServers, nowhere: str) -> None:
    ann = servers.add_person()
    async with servers.run_bot(OPENAI_BASE_URL=nowhere) as process:
        await ann.set_up_memory()
        told = await ann.ask("Remember the kohlrabi", "could not answer")
        assert "The model cannot be reached" in told
        await check_number(told, process)
        check(servers, ann, ["Remember the kohlrabi"])


@pytest.mark.parametrize("fault", PASSING)
async def test_transient_model_failure_is_retried_silently(servers: LocalServers, fault: str) -> None:
    ann = servers.add_person()
    async with servers.run_bot():
        await ann.set_up_memory()
        servers.model.script(ANSWERS, PASSING[fault])
        since = ann.last_event
        assert await ann.ask("Hello", "Noted.")
        assert len(ann.list_bot_messages(since=since)) == 1
        check(servers, ann, ["Hello"])


@pytest.mark.parametrize("fault", FAULTS)
async def test_model_failure_during_fold_archives_nothing_and_is_reported_once(
    servers: LocalServers, fault: str
) -> None:
    _, behaviour = FAULTS[fault]
    ann = servers.add_person()
    async with servers.run_bot(MODEL_TIMEOUT=patience(behaviour)) as process:
        await ann.set_up_memory(every_n=1)
        servers.model.set_default_answer(SUMMARIES, behaviour)
        since = ann.last_event
        await ann.ask("One", "Noted.")
        told = await ann.wait_for_message("could not summarise", since=since)
        await check_number(told["text"], process)
        assert "Nothing is lost" in told["text"]
        assert all(row["is_active"] for row in servers.memory.read_state().get_owner_rows(ann.owner).messages)
        servers.model.set_default_answer(SUMMARIES, "They talked.")
        logged = process.log.last
        await ann.ask("Two", "Noted.")
        await process.wait_for_log_line("summarized messages", since=logged)
        assert (
            len([message for message in ann.list_bot_messages(since=since) if "could not summarise" in message["text"]])
            == 1
        )
        check(servers, ann, ["One", "Two"])


async def test_summary_now_with_unreachable_model_archives_nothing_until_retried(
    servers: LocalServers, nowhere: str
) -> None:
    ann = servers.add_person()
    async with servers.run_bot():
        await ann.set_up_memory()
        await ann.ask("One", "Noted.")
    async with servers.run_bot(OPENAI_BASE_URL=nowhere):
        failed = await ann.ask_for_message("/summary_now", "The model cannot be reached")
        assert "Nothing was lost" in failed["text"]
        assert all(row["is_active"] for row in servers.memory.read_state().get_owner_rows(ann.owner).messages)
    async with servers.run_bot():
        since = ann.last_event
        ann.press_button(failed, "Try again")
        await ann.wait_for_message("Summarised: 1 summary made", since=since)
        check(servers, ann, ["One"])
