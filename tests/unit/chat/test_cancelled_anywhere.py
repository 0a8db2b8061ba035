"""Work that is cancelled at any await leaves no lease, unbilled token or partial change behind."""

from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from records.forgetting import ForgetRequest
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.stepping import run_and_cancel
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.facts.test_history_extraction import make_chat_export

SCOPE = Scope(owner=ANNA.id)
MAX_STEPS = 250


async def cancel_at_each_step(
    prepare: Callable[[], Awaitable[None]],
    work: Callable[[], Coroutine[Any, Any, Any]],
    check: Callable[[], Awaitable[None]],
) -> None:
    for number in range(1, MAX_STEPS):
        await prepare()
        was_reached = await run_and_cancel(work, number)
        await check()
        if not was_reached:
            assert number > 1
            return
    raise AssertionError("it has more steps than expected")


async def leases(talk: ChatHarness) -> int:
    async with (await talk.get_database()).open_reader() as reader:
        [[found]] = await reader.fetch_rows("SELECT COUNT(*) FROM jobs WHERE state = 'processing'")
    return int(found)


async def test_cancelled_fold_leaves_no_lease(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=500)
        talk.server.set_default_answer("summary-model", "They spoke.")

        async def prepare() -> None:
            await talk.say("A word about walruses.")

        async def fold() -> None:
            await talk.services.summaries.fold(SCOPE, "now")

        async def check() -> None:
            assert await leases(talk) == 0
            async with talk.services.memory.open_store(ANNA.id) as store:
                assert (await store.list_unsummarized_messages(SCOPE) == []) or await store.find_summary_failure(
                    SCOPE
                ) is None

        await cancel_at_each_step(prepare, fold, check)


async def test_cancelled_import_leaves_no_lease(tmp_path: Path) -> None:
    number = 0

    async def progress(done: int, total: int) -> None: ...

    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()

        async def prepare() -> None:
            nonlocal number
            number += 1

        async def bring_in() -> None:
            data = make_chat_export(f"Walrus {number}.", first=number)
            await talk.services.importer.import_file(SCOPE, ANNA.id, data, progress=progress)

        async def check() -> None:
            assert await leases(talk) == 0

        await cancel_at_each_step(prepare, bring_in, check)


async def test_cancelled_answer_still_counts_tokens(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, daily_token_budget_per_user=1_000_000) as talk:
        asked = 0

        async def prepare() -> None:
            talk.server.set_default_answer("chat-model", Behaviour(text="Yes.", prompt_tokens=10))

        async def answer() -> None:
            await talk.say("Well?")

        async def check() -> None:
            nonlocal asked
            await talk.services.quota.store_usage()
            spent = (await talk.services.memory.usage.read_usage_of_day_by_spender(talk.moment[0].date())).get(ANNA.id)
            requests = len(talk.server.requests)
            before, asked = asked, spent.total if spent else 0
            assert asked > before or requests == seen[0]
            seen[0] = requests

        seen = [0]
        await cancel_at_each_step(prepare, answer, check)


async def test_cancelled_edit_is_complete_or_absent(tmp_path: Path) -> None:
    number = 0
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()

        async def prepare() -> None:
            nonlocal number
            number += 1
            incoming = talk.make_user_message(f"walrus{number}x")
            [piece] = incoming.pieces
            object.__setattr__(piece, "telegram_id", number)
            await talk.conversation.reply(incoming)

        async def edit() -> None:
            await talk.services.corrections.correct_message(SCOPE, number, f"herring{number}x")

        async def check() -> None:
            async with talk.services.memory.open_store(ANNA.id) as store:
                [said] = [turn.content for turn in await store.read_last_turns(SCOPE, 1) if turn.role == "user"]
            if "herring" in said:
                await talk.say("And?")
                assert f"walrus{number}x" not in talk.list_prompts()[-1]

        await cancel_at_each_step(prepare, edit, check)


async def test_cancelled_forgetting_is_complete_or_absent(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()

        async def prepare() -> None:
            await talk.say("A word about walruses.")

        async def forget() -> None:
            await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="everything"))

        async def check() -> None:
            async with talk.services.memory.open_store(ANNA.id) as store:
                left = (await store.count_messages_and_summaries(SCOPE)).total
            await talk.say("And?")
            assert bool(left) == ("walruses" in talk.list_prompts()[-1])
            if not left:
                await talk.turn_on_memory()

        await cancel_at_each_step(prepare, forget, check)


async def test_cancelled_regeneration_keeps_versions_consistent(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        turn, texts = 0, ["First.", "Second."]

        async def prepare() -> None:
            nonlocal turn
            talk.server.set_default_answer("chat-model", texts[0])
            turn = (await talk.say("A word about walruses.")).turn or 0
            talk.server.set_default_answer("chat-model", texts[1])

        async def again() -> None:
            await talk.conversation.answer_last_turn_again(SCOPE, turn, ANNA)

        async def check() -> None:
            async with talk.services.memory.open_store(ANNA.id) as store:
                last = await store.read_last_turns(SCOPE, 1)
                [answer] = [message for message in last if message.role == "assistant"]
                versions = await store.forgetting.list_versions(SCOPE, answer.id)
            assert list(versions.texts) == texts[: len(versions.texts)]
            assert versions.texts[versions.number - 1] == answer.content
            talk.server.set_default_answer("chat-model", "Next.")
            assert not (await talk.say("And?")).is_error
            assert answer.content in talk.list_prompts()[-1]

        await cancel_at_each_step(prepare, again, check)
