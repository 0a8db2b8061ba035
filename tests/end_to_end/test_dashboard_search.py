"""Searching on the page in a real browser, and that nothing which somebody types or has open is taken away."""

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
from tests.end_to_end.playground.test_page import chromium
from tests.end_to_end.test_dashboard_page import link_for, window
from tests.end_to_end.visitors import init_data, served

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


async def test_whoever_types_at_once_sees_the_results_and_comes_back_to_them(
    own_house: LocalServers, browser: Browser
) -> None:
    ann = own_house.person("Ann")
    own_house.data.mkdir()
    await fill_storage(own_house.data, StorageType.SQLITE, [Scope(owner=ann.id)], 1_000)
    async with served(own_house) as server:
        url = f"{server.client.base_url}{await link_for(ann)}"
        async with window(browser, url) as shown:
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


async def test_a_switch_takes_away_nothing_that_was_typed_and_leaves_the_keyboard(
    own_house: LocalServers, browser: Browser
) -> None:
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
            page = shown.page
            await shown.goes("settings")
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
            await shown.goes("facts")
            await page.go_back()
            await expect(page.get_by_label("What summaries should pay attention to")).to_have_value("Names of boats.")
            await page.get_by_role("combobox", name="Language", exact=True).select_option("de")
            await expect(page.get_by_role("button", name="Einstellungen")).to_be_visible()
            await expect(page.get_by_label("Worauf Zusammenfassungen")).to_have_value("Names of boats.")
            await expect(page.get_by_label("Zum Beispiel: morgen")).to_have_value("tomorrow at 9 call Ann")


async def test_months_are_turned_by_keyboard_and_back_leaves_a_day(own_house: LocalServers, browser: Browser) -> None:
    ann = own_house.person("Ann")
    own_house.data.mkdir()
    await fill_storage(own_house.data, StorageType.SQLITE, [Scope(owner=ann.id)], 5_000)
    async with served(own_house) as server, window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
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


async def test_what_the_bot_learns_meanwhile_appears(own_house: LocalServers, browser: Browser) -> None:
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
            await shown.goes("facts")
            search = shown.page.get_by_role("searchbox")
            await search.fill("boat")
            await ann.asks("/memory add I have a boat.")
            await expect(shown.page.locator(".fact .text")).to_have_text(["I have a boat."])
            await expect(search).to_have_value("boat")
            await expect(search).to_be_focused()


async def test_forgetting_lists_texts_first_and_back_leaves_a_dialog(own_house: LocalServers, browser: Browser) -> None:
    """The texts are shown while repeats of them are sought; the keyboard stays on the page."""
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        await ann.asks("My boat is called Quinquereme.")
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
            page, gate = shown.page, asyncio.Event()
            question, more = page.locator("#asking"), page.locator(".said").first.get_by_role("button")

            async def delay_repeats(route: Route) -> None:
                if "with_repeats" not in (route.request.post_data or ""):
                    await gate.wait()
                await route.continue_()

            await page.route("**/api/forget/preview", delay_repeats)
            await shown.goes("facts")
            await shown.goes("timeline")
            await more.click()
            await expect(page.locator("#sheet")).to_be_visible()
            await page.go_back()
            await expect(page.locator("#sheet")).to_be_hidden()
            await shown.goes("timeline")
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


async def test_within_telegram_an_export_comes_into_the_chat(own_house: LocalServers, browser: Browser) -> None:
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        since = ann.now
        proof = urlencode({"tgWebAppData": init_data(ann.id)}, quote_via=quote)
        async with window(browser, f"{server.client.base_url}#{proof}") as shown:
            await shown.goes("past")
            await shown.page.get_by_role("button", name="For a machine").click()
            sent = await ann.hears(lambda message: "document" in message, since=since)
            assert sent["document"]["file_name"].endswith(".json")
            await expect(shown.page.locator(".toast")).to_have_text("The bot has sent the file into your chat.")
