"""Tests of the dashboard's search in a real browser. Typed text and open dialogs must not be lost."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import quote, urlencode

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, expect

from benchmarks.filling import fill_storage
from records.owners import StorageType
from records.scopes import Scope
from tests.end_to_end.harness import LocalServers
from tests.end_to_end.playground.test_page import launch_chromium
from tests.end_to_end.test_dashboard_page import open_window, request_link
from tests.end_to_end.visitors import make_init_data, run_bot_with_dashboard

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launch_chromium() as browser:
        yield browser


async def test_search_works_while_loading_and_results_survive_back_and_reload(
    own_servers: LocalServers, browser: Browser
) -> None:
    ann = own_servers.add_person("Ann")
    own_servers.data_dir.mkdir()
    await fill_storage(own_servers.data_dir, StorageType.SQLITE, [Scope(owner=ann.id)], 1_000)
    async with run_bot_with_dashboard(own_servers) as server:
        url = f"{server.client.base_url}{await request_link(ann)}"
        async with open_window(browser, url) as shown:
            page = shown.page
            field, found = page.get_by_role("searchbox"), page.locator(".found")
            await field.press_sequentially("lubatri kekafoni")  # while the timeline is being read
            await expect(found).to_contain_text("Found:")
            told = await found.inner_text()
            assert await page.evaluate("scrollY") == 0
            assert "?q=lubatri+kekafoni" in page.url
            await page.get_by_role("link", name="Show it in the timeline").last.click()
            await expect(page.locator(".said.flash mark").first).to_be_in_viewport()
            await page.go_back()
            await expect(found).to_have_text(told)
            await expect(field).to_have_value("lubatri kekafoni")
            await page.wait_for_function("scrollY > 0")  # once the speakers are there, too
            await page.reload()
            await expect(found).to_have_text(told)
            await page.evaluate("scrollTo(0, 0)")
            await page.set_viewport_size({"width": 320, "height": 700})
            # A long date takes no second line for the button.
            heights = "rows => rows.map(row => row.querySelector('.round').offsetTop)"
            assert set(await page.locator(".said").evaluate_all(heights)) == {9}
            await field.fill("")
            await expect(page.locator(".day").first).to_be_visible()
            await expect(found).to_have_count(0)


async def test_changing_settings_keeps_unsaved_input_and_focus(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page = shown.page
            await shown.go_to("settings")
            await page.get_by_label("What summaries should pay attention to").fill("Names of boats.")
            switch = page.get_by_role("switch", name="Incognito")
            await switch.focus()
            await page.keyboard.press("Space")
            await expect(page.locator("#pills")).to_contain_text("Incognito")
            await expect(switch).to_be_focused()
            await expect(page.get_by_label("What summaries should pay attention to")).to_have_value("Names of boats.")
            await page.get_by_role("switch", name="Remember").uncheck()
            await expect(page.get_by_label("What summaries should pay attention to")).to_have_count(0)
            await page.get_by_role("switch", name="Remember").check()
            await expect(page.get_by_label("What summaries should pay attention to")).to_have_value("Names of boats.")
            await page.get_by_label("Such as: tomorrow").fill("tomorrow at 9 call Ann")
            await shown.go_to("facts")
            await page.go_back()
            await expect(page.get_by_label("What summaries should pay attention to")).to_have_value("Names of boats.")
            await page.get_by_role("combobox", name="Language", exact=True).select_option("de")
            await expect(page.get_by_role("button", name="Einstellungen")).to_be_visible()
            await expect(page.get_by_label("Worauf Zusammenfassungen")).to_have_value("Names of boats.")
            await expect(page.get_by_label("Zum Beispiel: morgen")).to_have_value("tomorrow at 9 call Ann")


async def test_calendar_is_operable_by_keyboard_and_back_leaves_day(
    own_servers: LocalServers, browser: Browser
) -> None:
    ann = own_servers.add_person("Ann")
    own_servers.data_dir.mkdir()
    await fill_storage(own_servers.data_dir, StorageType.SQLITE, [Scope(owner=ann.id)], 5_000)
    async with (
        run_bot_with_dashboard(own_servers) as server,
        open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown,
    ):
        page = shown.page
        await page.get_by_role("button", name="Filters").click()
        await page.get_by_text("Calendar").click()
        earlier = page.locator(".month-head").get_by_role("button", name="Back")
        await earlier.focus()
        for month in ("December 2024", "November 2024"):
            await page.keyboard.press("Enter")
            await expect(page.locator(".month-head")).to_contain_text(month)
        await expect(earlier).to_be_focused()
        await page.get_by_role("button", name="November 28, 2024").click()
        await expect(page.get_by_role("heading", name="Thursday, November 28, 2024")).to_be_in_viewport()
        await page.go_back()
        await expect(page.get_by_role("heading", name="Thursday, November 28, 2024")).to_have_count(0)
        await expect(page.locator(".view.timeline .said").last).to_be_in_viewport()


async def test_fact_added_in_chat_appears_on_open_page(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            await shown.go_to("facts")
            search = shown.page.get_by_role("searchbox")
            await search.fill("boat")
            await ann.ask("/memory add I have a boat.")
            await expect(shown.page.locator(".fact .text")).to_have_text(["I have a boat."])
            await expect(search).to_have_value("boat")
            await expect(search).to_be_focused()


async def test_forget_dialog_lists_texts_before_repeats_and_back_closes_sheet(
    own_servers: LocalServers, browser: Browser
) -> None:
    """The texts are shown while the search for their repeats still runs. The keyboard focus stays on the page."""
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("My boat is called Quinquereme.")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page, gate = shown.page, asyncio.Event()
            question, more = page.locator("#asking"), page.locator(".said").first.get_by_role("button")

            async def delay_repeats(route: Route) -> None:
                if "with_repeats" not in (route.request.post_data or ""):
                    await gate.wait()
                await route.continue_()

            await page.route("**/api/forget/preview", delay_repeats)
            await shown.go_to("facts")
            await shown.go_to("timeline")
            await more.click()
            await expect(page.locator("#sheet")).to_be_visible()
            await page.go_back()
            await expect(page.locator("#sheet")).to_be_hidden()
            await shown.go_to("timeline")
            await more.press("Enter")
            await page.get_by_role("button", name="Forget question and answer").press("Enter")
            await expect(question.locator(".quote")).to_have_text(["My boat is called Quinquereme.", "Noted."])
            await expect(question.get_by_role("button", name="Forget")).to_be_disabled()
            gate.set()
            await expect(question.get_by_role("button", name="Forget")).to_be_enabled()
            await question.get_by_role("button", name="Forget").press("Enter")
            await question.get_by_role("button", name="OK").press("Enter")
            await expect(page.locator(".empty")).to_be_visible()
            await expect(page.locator("main")).to_be_focused()


async def test_export_inside_telegram_is_sent_to_chat(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        since = ann.last_event
        proof = urlencode({"tgWebAppData": make_init_data(ann.id)}, quote_via=quote)
        async with open_window(browser, f"{server.client.base_url}#{proof}") as shown:
            await shown.go_to("past")
            await shown.page.get_by_role("button", name="For a machine").click()
            sent = await ann.wait_for_message(lambda message: "document" in message, since=since)
            assert sent["document"]["file_name"].endswith(".json")
            await expect(shown.page.locator(".toast")).to_have_text("The bot has sent the file into your chat.")
