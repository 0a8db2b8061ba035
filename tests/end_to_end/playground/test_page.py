"""Tests of the chat page in a real browser, with a scripted bot behind the Bot API server."""

import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from playground.app import make_playground_app
from playground.server import serve
from playground.world import World
from tests.end_to_end.playground.scripted_bot import ScriptedBot, scripted_bot
from tests.paths import ROOT
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES
from tests.support.missing import skip_or_fail

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHROMIUM = Path("/usr/bin/chromium")
TOKEN = "4242:test-token"
PATIENCE = 90_000
"""Milliseconds until a wait on a page fails.

Playwright's own limits are too short for a busy machine: five seconds, and thirty for a press.
"""
ANNA, BORIS, CLUB, FORUM, TIDES = 1, 2, -500, -1_001_000_000_500, 7
HOSTILE = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"


@dataclass(kw_only=True)
class Playground:
    """The served page and the world behind it."""

    world: World
    url: str
    bot: ScriptedBot
    browser: Browser
    problems: list[str]

    async def open(self, *, width: int = 1400, height: int = 900) -> Page:
        """Open the page as a new visitor, and wait for its chats.

        Errors in the console are recorded and make the test fail.
        """
        page = await shared_page(self.browser, width=width, height=height)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda line: self.problems.append(line.text) if line.type == "error" else None)
        await page.goto(self.url)
        await page.locator(".dialog").first.wait_for(state="attached")
        return page


def new_world() -> World:
    world = World(token=TOKEN)
    world.add_person(ANNA, "Anna", username="anna")
    world.add_person(BORIS, "Boris", username="boris")
    world.add_group(CLUB, "Book club", members=[ANNA, BORIS], admins=[ANNA])
    world.add_group(FORUM, "Harbour", members=[ANNA, BORIS], admins=[ANNA], is_forum=True, topics={TIDES: "Tides"})
    return world


@contextlib.asynccontextmanager
async def launch_chromium() -> AsyncIterator[Browser]:
    if not os.access(CHROMIUM, os.X_OK):
        skip_or_fail(f"The page is tested in Chromium, and {CHROMIUM} is missing.")
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        try:
            yield browser
        finally:
            await browser.close()


async def shared_page(browser: Browser, *, width: int, height: int) -> Page:
    """Open a page in the browser context that all tests share.

    Another context costs a third of a second of processor time. Each test has its own server and so its own origin;
    leave() removes what is stored for that origin.
    """
    if not browser.contexts:
        await (await browser.new_context(locale="en")).new_page()  # stays, and with it the context's processes
    page = await browser.contexts[0].new_page()
    page.set_default_timeout(PATIENCE)
    await page.set_viewport_size({"width": width, "height": height})
    return page


async def leave(page: Page) -> None:
    if page.url.startswith("http"):
        await page.evaluate("localStorage.clear()")
    await page.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Start one browser for all tests: a start takes two seconds of processor time. Each test opens its own pages."""
    async with launch_chromium() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def playground(browser: Browser) -> AsyncIterator[Playground]:
    world, problems = new_world(), list[str]()

    app = make_playground_app(world, model_name="a scripted bot")
    async with serve(app) as url, scripted_bot(url, TOKEN) as bot:
        yield Playground(world=world, url=url, bot=bot, browser=browser, problems=problems)
        # Before the server goes: its absence would be a problem on every console.
        for page in browser.contexts[0].pages[1:] if browser.contexts else ():
            await leave(page)
    assert problems == []


async def send(page: Page, text: str) -> None:
    await page.get_by_label("Message", exact=True).fill(text)
    await page.keyboard.press("Enter")


async def test_empty_chat_offers_start_and_inline_buttons_work(playground: Playground) -> None:
    page = await playground.open()
    await expect(page.locator("#banner")).to_contain_text("a scripted bot")
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.locator(".message.out")).to_contain_text("/start")
    await expect(page.get_by_role("link", name="Docs")).to_have_attribute("href", "https://example.org")
    await page.get_by_role("button", name="SQLite").click()
    await expect(page.locator(".toast")).to_have_text("SQLite it is")
    await expect(page.locator(".message.in")).to_contain_text("Memory in SQLite.")
    await expect(page.locator(".message.in .edited")).to_be_visible()
    await expect(page.locator(".key")).to_have_count(0)


async def test_entities_are_rendered_at_utf16_offsets(playground: Playground) -> None:
    playground.world.say(ANNA, ANNA, "show")
    page = await playground.open()
    text = page.locator(".message.in .text")
    await expect(text.locator("strong").nth(0)).to_have_text("bold")
    await expect(text.locator("strong").nth(1)).to_have_text("bold")
    await expect(text.locator("em")).to_have_text("italic")
    await expect(text.locator("a")).to_have_attribute("rel", "noopener noreferrer")
    await expect(text.locator("pre code")).to_have_text("print('hi')")
    await expect(text.locator("pre .copy")).to_have_text("python")
    await expect(text.locator("blockquote")).to_have_text("quoted words")
    await text.locator(".spoiler").click()
    await expect(text.locator(".spoiler")).to_have_class("spoiler shown")
    await text.get_by_role("button", name="/summary").click()
    await expect(page.locator(".message.in").last).to_contain_text("You said: /summary")


async def test_typing_and_draft_are_shown_until_reply_arrives(playground: Playground) -> None:
    playground.world.say(ANNA, ANNA, "hello")
    page = await playground.open()
    await send(page, "type")
    await expect(page.locator("#chat-status")).to_have_text("typing…")
    await expect(page.locator(".draft .dots")).to_be_visible()
    await send(page, "stream")
    await expect(page.locator(".draft")).to_have_text("First words")
    playground.bot.go_on.set()
    await expect(page.locator(".message.in").last).to_contain_text("First words, and the rest.")
    await expect(page.locator(".draft")).to_have_count(0)
    await expect(page.locator("#chat-status")).to_have_text("you write as Anna")


async def test_command_menu_is_operated_by_keys_and_button(playground: Playground) -> None:
    playground.world.say(ANNA, ANNA, "hello")
    page = await playground.open()
    field = page.get_by_label("Message", exact=True)
    await field.press_sequentially("/sum")
    await expect(page.locator(".menu-item")).to_have_count(2)
    await field.press("ArrowDown")
    await field.press("Enter")
    await expect(page.locator(".message.out").last).to_contain_text("/summary_status")
    await page.get_by_role("button", name="Commands").click()
    await expect(page.locator(".menu-item")).to_have_count(4)
    await page.get_by_role("button", name="Commands").click()
    await expect(page.locator("#menu")).to_be_hidden()
    await page.get_by_role("button", name="Commands").click()
    await expect(page.locator("#menu")).to_be_visible()
    await field.press("Escape")
    await expect(page.locator("#menu")).to_be_hidden()


async def test_messages_can_be_edited_and_replied_to(playground: Playground) -> None:
    playground.world.say(ANNA, ANNA, "helo")
    page = await playground.open()
    await expect(page.locator(".message.in .quote")).to_contain_text("helo")
    field = page.get_by_label("Message", exact=True)
    await field.press("ArrowUp")
    await expect(field).to_have_value("helo")
    await send(page, "hello")
    await expect(page.locator(".message.out")).to_contain_text("hello")
    await expect(page.locator(".message.out .edited")).to_be_visible()
    await page.locator(".message.in").focus()
    await page.keyboard.press("r")
    await expect(page.locator("#about")).to_contain_text("Reply to Keepsake")
    await send(page, "ask")
    await expect(page.locator(".message.out .quote")).to_contain_text("You said: helo")
    await expect(page.locator("#about")).to_contain_text("After how many turns?")
    await field.press("Escape")
    await expect(page.locator("#about")).to_be_hidden()


async def test_files_can_be_downloaded_and_uploaded(playground: Playground) -> None:
    playground.world.say(ANNA, ANNA, "file")
    page = await playground.open()
    chip = page.get_by_role("link", name="Download memory.json")
    async with page.expect_download() as download:
        await chip.click()
    assert (await (await download.value).path()).read_bytes() == b"{}"
    pixel = ROOT / "playground/static/icon.svg"
    await page.locator("#file").set_input_files(pixel)
    await expect(page.locator(".message.out").last).to_contain_text("icon.svg")
    await expect(page.locator(".message.in").last).to_contain_text("What a file!")


async def test_speaker_can_be_chosen_in_group(playground: Playground) -> None:
    page = await playground.open()
    await page.get_by_role("button", name="Book club").click()
    await page.get_by_label("Speak as").select_option("Boris")
    await send(page, "only for people")
    await expect(page.locator(".message.out")).to_contain_text("only for people")
    await page.get_by_label("Speak as").select_option("Anna")
    await expect(page.locator(".message.in .sender")).to_have_text("Boris")
    field = page.get_by_label("Message", exact=True)
    await field.press_sequentially("@kee")
    await field.press("Enter")
    await expect(field).to_have_value("@keepsake_bot ")
    await field.press_sequentially("hi")
    await field.press("Enter")
    await expect(page.locator(".message.bot")).to_contain_text("You said:")


async def test_forum_topics_show_separate_messages(playground: Playground) -> None:
    playground.world.say(ANNA, FORUM, "@keepsake_bot high water", thread_id=TIDES)
    page = await playground.open()
    await page.get_by_role("button", name="Harbour").click()
    await expect(page.locator("article")).to_have_count(0)
    await page.get_by_role("tab", name="Tides").click()
    await expect(page.locator("article")).to_have_count(2)
    await send(page, "in the topic")
    await expect(page.locator(".message.out").last).to_contain_text("in the topic")
    said = list(playground.world.messages[FORUM].values())[-1]
    assert said["message_thread_id"] == TIDES


async def test_unread_messages_are_counted_and_reload_keeps_chat_and_draft(playground: Playground) -> None:
    page = await playground.open()
    playground.world.say(BORIS, BORIS, "from Boris")
    boris = page.locator(f'[data-chat="{BORIS}"]')
    await expect(boris.locator(".badge")).to_have_text("1")
    await boris.click()
    await expect(boris.locator(".badge")).to_have_count(0)
    await page.get_by_label("Message", exact=True).fill("half a thought")
    await page.reload()
    await expect(page.locator("#chat-status")).to_have_text("you write as Boris")
    await expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")
    await expect(boris.locator(".badge")).to_have_count(0)


async def test_new_messages_do_not_change_scroll_position(playground: Playground) -> None:
    for number in range(40):
        playground.world.say(ANNA, CLUB, f"line {number}\nand more of it")
    page = await playground.open()
    await page.get_by_role("button", name="Book club").click()
    log = page.locator("#log")
    await expect(log.get_by_text("line 39")).to_be_in_viewport()
    await log.get_by_text("line 20").scroll_into_view_if_needed()
    await expect(page.locator("#jump")).to_be_visible()
    before = await log.evaluate("log => log.scrollTop")
    playground.world.say(BORIS, CLUB, "news")
    await expect(page.locator("#jump-count")).to_have_text("1")
    assert await log.evaluate("log => log.scrollTop") == before
    await page.locator("#jump").click()
    await expect(log.get_by_text("news")).to_be_in_viewport()


async def test_message_text_is_never_rendered_as_markup(playground: Playground) -> None:
    playground.world.say(ANNA, ANNA, HOSTILE)
    page = await playground.open()
    await expect(page.locator(".message.in")).to_contain_text("<img src=x")
    assert await page.locator("img, #log script").count() == 0
    assert await page.title() == "Keepsake · playground"


async def test_phone_layout_shows_one_column_at_a_time(playground: Playground) -> None:
    page = await playground.open(width=390, height=844)
    await expect(page.locator("#chat")).to_be_hidden()
    await page.locator(f'[data-chat="{ANNA}"]').click()
    await page.get_by_role("button", name="Start", exact=True).click()
    await expect(page.locator(".message.in")).to_be_visible()
    await page.get_by_role("button", name="Back to chats").click()
    await expect(page.locator("#dialogs")).to_be_visible()
    await page.get_by_role("button", name="Book club").click()
    await expect(page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
    await page.get_by_role("button", name="Memory", exact=True).click()
    await expect(page.locator("#panel")).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") == 390


async def test_page_reconnects_after_server_restart(playground: Playground) -> None:
    first, second = new_world(), new_world()
    first.say(ANNA, ANNA, "before")
    second.say(ANNA, ANNA, "after")
    context = await playground.browser.new_context()
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    with reserve_port() as port:
        async with serve(make_playground_app(first, model_name="first"), port) as url:
            await page.goto(url)
            await expect(page.locator("article")).to_contain_text("before")
        await expect(page.locator("#chat-status")).to_have_text("waiting for the server…")
        async with serve(make_playground_app(second, model_name="second"), port):
            await expect(page.locator("article")).to_contain_text("after")
            await expect(page.locator("#banner")).to_contain_text("second")
            await context.close()


@pytest_asyncio.fixture(loop_scope="module")
async def served() -> AsyncIterator[httpx.AsyncClient]:
    app = make_playground_app(new_world(), model_name="none")
    async with (
        serve(app) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=NO_CERTIFICATES, timeout=60) as client,
    ):
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},  # another port of this machine
    ],
)
async def test_cross_site_requests_are_refused(served: httpx.AsyncClient, headers: dict[str, str]) -> None:
    said = {"person_id": ANNA, "chat_id": ANNA, "text": "hi"}
    assert (await served.post("/api/say", json=said, headers=headers)).status_code in (400, 403)
    assert (await served.get(f"/bot{TOKEN}/getMe", headers=headers)).status_code in (400, 403)
    assert (await served.get("/api/snapshot")).json()["messages"][str(ANNA)] == []


async def test_same_origin_requests_and_programs_are_accepted(served: httpx.AsyncClient) -> None:
    said = {"person_id": ANNA, "chat_id": ANNA, "text": "hi"}
    own = {"Origin": str(served.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert (await served.post("/api/say", json=said, headers=own)).status_code == 200
    assert (await served.get(f"/bot{TOKEN}/getMe")).json()["ok"]
    page = await served.get("/", headers={"Sec-Fetch-Site": "cross-site"})
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
