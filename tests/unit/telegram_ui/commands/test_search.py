"""Tests of /search: exact matches, similar messages, and queries without results."""

from datetime import UTC
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from dashboard.endpoints import PageRequest
from dashboard.parameters import Parameters
from dashboard.views import ViewHandlers
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from settings import Settings
from tests.support.talk import open_chat_harness
from tests.unit.telegram_ui.commands.conftest import ANN, Desk, Peer

CLOSE = "No message has these words. Nearest in meaning:"


async def test_search_labels_results_similar_only_in_meaning(tmp_path: Path, peer: Peer) -> None:
    async with open_chat_harness(tmp_path / "data", embedding_model="local") as talk:
        desk = Desk(peer, talk.services, talk.moment)
        await desk.fetch_updates()
        await talk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=20)
        said = [
            "I cannot eat peanuts, they make my throat swell.",
            *(f"On day {number} we walked along the river and talked about films." for number in range(12)),
        ]
        async with talk.services.memory.open_store(ANN) as store:
            drafts = [NewMessage(role="user", content=text, created_at=talk.moment[0]) for text in said]
            await store.append_messages(Scope(owner=ANN), drafts)
        assert talk.services.indexing is not None
        talk.services.indexing.wake()
        await talk.services.indexing.idle.wait()
        await desk.say(ANN, ANN, "/search food allergy")
        heading, told, *found = desk.get_last_text(ANN).splitlines()
        assert (heading, told) == ("🔎 food allergy", CLOSE)
        assert said[0] in found
        await desk.say(ANN, ANN, "/search peanuts")
        assert said[0] in desk.get_last_text(ANN)
        assert CLOSE not in desk.get_last_text(ANN)
        await desk.say(ANN, ANN, "/search films allergy")  # all have a word of it, but one
        worded, _, similar = desk.get_last_text(ANN).partition("Near in meaning:")
        assert worded.count("talked about films") == 5
        assert said[0] not in worded, "a message without any of the words once stood before those that have one"
        assert said[0] in similar
        await desk.say(ANN, ANN, "/search zzzzqqq")
        shown = desk.get_last_text(ANN)
        assert shown.splitlines()[1] == CLOSE
        page = await ViewHandlers(services=talk.services, settings=Settings()).search_messages(
            cast(
                "PageRequest",
                SimpleNamespace(parameters=Parameters({"q": "zzzzqqq"}), scope=Scope(owner=ANN), zone=UTC),
            )
        )
        assert page["total"] == 0, "the page counts as found what has the words alone, as the chat does"
        near = cast("list[dict[str, str]]", page["found"])
        assert near
        assert all(message["text"] in shown for message in near[:3])
        await desk.say(ANN, ANN, "/search “qwzx blorf”")
        assert desk.get_last_text(ANN).splitlines()[1] == "Nothing was found. Try other words, or fewer."


async def test_page_of_long_messages_is_one_message_whose_button_works(tmp_path: Path, peer: Peer) -> None:
    """A second message has the buttons, but not the query that they search for again."""
    async with open_chat_harness(tmp_path / "data", embedding_model="local") as talk:
        desk = Desk(peer, talk.services, talk.moment)
        await desk.fetch_updates()
        await talk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=20)
        worded = "Peanuts make my throat swell, so I never eat them, and the doctor gave me a pen for my bag. "
        similar = "A nut allergy makes my skin itch after meals with hazelnuts in them, as the doctor has told me. "
        said = [
            *(f"{number}. {worded * 6}" for number in range(9)),
            *(f"{number}. {similar * 6}" for number in range(5)),
        ]
        said += [f"On day {number} we walked along the river and talked about films." for number in range(12)]
        async with talk.services.memory.open_store(ANN) as store:
            drafts = [NewMessage(role="user", content=text, created_at=talk.moment[0]) for text in said]
            await store.append_messages(Scope(owner=ANN), drafts)
        assert talk.services.indexing is not None
        talk.services.indexing.wake()
        await talk.services.indexing.idle.wait()
        await desk.say(ANN, ANN, "/search peanuts allergic")
        first = desk.get_last_text(ANN)
        assert first.startswith("🔎 peanuts allergic\n")
        assert first.count("Peanuts make my throat swell, so I never eat them") >= 5
        assert first.partition("Near in meaning:")[2].count("• ") == 3
        message, buttons = desk.find_newest_buttons(ANN)
        await desk.press_button(ANN, ANN, message, buttons["More"])
        assert "\n6. today" in desk.get_last_text(ANN)


async def test_arabic_search_reply_with_latin_query_stays_right_to_left(tmp_path: Path, peer: Peer) -> None:
    async with open_chat_harness(tmp_path / "data") as talk:
        desk = Desk(peer, talk.services, talk.moment)
        await desk.fetch_updates()
        await talk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=20)
        async with talk.services.memory.open_store(ANN) as store:
            said = (f"Tea number {number}." for number in range(30))
            drafts = [NewMessage(role="user", content=text, created_at=talk.moment[0]) for text in said]
            await store.append_messages(Scope(owner=ANN), drafts)
        await desk.say(ANN, ANN, "/language ar")
        await desk.say(ANN, ANN, "/search tea")
        assert desk.get_last_text(ANN).startswith("\u200f🔎 tea\n")
        message, buttons = desk.find_newest_buttons(ANN)
        await desk.press_button(ANN, ANN, message, next(iter(buttons.values())))
        assert desk.get_last_text(ANN).startswith("\u200f🔎 tea\n")
