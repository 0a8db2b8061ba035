"""Tests of /search by words, by exact phrases and by meaning, within one scope."""

from pathlib import Path

from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)
LONG = "Nothing of note happened on that day in the garden. " * 60


async def store_messages(talk: ChatHarness, texts: list[str], *, thread: int = 0) -> None:
    async with talk.services.memory.open_store(ANNA.id) as store:
        for text in texts:
            moment = talk.moment[0]
            await store.append_messages(
                Scope(owner=ANNA.id, thread=thread), [NewMessage(role="user", content=text, created_at=moment)]
            )


async def search_texts(talk: ChatHarness, typed: str, *, thread: int = 0) -> list[str]:
    page = await talk.services.search.find_hit_page(Scope(owner=ANNA.id, thread=thread), typed, limit=50)
    return [hit.message.content for hit in page.found]


async def test_finds_folded_and_unfolded_messages_of_scope_only(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=2, storage=storage)
        talk.server.set_default_answer("summary-model", Behaviour(mode="extract:1"))
        for text in ("We bought a walnut tree.", "It rained.", "The walnuts are ripe.", "Good night."):
            await talk.run_turn(text)
        await store_messages(talk, ["Walnuts of another topic."], thread=5)
        assert sorted(await search_texts(talk, "walnuts")) == ["The walnuts are ripe.", "We bought a walnut tree."]
        assert await search_texts(talk, "walnuts", thread=5) == ["Walnuts of another topic."]
        assert await search_texts(talk, "xylophone") == []
        assert await search_texts(talk, "") == []


async def test_finds_short_accented_and_numeric_words_in_other_spellings(tmp_path: Path, storage: StorageType) -> None:
    """For example, "IT" finds "IT department" but not "A kit.", and "muller" finds "Müller"."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(storage=storage)
        await store_messages(
            talk, ["IT department", "Müller kommt um 7.", "Straße gesperrt", "A kit.", "US trip", "Café au lait"]
        )
        await store_messages(talk, ["Card 4929 1234 5678 9012", "Dial +491701234567!", "I owe 1,250 euros."])
        words = (("IT", 0), ("us", 4), ("muller", 1), ("Strasse", 2), ("cafe", 5), ("café", 5))
        numbers = (("4929123456789012", 6), ("+49 170 1234567", 7), ("1250", 8))
        for typed, text in (*words, *numbers):
            page = await talk.services.search.find_hit_page(SCOPE, typed)
            assert all(hit.has_words for hit in page.found), typed
            assert [hit.message.id for hit in page.found] == [text + 1], typed


async def test_foreign_word_in_query_hides_no_message(tmp_path: Path, storage: StorageType) -> None:
    """The German and Portuguese word "um" must not change how "department" is stemmed."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(storage=storage)
        texts = ["The accounting department moved.", "um 8 department meeting", "We closed two departments.", "A kit."]
        await store_messages(talk, texts)
        for typed in ("um 8 department", "department", "im department", "departments am 8", "department mit"):
            assert sorted(await search_texts(talk, typed)) == sorted(texts[:3]), typed
        page = await talk.services.search.find_hit_page(SCOPE, "um 8 zzzzqqq")
        assert [hit.message.content for hit in page.found] == texts[1:2]


async def test_finds_emoji(tmp_path: Path, storage: StorageType) -> None:
    """Words around the emoji, its variation selector and its skin tone make no difference."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(storage=storage)
        await store_messages(talk, ["❤", "👩‍👩‍👧‍👦🎉", "We won 🎉", "👍🏽"])
        assert await search_texts(talk, "❤️") == ["❤"]
        assert await search_texts(talk, "🎉") == ["We won 🎉", "👩‍👩‍👧‍👦🎉"]
        assert await search_texts(talk, "👍") == ["👍🏽"]
        assert await search_texts(talk, "🥁") == []


async def test_empty_memory_has_no_results(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        assert await search_texts(talk, "walnuts") == []


async def test_message_with_all_query_terms_ranks_first(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await store_messages(talk, ["Oil is cheap.", "Walnut oil from the old mill.", "A walnut.", "Something else."])
        assert (await search_texts(talk, "walnut oil mill"))[0] == "Walnut oil from the old mill."


async def test_quoted_phrase_matches_exactly_in_any_script(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        texts = [
            "To be or not to be.",
            "Not to worry, be happy.",
            "Купили белый дом.",
            "Дом у нас белый.",
            "東京に行った",
        ]
        await store_messages(talk, texts)
        assert await search_texts(talk, '"or not to be"') == texts[:1]
        assert await search_texts(talk, "«белый дом»") == texts[2:3]
        assert await search_texts(talk, "「京に行」") == texts[4:]
        assert await search_texts(talk, '"to be" "not to"') == texts[:1]


async def test_long_message_is_shown_as_excerpt_around_match(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await store_messages(talk, [LONG + "Then the walnut fell. " + LONG, "x" * 5000 + " walnut " + "y" * 5000])
        page = await talk.services.search.find_hit_page(SCOPE, "walnut")
        shown = [hit.text for hit in page.found]
        assert len(shown) == 2
        assert all("walnut" in text and "…" in text and len(text) < 1000 for text in shown)


async def test_pages_stay_consistent_while_messages_arrive(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await store_messages(talk, [f"Apple {number}" for number in range(12)])
        search = talk.services.search
        page = await search.find_hit_page(SCOPE, "apple", limit=5)
        seen = [hit.message.id for hit in page.found]
        assert (page.total, page.next_offset) == (12, 5)
        await store_messages(talk, ["Apple too late"])
        while page.next_offset is not None:
            page = await search.find_hit_page(
                SCOPE, "apple", offset=page.next_offset, limit=5, until_message_id=page.until
            )
            seen += [hit.message.id for hit in page.found]
        assert sorted(seen) == list(range(1, 13))


async def test_finds_message_by_meaning_without_shared_terms(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, embedding_model="local") as talk:
        await talk.turn_on_memory()
        await store_messages(
            talk,
            [
                "I cannot eat peanuts, they make my throat swell.",
                *(f"On day {number} we walked along the river and talked about films." for number in range(20)),
                "The train to Porto leaves at nine.",
            ],
        )
        assert talk.services.indexing is not None
        talk.services.indexing.wake()
        await talk.services.indexing.idle.wait()
        texts = await search_texts(talk, "food allergy")
        assert texts
        assert texts[0].startswith("I cannot eat peanuts")
        assert len(texts) < 5
