"""The day's token budgets: checked before the model is asked, counted after, kept across restarts."""

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
from tests.support.talk import ANNA, BORIS, Talk, talking


async def spent(talk: Talk) -> dict[int, int]:
    """Tokens by id, as the ledger has them."""
    found = await talk.services.memory.usage.read_usage_of_day_by_spender(talk.moment[0].date())
    return {spender: used.prompt + used.completion for spender, used in found.items()}


async def test_a_person_over_the_budget_is_told_when_it_starts_again_and_the_model_is_not_asked(tmp_path: Path) -> None:
    async with talking(
        tmp_path, daily_token_budget_per_user=100, system_prompt="You are a friendly assistant."
    ) as talk:
        await talk.remember()
        while not (reply := await talk.say("A word about walruses.")).is_error:
            assert (await spent(talk))[ANNA.id] < 200
        asked = len(talk.server.requests)
        assert "The next one begins in 15 hours." in reply.text
        assert "Your message is kept." in reply.text
        assert (await talk.say("And this?")).is_error
        assert len(talk.server.requests) == asked
        assert not (await talk.say("I am somebody else.", person=BORIS)).is_error
        async with talk.services.memory.open_store(ANNA.id) as store:
            kept = [message.content for message in await store.timeline.read_page(Scope(owner=ANNA.id))]
        assert kept[-2:] == ["A word about walruses.", "And this?"]


async def test_one_budget_for_all(tmp_path: Path) -> None:
    async with talking(tmp_path, daily_token_budget=20) as talk:
        assert not (await talk.say("Hello there, how do you do?")).is_error
        asked = len(talk.server.requests)
        reply = await talk.say("And you?", person=BORIS)
        assert reply.is_error
        assert "This bot's share for today" in reply.text
        assert "kept" not in reply.text, "memory is off: nothing is"
        assert len(talk.server.requests) == asked


async def test_a_restart_gives_nobody_a_new_day_and_midnight_does(tmp_path: Path) -> None:
    async with talking(tmp_path, daily_token_budget_per_user=20) as talk:
        assert not (await talk.say("Hello there, how do you do?")).is_error
        before = await spent(talk)
    async with talking(tmp_path, daily_token_budget_per_user=20) as talk:
        assert await spent(talk) == before
        assert (await talk.say("Hello?")).is_error
        assert talk.server.requests == []
        talk.moment[0] = datetime(2026, 11, 22, tzinfo=UTC)
        assert not (await talk.say("Good morning.")).is_error


async def test_background_work_counts_for_the_owner_and_waits_for_a_new_day(tmp_path: Path) -> None:
    async with talking(tmp_path, daily_token_budget_per_user=1_000_000) as talk:
        await talk.remember(every_n=1)
        assert await talk.turn("I moved to Lisbon.") == ()
        after_answer = sum(
            len(str(message["content"]).split())
            for request in talk.server.of("chat-model")
            for message in request.messages
        )
        assert len(talk.server.of("summary-model")) == 1
        assert (await spent(talk))[ANNA.id] > after_answer
    async with talking(tmp_path, daily_token_budget_per_user=1) as talk:
        talk.updates = count(100)
        talk.moment[0] = datetime(2026, 11, 22, tzinfo=UTC)
        assert not (await talk.say("It rains.")).is_error
        assert await talk.conversation.run_post_turn_tasks(Scope(owner=ANNA.id)) == (), (
            "a fold that waits has not failed"
        )
        assert talk.server.of("summary-model") == []
        outcome = await talk.services.summaries.fold(Scope(owner=ANNA.id), "now")
        assert outcome.state == "waiting"
        assert "begins in 1 day" in (outcome.error or "")
        talk.moment[0] = datetime(2026, 11, 23, tzinfo=UTC)
        assert (await talk.services.summaries.fold(Scope(owner=ANNA.id), "now")).state == "folded"


async def test_new_groups_give_their_maker_no_new_budget(tmp_path: Path) -> None:
    """Each group has a memory of its own, and so a budget, for the background work on what is said there."""
    async with talking(tmp_path, daily_token_budget_per_user=150) as talk:
        quota, model = talk.services.quota, talk.services.models["chat-model"]

        async def work(*groups: int) -> None:
            for group in groups:
                await quota.complete(group, model, [PromptMessage(role="user", content="walrus " * 30)])

        with charge_tokens_to_speaker(ANNA.id), pytest.raises(QuotaExceeded):
            await work(*range(-1, -12, -1))
        assert sum((await spent(talk)).values()) < 250
        with pytest.raises(QuotaExceeded):
            await quota.raise_if_used_up(ANNA.id)
        await quota.raise_if_used_up(BORIS.id)
        with charge_tokens_to_speaker(BORIS.id):
            await work(-1)
        talk.moment[0] += timedelta(days=1)
        await quota.raise_if_used_up(ANNA.id)


async def test_spoken_words_use_up_the_budget(tmp_path: Path) -> None:
    settings = {"daily_token_budget_per_user": 50, "speech_model": "speaks", "transcription_model": "hears"}
    async with talking(tmp_path, **settings) as talk:

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
        assert min((await spent(talk)).values()) >= 50


async def test_an_answer_that_was_stopped_is_counted_as_far_as_it_came(tmp_path: Path) -> None:
    async with talking(tmp_path, daily_token_budget_per_user=1000) as talk:
        talk.server.script("chat-model", Behaviour(text="word " * 50, hold="middle"))
        begun = asyncio.Event()

        async def on_text(text: str) -> None:
            begun.set()

        answer = asyncio.create_task(talk.say("Tell me a long story.", on_text=on_text))
        await begun.wait()
        answer.cancel()
        with suppress(asyncio.CancelledError):
            await answer
        assert (await spent(talk))[ANNA.id] > 10


async def test_where_no_budget_is_set_use_is_counted_and_no_turn_waits_for_its_writing(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=1)
        await talk.turn("Hello.")
        assert await spent(talk) == {}
        days = await talk.services.quota.list_daily_usage(ANNA.id, 7)
        assert {day.model: day.used.answers for day in days} == {"chat-model": 1, "summary-model": 0}
        assert sum(day.used.total for day in days) == (await spent(talk))[ANNA.id] > 20
        await talk.say("Hello again.")
    async with talking(tmp_path) as talk:
        assert sum(day.used.answers for day in await talk.services.quota.list_daily_usage(ANNA.id, 7)) == 2
        assert await talk.services.quota.list_daily_usage(BORIS.id, 7) == []


async def test_what_was_used_is_forgotten_with_everything_except_todays_sum_under_a_budget(tmp_path: Path) -> None:
    """Or forgetting would give a new budget; the sum goes with the day."""
    async with talking(tmp_path, daily_token_budget_per_user=20) as talk:
        ledger, yesterday = talk.services.memory.usage, talk.moment[0].date() - timedelta(days=1)
        await ledger.add_usage(
            yesterday, {(ANNA.id, "chat-model"): Usage(prompt=3), (BORIS.id, "chat-model"): Usage(prompt=4)}
        )
        assert not (await talk.say("Hello there, how do you do?")).is_error
        before = await spent(talk)
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))
        assert await spent(talk) == before
        assert [day.model for day in await ledger.list_daily_usage(ANNA.id, talk.moment[0].date(), 30)] == [FORGOTTEN]
        assert (await ledger.read_usage_of_day_by_spender(yesterday)).keys() == {BORIS.id}
        assert (await talk.say("Hello?")).is_error
        talk.moment[0] += timedelta(days=1)
        assert not (await talk.say("Hello?")).is_error
        assert await ledger.read_usage_of_day_by_spender(talk.moment[0].date() - timedelta(days=1)) == {}


async def test_what_the_ledger_did_not_take_counts_all_the_same_and_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path, daily_token_budget_per_user=200) as talk:
        ledger = talk.services.memory.usage
        add = ledger.add_usage

        async def full(day: date, used: object) -> None:
            raise StorageError

        monkeypatch.setattr(ledger, "add_usage", full)
        assert not (await talk.say("Hello there, how do you do?")).is_error
        assert await spent(talk) == {}
        monkeypatch.setattr(ledger, "add_usage", add)
        first = len(talk.server.requests)
        assert not (await talk.say("Hello again.")).is_error
        assert len(talk.server.requests) == first + 1
        assert (await spent(talk))[ANNA.id] > 50, "both answers"


async def test_the_ledger_forgets_days_that_are_long_past(tmp_path: Path) -> None:
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
