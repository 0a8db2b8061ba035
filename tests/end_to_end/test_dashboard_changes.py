"""What is changed from the dashboard, over real HTTP: the same as by the chat's commands."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.visitors import LINK, served

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = json.dumps(
    {"messages": [{"role": "user", "content": f"Note {number}.", "created_at": f"2024-05-{number:02}T10:00:00Z"}
                  for number in range(1, 25)]}
)  # fmt: skip


async def test_facts_are_added_changed_and_undone(own_house: LocalServers) -> None:
    async with served(own_house) as page:
        ann = own_house.person("Ann")
        visitor = await page.asked(ann)
        # As in the chat, which names a command where the page has a switch.
        refused = await visitor.posts("facts/add", text="Ann lives in Oslo.")
        assert refused["said"] == "Memory is not set up yet."
        await ann.sets_up()
        state = await visitor.posts("facts/add", text="Ann lives in  Oslo.")
        [fact] = state["facts"]
        assert (fact["text"], fact["origin"]) == ("Ann lives in Oslo.", "owner")
        number = fact["id"]
        assert (await visitor.posts("facts/pin", id=number))["facts"][0]["is_pinned"]
        assert not (await visitor.posts("facts/unpin", id=number))["facts"][0]["is_pinned"]
        edited = await visitor.posts("facts/edit", id=number, text="Ann lives in Bergen.")
        assert {message["text"]: message["origin"] for message in edited["facts"]} == {
            "Ann lives in Oslo.": "earlier",
            "Ann lives in Bergen.": "owner",
        }
        undone = await visitor.posts("facts/undo", id=number)
        assert [message["text"] for message in undone["facts"]] == ["Ann lives in Oslo."]
        moved = await visitor.posts("facts/supersede", id=number, text="Ann lives in Paris.")
        [new, old] = moved["facts"]
        assert (new["text"], new["until"], old["superseded_by"]) == ("Ann lives in Paris.", None, new["id"])
        assert old["until"] is not None
        assert (await visitor.posts("facts/delete", id=new["id"]))["facts"][0]["is_deleted"]
        assert not (await visitor.posts("facts/undo", id=new["id"]))["facts"][0]["is_deleted"]
        assert "Paris" in await ann.asks("/memory")
        for wrong in ("", "x" * 301):
            assert "error" in await visitor.posts("facts/edit", status=400, id=new["id"], text=wrong)
        await visitor.posts("facts/edit", status=400, id=999, text="Nobody.")
        await visitor.posts("facts/pin", status=400, id="first")
        assert "no usable answer" in (await visitor.posts("profile/refresh", status=503))["error"]
        await visitor.posts("profile/forget", id=1)


async def test_forgetting_shows_first_what_goes_and_gives_a_receipt(own_house: LocalServers) -> None:
    async with served(own_house) as page:
        ann, bob = own_house.person("Ann"), own_house.person("Bob")
        for visitor in (ann, bob):
            await visitor.sets_up()
            await visitor.asks("My secret word is quinquereme.")
        await ann.asks("And the weather is fine.")
        anns, bobs = await page.asked(ann), await page.asked(bob)
        number = (await anns.gets("search", q="quinquereme"))["found"][0]["id"]
        what: dict[str, Any] = {"what": "turn", "ids": [number]}
        going = await anns.posts("forget/preview", **what)
        assert going["counts"]["messages"] == 2
        assert going["messages"] == ["My secret word is quinquereme.", "Noted."]
        assert going["facts"] == going["summaries"] == []
        quick = await anns.posts("forget/preview", **what, with_repeats=False)
        assert quick == {**going, "quotes": "", "repeating": []}
        await anns.posts("facts/add", text="Clara likes figs.")  # no message is behind it
        assert (await anns.posts("forget/preview", what="everything"))["facts"] == ["Clara likes figs."]
        await anns.posts("facts/delete", id=1)
        receipt = await anns.posts("forget", **what, with_quotes=True)
        assert receipt["counts"]["messages"] == 2
        assert "Out of the bot's reach" in receipt["receipt"]
        assert (await anns.gets("search", q="quinquereme"))["found"] == []
        assert (await anns.posts("forget", **what))["counts"]["messages"] == 0
        assert len((await bobs.gets("search", q="quinquereme"))["found"]) == 1
        for body in (
            {"what": "days"},
            {"what": "all"},
            {"what": "messages", "ids": ["1"]},
            {"what": "messages", "ids": 1},
        ):
            await anns.posts("forget", status=400, **body)
        last = datetime.now(UTC).date()
        days: dict[str, Any] = {"first": f"{last - timedelta(days=1)}", "last": f"{last}"}  # it may be midnight
        assert (await anns.posts("forget", what="days", **days))["counts"]["messages"] == 2
        assert (await bobs.posts("forget", what="everything"))["counts"]["messages"] == 2
        assert (await bobs.gets("home"))["counts"]["total"] == 0


def chosen(answer: dict[str, Any]) -> dict[str, Any]:
    """The values of what is offered on the page's settings."""
    return {row["name"]: row["value"] for _, rows in answer["settings"]["groups"] for row in rows}


async def test_own_words_for_the_style_hold_at_once_and_mean_nothing_without_words(own_house: LocalServers) -> None:
    async with served(own_house) as page:
        ann = own_house.person("Ann")
        visitor = await page.asked(ann)
        refused = await visitor.posts("settings", status=400, change={"persona": "own"})
        assert "in what style" in str(refused)
        assert chosen(await visitor.posts("settings", change={"persona_text": "Like a pirate."}))["persona"] == "own"
        assert "Like a pirate." in await ann.asks("/persona")
        assert chosen(await visitor.posts("settings", change={"persona": "brief"}))["persona_text"] == "Like a pirate."
        assert chosen(await visitor.posts("settings", change={"persona": "own"}))["persona"] == "own"
        assert chosen(await visitor.posts("settings", change={"persona_text": ""}))["persona"] == ""


async def test_choices_conversations_and_summaries(own_house: LocalServers) -> None:
    async with served(own_house) as page:
        ann = own_house.person("Ann")
        visitor = await page.asked(ann)
        await visitor.posts("settings", status=409, change={"every_n": 5})  # memory is off
        state = await visitor.posts("settings", change={"enabled": True})
        assert chosen(state)["enabled"] is True
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
            chosen(await visitor.posts("settings", change=change)).items()
            >= {**change, "timezone": "Europe/Berlin", "persona": "own"}.items()
        )
        assert "7" in await ann.asks("/summary_status")
        for wrong in (
            {"every_n": 0}, {"every_n": 501}, {"policy": "none"}, {"storage": "paper"}, {"timezone": "Atlantis"},
            {"language": "xx"}, {"model": "another"}, {"persona_text": "x" * 501}, {"auto_fold": "perhaps"},
        ):  # fmt: skip
            await visitor.posts("settings", status=400, change=wrong)
        await visitor.posts("settings", status=400)
        assert (await visitor.posts("settings", change={"language": "de"}))["said"] == "Saved."
        assert (await visitor.gets("home"))["language"] == "de"
        await visitor.posts("settings", change={"language": "en", "policy": "pyramid"})

        await ann.asks("My boat is called Quinquereme.")
        assert "summar" in (await visitor.posts("summaries/fold"))["said"]
        [summary] = (await visitor.gets("summaries"))["summaries"]
        opened = await visitor.gets("summary", id=summary["id"])
        assert [message["text"] for message in opened["messages"]] == ["My boat is called Quinquereme.", "Noted."]
        [whole] = (await visitor.gets("timeline"))["summaries"]
        assert {name: whole[name] for name in summary} == summary, "the list has no texts"
        assert "title" not in summary
        titled = await visitor.gets("summaries", titled=f"{summary['id']},77,{'9' * 40},x")
        assert titled == {"titles": {str(summary["id"]): whole["title"]}}
        await visitor.posts("summaries/correct", status=400, id=summary["id"], text=" \u200b")
        await visitor.posts("summaries/correct", status=404, id=99_999, text="No such summary.")
        assert "said" in await visitor.posts("summaries/rebuild")

        scopes = (await visitor.posts("conversations/begin", thread=0, title="Boats"))["scopes"]
        [new] = [scope for scope in scopes if scope["is_open"]]
        assert (new["label"], len(scopes)) == ("Boats", 2)
        renamed = await visitor.posts("conversations/name", thread=new["thread"], title="Ships")
        assert "Ships" in [scope["label"] for scope in renamed["scopes"]]
        back = await visitor.posts("conversations/open", thread=0)
        assert [scope["thread"] for scope in back["scopes"] if scope["is_open"]] == [0]
        await visitor.posts("conversations/open", status=404, thread=77)


async def test_a_past_is_brought_along_and_taken_away(own_house: LocalServers) -> None:
    async with served(own_house) as page:
        ann = own_house.person("Ann")
        visitor = await page.asked(ann)
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
        assert (await visitor.gets("home"))["counts"]["total"] == 24
        first = await visitor.gets("timeline", day="2024-05-03", limit=5)
        assert [message["text"] for message in first["messages"]] == [f"Note {number}." for number in range(3, 8)]
        before = await visitor.gets("timeline", before=first["messages"][0]["id"])
        assert [message["text"] for message in before["messages"]] == ["Note 1.", "Note 2."]
        assert not before["has_older"]
        refused = await visitor.request("POST", "import/plan", params=asked, content=b"\x00\x01 no file of ours")
        assert (refused.status_code, "error" in refused.json()) == (400, True)
        refused = await visitor.request("POST", "import/plan", params={**asked, "answers": "[]"}, content=NOTES)
        assert refused.status_code == 400

        offer = (await visitor.gets("learning"))["offer"]
        assert "24" in offer["text"]  # as under the receipt of an import
        begun = await visitor.posts("learn", first=offer["first"], last=offer["last"])
        assert "I am learning facts" in begun["said"]

        for form, beginning in (("json", b"{"), ("markdown", b"PK"), ("html", b"<!")):
            file = await visitor.request("GET", "export", params={"owner": ann.id, "format": form})
            assert (file.status_code, file.content[: len(beginning)].lower()) == (200, beginning.lower())
            assert "filename=" in file.headers["content-disposition"]
        exported = (await visitor.request("GET", "export", params={"owner": ann.id, "format": "json"})).json()
        assert len(exported["messages"]) == 24
        bob = own_house.person("Bob")
        bobs = await page.asked(bob)
        assert (await bobs.request("GET", "export", params={"owner": bob.id, "format": "json"})).status_code == 404
        assert (await bobs.request("GET", "export", params={"owner": ann.id, "format": "json"})).status_code == 403


async def test_admins_decide_and_to_others_there_is_no_such_page(own_house: LocalServers) -> None:
    ann, bob = own_house.person("Ann"), own_house.person("Bob")
    async with served(own_house, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS=str(bob.id)) as page:
        await bob.asks("Hello!")
        anns, bobs = await page.asked(ann), await page.asked(bob)
        state = await anns.gets("admin")
        assert [(person["id"], person["standing"]) for person in state["people"]] == [(bob.id, "allowed")]
        assert all(state["health"].values())
        refused = await bobs.request("GET", "admin", params={"owner": bob.id})
        assert refused.status_code == 404
        await bobs.posts("admin/allow", status=404, id=bob.id)
        await anns.posts("admin/remove", status=409, id=ann.id)
        state = await anns.posts("admin/remove", id=bob.id)
        assert state["people"][0]["standing"] == "removed"
        # Whoever is removed is out at once, with whatever session they had.
        assert (await bobs.request("GET", "home", params={"owner": bob.id})).status_code == 403
        await anns.posts("admin/allow", id=bob.id)
        await bobs.gets("home")


async def test_an_admin_writes_to_everybody_from_the_page(own_house: LocalServers) -> None:
    ann, bob, eve = own_house.person("Ann"), own_house.person("Bob"), own_house.person("Eve")
    async with served(own_house, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS=f"{bob.id},{eve.id}") as page:
        for visitor in (ann, bob, eve):
            await visitor.asks("Hello!")
        anns, bobs = await page.asked(ann), await page.asked(bob)
        assert "error" in await anns.posts("admin/broadcast", status=400, text="x" * 3_501)
        dropped = await anns.posts("admin/broadcast", text="This is never sent.")
        made = await anns.posts("admin/broadcast", text="The bot moves tonight.")
        assert "2" in made["told"]
        await anns.posts("admin/broadcast/send", status=404, id=dropped["id"])
        for path in ("admin/broadcast", "admin/broadcast/send", "admin/broadcast/stop"):
            await bobs.posts(path, status=404, id=made["id"], text="I am no admin.")
        told = {visitor.id: visitor.now for visitor in (ann, bob, eve)}
        await anns.posts("admin/broadcast/send", id=made["id"])
        for visitor in (bob, eve):
            await visitor.hears("The bot moves tonight.", since=told[visitor.id])
        await ann.hears("Arrived: 2 of 2", since=told[ann.id])
        assert (await anns.gets("admin"))["broadcasts"] == []


async def test_reminders_are_added_in_words_and_told(own_house: LocalServers) -> None:
    async with served(own_house) as page:
        ann = own_house.person("Ann")
        visitor = await page.asked(ann)  # memory is off, as it may be in the chat
        await visitor.posts("settings", change={"timezone": "Berlin"})
        added = await visitor.posts("reminders/add", text="every Monday at 10 send the report")
        [one] = added["reminders"]
        assert one["text"] == "send the report"
        assert "10:00 (Europe/Berlin), and then every week" in one["when"]
        assert "send the report" in await ann.asks("/reminders")
        for wrong in ("2020-01-01 9:00 too late", "no time at all"):
            assert "error" in await visitor.posts("reminders/add", status=400, text=wrong)
        proposed = (await visitor.posts("reminders/add", text="9:00 Tokyo standup"))["proposed"]
        assert proposed["asked"].startswith("I am not sure about “Tokyo”. Shall I remind you on ")
        assert (await visitor.posts("reminders/remove", id=one["id"]))["reminders"] == []


async def test_a_reminder_that_a_model_has_read_counts_once_its_person_confirmed_it(own_house: LocalServers) -> None:
    read = {"text": "send the report", "at": "2028-11-27T09:00", "in_minutes": None, "repeat": "weekly"}
    weekdays = ["Thursday", "Monday"]
    own_house.model.default_schema("remind", json.dumps({**read, "weekdays": weekdays}))
    async with served(own_house) as page:
        visitor = await page.asked(own_house.person("Ann"))
        await visitor.posts("settings", change={"timezone": "Berlin"})
        proposed = (await visitor.posts("reminders/add", text="the report, Mondays from the 27th"))["proposed"]
        assert "Monday, 27 November 2028, 9:00 (Europe/Berlin)" in proposed["asked"]
        assert "every week: Monday, Thursday" in proposed["asked"]
        assert (await visitor.gets("reminders"))["reminders"] == []
        confirmed = {name: proposed[name] for name in ("text", "at", "repeat", "weekdays")}
        [one] = (await visitor.posts("reminders/add", **confirmed))["reminders"]
        assert (one["text"], one["when"].partition("every ")[2]) == ("send the report", "week: Monday, Thursday")
        assert "error" in await visitor.posts(
            "reminders/add", status=400, **confirmed | {"at": "2020-01-01T09:00", "repeat": ""}
        )


async def test_all_sessions_of_a_person_end_at_once_and_others_stay(own_house: LocalServers) -> None:
    async with served(own_house) as page:
        ann, bob = own_house.person("Ann"), own_house.person("Bob")
        phone, desktop, bobs = await page.asked(ann), await page.asked(ann), await page.asked(bob)
        unused = LINK.search(await ann.asks("/dashboard", "#link="))
        assert unused is not None
        await desktop.posts("session/end", status=401)
        for visitor in (phone, desktop):
            assert (await visitor.request("GET", "home", params={"owner": ann.id})).status_code == 401
            await visitor.posts("session", status=401)
        assert (await page.client.post("/api/session", json={"link": unused[1]})).status_code == 401
        await bobs.gets("home")
        await (await page.asked(ann)).gets("home")


async def test_half_a_character_does_no_harm(own_house: LocalServers) -> None:
    ann, bob = own_house.person("Ann"), own_house.person("Bob")
    async with served(own_house, ADMIN_USER_IDS=str(ann.id), ALLOWED_USER_IDS=str(bob.id)) as page:
        visitor = await page.asked(ann)
        await ann.sets_up()
        for owner in (ann, bob):
            await owner.asks("Hello!")
        bodies: dict[str, dict[str, object]] = {
            "facts/add": {"text": "Ann has half \ud83d."},
            "conversations/begin": {"thread": 0, "title": "Half \ud83d"},
            "reminders/add": {"text": "tomorrow at 9 cut \ud83d"},
            "settings": {"change": {"persona_text": "Like half \ud83d.", "fold_instructions": "Only half \ud83d."}},
            "admin/broadcast": {"text": "Half \ud83d for all."},
        }
        for path, body in bodies.items():
            headers = {"content-type": "application/json"}
            content = json.dumps({"owner": ann.id, **body})
            answer = await visitor.request("POST", path, content=content, headers=headers)
            assert answer.status_code == 200, (path, answer.text)
        assert "half \ufffd" in await ann.asks("/memory")
