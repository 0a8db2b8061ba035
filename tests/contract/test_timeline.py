"""Tests of the timeline in every store: paging in both directions, filters, counts and speakers."""

from dataclasses import replace

from records.messages import TIMELINE_KINDS, NewMessage, matches_filter
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, MINUTE, NOW, make_message


def make_message_at(minutes: int, content: str, **more: str) -> NewMessage:
    return replace(make_message(content), created_at=NOW + minutes * MINUTE, **more)  # type: ignore[arg-type]


async def test_pages_through_timeline_in_both_directions(store: MemoryStore) -> None:
    stored = await store.append_messages(ANNA, [make_message_at(number, f"note {number}") for number in range(10)])
    await store.append_messages(BORIS, [make_message_at(3, "somebody else's")])
    ids = [message.id for message in stored]

    async def page(**asked: object) -> list[int]:
        return [message.id for message in await store.timeline.read_page(ANNA, limit=4, **asked)]  # type: ignore[arg-type]

    assert await page() == ids[-4:]
    assert await page(before_id=ids[6]) == ids[2:6]
    assert await page(before_id=ids[2]) == ids[:2]
    assert await page(after_id=ids[1]) == ids[2:6]
    assert await page(since=NOW + 7 * MINUTE) == ids[7:]
    assert await page(before_id=10**9) == []


async def test_filters_and_counts_by_speaker_kind_and_hour(store: MemoryStore) -> None:
    await store.append_messages(
        ANNA,
        [
            make_message_at(0, "mine", speaker="Ann"),
            make_message_at(1, "of another", speaker="Bob"),
            make_message_at(2, "a page", speaker="Ann", origin="document"),
            make_message_at(3, "passed on", speaker="Ann", origin="forwarded"),
            make_message_at(4, "long ago", speaker="", origin="imported"),
            make_message_at(65, "an answer", role="assistant"),
        ],
    )
    everything = await store.timeline.read_page(ANNA, limit=9)
    for kind in TIMELINE_KINDS:
        found = await store.timeline.read_page(ANNA, kind=kind, limit=9)
        assert found == [message for message in everything if matches_filter(message, kind)], kind
    bobs = await store.timeline.read_page(ANNA, speaker="Bob", limit=9)
    assert [bob.content for bob in bobs] == ["of another"]
    assert list(await store.timeline.count_messages_by_speaker(ANNA)) == [("Ann", 3), ("Bob", 1)]
    hours = await store.timeline.count_messages_by_hour(ANNA)
    assert [count for _, count in hours] == [5, 1]
    assert hours[0][0] < hours[1][0]
    assert list(await store.timeline.count_messages_by_hour(BORIS)) == []


async def test_numbers_members_with_same_name(store: MemoryStore) -> None:
    members = [(7, "Anna"), (8, "Anna"), (9, "Борис"), (7, "Anna"), (8, "Anna"), (10, "Anna")]
    chosen = []
    for minute, (person_id, name) in enumerate(members):
        chosen.append(await store.timeline.choose_unique_name(ANNA.owner, person_id, name))
        await store.append_messages(
            ANNA, [replace(make_message_at(minute, "hello", speaker=chosen[-1]), person_id=person_id)]
        )
    assert chosen == ["Anna", "Anna2", "Борис", "Anna", "Anna2", "Anna3"]
    for _ in range(2):  # as before names were told apart: who had it first keeps it
        await store.append_messages(BORIS, [replace(make_message_at(1, "hi", speaker="Anna"), person_id=7)])
        await store.append_messages(BORIS, [replace(make_message_at(2, "hi", speaker="Anna"), person_id=8)])
    names = [await store.timeline.choose_unique_name(BORIS.owner, person_id, "Anna") for person_id in (7, 8)]
    assert names == ["Anna", "Anna2"]
