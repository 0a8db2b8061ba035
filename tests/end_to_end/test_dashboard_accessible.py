"""Tests of the dashboard's accessibility: axe-core on every page, and editing a fact by keyboard alone."""

import json
from collections.abc import AsyncIterator
from urllib.parse import quote, urlencode

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.playground.test_page import launch_chromium
from tests.end_to_end.test_dashboard_page import DESKTOP, PAGES, PHONE, TELEGRAM, open_window, request_link
from tests.end_to_end.visitors import make_init_data, run_bot_with_dashboard
from tests.support.axe import find_serious_violations

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOCUSED = "document.activeElement.ariaLabel || document.activeElement.innerText"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launch_chromium() as browser:
        yield browser


@pytest.mark.parametrize(
    ("theme", "language"), [("light", "en"), ("dark", "de"), ("light", "ar"), ("dark", "zh"), ("telegram", "en")]
)
async def test_axe_finds_no_serious_violations(
    own_servers: LocalServers, browser: Browser, theme: str, language: str
) -> None:
    ann = own_servers.add_person("Ann")
    async with run_bot_with_dashboard(own_servers, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS="*") as server:
        await ann.set_up_memory()
        for number in range(3):
            await ann.ask(f"My boat number {number} is called Quinquereme.")
        await ann.ask("/summary_now")
        await ann.ask("/memory add I live in Lisbon.")
        await ann.ask("What is my boat called?")
        given = {"tgWebAppData": make_init_data(ann.id, language=language)}
        if theme == "telegram":
            given["tgWebAppThemeParams"] = json.dumps(TELEGRAM)
        url = f"{server.client.base_url}#{urlencode(given, quote_via=quote)}"
        async with open_window(browser, url, PHONE if theme == "light" else DESKTOP) as shown:
            page = shown.page
            if theme == "dark":
                await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
            await expect(page.locator("html")).to_have_attribute("lang", language)
            problems = list[str]()
            rules = ["color-contrast"] if theme == "telegram" else []  # else it is as the dark one
            for place in (*PAGES, "admin"):
                await shown.go_to(place)
                problems += await find_serious_violations(page, rules)
            await shown.go_to("facts")
            await page.locator(".fact button").first.click()
            problems += await find_serious_violations(page, rules)
            await page.get_by_role("dialog").locator("button.bad").last.click()
            await expect(page.locator("#asking")).to_be_visible()
            problems += await find_serious_violations(page, rules)
            assert problems == [], "\n".join(problems)


async def test_axe_detects_deliberate_violation(own_servers: LocalServers, browser: Browser) -> None:
    """Check the check: axe-core must report a button without a name."""
    async with (
        run_bot_with_dashboard(own_servers) as server,
        open_window(browser, str(server.client.base_url)) as shown,
    ):
        await expect(shown.page.locator(".empty")).to_be_visible()
        shown.problems.clear()  # nobody is let in without a proof
        await shown.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert [violation for violation in await find_serious_violations(shown.page) if "button-name" in violation]


async def test_fact_can_be_edited_by_keyboard_alone(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("/memory add I live in Lisbon.")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page = shown.page
            await expect(page.locator(".view.timeline")).to_be_visible()

            async def tabs_to(name: str) -> None:
                for _ in range(60):
                    await page.keyboard.press("Tab")
                    if await page.evaluate(FOCUSED) == name:
                        return
                raise AssertionError(f"{name} is not reached")

            await tabs_to("Skip to the page")
            await page.keyboard.press("Enter")
            await expect(page.locator("#page")).to_be_focused()
            await page.locator("#tabs a").first.focus()
            await tabs_to("Facts")
            await page.keyboard.press("Enter")
            await expect(page.locator(".view.facts")).to_be_visible()
            await tabs_to("More: I live in Lisbon.")
            await page.keyboard.press("Enter")
            await expect(page.locator("#sheet")).to_be_visible()
            await tabs_to("Edit")
            await page.keyboard.press("Enter")
            await expect(page.locator("#asking textarea")).to_be_focused()
            await page.keyboard.press("Control+a")
            await page.keyboard.type("I live in Porto.")
            await page.keyboard.press("Control+Enter")
            await expect(page.locator(".fact .text").first).to_have_text("I live in Porto.")
            await expect(page.locator("#sheet")).to_be_hidden()
            await tabs_to("More: I live in Porto.")
            await page.keyboard.press("Enter")
            await page.keyboard.press("Escape")
            await expect(page.locator("#sheet")).to_be_hidden()
            await expect(page.get_by_role("button", name="More: I live in Porto.")).to_be_focused()
