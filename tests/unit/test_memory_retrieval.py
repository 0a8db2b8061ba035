"""Recall through the real store: what does not fit the prompt is found, and follow-ups lean on what was said."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from records.errors import StorageError
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, Talk, talking

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path, max_context_tokens=1000) as talk:
        await talk.remember(every_n=500, storage=storage)
        yield talk


async def test_what_was_cut_is_found_by_its_rarest_word_in_the_same_turn(talk: Talk) -> None:
    words = [f"gl{letter}rbin" for letter in "abcdefghijkl"]
    for word in words:
        await talk.say(f"The {word} stands in the hall. " + "Nothing else happened on that day. " * 30)
    for word in words:
        reply = await talk.say(f"Where does the {word} stand?")
        assert reply.context is not None
        cut = [(one.first_id, one.last_id) for one in reply.context.cut]
        cut += [(one.first_id, one.last_id) for one in reply.context.summaries]
        shown = {one.id for one in reply.context.recent} | {one.message.id for one in reply.context.snippets}
        async with talk.services.memory.home(ANNA.id) as store:
            earlier = [one for one in await store.page(SCOPE, limit=1000) if one.turn < 2 * len(words)]
            retrieval = talk.services.retrieval
            known = await retrieval.found(f"the {word}", store, SCOPE, limit=50)
            found = await retrieval.snippets(known, store, SCOPE)
        assert all(one.id in shown or any(first <= one.id <= last for first, last in cut) for one in earlier)
        assert f"The {word} stands in the hall." in " ".join(one.message.content for one in found[:10])


async def test_what_a_question_brings_back_comes_in_one_hop_to_the_database(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember()
        await talk.say("The tuxedo hangs in the attic.")
        database, retrieval = await talk.database(), talk.services.retrieval
        async with talk.services.memory.home(ANNA.id) as store:
            before = database.hops
            found = await retrieval.found("Where does the tuxedo hang?", store, SCOPE, facts=())
            snippets = await retrieval.snippets(found, store, SCOPE)
        assert "The tuxedo hangs in the attic." in [one.text for one in snippets]
        assert database.hops - before == 1  # what matches, what is around it, and the messages themselves


async def test_a_follow_up_is_searched_with_what_it_leans_on(talk: Talk) -> None:
    await talk.say("My sister Olga has her birthday on 14 March.")
    await talk.say("My neighbour Jussuf has his birthday on 2 May.")
    for number in range(8):
        await talk.say(f"Filler {number}: " + "nothing much happened on that day. " * 20)
    await talk.say("Tell me about Olga.")
    reply = await talk.say("And her birthday?")
    assert reply.context is not None
    best = max(reply.context.snippets, key=lambda one: sum(one.score.values()))
    assert "Olga" in best.text


async def test_nothing_is_brought_back_where_nothing_is_asked_about_the_past(talk: Talk) -> None:
    for number in range(6):
        await talk.say(f"On day {number} the roof was tiled. " + "Nothing much happened. " * 30)
    await talk.say("Singing ruins my voice, tea with honey mends it. " + "Nothing much happened. " * 30)
    for number in range(6):
        await talk.say(f"On day {number} the floor was laid. " + "Nothing much happened. " * 30)
    for said, shown in {
        "When was the roof tiled?": 2,
        "Thank you very much!": 0,
        "What is the capital of Mongolia?": 0,
        "What should I drink for my voice?": 1,
    }.items():
        reply = await talk.say(said)
        assert reply.context is not None
        assert min(len([one for one in reply.context.snippets if one.message.is_user]), 2) == shown


async def test_a_time_told_from_an_event_is_found_by_the_event(talk: Talk) -> None:
    for day, told in {
        datetime(2026, 5, 4, tzinfo=UTC): "Olga has her wedding on 20 June.",
        datetime(2026, 6, 6, tzinfo=UTC): "I bought a green tie.",
        datetime(2026, 6, 19, tzinfo=UTC): "I bought a red tie.",
        datetime(2026, 7, 9, tzinfo=UTC): "I bought a blue tie.",
    }.items():
        talk.moment[0] = day
        await talk.say(told)
    talk.moment[0] = datetime(2026, 11, 21, tzinfo=UTC)
    async with talk.services.memory.home(ANNA.id) as store:
        for asked, tie in {
            "Which tie did I buy two weeks before the wedding?": "green",
            "Which tie did I buy the day before the wedding?": "red",
            "Which tie did I buy three weeks after the wedding?": "blue",
            "Which tie have I bought since the wedding?": "blue",
        }.items():
            retrieval = talk.services.retrieval
            known = await retrieval.found(asked, store, SCOPE, limit=50)
            found = await retrieval.snippets(known, store, SCOPE)
            assert found[0].message.content == f"I bought a {tie} tie."
            assert found[0].score["time"] > 0
        before = await retrieval.found("Which tie did I buy before the wedding?", store, SCOPE, limit=50)
        timely = {one.id for one in before.ranked if one.parts.get("time", 0) > 0}
        said = {one.content for one in await store.messages(SCOPE, sorted(timely))}
        assert {"I bought a green tie.", "I bought a red tie."} <= said
        assert "I bought a blue tie." not in said
        unknown = await retrieval.found("Which tie did I buy before the flood?", store, SCOPE, limit=50)
        assert not any("time" in one.parts for one in unknown.ranked)


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
async def test_words_alone_find_in_many_languages(tmp_path: Path, told: str, asked: str) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember()
        await talk.say(told)
        for number in range(12):
            await talk.say(f"Something else, number {number}.")
            await talk.conversation.settle(SCOPE)
        await talk.say(asked)
        assert told in talk.prompts()[-1]


async def test_where_one_arm_fails_no_other_goes_on(tmp_path: Path) -> None:
    async with talking(tmp_path, embedding_model="e") as talk:
        await talk.remember()
        async with talk.services.memory.home(ANNA.id) as store:
            with closing(sqlite3.connect(tmp_path / "memory.db")) as file:
                file.execute("ALTER TABLE scope_words RENAME TO lost")
            talk.server.script("e", Behaviour(hold="start"))
            question = asyncio.create_task(talk.services.retrieval.found("Murka?", store, SCOPE))
            with pytest.raises(StorageError):
                await question
            assert "_nearest" not in " ".join(map(repr, asyncio.all_tasks()))


async def test_nothing_is_searched_for_while_all_that_was_said_stands_in_the_prompt(tmp_path: Path) -> None:
    async with talking(tmp_path, embedding_model="e", max_context_tokens=1000) as talk:

        def searched() -> list[str]:
            """The texts that were embedded as questions; messages are, with their speakers, in the background."""
            texts = [text for request in talk.server.of("e") for text in request.body["input"]]
            return [text for text in texts if not text.startswith(("Anna: ", "Assistant: "))]

        await talk.remember(every_n=500)
        for number in range(3):
            await talk.say(f"Thing number {number}.")
        assert not searched()
        await talk.say("The glarbin stands in the hall. " + "Nothing else happened on that day. " * 200)
        reply = await talk.say("Where does the glarbin stand?")
        assert searched()[-1].endswith("Where does the glarbin stand?")
        assert reply.context is not None
        assert any("glarbin" in one.text for one in reply.context.snippets)
