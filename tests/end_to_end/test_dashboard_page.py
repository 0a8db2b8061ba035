"""Tests of the dashboard in a real browser, on a phone and on a desktop: people see and change their memory."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, FilePayload, Page, Request, Route, expect

from benchmarks.filling import fill_storage
from locales.catalog import LANGUAGES
from records.owners import StorageType
from records.scopes import Scope
from tests.end_to_end.harness import PATIENCE, LocalServers, Member, Process
from tests.end_to_end.playground.test_page import HOSTILE, launch_chromium, leave, shared_page
from tests.end_to_end.test_playground import say, set_up_memory
from tests.end_to_end.visitors import LINK, make_init_data, run_bot_with_dashboard
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE, DESKTOP = (390, 844), (1280, 860)
PAGES = ("timeline", "facts", "profile", "summaries", "why", "statistics", "settings", "past")
MAX_ROWS = 200
TELEGRAM = {
    "bg_color": "#17212b", "text_color": "#f5f5f5", "hint_color": "#708499", "link_color": "#6ab3f3",
    "button_color": "#5288c1", "button_text_color": "#ffffff", "secondary_bg_color": "#232e3c",
    "section_bg_color": "#17212b", "destructive_text_color": "#ec3942", "accent_text_color": "#6ab2f2",
}  # fmt: skip
"""The colours of Telegram Desktop in night mode."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launch_chromium() as browser:
        yield browser


@dataclass(frozen=True, kw_only=True)
class Window:
    """A browser window. Console messages and requests to other servers make its test fail."""

    page: Page
    problems: list[str]

    async def go_to(self, place: str) -> None:
        """Follow a link within the page, and wait until the new page is drawn."""
        await self.page.evaluate("place => { location.hash = place; }", f"#{place}")
        await expect(self.page.locator(f".view.{place.partition('/')[0]}")).to_be_visible()
        await expect(self.page.locator(".waiting")).to_have_count(0)

    async def rows(self) -> int:
        return await self.page.locator(".said, .card, .cover, tr, li").count()


@asynccontextmanager
async def open_window(browser: Browser, url: str, size: tuple[int, int] = PHONE) -> AsyncIterator[Window]:
    page, problems = await shared_page(browser, width=size[0], height=size[1]), list[str]()
    try:

        def complains(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                problems.append(message.text)

        def asks(request: Request) -> None:
            if not request.url.startswith((url.partition("#")[0], "blob:", "data:")):
                problems.append(request.url)

        page.on("console", complains)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", asks)
        await page.goto(url)
        yield Window(page=page, problems=problems)
        assert problems == []
    finally:
        await leave(page)


async def request_link(member: Member) -> str:
    link = LINK.search(await member.ask("/dashboard", "#link="))
    assert link is not None
    return f"#link={link[1]}"


async def test_messages_can_be_read_searched_and_forgotten(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        said = ann.say("My boat is called Trireme.")
        await ann.wait_for_message("Noted.", since=0)
        await ann.ask(f"{HOSTILE} \u202egpj.exe")  # which would turn around what follows it on the page
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url) as shown:
            page = shown.page
            await expect(page.locator(".said")).to_have_count(4)
            assert "link=" not in page.url
            await expect(page.locator(".said .text").nth(2)).to_have_text(f"{HOSTILE} gpj.exe")
            await expect(page.get_by_role("heading", name="Today")).to_be_visible()
            ann.edit_message(said["message_id"], "My boat is called Quinquereme.")
            await ann.ask("/summary_status")  # behind the edit
            await page.evaluate("dispatchEvent(new Event('focus'))")
            await expect(page.locator(".said .text").first).to_have_text("My boat is called Quinquereme.")

            search = page.get_by_role("searchbox")
            await search.press_sequentially("boat")
            await expect(page.locator(".said mark")).to_have_text("boat")
            await page.get_by_role("link", name="Show it in the timeline").click()
            await expect(page.locator(".said.flash")).to_contain_text("Quinquereme")
            await expect(page.locator(".said")).to_have_count(4)

            await page.reload()  # the link is spent; the session goes on
            await page.locator(".said").first.get_by_role("button").click()
            await expect(page.get_by_role("dialog")).to_contain_text("My boat is called Quinquereme.")
            await page.get_by_role("button", name="Forget question and answer").click()
            is_released = asyncio.Event()

            async def hold(route: Route) -> None:
                await is_released.wait()
                await route.continue_()

            await page.route("**/api/forget", hold)
            await page.locator("#asking").get_by_role("button", name="Forget").click()
            await expect(page.locator("#asking progress")).to_be_visible()
            await page.keyboard.press("Escape")  # leaves the notice; what was begun goes on
            await expect(page.locator("#asking")).to_be_hidden()
            is_released.set()
            await expect(page.locator("#asking")).to_contain_text("Forgotten")
            await page.locator("#asking").get_by_role("button", name="OK").click()
            await expect(page.locator(".said")).to_have_count(2)


async def test_answer_to_forgotten_question_is_shown_as_gone(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        said = ann.say("My boat is called Trireme.")
        await ann.wait_for_message("Noted.", since=0)
        asked = await ann.ask_for_message("/forget", "Shall I forget", reply_to=said["message_id"])
        since = ann.last_event
        ann.press_button(asked, "Only this message")
        await ann.wait_for_message("Forgotten", since=since)
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            await shown.go_to("why")
            await expect(shown.page.locator(".answer summary .text")).to_have_text("Gone by now")


async def test_document_stays_small_for_long_memory(own_servers: LocalServers, browser: Browser) -> None:
    ann = own_servers.add_person("Ann")
    own_servers.data_dir.mkdir()
    await fill_storage(own_servers.data_dir, StorageType.SQLITE, [Scope(owner=ann.id)], 1_000)
    async with run_bot_with_dashboard(own_servers) as server:
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url) as shown:
            page = shown.page
            newest = await page.locator(".said").last.get_attribute("data-id")
            oldest = await page.locator(".said").first.get_attribute("data-id")
            for _ in range(4):  # further than the document holds
                await page.evaluate("scrollTo(0, 0)")
                await expect(page.locator(".said").first).not_to_have_attribute("data-id", oldest or "")
                oldest = await page.locator(".said").first.get_attribute("data-id")
                assert await shown.rows() <= MAX_ROWS
            assert await page.locator(f'.said[data-id="{newest}"]').count() == 0
            await page.get_by_role("button", name="To the newest").click()
            await expect(page.locator(f'.said[data-id="{newest}"]')).to_be_in_viewport()
            for place in PAGES:
                await shown.go_to(place)
                assert await shown.rows() <= MAX_ROWS, place
            await shown.go_to("summaries")
            await page.locator(".level").last.locator(".brick").last.focus()
            await page.keyboard.press("Enter")  # where it stands for several, it leads to the first of them
            if await page.evaluate("document.activeElement.localName") == "a":
                await page.keyboard.press("Enter")
            await expect(page.locator(".summary-detail .said").first).to_be_visible()
            assert await shown.rows() <= MAX_ROWS


async def test_facts_can_be_added_edited_superseded_and_deleted(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url, DESKTOP) as shown:
            page = shown.page
            await shown.go_to("facts")

            async def writes(opens: str, text: str) -> None:
                await page.get_by_role("button", name=opens).click()
                await page.locator("#asking textarea").fill(text)
                await page.locator("#asking").get_by_role("button", name="Save").click()

            await writes("Add a fact", "I live in Lisbon.")
            facts = page.locator(".fact > .card-line .text")
            await expect(facts).to_have_text(["I live in Lisbon."])
            more = page.locator(".fact > .card-line button").first
            await more.click()
            await writes("Edit", "I live in Porto.")
            await expect(facts).to_have_text(["I live in Porto."])
            await more.click()
            await page.get_by_role("button", name="Undo").click()
            await expect(facts).to_have_text(["I live in Lisbon."])
            await more.click()
            await page.get_by_role("button", name="Pin").click()
            await expect(page.get_by_role("img", name="you pinned it")).to_be_visible()
            await more.click()
            await writes("Something else is true now", "I live in Faro.")
            await expect(facts).to_have_text(["I live in Faro."])
            await expect(more).to_be_focused()
            await more.click()
            await page.get_by_role("button", name="Undo").click()
            await expect(facts).to_have_text(["I live in Lisbon."])
            await more.click()
            await writes("Something else is true now", "I live in Faro.")
            await expect(facts).to_have_text(["I live in Faro."])
            await page.locator(".fact details summary").first.click()
            await expect(page.locator(".history .text")).to_have_text("I live in Lisbon.")
            await expect(page.locator(".history .hint").first).not_to_contain_text("–")  # from a day until that day
            await expect(page.locator(".fact > .hint").first).to_contain_text("Put in by hand.")
            await more.click()
            await page.get_by_role("button", name="Both are true").click()
            await expect(facts).to_have_text(["I live in Faro.", "I live in Lisbon."])
            await more.click()
            await page.get_by_role("button", name="Delete").click()
            await expect(page.locator(".fact.deleted > .card-line .text")).to_have_text("I live in Faro.")
            await page.locator(".fact.deleted > .card-line button").click()
            await page.get_by_role("button", name="Undo").click()  # once it could be found only among all earlier facts
            await expect(facts).to_have_text(["I live in Faro.", "I live in Lisbon."])
            await more.click()
            await page.get_by_role("button", name="Delete").click()
            await expect(page.locator(".fact:not(.over, .deleted)")).to_have_count(1)
        assert "Faro" not in await ann.ask("/facts")


async def test_settings_changed_on_page_apply_in_chat(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url) as shown:
            page = shown.page
            await shown.go_to("settings")
            await expect(page.locator("main")).to_contain_text("While memory is on, I keep your messages")
            async with page.expect_response("**/api/settings"):  # the page is drawn again then
                await page.get_by_label("Formatting").select_option("rich")
            await page.get_by_role("switch", name="Incognito").check()
            await expect(page.locator("#pills")).to_contain_text("Incognito")
            await page.get_by_role("combobox", name="Language", exact=True).select_option("de")
            await expect(page.get_by_role("button", name="Einstellungen")).to_be_visible()  # the page that is open
        settings = await ann.ask_for_message("/settings", "nkognito")
        assert "✓ Formatierung: erweitert" in str(settings["reply_markup"])


async def test_boxes_of_facts_are_large_enough_for_a_thumb(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("/memory add I keep bees behind the old tram depot.")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            await shown.go_to("facts")
            await shown.page.get_by_role("button", name="Choose several").click()
            label = shown.page.locator("label.choice", has=shown.page.get_by_role("checkbox"))
            for area, least in ((label, 44), (label.get_by_role("checkbox"), 24)):
                box = await area.bounding_box()
                assert box is not None
                assert min(box["width"], box["height"]) >= least
            await label.click(position={"x": 3, "y": 3})
            await expect(label.get_by_role("checkbox")).to_be_checked()


async def test_own_words_are_asked_for_before_they_can_be_chosen(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page, sent = shown.page, list[str]()
            page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
            await shown.go_to("settings")
            sent.clear()
            styles = page.locator("select", has=page.locator("option[value=own]"))
            await styles.select_option("own")
            words = page.locator("textarea[data-key=persona_text]")
            await expect(words).to_be_focused()
            await expect(styles).to_have_value("")
            assert not [url for url in sent if "settings" in url]
            async with page.expect_response("**/api/settings"):
                await words.fill("Answer like an old sailor.")
                await words.locator("xpath=ancestor::div[1]").get_by_role("button", name="Save").click()
            await expect(styles).to_have_value("own")


async def test_history_is_imported_and_exported_and_receipt_stays_visible(
    own_servers: LocalServers, browser: Browser
) -> None:
    notes = [
        {"role": "user", "content": f"Note {number}.", "created_at": f"2024-05-{number:02}T10:00:00Z"}
        for number in range(1, 25)
    ]
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url) as shown:
            page = shown.page
            await expect(page.get_by_role("heading", name="Ann’s memory")).to_be_visible()
            await shown.go_to("past")
            file: FilePayload = {"name": "notes.json", "mimeType": "", "buffer": json.dumps(notes).encode()}
            other: FilePayload = {"name": "other.json", "mimeType": "", "buffer": json.dumps(notes[:1]).encode()}
            is_chosen_again = asyncio.Event()

            async def read_late(route: Route) -> None:
                await is_chosen_again.wait()
                await route.continue_()

            await page.route("**/import/plan?*other.json*", read_late)
            await page.get_by_label("The file").set_input_files(other)
            await page.get_by_label("The file").set_input_files(file)
            await expect(page.locator(".import").first).to_contain_text("24 messages")
            async with page.expect_response(lambda answer: "other.json" in answer.url):
                is_chosen_again.set()
            await page.get_by_role("button", name="Import", exact=True).click()
            receipt = page.locator(".import [role=status]")
            await expect(receipt).to_contain_text("24")
            # The page looks how the memory stands now, which redraws other pages.
            async with page.expect_response(lambda answer: "api/home" in answer.url):
                await page.evaluate("dispatchEvent(new Event('focus'))")
            await expect(receipt).to_contain_text("24")
            for button, ending in (("As one page", ".html"), ("For me", ".zip"), ("For a machine", ".json")):
                async with page.expect_download() as saved:
                    await page.get_by_role("button", name=button).click()
                assert (await saved.value).suggested_filename.endswith(ending)
            await shown.go_to("timeline")
            await page.get_by_role("button", name="Filters").click()
            await page.get_by_label("From", exact=True).fill("2024-05-20")
            # What was said before it is read next, and stands above what is shown.
            await expect(page.locator(".said .text")).to_have_count(24)
            await expect(page.locator(".said .text").first).not_to_be_in_viewport()
            await expect(page.get_by_text("Note 20.", exact=True)).to_be_in_viewport()
            await expect(page.get_by_label("To", exact=True)).to_be_hidden()
            await page.get_by_role("searchbox").fill("note")
            await page.get_by_label("To", exact=True).fill("2024-05-21")
            await expect(page.locator(".said .text")).to_have_count(2)


async def test_import_shows_upload_progress_and_collapses_instructions(
    own_servers: LocalServers, browser: Browser
) -> None:
    at = "2026-11-21T09:00:00+00:00"
    facts = [
        {"id": number, "text": f"Follow rule {number}.", "kind": "instruction", "observed_at": at, "created_at": at}
        for number in (1, 2, 3)
    ]
    filling = " " * 400_000
    export = json.dumps({"format": "keepsake-export", "version": 1, "owner": 99, "facts": facts}) + filling
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url) as shown:
            page = shown.page
            await expect(page.get_by_role("heading", name="Ann’s memory")).to_be_visible()
            await shown.go_to("past")
            line = await page.context.new_cdp_session(page)
            slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 100_000}
            await line.send("Network.emulateNetworkConditions", slow)
            file: FilePayload = {"name": "mine.json", "mimeType": "", "buffer": export.encode()}
            await page.get_by_label("The file").set_input_files(file)
            sending = page.get_by_role("progressbar", name="Sending…")
            await expect(sending).to_have_attribute("aria-valuenow", re.compile("^[1-9]"))
            folded = page.locator(".import details", has_text="3 instructions")
            await expect(folded.get_by_text("Follow rule 2.")).to_be_hidden()
            await folded.locator("summary").click()
            await expect(folded.get_by_text("Follow rule 2.")).to_be_visible()


async def test_every_summary_can_be_reached_on_axis_and_corrected(own_servers: LocalServers, browser: Browser) -> None:
    ann = own_servers.add_person("Ann")
    own_servers.data_dir.mkdir()
    await fill_storage(own_servers.data_dir, StorageType.SQLITE, [Scope(owner=ann.id)], 7_000)
    async with run_bot_with_dashboard(own_servers) as server:
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url, (320, 700)) as shown:
            page, bricks, lists = shown.page, shown.page.locator(".brick"), list[str]()
            page.on("request", lambda request: lists.append(request.url) if "/summaries?" in request.url else None)
            await shown.go_to("summaries")
            await expect(page.locator("#page")).to_contain_text("in all")
            await expect(page.locator("button.brick.many").first).to_be_visible()  # drawn once there is a width
            assert await bricks.count() + await shown.rows() <= MAX_ROWS
            for _ in range(20):  # pressing what stands for several leads to each
                if not await page.locator(".level").last.locator("button.many").count():
                    break
                await page.locator(".level").last.locator("button.many").first.click()
            await page.locator(".level").last.locator("a.brick").first.click()
            await expect(page.locator("a.brick[aria-current]")).to_have_count(1)
            await expect(page.locator(".summary-detail .said").first).to_be_visible()
            title = await page.locator(".summary h3").inner_text()
            await expect(page.locator("a.brick[aria-current]")).to_have_attribute("title", re.compile(re.escape(title)))
            assert len([url for url in lists if "titled" not in url]) == 1, "read once; titles as they come up"
            if not any("titled" in url for url in lists):
                await page.wait_for_event("request", lambda request: "titled" in request.url)
            assert await page.locator(".brick.kin").count() > 0  # what it became a part of
            await expect(page.locator(".summary h3")).not_to_have_text("Summary")
            assert await page.evaluate("document.documentElement.scrollWidth") == 320
            await page.get_by_role("button", name="Correct").click()
            await page.get_by_role("textbox", name="Summary").fill("They spoke of the zoo in Basel.")
            await page.get_by_role("button", name="Save").click()
            await expect(page.locator(".summary .prose")).to_have_text("They spoke of the zoo in Basel.")
            await expect(page.locator("a.brick[aria-current]")).to_have_attribute("title", re.compile("^They spoke of"))
            await expect(page.locator(".summary header")).to_contain_text("Corrected by you")


async def test_sign_out_everywhere_ends_all_browser_sessions(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        first, second = await request_link(ann), await request_link(ann)
        async with (
            open_window(browser, f"{server.client.base_url}{first}") as here,
            open_window(browser, f"{server.client.base_url}{second}", DESKTOP) as there,
        ):
            await here.go_to("settings")
            await expect(there.page.locator(".view.timeline")).to_be_visible()
            await here.page.get_by_role("button", name="Sign out everywhere").click()
            await expect(here.page.locator("#page")).to_contain_text("or you have signed out")
            await there.page.evaluate("location.hash = '#facts'")
            await expect(there.page.locator("#page")).to_contain_text("/dashboard")
            for side in (here, there):
                side.problems.clear()  # the refusals are on the console


async def test_every_page_opens_in_every_language(own_servers: LocalServers, browser: Browser) -> None:
    """The pages are opened as in Telegram, with signed init data and theme colours in the URL."""
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("My boat is called Quinquereme.")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}", (360, 800)) as shown:
            page, root = shown.page, shown.page.locator("html")
            for language in LANGUAGES:
                proof = make_init_data(ann.id, language=language)
                given = {"tgWebAppData": proof, "tgWebAppThemeParams": json.dumps(TELEGRAM)}
                await page.goto("about:blank")
                await page.goto(f"{server.client.base_url}#{urlencode(given, quote_via=quote)}")
                for place in PAGES:
                    await shown.go_to(place)
                await expect(root).to_have_attribute("lang", language)
                await expect(root).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
                await expect(root).to_have_attribute("data-theme", "dark")
                await expect(page.locator("body")).to_have_css("background-color", "rgb(23, 33, 43)")
                assert "tgWebAppData" not in page.url
                cut = "tabs => tabs.filter((tab) => tab.scrollWidth > tab.clientWidth).map((tab) => tab.textContent)"
                assert await page.locator(".tabs > a > span").evaluate_all(cut) == []


async def test_open_page_reconnects_after_bot_restart(own_servers: LocalServers, browser: Browser) -> None:
    ann = own_servers.add_person("Ann")
    with reserve_port() as port:
        address = f"127.0.0.1:{port}"
        settings: dict[str, Any] = {"DASHBOARD_URL": f"http://{address}", "DASHBOARD_LISTEN": address}
        async with own_servers.run_bot(**settings):
            await ann.set_up_memory()
            await ann.ask("My boat is called Quinquereme.")
            link = await request_link(ann)
            opened = open_window(browser, f"http://{address}/{link}")
            shown = await opened.__aenter__()
            await expect(shown.page.locator(".said")).to_have_count(2)
        await shown.page.evaluate("location.hash = '#facts'")
        await expect(shown.page.locator("#away")).to_be_visible()
        async with own_servers.run_bot(**settings):
            await expect(shown.page.locator("#away")).to_be_hidden()
            await expect(shown.page.locator(".view.facts")).to_be_visible()
            shown.problems.clear()  # that nobody answered is on the console
            await opened.__aexit__(None, None, None)


async def test_used_link_explains_how_to_get_new_link(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        url = f"{server.client.base_url}#link=used"
        async with open_window(browser, url) as shown:
            await expect(shown.page.locator(".empty")).to_contain_text("/dashboard")
            shown.problems.clear()  # the refusal is on the console


async def test_playground_shows_dashboard_next_to_chat(own_servers: LocalServers, browser: Browser) -> None:
    with reserve_port() as port:
        url = f"http://127.0.0.1:{port}/"
        servers = replace(own_servers, is_forked=False)
        arguments = ("--playground", "--no-browser", "--port", str(port))
        process = Process(await servers.spawn(*arguments, environ={"EMBEDDING_MODEL": "none"}))
        try:
            await process.wait_for_log_line("ready")
            async with (
                httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE, verify=NO_CERTIFICATES) as chat,
                open_window(browser, url, DESKTOP) as shown,
            ):
                memory = shown.page.frame_locator("#panel iframe")
                await expect(memory.locator("#pills")).to_contain_text("off")
                await set_up_memory(chat)
                await say(chat, "My boat is called Quinquereme.")
                await expect(memory.locator(".said")).to_have_count(2)
                await expect(memory.locator("html")).to_have_class("telegram")
            assert await process.terminate() == 0
        finally:
            await process.kill()
