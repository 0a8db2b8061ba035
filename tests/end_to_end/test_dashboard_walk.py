"""Tests of the dashboard by mouse: it can do everything that chat commands do.

Text of users is never rendered as markup.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from playwright.async_api import Browser, FilePayload, Page, expect

from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.end_to_end.playground.test_page import HOSTILE, launch_chromium, leave, shared_page
from tests.end_to_end.test_dashboard_page import DESKTOP, PAGES, PHONE, open_window, request_link
from tests.end_to_end.visitors import LINK, run_bot_with_dashboard

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY = 10_000
DAY = datetime(2024, 5, 1, tzinfo=UTC)
TURNED = f"{HOSTILE} \u202etxt.exe"
"""HTML markup with a right-to-left override, which reverses the text after it."""
PAUSES_AT_FIRST_PROGRESS = """most => {
  const watch = new MutationObserver(() => {
    if (!document.querySelector(`.import [aria-valuemax="${most}"]`)) return;
    watch.disconnect();
    [...document.querySelectorAll(".import button")].find((button) => button.textContent === "Pause").click();
  });
  watch.observe(document.body, { childList: true, subtree: true });
}"""
"""JavaScript that presses the Pause button at the first progress of an import.

A press from outside the page may come after everything is imported.
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launch_chromium() as browser:
        yield browser


async def confirms(page: Page, button: str, said: str = "") -> None:
    """Check the text of the open dialog, and press one of its buttons."""
    box = page.locator("#asking")
    await expect(box).to_contain_text(said)
    await box.get_by_role("button", name=button, exact=True).click()


async def test_user_text_is_never_rendered_as_markup_on_any_page(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person(TURNED)
        await ann.set_up_memory()
        await ann.ask(f"/new {TURNED[:90]}")
        for _ in range(2):
            await ann.ask(TURNED)
        await ann.ask("/summary_now")
        await ann.ask(f"/memory add {TURNED}")
        visitor = await server.open_session_by_link(ann)
        await visitor.post("reminders/add", text=f"tomorrow at 9:00 {TURNED}")
        await visitor.post("settings", change={"persona_text": TURNED, "fold_instructions": TURNED})
        group = own_servers.add_group(ann, admins=[ann])
        own_servers.world.chats[group] = replace(own_servers.world.chats[group], title=TURNED)
        since = ann.last_event
        await ann.with_chat(group).ask("/dashboard")
        link = LINK.search((await ann.wait_for_message("#link=", since=since))["text"])
        assert link is not None
        for proof in (await request_link(ann), f"#link={link[1]}"):
            async with open_window(browser, f"{server.client.base_url}{proof}", DESKTOP) as shown:
                page = shown.page
                await expect(page.locator("#whose")).to_contain_text("<script>")
                for place in PAGES:
                    await shown.go_to(place)
                    assert await page.locator("#page img, #page script, .top script, .top img").count() == 0, place
                    text = await page.evaluate("document.body.innerText + document.title")
                    assert not {"\u202d", "\u202e"} & set(text), place
                    assert await page.title() != "broken"
                await shown.go_to("timeline")
                await page.get_by_role("searchbox").fill("<script> onerror")
                await expect(page.locator("#page")).to_contain_text("Found:")
                assert await page.locator("#page script").count() == 0


async def test_profile_versions_can_be_written_compared_and_forgotten(
    own_servers: LocalServers, browser: Browser
) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        own_servers.model.script_schema(
            "profile", *(json.dumps({"profile": f"Ann lives in {town}."}) for town in ("Lisbon", "Porto"))
        )
        await ann.ask("/memory add Ann lives in Lisbon.")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}", DESKTOP) as shown:
            page = shown.page
            await shown.go_to("profile")
            await expect(page.locator(".empty")).to_contain_text("no profile yet")
            await page.get_by_role("button", name="Rewrite now").click()
            await expect(page.locator(".version")).to_contain_text("Ann lives in Lisbon.")
            await ann.ask("/memory add Ann lives in Porto.")
            await page.get_by_role("button", name="Rewrite now").click()
            await expect(page.locator(".version")).to_contain_text("Ann lives in Porto.")
            await page.get_by_label("Compare with").select_option(index=1)
            await expect(page.locator(".version ins")).to_contain_text("Porto")
            await expect(page.locator(".version del")).to_contain_text("Lisbon")
            await page.locator(".version", has_text="Porto").get_by_role("button", name="Forget").first.click()
            await confirms(page, "Forget", "cannot be undone")
            await expect(page.locator(".version")).to_have_count(1)
            await expect(page.locator(".version")).to_contain_text("Lisbon")


async def test_summaries_reminders_conversations_and_memory_can_be_managed(
    own_servers: LocalServers, browser: Browser
) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("My boat is called Quinquereme.")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}", DESKTOP) as shown:
            page = shown.page
            await shown.go_to("summaries")
            await page.get_by_role("button", name="Summarise now").click()
            await expect(page.locator(".toast")).to_have_text("Summarised: 1 summary made.")
            await expect(page.locator("a.brick")).to_have_count(1)
            await page.get_by_role("button", name="Make them again").click()
            await confirms(page, "Make them again", "tokens")
            await expect(page.locator(".toast").last).to_contain_text("being made again")

            await shown.go_to("settings")
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
            await shown.go_to("timeline")
            await expect(page.locator(".empty")).to_be_visible()
        assert "Sliding" in await ann.ask("/summary_status")


async def test_import_can_be_paused_and_pasted_facts_can_be_selected(
    own_servers: LocalServers, browser: Browser
) -> None:
    """An import is paused and continued. Pasted facts can be deselected one by one."""
    told = [
        {"role": "user", "content": f"Note {number}.", "created_at": (DAY + timedelta(seconds=number)).isoformat()}
        for number in range(MANY)
    ]
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page = shown.page
            await shown.go_to("past")
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
            await shown.go_to("facts")
            await expect(page.locator(".fact .text")).to_have_text(["Ann has a boat."])
            assert (await (await server.open_session_by_link(ann)).get("home"))["counts"]["total"] == MANY


async def test_upload_refused_as_too_large_by_proxy_is_explained(own_servers: LocalServers, browser: Browser) -> None:
    """nginx answers 413 with its own page above 1 MB by default. The dashboard once showed only "413"."""
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page = shown.page
            await page.route(
                "**/api/import/plan*",
                lambda route: route.fulfill(status=413, content_type="text/html", body="<html>Too Large</html>"),
            )
            await shown.go_to("past")
            file: FilePayload = {"name": "notes.json", "mimeType": "", "buffer": b"[]"}
            await page.get_by_label("The file").set_input_files(file)
            await expect(page.get_by_text("That is too large. It may fit as .zip")).to_be_visible()
            assert shown.problems
            assert all("413" in problem for problem in shown.problems), "the browser reports the status"
            shown.problems.clear()


async def test_admin_can_admit_and_remove_people(own_servers: LocalServers, browser: Browser) -> None:
    ann, bob, eve = own_servers.add_person("Ann"), own_servers.add_person("Bob"), own_servers.add_person("Eve")
    async with run_bot_with_dashboard(own_servers, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS=str(bob.id)) as server:
        await bob.ask("Hello!")
        await eve.ask("Let me in!")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
            page = shown.page
            await shown.go_to("admin")
            eves = page.locator(".card-line", has_text="Eve")
            await expect(eves).to_contain_text("asked")
            await eves.get_by_role("button", name="Allow").click()
            await expect(eves).to_contain_text("let in")
            await eve.wait_for_message("let in", since=0)
            await eves.get_by_role("button", name="Remove").click()
            await expect(eves).to_contain_text("removed")


async def test_export_in_frame_without_downloads_is_sent_to_chat(own_servers: LocalServers, browser: Browser) -> None:
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        origin = f"{server.client.base_url}"
        frame = (
            f"<iframe sandbox='allow-scripts allow-same-origin' src='/{await request_link(ann)}' width=380 height=700>"
        )
        page = await shared_page(browser, width=PHONE[0], height=PHONE[1])
        try:
            await page.route("**/outside", lambda route: route.fulfill(content_type="text/html", body=frame))
            await page.goto(f"{origin}/outside")
            inside = page.frame_locator("iframe")
            await expect(inside.get_by_role("heading", name="Ann’s memory")).to_be_visible()
            await page.frames[1].evaluate("location.hash = 'past'")
            await expect(inside.get_by_text("The bot sends the file into your chat.")).to_be_visible()
            since = ann.last_event
            await inside.get_by_role("button", name="For a machine").click()
            await expect(inside.get_by_text("The bot has sent the file into your chat.")).to_be_visible()
            sent = await ann.wait_for_message(lambda message: "document" in message, since=since)
            assert sent["document"]["file_name"].endswith(".json")
        finally:
            await leave(page)


async def test_quoting_answers_are_forgotten_when_box_is_checked(own_servers: LocalServers, browser: Browser) -> None:
    """The dialog once listed the quoting answers without saying what checking the box would do."""
    async with run_bot_with_dashboard(own_servers) as server:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("My passport number is X4471902.")
        own_servers.model.script(ANSWERS, "Keep passport X4471902 in the hotel safe.")
        await ann.ask("Where do I keep it when I travel?")
        async with open_window(browser, f"{server.client.base_url}{await request_link(ann)}") as shown:
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
