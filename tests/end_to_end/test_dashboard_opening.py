"""Tests of the dashboard's first load on a slow phone network: few bytes and two round trips."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Request, Route, expect

from benchmarks.filling import fill_storage
from records.owners import StorageType
from records.scopes import Scope
from tests.end_to_end.harness import LocalServers
from tests.end_to_end.playground.test_page import launch_chromium
from tests.end_to_end.test_dashboard_page import PHONE, open_window, request_link
from tests.end_to_end.visitors import run_bot_with_dashboard

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAX_OPENING_BYTES = 36_400  # 0.7 seconds at 400 kbit/s, besides two round trips of 400 ms and the drawing


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launch_chromium() as browser:
        yield browser


async def test_first_messages_arrive_with_session_within_size_limit(
    own_servers: LocalServers, browser: Browser
) -> None:
    ann = own_servers.add_person("Ann")
    own_servers.data_dir.mkdir()
    await fill_storage(own_servers.data_dir, StorageType.SQLITE, [Scope(owner=ann.id)], 1_000)
    async with run_bot_with_dashboard(own_servers) as server:
        url = f"{server.client.base_url}"
        async with open_window(browser, url, PHONE) as shown:
            page = shown.page
            await expect(page.locator(".empty")).to_be_visible()
            shown.problems.clear()  # nobody is let in without a proof
            is_session_asked, requests = asyncio.Event(), list[Request]()

            async def hold(route: Route) -> None:
                await is_session_asked.wait()
                await route.continue_()

            def note(request: Request) -> None:
                requests.append(request)
                if request.url.endswith("/api/session"):
                    is_session_asked.set()

            await page.route("**/main.js", hold)  # comes only once the session is being asked for
            await page.route("**/api/speakers*", lambda route: route.abort())  # the first thing that is asked for later
            page.on("request", note)
            await page.goto("about:blank")
            async with page.expect_request("**/api/speakers*"):
                await page.goto(f"{url}/{await request_link(ann)}")
                await expect(page.locator(".said").last).to_be_in_viewport()
            first = requests[: next(at for at, request in enumerate(requests) if "/speakers" in request.url)]
            names = sorted(urlsplit(request.url).path.rpartition("/")[2] for request in first)
            assert [name for name in names if name != "icon.svg"] == ["", "base.css", "main.js", "pages.css", "session"]
            pages = [request for request in first if "icon.svg" not in request.url]
            sizes = [(await request.sizes())["responseBodySize"] for request in pages]
            assert sum(sizes) <= MAX_OPENING_BYTES
            shown.problems.clear()


async def test_outdated_preloaded_messages_are_not_shown(own_servers: LocalServers, browser: Browser) -> None:
    """Preloaded messages are discarded if another page is opened first.

    They once appeared in the timeline after they had been forgotten.
    """
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("My boat is called Trireme.")
        async with open_window(browser, f"{server.client.base_url}/{await request_link(ann)}", PHONE) as shown:
            page, is_released = shown.page, asyncio.Event()
            await expect(page.locator(".said")).to_have_count(2)

            async def hold(route: Route) -> None:
                await is_released.wait()
                await route.continue_()

            await page.route("**/main.js", hold)
            async with page.expect_response("**/api/session"):
                await page.reload(wait_until="commit")
            await page.evaluate("location.hash = '#facts'")
            is_released.set()
            await expect(page.locator(".view.facts")).to_be_visible()
            await ann.ask("My cat is called Oscar.")
            async with page.expect_response("**/api/home*"):
                await page.evaluate("dispatchEvent(new Event('focus'))")
            await shown.go_to("timeline")
            await expect(page.locator(".said")).to_have_count(4)
