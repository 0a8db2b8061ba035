"""Changes on the dashboard, made over real HTTP, have the same effect as the chat's commands."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.visitors import LINK, run_bot_with_dashboard

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = json.dumps(
    {"messages": [{"role": "user", "content": f"Note {number}.", "created_at": f"2024-05-{number:02}T10:00:00Z"}
                  for number in range(1, 25)]}
)  # fmt: skip


async def test_facts_can_be_added_pinned_edited_superseded_and_deleted(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        visitor = await page.open_session_by_link(ann)
        # As in the chat, which names a command where the page has a switch.
        refused = await visitor.post("facts/add", text="Ann lives in Oslo.", status=400)
        assert refused["error"] == "Memory is not set up yet."
        await ann.set_up_memory()
        state = await visitor.post("facts/add", text="Ann lives in  Oslo.")
        [fact] = state["facts"]
        assert (fact["text"], fact["origin"]) == ("Ann lives in Oslo.", "owner")
        number = fact["id"]
        assert (await visitor.post("facts/pin", id=number))["facts"][0]["is_pinned"]
        assert not (await visitor.post("facts/unpin", id=number))["facts"][0]["is_pinned"]
        edited = await visitor.post("facts/edit", id=number, text="Ann lives in Bergen.")
        assert {message["text"]: message["origin"] for message in edited["facts"]} == {
            "Ann lives in Oslo.": "earlier",
            "Ann lives in Bergen.": "owner",
        }
        undone = await visitor.post("facts/undo", id=number)
        assert [message["text"] for message in undone["facts"]] == ["Ann lives in Oslo."]
        moved = await visitor.post("facts/supersede", id=number, text="Ann lives in Paris.")
        [new, old] = moved["facts"]
        assert (new["text"], new["until"], old["superseded_by"]) == ("Ann lives in Paris.", None, new["id"])
        assert old["until"] is not None
        assert (await visitor.post("facts/delete", id=new["id"]))["facts"][0]["is_deleted"]
        assert not (await visitor.post("facts/undo", id=new["id"]))["facts"][0]["is_deleted"]
        assert "Paris" in await ann.ask("/memory")
        for wrong in ("", "x" * 301):
            assert "error" in await visitor.post("facts/edit", status=400, id=new["id"], text=wrong)
        await visitor.post("facts/edit", status=400, id=999, text="Nobody.")
        await visitor.post("facts/pin", status=400, id="first")
        assert "no usable answer" in (await visitor.post("profile/refresh", status=503))["error"]
        await visitor.post("profile/forget", id=1)


async def test_text_that_was_changed_elsewhere_is_not_replaced_silently(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        visitor = await page.open_session_by_link(ann)
        [fact] = (await visitor.post("facts/add", text="Ann takes 5 mg of bisoprolol."))["facts"]
        change = {"id": fact["id"], "before": fact["text"]}
        await visitor.post("facts/edit", text="Ann takes 2.5 mg of bisoprolol.", **change)
        for action in ("edit", "supersede"):
            refused = await visitor.post(f"facts/{action}", status=412, text="Ann takes 10 mg of bisoprolol.", **change)
            assert "now reads: “Ann takes 2.5 mg of bisoprolol.”" in refused["error"]
        change["before"] = "Ann takes 2.5 mg of bisoprolol."
        await visitor.post("facts/supersede", text="Ann takes 10 mg of bisoprolol.", **change)
        await ann.ask("I moved to Bergen on Monday.")
        await ann.ask("/summary_now", "Summarised")
        [made] = (await visitor.get("summaries"))["summaries"]
        shown = (await visitor.get("summary", id=made["id"]))["summary"]["text"]
        correction = {"id": made["id"], "before": shown}
        await visitor.post("summaries/correct", text="Ann moved to Bergen on Tuesday.", **correction)
        refused = await visitor.post("summaries/correct", status=412, text="Ann moved to Oslo.", **correction)
        assert "Tuesday" in refused["error"]


async def test_forgetting_shows_preview_and_returns_receipt(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann, bob = own_servers.add_person("Ann"), own_servers.add_person("Bob")
        for visitor in (ann, bob):
            await visitor.set_up_memory()
            await visitor.ask("My secret word is quinquereme.")
        await ann.ask("And the weather is fine.")
        anns, bobs = await page.open_session_by_link(ann), await page.open_session_by_link(bob)
        number = (await anns.get("search", q="quinquereme"))["found"][0]["id"]
        what: dict[str, Any] = {"what": "turn", "ids": [number]}
        going = await anns.post("forget/preview", **what)
        assert going["counts"]["messages"] == 2
        assert going["messages"] == ["My secret word is quinquereme.", "Noted."]
        assert going["facts"] == going["summaries"] == []
        quick = await anns.post("forget/preview", **what, with_repeats=False)
        assert quick == {**going, "quotes": "", "repeating": []}
        await anns.post("facts/add", text="Clara likes figs.")  # no message is behind it
        assert (await anns.post("forget/preview", what="everything"))["facts"] == ["Clara likes figs."]
        await anns.post("facts/delete", id=1)
        receipt = await anns.post("forget", **what, with_quotes=True)
        assert "2 messages" in receipt["receipt"]
        assert "Out of the bot's reach" in receipt["receipt"]
        assert (await anns.get("search", q="quinquereme"))["found"] == []
        assert (await anns.post("forget", **what))["receipt"] == "The bot's memory holds nothing of this."
        assert len((await bobs.get("search", q="quinquereme"))["found"]) == 1
        for body in (
            {"what": "days"},
            {"what": "all"},
            {"what": "messages", "ids": ["1"]},
            {"what": "messages", "ids": 1},
        ):
            await anns.post("forget", status=400, **body)
        last = datetime.now(UTC).date()
        days: dict[str, Any] = {"first": f"{last - timedelta(days=1)}", "last": f"{last}"}  # it may be midnight
        assert "2 messages" in (await anns.post("forget", what="days", **days))["receipt"]
        assert "2 messages" in (await bobs.post("forget", what="everything"))["receipt"]
        assert (await bobs.get("home"))["counts"]["total"] == 0


def get_settings_values(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the page offers, as values by name."""
    return {row["name"]: row["value"] for _, rows in answer["settings"]["groups"] for row in rows}


async def test_custom_persona_applies_at_once_and_requires_text(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        visitor = await page.open_session_by_link(ann)
        refused = await visitor.post("settings", status=400, change={"persona": "own"})
        assert "in what style" in str(refused)
        assert (
            get_settings_values(await visitor.post("settings", change={"persona_text": "Like a pirate."}))["persona"]
            == "own"
        )
        assert "Like a pirate." in await ann.ask("/persona")
        assert (
            get_settings_values(await visitor.post("settings", change={"persona": "brief"}))["persona_text"]
            == "Like a pirate."
        )
        assert get_settings_values(await visitor.post("settings", change={"persona": "own"}))["persona"] == "own"
        assert get_settings_values(await visitor.post("settings", change={"persona_text": ""}))["persona"] == ""


async def test_settings_summaries_and_conversations_can_be_changed(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        visitor = await page.open_session_by_link(ann)
        await visitor.post("settings", status=409, change={"every_n": 5})  # memory is off
        state = await visitor.post("settings", change={"enabled": True})
        assert get_settings_values(state)["enabled"] is True
        change = {
            "every_n": 7,
            "policy": "rolling",
            "auto_fold": False,
            "timezone": "Berlin",
            "persona_text": "Speak like a pirate.",
            "fold_instructions": "Keep the names.",
            "formatting": "rich",
            "storage": "json",
        }
        assert (
            get_settings_values(await visitor.post("settings", change=change)).items()
            >= {**change, "timezone": "Europe/Berlin", "persona": "own"}.items()
        )
        assert "7" in await ann.ask("/summary_status")
        for wrong in (
            {"every_n": 0}, {"every_n": 501}, {"policy": "none"}, {"storage": "paper"}, {"timezone": "Atlantis"},
            {"language": "xx"}, {"model": "another"}, {"persona_text": "x" * 501}, {"auto_fold": "perhaps"},
        ):  # fmt: skip
            await visitor.post("settings", status=400, change=wrong)
        await visitor.post("settings", status=400)
        assert (await visitor.post("settings", change={"language": "de"}))["said"] == "Saved."
        assert (await visitor.get("home"))["language"] == "de"
        await visitor.post("settings", change={"language": "en", "policy": "pyramid"})

        await ann.ask("My boat is called Quinquereme.")
        assert "summar" in (await visitor.post("summaries/fold"))["said"]
        [summary] = (await visitor.get("summaries"))["summaries"]
        opened = await visitor.get("summary", id=summary["id"])
        assert [message["text"] for message in opened["messages"]] == ["My boat is called Quinquereme.", "Noted."]
        [whole] = (await visitor.get("timeline"))["summaries"]
        assert {name: whole[name] for name in summary} == summary, "the list has no texts"
        assert "title" not in summary
        titled = await visitor.get("summaries", titled=f"{summary['id']},77,{'9' * 40},x")
        assert titled == {"titles": {str(summary["id"]): whole["title"]}}
        await visitor.post("summaries/correct", status=400, id=summary["id"], text=" \u200b")
        await visitor.post("summaries/correct", status=404, id=99_999, text="No such summary.")
        assert "said" in await visitor.post("summaries/rebuild")

        scopes = (await visitor.post("conversations/begin", thread=0, title="Boats"))["scopes"]
        [new] = [scope for scope in scopes if scope["is_open"]]
        assert (new["label"], len(scopes)) == ("Boats", 2)
        renamed = await visitor.post("conversations/name", thread=new["thread"], title="Ships")
        assert "Ships" in [scope["label"] for scope in renamed["scopes"]]
        back = await visitor.post("conversations/open", thread=0)
        assert [scope["thread"] for scope in back["scopes"] if scope["is_open"]] == [0]
        await visitor.post("conversations/open", status=404, thread=77)


async def test_history_can_be_imported_and_exported(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        visitor = await page.open_session_by_link(ann)
        asked = {"owner": ann.id, "name": "notes.json"}
        planned = await visitor.request("POST", "import/plan", params=asked, content=NOTES)
        assert planned.status_code == 200, planned.text
        assert planned.json()["has_new"]
        assert "24" in planned.json()["text"]
        answers = {visitor["key"]: visitor["chosen"] or [0] for visitor in planned.json()["questions"]}
        asked["answers"] = json.dumps(answers)
        run = await visitor.request("POST", "import/run", params=asked, content=NOTES)
        lines = [json.loads(line) for line in run.text.splitlines()]
        assert "24" in lines[-1]["said"], lines
        assert (await visitor.get("home"))["counts"]["total"] == 24
        first = await visitor.get("timeline", day="2024-05-03", limit=5)
        assert [message["text"] for message in first["messages"]] == [f"Note {number}." for number in range(3, 8)]
        before = await visitor.get("timeline", before=first["messages"][0]["id"])
        assert [message["text"] for message in before["messages"]] == ["Note 1.", "Note 2."]
        assert not before["has_older"]
        refused = await visitor.request("POST", "import/plan", params=asked, content=b"\x00\x01 no file of ours")
        assert (refused.status_code, "error" in refused.json()) == (400, True)
        refused = await visitor.request("POST", "import/plan", params={**asked, "answers": "[]"}, content=NOTES)
        assert refused.status_code == 400

        offer = (await visitor.get("learning"))["offer"]
        assert "24" in offer["text"]  # as under the receipt of an import
        begun = await visitor.post("learn", first=offer["first"], last=offer["last"])
        assert "I am learning facts" in begun["said"]

        for form, beginning in (("json", b"{"), ("markdown", b"PK"), ("html", b"<!")):
            file = await visitor.request("GET", "export", params={"owner": ann.id, "format": form})
            assert (file.status_code, file.content[: len(beginning)].lower()) == (200, beginning.lower())
            assert "filename=" in file.headers["content-disposition"]
        exported = (await visitor.request("GET", "export", params={"owner": ann.id, "format": "json"})).json()
        assert len(exported["messages"]) == 24
        bob = own_servers.add_person("Bob")
        bobs = await page.open_session_by_link(bob)
        assert (await bobs.request("GET", "export", params={"owner": bob.id, "format": "json"})).status_code == 404
        assert (await bobs.request("GET", "export", params={"owner": ann.id, "format": "json"})).status_code == 403


async def test_admin_page_changes_access_and_is_hidden_from_others(own_servers: LocalServers) -> None:
    ann, bob = own_servers.add_person("Ann"), own_servers.add_person("Bob")
    async with run_bot_with_dashboard(own_servers, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS=str(bob.id)) as page:
        await bob.ask("Hello!")
        anns, bobs = await page.open_session_by_link(ann), await page.open_session_by_link(bob)
        state = await anns.get("admin")
        assert [(person["id"], person["standing"]) for person in state["people"]] == [(bob.id, "allowed")]
        assert all(state["health"].values())
        refused = await bobs.request("GET", "admin", params={"owner": bob.id})
        assert refused.status_code == 404
        await bobs.post("admin/allow", status=404, id=bob.id)
        await anns.post("admin/remove", status=409, id=ann.id)
        state = await anns.post("admin/remove", id=bob.id)
        assert state["people"][0]["standing"] == "removed"
        # Whoever is removed is out at once, with whatever session they had.
        assert (await bobs.request("GET", "home", params={"owner": bob.id})).status_code == 403
        await anns.post("admin/allow", id=bob.id)
        await bobs.get("home")


async def test_reminder_is_added_from_text_and_shown_in_chat(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        visitor = await page.open_session_by_link(ann)  # memory is off, as it may be in the chat
        await visitor.post("settings", change={"timezone": "Berlin"})
        added = await visitor.post("reminders/add", text="every Monday at 10 send the report")
        [one] = added["reminders"]
        assert one["text"] == "send the report"
        assert "10:00 (Europe/Berlin), and then every week" in one["when"]
        assert "send the report" in await ann.ask("/reminders")
        for wrong in ("2020-01-01 9:00 too late", "no time at all"):
            assert "error" in await visitor.post("reminders/add", status=400, text=wrong)
        proposed = (await visitor.post("reminders/add", text="9:00 Tokyo standup"))["proposed"]
        assert proposed["asked"].startswith("I am not sure about “Tokyo”. Shall I remind you on ")
        assert (await visitor.post("reminders/remove", id=one["id"]))["reminders"] == []


async def test_reminder_parsed_by_model_is_stored_only_after_confirmation(own_servers: LocalServers) -> None:
    read = {"text": "send the report", "at": "2028-11-27T09:00", "in_minutes": None, "repeat": "weekly"}
    weekdays = ["Thursday", "Monday"]
    own_servers.model.set_default_schema_answer("remind", json.dumps({**read, "weekdays": weekdays}))
    async with run_bot_with_dashboard(own_servers) as page:
        visitor = await page.open_session_by_link(own_servers.add_person("Ann"))
        await visitor.post("settings", change={"timezone": "Berlin"})
        proposed = (await visitor.post("reminders/add", text="the report, Mondays from the 27th"))["proposed"]
        assert "Monday, 27 November 2028, 9:00 (Europe/Berlin)" in proposed["asked"]
        assert "every week: Monday, Thursday" in proposed["asked"]
        assert (await visitor.get("reminders"))["reminders"] == []
        confirmed = {name: proposed[name] for name in ("text", "at", "repeat", "weekdays")}
        [one] = (await visitor.post("reminders/add", **confirmed))["reminders"]
        assert (one["text"], one["when"].partition("every ")[2]) == ("send the report", "week: Monday, Thursday")
        assert "error" in await visitor.post(
            "reminders/add", status=400, **confirmed | {"at": "2020-01-01T09:00", "repeat": ""}
        )


async def test_ending_sessions_affects_all_sessions_of_one_person_only(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann, bob = own_servers.add_person("Ann"), own_servers.add_person("Bob")
        phone, desktop, bobs = (
            await page.open_session_by_link(ann),
            await page.open_session_by_link(ann),
            await page.open_session_by_link(bob),
        )
        unused = LINK.search(await ann.ask("/dashboard", "#link="))
        assert unused is not None
        await desktop.post("session/end", status=401)
        for visitor in (phone, desktop):
            assert (await visitor.request("GET", "home", params={"owner": ann.id})).status_code == 401
            await visitor.post("session", status=401)
        assert (await page.client.post("/api/session", json={"link": unused[1]})).status_code == 401
        await bobs.get("home")
        await (await page.open_session_by_link(ann)).get("home")


async def test_lone_surrogates_in_input_are_replaced(own_servers: LocalServers) -> None:
    ann, bob = own_servers.add_person("Ann"), own_servers.add_person("Bob")
    async with run_bot_with_dashboard(own_servers, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS=str(bob.id)) as page:
        visitor = await page.open_session_by_link(ann)
        await ann.set_up_memory()
        for owner in (ann, bob):
            await owner.ask("Hello!")
        bodies: dict[str, dict[str, object]] = {
            "facts/add": {"text": "Ann has half \ud83d."},
            "conversations/begin": {"thread": 0, "title": "Half \ud83d"},
            "reminders/add": {"text": "tomorrow at 9 cut \ud83d"},
            "settings": {"change": {"persona_text": "Like half \ud83d.", "fold_instructions": "Only half \ud83d."}},
        }
        for path, body in bodies.items():
            headers = {"content-type": "application/json"}
            content = json.dumps({"owner": ann.id, **body})
            answer = await visitor.request("POST", path, content=content, headers=headers)
            assert answer.status_code == 200, (path, answer.text)
        assert "half \ufffd" in await ann.ask("/memory")
