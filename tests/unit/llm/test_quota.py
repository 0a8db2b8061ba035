"""Daily token budgets are checked before a request, charged after it, and survive restarts."""

import asyncio
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from llm.quota import charge_tokens_to_speaker
from records.errors import QuotaExceeded, StorageError
from records.forgetting import ForgetRequest
from records.model_calls import PromptMessage, Usage
from records.scopes import Scope
from storage.bot_state.usage import FORGOTTEN, KEPT_DAYS, UsageLedger
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, BORIS, ChatHarness, open_chat_harness


async def read_tokens_by_spender(talk: ChatHarness) -> dict[int, int]:
    """Return the tokens used today by spender id, as stored in the ledger."""
    found = await talk.services.memory.usage.read_usage_of_day_by_spender(talk.moment[0].date())
    return {spender: used.prompt + used.completion for spender, used in found.items()}


async def test_exhausted_personal_budget_blocks_model_and_names_reset_time(tmp_path: Path) -> None:
    async with open_chat_harness(
        tmp_path, daily_token_budget_per_user=100, system_prompt="You are a friendly assistant."
    ) as talk:
        await talk.turn_on_memory()
        while not (reply := await talk.say("A word about walruses.")).is_error:
            assert (await read_tokens_by_spender(talk))[ANNA.id] < 200
        asked = len(talk.server.requests)
        assert "The next one begins in 15 hours." in reply.text
        assert "Your message is kept." in reply.text
        assert (await talk.say("And this?")).is_error
        assert len(talk.server.requests) == asked
        assert not (await talk.say("I am somebody else.", person=BORIS)).is_error
        async with talk.services.memory.open_store(ANNA.id) as store:
            kept = [message.content for message in await store.timeline.read_page(Scope(owner=ANNA.id))]
        assert kept[-2:] == ["A word about walruses.", "And this?"]


async def test_shared_daily_budget_blocks_everyone(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, daily_token_budget=20) as talk:
        assert not (await talk.say("Hello there, how do you do?")).is_error
        asked = len(talk.server.requests)
        reply = await talk.say("And you?", person=BORIS)
        assert reply.is_error
        assert "This bot's share for today" in reply.text
        assert "kept" not in reply.text, "memory is off: nothing is"
        assert len(talk.server.requests) == asked


async def test_budget_survives_restart_and_resets_at_midnight(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=20) as talk:
        assert not (await talk.say("Hello there, how do you do?")).is_error
        before = await read_tokens_by_spender(talk)
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=20) as talk:
        assert await read_tokens_by_spender(talk) == before
        assert (await talk.say("Hello?")).is_error
        assert talk.server.requests == []
        talk.moment[0] = datetime(2026, 11, 22, tzinfo=UTC)
        assert not (await talk.say("Good morning.")).is_error


async def test_background_work_is_charged_to_owner_and_waits_for_new_day(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=1_000_000) as talk:
        await talk.turn_on_memory(every_n=1)
        assert await talk.run_turn("I moved to Lisbon.") == ()
        after_answer = sum(
            len(str(message["content"]).split())
            for request in talk.server.list_requests("chat-model")
            for message in request.messages
        )
        assert len(talk.server.list_requests("summary-model")) == 1
        assert (await read_tokens_by_spender(talk))[ANNA.id] > after_answer
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=1) as talk:
        talk.updates = count(100)
        talk.moment[0] = datetime(2026, 11, 22, tzinfo=UTC)
        assert not (await talk.say("It rains.")).is_error
        assert await talk.conversation.run_post_turn_tasks(Scope(owner=ANNA.id)) == (), (
            "a fold that waits has not failed"
        )
        assert talk.server.list_requests("summary-model") == []
        outcome = await talk.services.summaries.fold(Scope(owner=ANNA.id), "now")
        assert outcome.state == "waiting"
        assert "begins in 1 day" in (outcome.error or "")
        talk.moment[0] = datetime(2026, 11, 23, tzinfo=UTC)
        assert (await talk.services.summaries.fold(Scope(owner=ANNA.id), "now")).state == "folded"


async def test_creating_groups_does_not_extend_personal_budget(tmp_path: Path) -> None:
    """Background work in a group is charged to the group's own budget and also to its latest speaker."""
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=150) as talk:
        quota, model = talk.services.quota, talk.services.models["chat-model"]

        async def work(*groups: int) -> None:
            for group in groups:
                await quota.complete(group, model, [PromptMessage(role="user", content="walrus " * 30)])

        with charge_tokens_to_speaker(ANNA.id), pytest.raises(QuotaExceeded):
            await work(*range(-1, -12, -1))
        assert sum((await read_tokens_by_spender(talk)).values()) < 250
        with pytest.raises(QuotaExceeded):
            await quota.raise_if_used_up(ANNA.id)
        await quota.raise_if_used_up(BORIS.id)
        with charge_tokens_to_speaker(BORIS.id):
            await work(-1)
        talk.moment[0] += timedelta(days=1)
        await quota.raise_if_used_up(ANNA.id)


async def test_speech_and_transcription_count_toward_budget(tmp_path: Path) -> None:
    settings = {"daily_token_budget_per_user": 50, "speech_model": "speaks", "transcription_model": "hears"}
    async with open_chat_harness(tmp_path, **settings) as talk:

        async def listen() -> None:
            assert talk.services.speech is not None
            for _ in range(9):
                await talk.services.speech.synthesize_speech("walrus " * 30, person_id=ANNA.id)

        async def speak() -> None:
            for _ in range(99):
                await talk.services.attachments.transcribe_recording(b"OggS", "a.ogg", "audio/ogg", person_id=BORIS.id)

        for use in (listen, speak):
            with pytest.raises(QuotaExceeded):
                await use()
        assert min((await read_tokens_by_spender(talk)).values()) >= 50


async def test_cancelled_answer_is_charged_for_received_text(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=1000) as talk:
        talk.server.script("chat-model", Behaviour(text="word " * 50, hold="middle"))
        begun = asyncio.Event()

        async def on_text(text: str) -> None:
            begun.set()

        answer = asyncio.create_task(talk.say("Tell me a long story.", on_text=on_text))
        await begun.wait()
        answer.cancel()
        with suppress(asyncio.CancelledError):
            await answer
        assert (await read_tokens_by_spender(talk))[ANNA.id] > 10


async def test_defers_writing_usage_when_no_budget_is_set(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=1)
        await talk.run_turn("Hello.")
        assert await read_tokens_by_spender(talk) == {}
        days = await talk.services.quota.list_daily_usage(ANNA.id, 7)
        assert {day.model: day.used.answers for day in days} == {"chat-model": 1, "summary-model": 0}
        assert sum(day.used.total for day in days) == (await read_tokens_by_spender(talk))[ANNA.id] > 20
        await talk.say("Hello again.")
    async with open_chat_harness(tmp_path) as talk:
        assert sum(day.used.answers for day in await talk.services.quota.list_daily_usage(ANNA.id, 7)) == 2
        assert await talk.services.quota.list_daily_usage(BORIS.id, 7) == []


async def test_forgetting_everything_keeps_only_todays_usage_total(tmp_path: Path) -> None:
    """Otherwise forgetting would reset the budget. The total is deleted on the next day."""
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=20) as talk:
        ledger, yesterday = talk.services.memory.usage, talk.moment[0].date() - timedelta(days=1)
        await ledger.add_usage(
            yesterday, {(ANNA.id, "chat-model"): Usage(prompt=3), (BORIS.id, "chat-model"): Usage(prompt=4)}
        )
        assert not (await talk.say("Hello there, how do you do?")).is_error
        before = await read_tokens_by_spender(talk)
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))
        assert await read_tokens_by_spender(talk) == before
        assert [day.model for day in await ledger.list_daily_usage(ANNA.id, talk.moment[0].date(), 30)] == [FORGOTTEN]
        assert (await ledger.read_usage_of_day_by_spender(yesterday)).keys() == {BORIS.id}
        assert (await talk.say("Hello?")).is_error
        talk.moment[0] += timedelta(days=1)
        assert not (await talk.say("Hello?")).is_error
        assert await ledger.read_usage_of_day_by_spender(talk.moment[0].date() - timedelta(days=1)) == {}


async def test_usage_counts_after_failed_ledger_write_and_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=200) as talk:
        ledger = talk.services.memory.usage
        add = ledger.add_usage

        async def full(day: date, used: object) -> None:
            raise StorageError

        monkeypatch.setattr(ledger, "add_usage", full)
        assert not (await talk.say("Hello there, how do you do?")).is_error
        assert await read_tokens_by_spender(talk) == {}
        monkeypatch.setattr(ledger, "add_usage", add)
        first = len(talk.server.requests)
        assert not (await talk.say("Hello again.")).is_error
        assert len(talk.server.requests) == first + 1
        assert (await read_tokens_by_spender(talk))[ANNA.id] > 50, "both answers"


async def test_ledger_deletes_days_older_than_kept_days(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        ledger = UsageLedger(database)
        first = date(2026, 1, 1)
        await ledger.add_usage(first, {(1, "m"): Usage(prompt=3, completion=4)})
        await ledger.add_usage(first, {(1, "n"): Usage(prompt=1), (2, "m"): Usage(completion=5)})
        assert await ledger.read_usage_of_day_by_spender(first) == {
            1: Usage(prompt=4, completion=4),
            2: Usage(completion=5),
        }
        await ledger.add_usage(date.fromordinal(first.toordinal() + KEPT_DAYS + 1), {(1, "m"): Usage(prompt=1)})
        assert await ledger.read_usage_of_day_by_spender(first) == {}
