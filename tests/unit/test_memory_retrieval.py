"""Tests of recall with a real store: messages cut from the prompt are found, and follow-ups use the last question."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, max_context_tokens=1000) as talk:
        await talk.turn_on_memory(every_n=500, storage=storage)
        yield talk


async def test_message_omitted_from_prompt_is_marked_as_cut_and_found_by_search(talk: ChatHarness) -> None:
    words = [f"gl{letter}rbin" for letter in "abcdefghijkl"]
    for word in words:
        await talk.say(f"The {word} stands in the hall. " + "Nothing else happened on that day. " * 30)
    for word in words:
        reply = await talk.say(f"Where does the {word} stand?")
        assert reply.context is not None
        cut = [(gap.first_id, gap.last_id) for gap in reply.context.cut]
        cut += [(summary.first_id, summary.last_id) for summary in reply.context.summaries]
        shown = {message.id for message in reply.context.recent} | {
            snippet.message.id for snippet in reply.context.snippets
        }
        async with talk.services.memory.open_store(ANNA.id) as store:
            earlier = [
                message
                for message in await store.timeline.read_page(SCOPE, limit=1000)
                if message.turn < 2 * len(words)
            ]
            retrieval = talk.services.retrieval
            found = await retrieval.list_best_passages(
                await retrieval.search(f"the {word}", store, SCOPE), store, SCOPE
            )
        assert all(
            message.id in shown or any(first <= message.id <= last for first, last in cut) for message in earlier
        )
        assert f"The {word} stands in the hall." in " ".join(hit.message.content for hit in found[:10])


async def test_follow_up_question_is_searched_with_previous_question(talk: ChatHarness) -> None:
    await talk.say("My sister Olga has her birthday on 14 March.")
    await talk.say("My neighbour Jussuf has his birthday on 2 May.")
    for number in range(8):
        await talk.say(f"Filler {number}: " + "nothing much happened on that day. " * 20)
    await talk.say("Tell me about Olga.")
    reply = await talk.say("And her birthday?")
    assert reply.context is not None
    assert any("My sister Olga" in snippet.text for snippet in reply.context.snippets)


async def test_word_search_finds_compound_by_its_first_part(talk: ChatHarness) -> None:
    await talk.say("Die Haustürschlüsselnummer ist 4711.")
    for number in range(8):
        await talk.say(f"Tag {number}: " + "im Garten war nicht viel los. " * 20)
    reply = await talk.say("Welche Nummer hat der Haustürschlüssel?")
    assert reply.context is not None
    assert any("4711" in snippet.text for snippet in reply.context.snippets)
    page = await talk.services.search.find_hit_page(SCOPE, "Haustürschl")
    assert [hit.has_words for hit in page.found if "4711" in hit.message.content] == [True]


async def test_retrieves_no_snippets_for_question_unrelated_to_past(talk: ChatHarness) -> None:
    for number in range(6):
        await talk.say(f"On day {number} the roof was tiled. " + "Nothing much happened. " * 30)
    await talk.say("Singing ruins my voice, tea with honey mends it. " + "Nothing much happened. " * 30)
    for number in range(6):
        await talk.say(f"On day {number} the floor was laid. " + "Nothing much happened. " * 30)
    for said, shown in {"When was the roof tiled?": 2, "What is the capital of Mongolia?": 0}.items():
        reply = await talk.say(said)
        assert reply.context is not None
        assert min(len([snippet for snippet in reply.context.snippets if snippet.message.is_user]), 2) == shown
    reply = await talk.say("What should I drink for my voice?")
    assert reply.context is not None
    assert any("tea with honey" in snippet.text for snippet in reply.context.snippets)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Мою кошку зовут Мурка, она любит рыбу.", "Как зовут кошку?"),
        ("我的猫叫小白，它喜欢吃鱼。", "我的猫喜欢什么？"),
        ("اسم قطتي مشمش وهي تحب السمك.", "ما اسم القطة مشمش؟"),
        ("Meine Katzen heißen Minka und Mohrle.", "Wie heißt die Katze?"),
        ("Kedimin adı Pamuk, balık seviyor.", "Kedim ne seviyor?"),
        ("私の猫の名前はタマです。", "猫の名前は何ですか？"),
    ],
)
async def test_word_search_works_in_many_languages(tmp_path: Path, told: str, asked: str) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await talk.say(told)
        for number in range(12):
            await talk.say(f"Something else, number {number}.")
            await talk.conversation.run_post_turn_tasks(SCOPE)
        await talk.say(asked)
        assert told in talk.list_prompts()[-1]


async def test_no_search_while_prompt_contains_whole_history(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, embedding_model="e", max_context_tokens=1000) as talk:

        def embedded(ending: str) -> int:
            """How often a text with this ending was embedded: once as a message, and as a question."""
            texts = [text for request in talk.server.list_requests("e") for text in request.body["input"]]
            return sum(text.endswith(ending) for text in texts)

        await talk.turn_on_memory(every_n=500)
        for number in range(3):
            await talk.say(f"Thing number {number}.")
        assert embedded("Thing number 1.") <= 1
        await talk.say("The glarbin stands in the hall. " + "Nothing else happened on that day. " * 200)
        reply = await talk.say("Where does the glarbin stand?")
        assert embedded("Where does the glarbin stand?") >= 1
        assert reply.context is not None
        assert any("glarbin" in snippet.text for snippet in reply.context.snippets)


async def test_falls_back_to_word_search_when_query_embedding_times_out(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, embedding_model="e", embedding_timeout=2.0, max_context_tokens=1000) as talk:
        talk.server.set_default_answer("e", Behaviour(hold="start"))
        await talk.turn_on_memory(every_n=500)
        await talk.say("The glarbin stands in the hall. " + "Nothing else happened on that day. " * 200)
        reply = await talk.say("Where does the glarbin stand?")
        assert any(
            request.body["input"] == ["Where does the glarbin stand?"] for request in talk.server.list_requests("e")
        )
        assert reply.context is not None
        assert any("glarbin" in snippet.text for snippet in reply.context.snippets)
