"""Tests of the page's people: adding them, their languages, starting over, and restored messages."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import expect

from bot import can_open_browser
from playground.app import make_playground_app
from playground.guests import MAX_NAME_CHARS, MAX_PEOPLE, GuestEndpoints
from playground.past import erase_memory, restore_messages
from playground.refusals import Json
from playground.server import serve
from playground.world import World
from records.messages import NewMessage
from records.scopes import Scope
from tests.end_to_end.playground.scripted_bot import scripted_bot
from tests.end_to_end.playground.test_page import ANNA, PATIENCE, TOKEN, launch_chromium, new_world
from tests.support.axe import find_serious_violations
from tests.support.http import NO_CERTIFICATES
from tests.support.talk import ANNA as ANN
from tests.support.talk import open_chat_harness

STOPS = "[...document.querySelectorAll('*')].filter(one => one.tabIndex >= 0 && one.offsetParent !== null)"
KEYBOARD = {"inline_keyboard": [[{"text": name, "callback_data": name} for name in ("Regenerate", "Continue", "Why?")]]}


class Visit:
    """A served playground whose people can be changed, with a record of the owners that were erased."""

    def __init__(self, world: World, client: httpx.AsyncClient, file: Path, erased: list[int]) -> None:
        self.world = world
        self.client = client
        self.file = file
        self.erased = erased

    async def refusal(self, path: str, **given: object) -> str:
        answer = await self.client.post(path, json=given)
        assert answer.status_code == 400
        return str(answer.json()["error"])


@pytest.fixture
async def visit(tmp_path: Path) -> AsyncIterator[Visit]:
    world, erased, file = new_world(), list[int](), tmp_path / "people.json"

    async def erase_it(owner: int) -> None:
        erased.append(owner)

    guests = GuestEndpoints(world, file, erase_it)
    app = make_playground_app(world, model_name="none", guests=guests)
    async with (
        serve(app) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=NO_CERTIFICATES, timeout=60) as client,
    ):
        yield Visit(world, client, file, erased)


async def test_added_person_can_speak_and_is_restored_after_restart(visit: Visit) -> None:
    added = (await visit.client.post("/api/person", json={"name": " Dmitri  K ", "language": "ru"})).json()
    assert (added["first_name"], added["language_code"]) == ("Dmitri K", "ru")
    said = {"person_id": added["id"], "chat_id": added["id"], "text": "Привет"}
    assert (await visit.client.post("/api/say", json=said)).status_code == 200
    again = new_world()
    GuestEndpoints(again, visit.file, erase_nothing).restore_people()
    assert again.people[added["id"]].language_code == "ru"
    assert len(again.people) == 3


async def erase_nothing(owner: int) -> None:
    raise AssertionError("nobody starts over here")


async def test_changed_app_language_is_included_in_later_messages(visit: Visit) -> None:
    await visit.client.post("/api/language", json={"person_id": ANNA, "language": "de"})
    said = (await visit.client.post("/api/say", json={"person_id": ANNA, "chat_id": ANNA, "text": "Hallo"})).json()
    assert said["from"]["language_code"] == "de"


async def test_page_texts_and_errors_use_preferred_language(visit: Visit) -> None:
    """The first preferred language that exists is used, also in errors. The page is fresh until one is chosen."""
    shown = (await visit.client.get("/api/texts", params={"wanted": "fr,de-AT,ru"})).json()
    assert (shown["language"], shown["texts"]["dashboard-today"], shown["right_to_left"]) == ("de", "Heute", False)
    assert (await visit.client.get("/api/texts", params={"wanted": "ja"})).json()["language"] == "en"
    german = {"Accept-Language": "fr;q=0.9, de"}
    refused = await visit.client.post("/api/person", json={"name": " "}, headers=german)
    assert refused.json()["error"] == f"Ein Name hat 1 bis {MAX_NAME_CHARS} Zeichen."
    assert (await visit.client.get("/api/about")).json()["is_fresh"]
    await visit.client.post("/api/language", json={"person_id": ANNA, "language": "de"})
    assert not (await visit.client.get("/api/about")).json()["is_fresh"]


async def test_reset_empties_chat_and_erases_memory(visit: Visit) -> None:
    await visit.client.post("/api/say", json={"person_id": ANNA, "chat_id": ANNA, "text": "Hello"})
    since = visit.world.feed.last
    assert (await visit.client.post("/api/reset", json={"chat_id": ANNA})).status_code == 200
    assert visit.erased == [ANNA]
    assert (await visit.client.get("/api/snapshot")).json()["messages"][str(ANNA)] == []
    assert [event["kind"] for event in await visit.world.wait_for_events(since)] == ["reset"]
    said = (await visit.client.post("/api/say", json={"person_id": ANNA, "chat_id": ANNA, "text": "Hi"})).json()
    assert said["message_id"] == 2, "an id means one message for ever"


async def test_invalid_people_languages_and_chats_are_refused(visit: Visit) -> None:
    assert "name" in await visit.refusal("/api/person", name=" ")
    assert "name" in await visit.refusal("/api/person", name="x" * (MAX_NAME_CHARS + 1))
    assert "language" in await visit.refusal("/api/person", name="Eve", language="<b>")
    assert "language" in await visit.refusal("/api/language", person_id=ANNA, language="")
    assert "chat" in await visit.refusal("/api/reset", chat_id=404)
    for number in range(MAX_PEOPLE - 2):
        visit.world.add_person(1000 + number, "Extra")
    assert "already" in await visit.refusal("/api/person", name="One more")


@pytest.mark.parametrize("damage", ["", "[", '{"id": 1}', '[{"who": 3}]', "[" * 100_000])
def test_damaged_people_file_is_ignored(tmp_path: Path, damage: str) -> None:
    (tmp_path / "people.json").write_text(damage, encoding="utf-8")
    world = new_world()
    GuestEndpoints(world, tmp_path / "people.json", erase_nothing).restore_people()
    assert len(world.people) == 2


def formatted(answer: str) -> list[Json]:
    return [{"text": answer, "entities": []}]


async def test_messages_are_restored_from_memory_with_dates_until_erased(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(owner=ANN.id)
        talk.server.script("chat-model", "Noted, walnuts.")
        await talk.run_turn("I am allergic to walnuts.")
        world = World(token=TOKEN)
        world.add_person(ANN.id, "Anna")
        world.add_person(8, "Boris")
        await restore_messages(world, talk.services, formatted)
        shown = list(world.messages[ANN.id].values())
        assert [message["text"] for message in shown] == ["I am allergic to walnuts.", "Noted, walnuts."]
        assert [message["from"]["is_bot"] for message in shown] == [False, True]
        assert shown[0]["date"] == int(talk.moment[0].timestamp())
        assert world.make_snapshot()["chats"][0]["recalled"] == shown[1]["message_id"]
        assert world.has_started_bot(ANN.id)
        assert not world.messages[8]
        await erase_memory(talk.services, ANN.id)
        assert not await talk.services.memory.is_memory_on(ANN.id)
        empty = World(token=TOKEN)
        empty.add_person(ANN.id, "Anna")
        await restore_messages(empty, talk.services, formatted)
        assert not empty.messages[ANN.id]


async def test_imported_assistant_message_is_restored_with_speaker_name(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(owner=ANN.id)
        said = NewMessage(
            role="assistant", content="Hi", created_at=talk.moment[0], speaker="ChatGPT", origin="imported"
        )
        async with talk.services.memory.open_store(ANN.id) as store:
            await store.append_messages(Scope(owner=ANN.id), [said])
        world = World(token=TOKEN)
        world.add_person(ANN.id, "Anna")
        await restore_messages(world, talk.services, formatted)
    [shown] = world.messages[ANN.id].values()
    assert (shown["from"]["first_name"], shown["from"]["is_bot"]) == ("ChatGPT", True)
    app = make_playground_app(world, model_name="none")
    async with serve(app) as url, launch_chromium() as browser:
        page = await browser.new_page()
        await page.goto(url)
        await expect(page.locator(".message.bot .sender")).to_have_text("ChatGPT")


def test_browser_can_be_opened_only_from_local_desktop_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not can_open_browser({"DISPLAY": ":0"}), "the test's output is no terminal"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("sys.platform", "linux")
    assert can_open_browser({"DISPLAY": ":0"})
    assert not can_open_browser({})
    assert not can_open_browser({"DISPLAY": ":0", "SSH_CONNECTION": "1 2"})


async def test_first_visit_offers_chips_themes_languages_and_new_people(tmp_path: Path) -> None:
    """One visit covers all of this, and typing anywhere and tab stops, because starting a browser is slow."""
    world, problems = new_world(), list[str]()

    for number in range(20):
        world.restore_message(
            ANNA, world.bot, {"text": f"answer {number}", "reply_markup": KEYBOARD}, unix_time=1_777_000_000
        )
    guests = GuestEndpoints(world, tmp_path / "people.json", erase_nothing)
    app = make_playground_app(world, model_name="a scripted bot", guests=guests)
    async with launch_chromium() as browser, serve(app) as url, scripted_bot(url, TOKEN):
        context = await browser.new_context(viewport={"width": 1400, "height": 900}, locale="en")
        page = await context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        await page.goto(url)
        await expect(page.locator(".back")).to_contain_text("Welcome back")
        await expect(page.locator(".badge:visible")).to_have_count(0)
        assert await page.evaluate(f"{STOPS}.length") < 40
        assert await find_serious_violations(page) == []
        await page.keyboard.type("typed anywhere")
        await expect(page.get_by_label("Message", exact=True)).to_have_value("typed anywhere")
        await page.keyboard.press("Enter")
        await page.locator(".chip", has_text="walnuts").click()
        await expect(page.locator(".message.out").last).to_contain_text("walnuts")
        await expect(page.locator(".chip", has_text="I'm allergic")).to_have_count(0)
        await page.get_by_role("button", name="Theme: automatic").click()
        await page.get_by_role("button", name="Theme: light").click()
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        assert await find_serious_violations(page) == []
        await page.get_by_role("button", name="Add a person").click()
        await page.get_by_label("First name").fill("Dora")
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.locator('.dialog[aria-current="true"]')).to_contain_text("Dora")
        await page.reload()
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        await page.get_by_label("Language", exact=True).select_option("ar")
        await expect(page.locator("html")).to_have_attribute("dir", "rtl")
        await expect(page.get_by_role("button", name="إضافة شخص")).to_be_visible()
        await context.close()
    assert problems == []
