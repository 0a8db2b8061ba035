"""What the commands of the chat do, done with a mouse on the page; and what strangers write, shown as words there."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from playwright.async_api import Browser, FilePayload, Page, expect

from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.end_to_end.playground.test_page import HOSTILE, chromium, leave, shared_page
from tests.end_to_end.test_dashboard_page import DESKTOP, PAGES, PHONE, link_for, window
from tests.end_to_end.visitors import LINK, served

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY = 10_000
DAY = datetime(2024, 5, 1, tzinfo=UTC)
TURNED = f"{HOSTILE} \u202etxt.exe"
"""Markup, and a sign that turns what follows it around."""
PAUSES_AT_FIRST_PROGRESS = """most => {
  const watch = new MutationObserver(() => {
    if (!document.querySelector(`.import [aria-valuemax="${most}"]`)) return;
    watch.disconnect();
    [...document.querySelectorAll(".import button")].find((button) => button.textContent === "Pause").click();
  });
  watch.observe(document.body, { childList: true, subtree: true });
}"""
"""Presses the button within the page: a press from outside may come when everything is imported."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


async def confirms(page: Page, button: str, said: str = "") -> None:
    """Presses a button in the question that is open, after it said this."""
    box = page.locator("#asking")
    await expect(box).to_contain_text(said)
    await box.get_by_role("button", name=button, exact=True).click()


async def test_what_strangers_write_is_shown_as_words_on_every_page(own_house: LocalServers, browser: Browser) -> None:
    async with served(own_house) as server:
        ann = own_house.person(TURNED)
        await ann.sets_up()
        await ann.asks(f"/new {TURNED[:90]}")
        for _ in range(2):
            await ann.asks(TURNED)
        await ann.asks("/summary_now")
        await ann.asks(f"/memory add {TURNED}")
        visitor = await server.asked(ann)
        await visitor.posts("reminders/add", text=f"tomorrow at 9:00 {TURNED}")
        await visitor.posts("settings", change={"persona_text": TURNED, "fold_instructions": TURNED})
        group = own_house.group(ann, admins=[ann])
        own_house.world.chats[group] = replace(own_house.world.chats[group], title=TURNED)
        since = ann.now
        await ann.within(group).asks("/dashboard")
        link = LINK.search((await ann.hears("#link=", since=since))["text"])
        assert link is not None
        for proof in (await link_for(ann), f"#link={link[1]}"):
            async with window(browser, f"{server.client.base_url}{proof}", DESKTOP) as shown:
                page = shown.page
                await expect(page.locator("#whose")).to_contain_text("<script>")
                for place in PAGES:
                    await shown.goes(place)
                    assert await page.locator("#page img, #page script, .top script, .top img").count() == 0, place
                    text = await page.evaluate("document.body.innerText + document.title")
                    assert not {"\u202d", "\u202e"} & set(text), place
                    assert await page.title() != "broken"
                await shown.goes("timeline")
                await page.get_by_role("searchbox").fill("<script> onerror")
                await expect(page.locator("#page")).to_contain_text("Found:")
                assert await page.locator("#page script").count() == 0


async def test_profiles_are_written_compared_and_erased(own_house: LocalServers, browser: Browser) -> None:
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        own_house.model.script_schema(
            "profile", *(json.dumps({"profile": f"Ann lives in {town}."}) for town in ("Lisbon", "Porto"))
        )
        await ann.asks("/memory add Ann lives in Lisbon.")
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}", DESKTOP) as shown:
            page = shown.page
            await shown.goes("profile")
            await expect(page.locator(".empty")).to_contain_text("no profile yet")
            await page.get_by_role("button", name="Rewrite now").click()
            await expect(page.locator(".version")).to_contain_text("Ann lives in Lisbon.")
            await ann.asks("/memory add Ann lives in Porto.")
            await page.get_by_role("button", name="Rewrite now").click()
            await expect(page.locator(".version")).to_contain_text("Ann lives in Porto.")
            await page.get_by_label("Compare with").select_option(index=1)
            await expect(page.locator(".version ins")).to_contain_text("Porto")
            await expect(page.locator(".version del")).to_contain_text("Lisbon")
            await page.locator(".version", has_text="Porto").get_by_role("button", name="Forget").first.click()
            await confirms(page, "Forget", "cannot be undone")
            await expect(page.locator(".version")).to_have_count(1)
            await expect(page.locator(".version")).to_contain_text("Lisbon")


async def test_summaries_reminders_conversations_and_days(own_house: LocalServers, browser: Browser) -> None:
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        await ann.asks("My boat is called Quinquereme.")
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}", DESKTOP) as shown:
            page = shown.page
            await shown.goes("summaries")
            await page.get_by_role("button", name="Summarise now").click()
            await expect(page.locator(".toast")).to_have_text("Summarised: 1 summary made.")
            await expect(page.locator("a.brick")).to_have_count(1)
            await page.get_by_role("button", name="Make them again").click()
            await confirms(page, "Make them again", "tokens")
            await expect(page.locator(".toast").last).to_contain_text("being made again")

            await shown.goes("settings")
            reminders = page.get_by_label("Such as: tomorrow")
            await reminders.fill("every Monday at 10 send the report")
            await page.get_by_role("button", name="Add", exact=True).click()
            row = page.locator(".card-line", has_text="send the report")
            await expect(row).to_contain_text("and then every week")
            await row.get_by_role("button", name="Delete").click()
            await expect(page.locator("#page")).to_contain_text("There are no reminders.")
            await page.get_by_label("In which way").select_option("sliding")
            await expect(page.locator("#page")).to_contain_text("one short summary of the last 14 messages")
            await page.get_by_label("Name", exact=True).fill("Boats")
            await page.get_by_role("button", name="Save", exact=True).last.click()
            await page.get_by_role("button", name="New conversation").click()
            await expect(page.get_by_label("Conversation", exact=True)).to_contain_text("Boats")
            await page.get_by_label("Conversation", exact=True).select_option(label="Boats")
            await page.get_by_role("button", name="Go on with it in the chat").click()
            await expect(page.get_by_role("button", name="Go on with it in the chat")).to_have_count(0)

            await page.get_by_role("button", name="Forget everything").click()
            await confirms(page, "Forget", "This erases: 2 messages")
            await confirms(page, "Forget everything", "cannot be undone")
            await confirms(page, "OK", "Forgotten: 2 messages")
            await shown.goes("timeline")
            await expect(page.locator(".empty")).to_be_visible()
        assert "Sliding" in await ann.asks("/summary_status")


async def test_an_import_shows_its_progress_and_a_paste_its_facts(own_house: LocalServers, browser: Browser) -> None:
    """Paused, it is gone on with; what another assistant knows is asked about, fact by fact."""
    told = [
        {"role": "user", "content": f"Note {number}.", "created_at": (DAY + timedelta(seconds=number)).isoformat()}
        for number in range(MANY)
    ]
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
            page = shown.page
            await shown.goes("past")
            file: FilePayload = {"name": "notes.json", "mimeType": "", "buffer": json.dumps(told).encode()}
            await page.get_by_label("The file").set_input_files(file)
            await page.evaluate(PAUSES_AT_FIRST_PROGRESS, MANY)
            await page.get_by_role("button", name="Import", exact=True).click()
            await expect(page.locator(".import")).to_contain_text("It is paused; what was imported stays.")
            await page.get_by_role("button", name="Continue").click()
            await expect(page.locator(".import [role=status]")).to_contain_text("Done:")

            await page.get_by_text("From another assistant").click()
            await page.get_by_label("Its answer").fill("[2024-05-01] - Ann has a boat.\n[2024-05-02] - Ann likes tea.")
            await page.get_by_role("button", name="Next").click()
            await page.get_by_label("Ann likes tea.").uncheck()
            await page.locator(".import").get_by_role("button", name="Next").click()
            await page.get_by_role("button", name="Import", exact=True).click()
            await expect(page.locator(".import [role=status]")).to_contain_text("Done: 1 fact")
            await shown.goes("facts")
            await expect(page.locator(".fact .text")).to_have_text(["Ann has a boat."])
            assert (await (await server.asked(ann)).gets("home"))["counts"]["total"] == MANY


async def test_a_file_that_a_proxy_refuses_for_its_size_gets_a_sentence(
    own_house: LocalServers, browser: Browser
) -> None:
    """It was "413": nginx answers with a page of its own above 1 MB, unless it is told otherwise."""
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
            page = shown.page
            await page.route(
                "**/api/import/plan*",
                lambda route: route.fulfill(status=413, content_type="text/html", body="<html>Too Large</html>"),
            )
            await shown.goes("past")
            file: FilePayload = {"name": "notes.json", "mimeType": "", "buffer": b"[]"}
            await page.get_by_label("The file").set_input_files(file)
            await expect(page.get_by_text("That is too large. It may fit as .zip")).to_be_visible()
            assert all("413" in problem for problem in shown.problems), "the browser tells of the status"
            shown.problems.clear()


async def test_admins_let_in_remove_and_write_to_everybody(own_house: LocalServers, browser: Browser) -> None:
    ann, bob, eve = own_house.person("Ann"), own_house.person("Bob"), own_house.person("Eve")
    async with served(own_house, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS=str(bob.id)) as server:
        await bob.asks("Hello!")
        await eve.asks("Let me in!")
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
            page = shown.page
            await shown.goes("admin")
            eves = page.locator(".card-line", has_text="Eve")
            await expect(eves).to_contain_text("asked")
            await eves.get_by_role("button", name="Allow").click()
            await expect(eves).to_contain_text("let in")
            await eve.hears("let in", since=0)
            await eves.get_by_role("button", name="Remove").click()
            await expect(eves).to_contain_text("removed")
            since = bob.now
            await page.get_by_role("button", name="Write to everyone").click()
            await page.locator("#asking textarea").fill("The bot moves tonight.")
            await confirms(page, "Next")
            await confirms(page, "Send", "People who get this: 1")
            await expect(page.locator(".toast")).to_have_text("It is being sent.")
            await bob.hears("The bot moves tonight.", since=since)


async def test_an_export_in_a_frame_that_forbids_downloads_is_sent_into_the_chat(
    own_house: LocalServers, browser: Browser
) -> None:
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        origin = f"{server.client.base_url}"
        frame = f"<iframe sandbox='allow-scripts allow-same-origin' src='/{await link_for(ann)}' width=380 height=700>"
        page = await shared_page(browser, width=PHONE[0], height=PHONE[1])
        try:
            await page.route("**/outside", lambda route: route.fulfill(content_type="text/html", body=frame))
            await page.goto(f"{origin}/outside")
            inside = page.frame_locator("iframe")
            await expect(inside.get_by_role("heading", name="Ann’s memory")).to_be_visible()
            await page.frames[1].evaluate("location.hash = 'past'")
            await expect(inside.get_by_text("The bot sends the file into your chat.")).to_be_visible()
            since = ann.now
            await inside.get_by_role("button", name="For a machine").click()
            await expect(inside.get_by_text("The bot has sent the file into your chat.")).to_be_visible()
            sent = await ann.hears(lambda message: "document" in message, since=since)
            assert sent["document"]["file_name"].endswith(".json")
        finally:
            await leave(page)


async def test_later_answers_go_only_by_a_box_that_says_so(own_house: LocalServers, browser: Browser) -> None:
    """It said "It is quoted in: 1 later answer." above the answers: nobody knew what a tick would do."""
    async with served(own_house) as server:
        ann = own_house.person("Ann")
        await ann.sets_up()
        await ann.asks("My passport number is X4471902.")
        own_house.model.script(ANSWERS, "Keep passport X4471902 in the hotel safe.")
        await ann.asks("Where do I keep it when I travel?")
        async with window(browser, f"{server.client.base_url}{await link_for(ann)}") as shown:
            page, asking = shown.page, shown.page.locator("#asking")
            await page.locator(".said").first.get_by_role("button").click()
            await page.get_by_role("button", name="Forget question and answer").click()
            await expect(asking.locator("li").last).to_have_text("Keep passport X4471902 in the hotel safe.")
            box = asking.get_by_label("Forget them too")
            await expect(box).not_to_be_checked()
            await box.check()
            await confirms(page, "Forget", "It is quoted in: 1 later answer.")
            await confirms(page, "OK", "Forgotten")
            await expect(page.locator(".said")).to_have_count(1)
            await expect(page.locator(".said")).to_contain_text("Where do I keep it when I travel?")
