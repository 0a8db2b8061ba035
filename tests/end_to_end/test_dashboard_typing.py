"""Tests of what people type on the dashboard: it is checked by the browser, and stays until it is saved."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.playground.test_page import launch_chromium
from tests.end_to_end.test_dashboard_page import open_window, request_link
from tests.end_to_end.visitors import run_bot_with_dashboard

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launch_chromium() as browser:
        yield browser


async def test_typed_text_stays_until_it_is_saved(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page, dialog = shown.page, shown.page.locator("#asking")
            await shown.go_to("facts")
            await page.get_by_role("button", name="Add a fact").click()
            await dialog.locator("textarea").fill("I keep bees behind the old tram depot.")
            await ann.ask("/incognito on", "ncognito")
            await dialog.get_by_role("button", name="Save").click()
            await expect(page.locator(".toast.bad")).to_contain_text("ncognito")
            await expect(dialog.locator("textarea")).to_have_value("I keep bees behind the old tram depot.")
            await expect(dialog.locator("textarea")).to_be_visible()
            await ann.ask("/incognito off", "ncognito")
            await dialog.get_by_role("button", name="Save").click()
            await expect(dialog).to_be_hidden()
            await expect(page.locator(".fact .text")).to_have_text("I keep bees behind the old tram depot.")
            shown.problems.clear()  # the refusal is on the console


async def test_number_out_of_range_is_explained_and_not_saved(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            field, sent = shown.page.locator("main input[type=number]"), list[str]()
            shown.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
            await shown.go_to("settings")
            for number in ("501", "7.5", ""):
                await field.fill(number)
                await field.press("Enter")
                assert await field.evaluate("field => field.matches(':invalid')")
            assert not [url for url in sent if "settings" in url]
            async with shown.page.expect_response("**/api/settings"):
                await field.fill("30")
                await field.press("Enter")
        assert "Threshold: 30" in await ann.ask("/summary_status", "Threshold")


async def test_days_typed_on_keyboard_are_sent_once_they_are_complete(
    own_servers: LocalServers, browser: Browser
) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("My boat is called Quinquereme.")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page = shown.page
            await page.get_by_role("searchbox").fill("boat")
            await page.get_by_role("button", name="Filters").click()
            async with page.expect_request(lambda request: "since=2024-05-20" in request.url):
                await page.get_by_label("From", exact=True).press_sequentially("05202024")  # the year is 2 at first
            await expect(page.locator(".said")).to_have_count(1)
            await shown.go_to("settings")
            await page.get_by_label("From", exact=True).fill("2024-05-20")
            last = page.get_by_label("To", exact=True)
            await last.fill("2024-05-19")
            await page.get_by_role("button", name="Forget these days").click()
            assert await last.evaluate("field => field.matches(':invalid')")
            await last.fill("2024-05-21")
            await page.get_by_role("button", name="Forget these days").click()
            await expect(page.locator(".toast")).to_contain_text("holds nothing of this")


async def test_reload_keeps_drafts_but_no_setting_that_was_not_saved(
    own_servers: LocalServers, browser: Browser
) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page = shown.page
            await shown.go_to("settings")
            await page.locator("textarea[data-key=persona_text]").fill("Talk like a sailor.")
            await page.context.set_offline(True)
            await page.get_by_label("Time zone").fill("Asia/Tokyo")
            await page.get_by_label("Time zone").press("Tab")
            await expect(page.locator(".toast.bad")).to_be_visible()
            await page.context.set_offline(False)
            await page.reload()
            await expect(page.locator("textarea[data-key=persona_text]")).to_have_value("Talk like a sailor.")
            await expect(page.get_by_label("Time zone")).to_have_value("UTC")
            shown.problems.clear()  # the failed request is on the console
