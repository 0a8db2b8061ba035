"""Tests of the conversations of a place: beginning, opening, naming, listing, finding and forgetting them."""

from dataclasses import replace
from datetime import timedelta

from records.forgetting import ForgetRequest
from records.scopes import FIRST_NUMBER, Scope
from storage.schema.portable_tables import CONVERSATIONS
from storage.schema.rows import format_moment
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, MINUTE, NOW, TOPIC, append_turns, make_message, open_transaction
from tests.support.processor_time import count_units


async def list_labels(store: MemoryStore, place: Scope) -> list[tuple[str, bool]]:
    found, _ = await store.conversations.list_with_total(place, offset=0, limit=9)
    return [(conversation.label, conversation.is_open) for conversation in found]


async def test_place_itself_is_open_conversation_until_another_begins(store: MemoryStore) -> None:
    assert await store.conversations.find_open_conversation(ANNA) == ANNA
    await store.append_messages(ANNA, [make_message("about the walrus")])
    assert await list_labels(store, ANNA) == [("about the walrus", True)]
    new = await store.conversations.begin_conversation(ANNA, "", now=NOW)
    assert new.thread >= FIRST_NUMBER
    assert await store.conversations.find_open_conversation(ANNA) == new
    assert await list_labels(store, ANNA) == [("", True), ("about the walrus", False)]


async def test_begin_conversation_reuses_empty_conversation(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message("about the walrus")])
    new = await store.conversations.begin_conversation(ANNA, "", now=NOW)
    assert await store.conversations.begin_conversation(ANNA, "Newts", now=NOW) == new
    await store.append_messages(new, [make_message("about newts")])
    third = await store.conversations.begin_conversation(ANNA, "", now=NOW)
    assert third.thread > new.thread
    await store.append_messages(third, [make_message("of herons")])
    assert await list_labels(store, ANNA) == [("of herons", True), ("Newts", False), ("about the walrus", False)]


async def test_begin_open_and_find_stay_fast_with_thousands_of_conversations(store: MemoryStore) -> None:
    """Beginning a conversation once read all others, in the transaction that everybody's writes wait for."""
    await store.append_messages(ANNA, [make_message("about the walrus")])
    many = [Scope(owner=ANNA.owner, thread=FIRST_NUMBER + number) for number in range(5_000)]
    rows = [
        {
            "user_id": scope.owner,
            "thread_id": scope.thread,
            "title": str(number),
            "is_named": True,
            "created_at": format_moment(NOW),
            "opened_at": format_moment(NOW - MINUTE * number),
        }
        for number, scope in enumerate(many)
    ]
    async with open_transaction(store) as tx:
        await tx.execute_many(CONVERSATIONS.upsert_sql, [CONVERSATIONS.to_params(row) for row in rows])
    await store.append_messages(many[0], [make_message("a word", source="1:2")])
    with count_units() as stopwatch:
        new = await store.conversations.begin_conversation(ANNA, "Newts", now=NOW)
        assert await store.conversations.open_conversation_if_exists(ANNA, many[7], now=NOW)
        assert await store.conversations.find_conversation(ANNA, source="1:2") == many[0]
    assert stopwatch.units < 100  # some 10; all 5,000 conversations read again took some 400
    assert new.thread > many[-1].thread
    assert await store.conversations.find_open_conversation(ANNA) == many[7]


async def test_last_opened_conversation_is_current_even_if_clock_goes_back(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message("first")])
    new = await store.conversations.begin_conversation(ANNA, "", now=NOW)
    assert await store.conversations.open_conversation_if_exists(ANNA, ANNA, now=NOW - MINUTE)
    assert await store.conversations.find_open_conversation(ANNA) == ANNA
    assert await store.conversations.open_conversation_if_exists(ANNA, new, now=NOW - 2 * MINUTE)
    assert await store.conversations.find_open_conversation(ANNA) == new


async def test_place_cannot_open_rename_or_list_conversations_of_another(store: MemoryStore) -> None:
    await store.append_messages(BORIS, [make_message("of the club")])
    await store.append_messages(TOPIC, [make_message("of the garden")])
    new = await store.conversations.begin_conversation(TOPIC, "Roses", now=NOW)
    await store.append_messages(new, [make_message("red ones")])
    for other in (BORIS, ANNA):
        assert not await store.conversations.open_conversation_if_exists(other, new, now=NOW)
        assert not await store.conversations.rename_if_exists(other, new, "mine", now=NOW)
        assert not await store.conversations.has_conversation(other, new)
    assert not await store.conversations.open_conversation_if_exists(BORIS, TOPIC, now=NOW)
    assert await list_labels(store, BORIS) == [("of the club", True)]
    assert await list_labels(store, TOPIC) == [("Roses", True), ("of the garden", False)]
    assert await store.conversations.find_open_conversation(BORIS) == BORIS


async def test_new_conversation_in_channel_direct_chat_stays_direct_chat(store: MemoryStore) -> None:
    place = Scope(owner=BORIS.owner, thread=-3)
    await store.append_messages(BORIS, [make_message("of the club")])
    await store.append_messages(place, [make_message("from one person")])
    new = await store.conversations.begin_conversation(place, "", now=NOW)
    assert new.is_channel_direct_chat
    assert await store.conversations.find_open_conversation(place) == new
    assert await store.conversations.find_open_conversation(BORIS) == BORIS


async def test_model_title_is_kept_until_messages_are_edited_or_forgotten(store: MemoryStore) -> None:
    [first] = await store.append_messages(ANNA, [make_message("about the walrus")])
    conversations = store.conversations
    assert await conversations.read_first_messages_of_untitled(ANNA, [ANNA]) == {ANNA: [first]}
    assert await conversations.set_title_if_untitled(ANNA, ANNA, "Walrus", made_from=[first], now=NOW)
    assert not await conversations.set_title_if_untitled(ANNA, ANNA, "Other", made_from=[first], now=NOW)
    assert await list_labels(store, ANNA) == [("Walrus", True)]
    assert await conversations.read_first_messages_of_untitled(ANNA, [ANNA]) == {}
    await store.forgetting.replace_message_text_if_changed(ANNA, first.id, "about newts", reason="edited", now=NOW)
    assert await list_labels(store, ANNA) == [("about newts", True)]
    assert not await conversations.set_title_if_untitled(ANNA, ANNA, "Walrus", made_from=[first], now=NOW)
    [now] = (await conversations.read_first_messages_of_untitled(ANNA, [ANNA]))[ANNA]
    assert await conversations.set_title_if_untitled(ANNA, ANNA, "Newts", made_from=[now], now=NOW)
    [later] = await store.append_messages(ANNA, [make_message("the cellar key is 4711")])
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(later.id,)), now=NOW)
    assert await list_labels(store, ANNA) == [("about newts", True)]


async def test_owner_title_survives_forgetting(store: MemoryStore) -> None:
    [first] = await store.append_messages(ANNA, [make_message("about the walrus")])
    await store.conversations.rename_if_exists(ANNA, ANNA, "  My   walrus ", now=NOW)
    assert not await store.conversations.set_title_if_untitled(ANNA, ANNA, "Walrus", made_from=[first], now=NOW)
    await store.append_messages(ANNA, [make_message("more")])
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(first.id,)), now=NOW)
    assert await list_labels(store, ANNA) == [("My walrus", True)]


async def test_forgetting_conversation_deletes_only_its_messages(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 2)
    new = await store.conversations.begin_conversation(ANNA, "Newts", now=NOW)
    await append_turns(store, new, 3, words="newts")
    gone = await store.forgetting.forget(ANNA.owner, ForgetRequest(what="conversations", ids=(new.thread,)), now=NOW)
    assert gone.messages == 6
    assert await store.list_scopes(ANNA.owner) == [ANNA]
    assert await store.timeline.read_page(ANNA) == stored
    assert await store.conversations.find_open_conversation(ANNA) == ANNA
    assert not await store.conversations.has_conversation(ANNA, new)
    assert await store.search_messages(new, ["newt"], limit=9) == []


async def test_finds_conversation_by_source_message_id_or_telegram_id(store: MemoryStore) -> None:
    [first] = await store.append_messages(ANNA, [replace(make_message("first", source="1:1"), telegram_id=71)])
    new = await store.conversations.begin_conversation(ANNA, "", now=NOW)
    [second] = await store.append_messages(new, [replace(make_message("second", source="1:2"), telegram_id=72)])
    find = store.conversations.find_conversation
    assert [await find(ANNA, source=source) for source in ("1:1", "1:2", "1:3")] == [ANNA, new, None]
    assert [await find(ANNA, message_id=number) for number in (first.id, second.id, 99)] == [ANNA, new, None]
    assert [await find(ANNA, telegram_id=telegram_id) for telegram_id in (71, 72, 73)] == [ANNA, new, None]
    assert await find(BORIS, message_id=first.id) is None


async def test_finds_chat_of_telegram_message_in_any_topic(store: MemoryStore) -> None:
    topic = replace(ANNA, thread=7)
    await store.append_messages(ANNA, [replace(make_message("here", source="1:1"), telegram_id=71)])
    await store.append_messages(topic, [replace(make_message("there", source="1:2"), telegram_id=72)])
    later = await store.conversations.begin_conversation(topic, "", now=NOW)
    answer = replace(make_message("an answer", source="1:3"), role="assistant", explanation="{}")
    await store.append_messages(later, [replace(make_message("later", source="1:3"), telegram_id=73), answer])
    await store.explanations.record_shown_messages(later, "1:3", [74, 75])
    find = store.conversations.find_chat_of_message
    assert [await find(ANNA.owner, number) for number in (71, 72, 73, 74, 75)] == [ANNA, *[topic] * 4]
    assert await find(ANNA.owner, 76) is await find(BORIS.owner, 71) is None


async def test_unregistered_conversation_is_listed_and_can_be_opened(store: MemoryStore) -> None:
    """An import from another memory can leave such a conversation."""
    stray = Scope(owner=ANNA.owner, thread=FIRST_NUMBER + 5)
    await store.append_messages(stray, [make_message("from elsewhere")])
    assert await list_labels(store, ANNA) == [("from elsewhere", False)]
    assert await store.conversations.open_conversation_if_exists(ANNA, stray, now=NOW + timedelta(days=1))
    assert await store.conversations.find_open_conversation(ANNA) == stray
