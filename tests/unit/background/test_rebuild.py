"""Tests of rebuilding all summaries. The old ones are used until the new ones are complete."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from background.rebuild import Rebuilder, RebuildProgress
from locales.catalog import tr
from records.errors import StaleSummary
from records.facts import FactChange, NewFact
from records.forgetting import ForgetRequest
from records.messages import Message, MessageOutline, NewMessage
from records.owners import Policy, StorageType
from records.scopes import Scope
from records.summaries import Summary
from tests.peers.openai_server import Behaviour
from tests.support.stepping import wait_for_background_tasks
from tests.support.storages import FILE_STORAGES
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.chat.test_forgetting import find_traces

SCOPE = Scope(owner=ANNA.id)
OLD, NEW = "They talked about animals.", "They talked about beasts."


TURNS = 20


@pytest.fixture(scope="module")
def recorded_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[StorageType, Path]:
    """Record twenty turns in each file storage, and return the folders, which are copied for each test.

    The pyramid folds six chunks of three turns. The last two turns stay unfolded.
    """

    async def held(storage: StorageType) -> Path:
        folder = tmp_path_factory.mktemp("told")
        async with open_chat_harness(folder) as talk:
            talk.server.set_default_answer("summary-model", OLD)
            await talk.turn_on_memory(every_n=3, storage=storage)
            for number in range(TURNS):
                await talk.run_turn(f"Animal {number}.")
        return folder

    return {storage: asyncio.run(held(storage)) for storage in FILE_STORAGES}


@pytest.fixture
def folder(tmp_path: Path, recorded_folders: dict[StorageType, Path], storage: StorageType) -> Path:
    return Path(shutil.copytree(recorded_folders[storage], tmp_path / "data"))


@pytest.fixture
async def talk(folder: Path) -> AsyncIterator[ChatHarness]:
    async with resume_talk(folder) as talk:
        yield talk


@asynccontextmanager
async def resume_talk(folder: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(folder) as talk:
        talk.server.set_default_answer("summary-model", NEW)
        talk.updates = count(TURNS + 1)
        talk.moment[0] += TURNS * timedelta(seconds=30)
        yield talk


async def choose(talk: ChatHarness, policy: Policy, every_n: int = 3) -> None:
    await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, policy=policy, every_n=every_n))


async def list_messages(talk: ChatHarness) -> list[Message]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.timeline.read_page(SCOPE, limit=10_000)


async def list_summaries(talk: ChatHarness) -> list[Summary]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return await store.list_summaries(SCOPE, active_only=False)


async def rebuild(talk: ChatHarness) -> tuple[RebuildProgress, list[RebuildProgress]]:
    heard: list[RebuildProgress] = []

    async def tell(progress: RebuildProgress) -> None:
        heard.append(progress)

    return await talk.services.rebuilder.rebuild_summaries(SCOPE, tell), heard


def assert_consistent(messages: list[Message], made: list[Summary], before: list[Message]) -> None:
    by_id = {summary.id: summary for summary in made}
    assert [(message.id, message.content, message.is_active) for message in messages] == [
        (message.id, message.content, message.is_active) for message in before
    ]
    assert all(message.chunk_id in by_id for message in messages if not message.is_active)
    for summary in made:
        assert {*summary.source_ids, *summary.source_chunk_ids} <= by_id.keys()
        assert all(not by_id[source].is_active for source in summary.source_ids)


async def test_rebuilds_pyramid_with_changed_threshold(talk: ChatHarness) -> None:
    before = await list_messages(talk)
    old = await list_summaries(talk)
    await choose(talk, "pyramid", every_n=2)
    outcome, heard = await rebuild(talk)
    assert (outcome.state, outcome.summaries) == ("done", 10)
    assert [(progress.done, progress.total) for progress in heard] == [(number, 9) for number in range(9)]
    made = await list_summaries(talk)
    assert_consistent(await list_messages(talk), made, before)
    assert {summary.text for summary in made} == {NEW}
    assert min(summary.id for summary in made) > max(summary.id for summary in old)
    assert {summary.level: summary.message_count for summary in made if summary.is_active} == {1: 4, 2: 20}
    assert sum(summary.message_count for summary in made if summary.is_active) == 36
    assert [summary.reason for summary in made] == ["rebuild"] * 10
    top = next(summary for summary in made if summary.level == 2)
    assert (top.first_id, top.last_id, len(top.source_chunk_ids), top.details["compressed"]) == (1, 20, 5, 2)
    assert max(summary.compression_count for summary in await talk.services.summaries.list_active_summaries(SCOPE)) == 2


async def add_corrected_fact(talk: ChatHarness, said: Message) -> None:
    """Add a fact learned from this message, and a later fact that replaced it."""
    async with talk.services.memory.open_store(ANNA.id) as store:
        learned, messages = await store.facts.read_learned_id_and_next(SCOPE, 100)
        until = messages[-1].id if messages else learned
        known: tuple[int, ...] = ()
        for text in ("The animal was born on 5 June.", "The animal was born on 9 July."):
            fact = NewFact(
                text=text,
                kind="event",
                subject="animal",
                source_ids=(said.id,) if not known else (),
                observed_at=said.created_at + timedelta(days=len(known)),
                valid_from=said.created_at + timedelta(days=len(known)),
                origin="owner" if known else "",
            )
            [made] = await store.facts.commit_changes(
                SCOPE,
                [FactChange(fact=fact, closes=known)],
                source_messages=messages,
                last_learned_id=learned,
                new_last_learned_id=until,
                now=talk.moment[0],
            )
            known, messages, learned = (made.id,), [], until


async def test_rebuild_names_later_correction_at_every_level(talk: ChatHarness) -> None:
    await add_corrected_fact(talk, (await list_messages(talk))[0])
    outcome, _ = await rebuild(talk)
    assert outcome.state == "done"
    named = [text for text in talk.list_prompts("summary-model") if "- The animal was born on 5 June." in text]
    assert [("<conversation>" in text, "<summaries>" in text) for text in named] == [(True, False), (False, True)]
    assert not [text for text in talk.list_prompts("summary-model") if "9 July" in text], (
        "no summary has a foreign source"
    )


@pytest.mark.parametrize(("policy", "place", "named"), [("rolling", 0, 3), ("sliding", 30, 1), ("sliding", 0, 0)])
async def test_rebuild_names_later_correction_under_each_policy(
    talk: ChatHarness, monkeypatch: pytest.MonkeyPatch, policy: Policy, place: int, named: int
) -> None:
    """A rolling summary covers all messages from the first one on, but a sliding summary covers only its window."""
    monkeypatch.setattr("summaries.rolling.REBUILD_TURNS", 8)
    await choose(talk, policy)
    await add_corrected_fact(talk, (await list_messages(talk))[place])
    assert (await rebuild(talk))[0].state == "done"
    told = [text for text in talk.list_prompts("summary-model") if "- The animal was born on 5 June." in text]
    assert len(told) == named
    assert not [text for text in talk.list_prompts("summary-model") if "9 July" in text]


async def test_fold_prompt_names_later_correction(talk: ChatHarness) -> None:
    await add_corrected_fact(talk, (await list_messages(talk))[-1])
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
    assert [text for text in talk.list_prompts("summary-model") if "- The animal was born on 5 June." in text]


async def test_rebuilds_rolling_summaries_as_chain(talk: ChatHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summaries.rolling.REBUILD_TURNS", 8)
    before = await list_messages(talk)
    await choose(talk, "rolling")
    assert (await rebuild(talk))[0].state == "done"
    made = await list_summaries(talk)
    assert_consistent(await list_messages(talk), made, before)
    assert [(summary.base_id, summary.source_ids, summary.message_count) for summary in made] == [
        (None, (), 16),
        (made[0].id, (made[0].id,), 32),
        (made[1].id, (made[1].id,), 36),
    ]
    (live,) = [summary for summary in made if summary.is_active]
    assert (live.first_id, live.last_id, live.message_count, live.policy) == (1, 36, 36, "rolling")
    for number in range(20, 26):
        await talk.run_turn(f"Animal {number}.")
    (live,) = await talk.services.summaries.list_active_summaries(SCOPE)
    assert live.base_id is not None


async def test_rebuilds_sliding_summary_for_window_only(talk: ChatHarness) -> None:
    before = await list_messages(talk)
    await choose(talk, "sliding")
    assert (await rebuild(talk))[0].state == "done"
    (made,) = await list_summaries(talk)
    assert_consistent(await list_messages(talk), [made], before)
    assert (made.first_id, made.last_id, made.message_count) == (23, 36, 14)
    (prompt,) = talk.list_prompts("summary-model")
    assert "Animal 10." not in prompt
    assert "Animal 11." in prompt


async def test_old_summaries_are_used_until_rebuild_completes(talk: ChatHarness) -> None:
    talk.server.set_default_answer("summary-model", Behaviour(hold="start", text=NEW))
    running = asyncio.create_task(rebuild(talk))
    await talk.server.wait_until_held()
    assert {summary.text for summary in await talk.services.summaries.list_active_summaries(SCOPE)} == {OLD}
    status = await talk.services.summaries.read_status(SCOPE)
    assert status.rebuilding == (0, 6)
    reply = await talk.say("And now?")
    assert reply.context is not None
    assert {summary.text for summary in reply.context.summaries} == {OLD}
    assert (await rebuild(talk))[0].state == "busy"
    await talk.conversation.run_post_turn_tasks(SCOPE)
    talk.server.set_default_answer("summary-model", NEW)
    await talk.server.release(20)
    assert (await running)[0].state == "done"
    assert {summary.text for summary in await talk.services.summaries.list_active_summaries(SCOPE)} == {NEW}
    assert (await talk.services.summaries.read_status(SCOPE)).rebuilding is None


async def test_failed_rebuild_keeps_old_summaries(talk: ChatHarness) -> None:
    old = await list_summaries(talk)
    talk.server.script("summary-model", NEW, Behaviour(status=401))
    outcome, _ = await rebuild(talk)
    assert outcome.state == "failed"
    assert outcome.error
    assert await list_summaries(talk) == old
    assert (await rebuild(talk))[0].state == "done", "and its lease is free"


async def test_chunk_refused_by_model_is_summarized_extractively(talk: ChatHarness) -> None:
    talk.server.script("summary-model", *["I'm sorry, I can't help with that."] * 2)
    assert (await rebuild(talk))[0].state == "done"
    assert [version.model for version in await list_summaries(talk)].count("extractive") == 1


async def test_rebuild_fails_if_memory_moves_meanwhile(talk: ChatHarness) -> None:
    config = await talk.services.memory.get_config(ANNA.id)
    assert config is not None
    talk.server.script("summary-model", Behaviour(hold="start", text=NEW))
    running = asyncio.create_task(rebuild(talk))
    await talk.server.wait_until_held()
    other = next(kind for kind in FILE_STORAGES if kind is not config.storage)
    await talk.turn_on_memory(every_n=3, storage=other)
    await talk.server.release()
    assert (await running)[0] == RebuildProgress(state="failed", error=tr("errors-changed-meanwhile"))
    assert {version.text for version in await list_summaries(talk)} == {OLD}


async def test_committing_rebuild_fails_if_message_was_forgotten_meanwhile(talk: ChatHarness) -> None:
    """The store checks the read messages again and rejects the rebuild if one of them is gone."""
    old = await list_summaries(talk)
    now = talk.moment[0]
    async with talk.services.memory.open_store(ANNA.id) as store:
        outline = await store.rebuilds.read_outlines(SCOPE)
        lease = await store.acquire_summary_lease(SCOPE, "rebuild", now=now, duration=timedelta(minutes=5))
        assert lease is not None
        gone = [*outline, MessageOutline(id=999, turn=999, is_user=True)]
        with pytest.raises(StaleSummary):
            await store.rebuilds.commit_rebuild(lease, [], gone, since=now, now=now)
        await store.release_summary_lease(lease)
    assert await list_summaries(talk) == old


async def test_rebuild_does_nothing_without_summaries_or_with_memory_off(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=30)
        await talk.run_turn("One point.")
        assert (await rebuild(talk))[0].state == "nothing"
        await talk.services.memory.set_enabled(ANNA.id, enabled=False)
        assert (await rebuild(talk))[0].state == "nothing"


async def test_rebuild_summarizes_imported_history(talk: ChatHarness) -> None:
    """After a rebuild, each archived message is covered by a summary made from it."""
    async with talk.services.memory.open_store(ANNA.id) as store:
        drafts = [NewMessage(role="user", content="Late news.", created_at=talk.moment[0], origin="imported")]
        await store.append_messages(SCOPE, drafts)
    await talk.services.summaries.fold(SCOPE, "now")
    talk.server.requests.clear()
    assert (await rebuild(talk))[0].state == "done"
    assert any("Late news." in prompt for prompt in talk.list_prompts("summary-model"))


async def test_rebuild_interrupted_by_shutdown_is_restarted_once(folder: Path) -> None:
    async with resume_talk(folder) as talk:
        talk.server.set_default_answer("summary-model", Behaviour(hold="start", text=NEW))
        talk.services.rebuilder.start_rebuild(SCOPE, ignore_progress)
        await talk.server.wait_until_held()
    async with open_chat_harness(folder) as talk:
        await wait_for_background_tasks(Rebuilder)
        assert {version.text for version in await list_summaries(talk)} == {"The user talked about several things."}
    async with open_chat_harness(folder) as talk:
        assert (await talk.services.summaries.read_status(SCOPE)).rebuilding is None
        assert not talk.server.list_requests("summary-model"), "once is enough"


async def test_interrupted_rebuild_reuses_finished_summaries(folder: Path) -> None:
    async with resume_talk(folder) as talk:
        talk.server.script("summary-model", NEW, NEW, Behaviour(hold="start", text=NEW))
        talk.services.rebuilder.start_rebuild(SCOPE, ignore_progress)
        await talk.server.wait_until_held()
    async with open_chat_harness(folder) as talk:
        await wait_for_background_tasks(Rebuilder)
        assert [version.text for version in await list_summaries(talk)].count(NEW) == 2
        # 6 chunks and what stands above five of them, less the two that were there.
        assert len(talk.server.list_requests("summary-model")) == len(await list_summaries(talk)) - 2


async def test_forgetting_erases_kept_parts_of_failed_rebuild(folder: Path) -> None:
    async with resume_talk(folder) as talk:
        talk.server.script("summary-model", "They spoke of Animal heliotrope.", Behaviour(status=401))
        await talk.services.memory.change_config(ANNA.id, lambda known: replace(known, every_n=9))
        assert (await rebuild(talk))[0].state == "failed"
        assert find_traces(folder, ["heliotrope"])
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="messages", ids=(1, 2)))
        assert find_traces(folder, ["heliotrope"]) == []


async def ignore_progress(progress: RebuildProgress) -> None:
    """Ignore the progress of a rebuild."""


async def correct_summary(talk: ChatHarness, number: int, text: str) -> None:
    assert await talk.services.rebuilder.correct_summary(SCOPE, number, text) == "corrected"
    await wait_for_background_tasks(Rebuilder)


async def test_correcting_summary_rebuilds_only_higher_summaries(talk: ChatHarness) -> None:
    below = next(version for version in await list_summaries(talk) if version.level == 1 and not version.is_active)
    await correct_summary(talk, below.id, "They talked about the zoo in Basel.")
    made = {version.id: version for version in await list_summaries(talk)}
    assert made[below.id].text == "They talked about the zoo in Basel."
    above = [summary for summary in made.values() if below.id in summary.source_ids]
    assert {summary.text for summary in above} == {NEW}
    asked = next(request for request in reversed(talk.server.requests) if "zoo in Basel" in json.dumps(request.body))
    assert "summary-model" in json.dumps(asked.body)
    untouched = [
        summary for summary in made.values() if summary.id != below.id and summary.id not in {each.id for each in above}
    ]
    assert {summary.text for summary in untouched} == {OLD}


@pytest.mark.parametrize("every_n", [3, 2])
async def test_summary_correction_survives_rebuild(talk: ChatHarness, every_n: int) -> None:
    """If the chunks stay the same, the correction is kept verbatim. Otherwise the model is told to keep to it."""
    below = next(version for version in await list_summaries(talk) if version.level == 1)
    await correct_summary(talk, below.id, "They talked about the zoo in Basel.")
    await choose(talk, "pyramid", every_n=every_n)
    for _ in range(2):
        talk.server.requests.clear()
        assert (await rebuild(talk))[0].state == "done"
        made = await list_summaries(talk)
        if every_n == 3:
            assert "They talked about the zoo in Basel." in {summary.text for summary in made}
        else:
            assert any("zoo in Basel" in json.dumps(request.body) for request in talk.server.requests)
        assert any(summary.correction for summary in made)


async def test_correcting_summary_reports_busy_or_gone(talk: ChatHarness) -> None:
    below = (await list_summaries(talk))[0]
    async with talk.services.memory.open_store(ANNA.id) as store:
        lease = await store.acquire_summary_lease(SCOPE, "now", now=talk.moment[0], duration=timedelta(minutes=1))
        assert await talk.services.rebuilder.correct_summary(SCOPE, below.id, "Nothing.") == "busy"
        assert lease is not None
        await store.release_summary_lease(lease)
    assert await talk.services.rebuilder.correct_summary(SCOPE, 99_999, "Nothing.") == "gone"


async def test_summary_correction_survives_failed_rebuild_of_higher_summaries(talk: ChatHarness) -> None:
    below = next(version for version in await list_summaries(talk) if version.level == 1 and not version.is_active)
    talk.server.set_default_answer("summary-model", Behaviour(status=500))
    await correct_summary(talk, below.id, "They talked about the zoo in Basel.")
    assert "They talked about the zoo in Basel." in {version.text for version in await list_summaries(talk)}
    async with talk.services.memory.open_store(ANNA.id) as store:  # and no lease stays behind
        assert (
            await store.acquire_summary_lease(SCOPE, "now", now=talk.moment[0], duration=timedelta(minutes=1))
            is not None
        )
