"""The dashboard for those who cannot see it, or hold no mouse: axe-core on every page, and a walk by keyboard alone."""

import json
from collections.abc import AsyncIterator
from urllib.parse import quote, urlencode

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.playground.test_page import chromium
from tests.end_to_end.test_dashboard_page import DESKTOP, PAGES, PHONE, TELEGRAM, link_for, window
from tests.end_to_end.visitors import init_data, served
from tests.support.axe import grave_violations

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOCUSED = "document.activeElement.ariaLabel || document.activeElement.innerText"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest.mark.parametrize(
    ("theme", "language"), [("light", "en"), ("dark", "de"), ("light", "ar"), ("dark", "zh"), ("telegram", "en")]
)
async def test_axe_finds_nothing_serious(own_house: LocalServers, browser: Browser, theme: str, language: str) -> None:
    ann = own_house.person("Ann")
    async with served(own_house, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS="*") as server:
        await ann.sets_up()
        for number in range(3):
            await ann.asks(f"My boat number {number} is called Quinquereme.")
        await ann.asks("/summary_now")
        await ann.asks("/memory add I live in Lisbon.")
        await ann.asks("What is my boat called?")
        given = {"tgWebAppData": init_data(ann.id, language=language)}
        if theme == "telegram":
            given["tgWebAppThemeParams"] = json.dumps(TELEGRAM)
        url = f"{server.client.base_url}#{urlencode(given, quote_via=quote)}"
        async with window(browser, url, PHONE if theme == "light" else DESKTOP) as shown:
            page = shown.page
            if theme == "dark":
                await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
            await expect(page.locator("html")).to_have_attribute("lang", language)
            problems = list[str]()
            rules = ["color-contrast"] if theme == "telegram" else []  # else it is as the dark one
            for place in (*PAGES, "admin"):
                await shown.goes(place)
                problems += await grave_violations(page, rules)
            await shown.goes("facts")
            await page.locator(".fact button").first.click()
            problems += await grave_violations(page, rules)
            await page.get_by_role("dialog").locator("button.bad").last.click()
            await expect(page.locator("#asking")).to_be_visible()
            problems += await grave_violations(page, rules)
            assert problems == [], "\n".join(problems)


async def test_axe_sees_a_fault(own_house: LocalServers, browser: Browser) -> None:
    """Or its silence would say nothing."""
    async with served(own_house) as server, window(browser, str(server.client.base_url)) as shown:
        await expect(shown.page.locator(".empty")).to_be_visible()
        shown.problems.clear()  # nobody is let in without a proof
        await shown.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert [violation for violation in await grave_violations(shown.page) if "button-name" in violation]


async def test_everything_is_reached_and_left_by_keyboard(own_house: LocalServers, browser: Browser) -> None:
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        await ann.asks("/memory add I live in Lisbon.")
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
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
