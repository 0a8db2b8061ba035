"""Messages are embedded in the background despite failures, and found by meaning."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from background.indexing import Indexer
from external_memory import ExternalMemory
from llm.embeddings import EndpointEmbedder
from llm.local_embedder import LocalEmbedder
from records.messages import NewMessage, Role
from records.owners import StorageType
from records.scopes import Scope
from runtime.tasks import run_in_background
from settings import Secret
from telegram_ui.commands.summaries import format_status
from tests.peers.openai_server import Behaviour, OpenAIServer, run_openai_server
from tests.support.talk import open_chat_harness
from text.passages import split_into_passages
from text.tokenizer import Tokenizer

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ANNA = Scope(owner=7)
TOKENS = Tokenizer.for_encoding("o200k_base")


async def charge_nobody(texts: Mapping[int, Sequence[str]]) -> None:
    pass


async def skip_pause(seconds: float) -> None:
    await asyncio.sleep(0)


@pytest.fixture
async def memory(storage: StorageType, tmp_path: Path) -> AsyncIterator[ExternalMemory]:
    async with ExternalMemory.open(tmp_path, clock=lambda: NOW) as memory:
        await memory.configure(ANNA.owner, storage=storage, every_n=20)
        yield memory


@pytest.fixture
async def server() -> AsyncIterator[tuple[OpenAIServer, str]]:
    async with run_openai_server() as (server, url):
        yield server, url


def make_endpoint_embedder(url: str, model: str) -> EndpointEmbedder:
    return EndpointEmbedder(model=model, api_key=Secret("k"), base_url=url, timeout=60, sleep=skip_pause)


@asynccontextmanager
async def index_all_messages(memory: ExternalMemory, url: str, model: str = "e") -> AsyncIterator[EndpointEmbedder]:
    """Embed all messages with an endpoint's model, and yield the embedder while indexing continues."""
    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(make_endpoint_embedder(url, model))
        indexing = Indexer(memory=memory, embedder=embedder, charge=charge_nobody, pause=skip_pause)
        await stack.enter_async_context(run_in_background(indexing.run_forever()))
        await asyncio.wait_for(indexing.idle.wait(), 90)
        yield embedder


STEPS = "\n".join(f"{number}. Step {number} takes half a day, and needs two people." for number in range(40))


async def remember(memory: ExternalMemory, *texts: str, role: Role = "user") -> None:
    drafts = [NewMessage(role=role, content=text, created_at=NOW, speaker="") for text in texts]
    async with memory.open_store(ANNA.owner) as store:
        await store.append_messages(ANNA, drafts)


async def find_nearest_message(
    memory: ExternalMemory, embedder: EndpointEmbedder | LocalEmbedder, question: str
) -> str:
    async with memory.open_store(ANNA.owner) as store:
        found = await store.vectors.compute_similarities(ANNA, embedder.name, await embedder.embed_query(question), 1)
        assert found is not None
        pool = await store.find_candidate_messages(ANNA, [], limit=0)
        [message] = await store.read_messages(ANNA, [int(pool.ids[pool.seqs == found.nearest[0]][0])])
        return message.content


async def count_indexed_messages(memory: ExternalMemory, model: str) -> tuple[int, int]:
    async with memory.open_store(ANNA.owner) as store:
        return await store.vectors.count_indexed_and_all_messages(ANNA.owner, model)


async def test_local_model_searches_across_languages(memory: ExternalMemory) -> None:
    await remember(memory, "My dog is called Biscuit.", "Я живу в Лиссабоне.", "火车晚点了两个小时。")
    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(LocalEmbedder())
        indexing = Indexer(memory=memory, embedder=embedder, charge=charge_nobody)
        await stack.enter_async_context(run_in_background(indexing.run_forever()))
        await indexing.idle.wait()
        assert await find_nearest_message(memory, embedder, "In which city do I live?") == "Я живу в Лиссабоне."
        assert await find_nearest_message(memory, embedder, "Wie heißt mein Hund?") == "My dog is called Biscuit."
        await remember(memory, "La boda es en junio.")
        indexing.wake()
        await indexing.idle.wait()
        assert await find_nearest_message(memory, embedder, "When is the wedding?") == "La boda es en junio."


async def test_long_messages_are_embedded_by_passage(memory: ExternalMemory, server: tuple[OpenAIServer, str]) -> None:
    await remember(memory, "Hello.", STEPS)
    await remember(memory, "A short answer.", role="assistant")
    async with index_all_messages(memory, server[1]):
        texts = [text for request in server[0].list_requests("e") for text in request.body["input"]]
    assert {"Hello.", "A short answer."} <= set(texts)
    assert [text for text in texts if "Step" in text] == [passage.strip() for passage in split_into_passages(STEPS)]


async def test_long_answer_is_not_embedded(memory: ExternalMemory, server: tuple[OpenAIServer, str]) -> None:
    await remember(memory, STEPS, role="assistant")
    async with index_all_messages(memory, server[1]):
        assert not server[0].list_requests("e")
        assert await count_indexed_messages(memory, "e") == (1, 1)


async def test_changing_model_embeds_all_messages_again(
    memory: ExternalMemory, server: tuple[OpenAIServer, str]
) -> None:
    await remember(memory, *[f"message {number}" for number in range(40)])
    async with index_all_messages(memory, server[1], "first"):
        assert await count_indexed_messages(memory, "first") == (40, 40)
    async with index_all_messages(memory, server[1], "second") as embedder:
        assert await count_indexed_messages(memory, "second") == (40, 40)
        assert await count_indexed_messages(memory, "first") == (0, 40)
        assert await find_nearest_message(memory, embedder, "message 7") == "message 7"


async def test_indexing_resumes_when_endpoint_recovers(
    memory: ExternalMemory, server: tuple[OpenAIServer, str]
) -> None:
    server[0].script("e", *[Behaviour(status=500)] * 8, Behaviour(status=401), Behaviour(drop="start"))
    await remember(memory, "one", "two")
    async with index_all_messages(memory, server[1]):
        assert await count_indexed_messages(memory, "e") == (2, 2)


async def test_refused_message_does_not_block_others(memory: ExternalMemory, server: tuple[OpenAIServer, str]) -> None:
    await remember(memory, "one", "two", "three")
    # The batch; the probe succeeds; the newest by itself.
    server[0].script("e", Behaviour(status=400), Behaviour(), Behaviour(status=400))
    async with index_all_messages(memory, server[1]) as embedder:
        assert await count_indexed_messages(memory, "e") == (3, 3)
        async with memory.open_store(ANNA.owner) as store:
            pool = await store.find_candidate_messages(ANNA, [], limit=0)
            found = await store.vectors.compute_similarities(ANNA, "e", await embedder.embed_query("one"), 9)
            assert found is not None
            having = await store.read_messages(ANNA, pool.ids[np.isin(pool.seqs, found.nearest)].tolist())
            assert {message.content for message in having} == {"one", "two"}
            assert await store.vectors.count_embedded_messages(ANNA.owner, "e") == 2


async def test_bot_embeds_messages_and_reports_progress(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say("Before there were vectors.")
        assert (await talk.services.summaries.read_status(ANNA)).indexed is None
    async with open_chat_harness(tmp_path, embedding_model="e") as talk:
        talk.server.set_default_answer("e", Behaviour(hold="start"))
        await talk.server.wait_until_held()
        status = await talk.services.summaries.read_status(ANNA)
        assert status.indexed == (0, 2)
        assert "Search index: 0 of 2 messages" in format_status(status)
        talk.server.set_default_answer("e", Behaviour())
        await talk.server.release(10)
        assert talk.services.indexing is not None
        await talk.conversation.reply(talk.make_user_message("And now?", source="1:99"))
        await talk.services.indexing.idle.wait()
        status = await talk.services.summaries.read_status(ANNA)
        assert status.indexed == (4, 4)
        assert "Search index" not in format_status(status)


async def test_endpoint_embeddings_count_toward_owner_quota(tmp_path: Path) -> None:
    spent = dict[str, int]()
    sent = list[str]()
    for model in ("none", "e"):
        async with open_chat_harness(
            tmp_path / model, embedding_model=model, facts="off", daily_token_budget_per_user=100_000
        ) as talk:
            await talk.turn_on_memory()
            await talk.say(" ".join(["The garden gate is green and squeaks."] * 20))
            async with talk.services.memory.open_store(ANNA.owner) as store:
                await talk.services.retrieval.search("Which gate squeaks?", store, ANNA)
            if talk.services.indexing is not None:
                await talk.services.indexing.idle.wait()
            sent = [
                text
                for request in talk.server.requests
                if "embeddings" in request.path
                for text in request.body["input"]
            ]
            known = await talk.services.memory.usage.read_usage_of_day_by_spender(talk.moment[0].date())
            spent[model] = known[ANNA.owner].total
    assert len(sent) >= 3, "the question, its message, and the answer"
    assert spent["e"] - spent["none"] == sum(map(TOKENS.count, sent))
