"""Tests of the dashboard's server over real HTTP: who may sign in, and which memory they see."""

import hashlib
import re
from base64 import b64encode

import httpx
import pytest

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.visitors import LINK, Visitor, make_init_data, run_bot_with_dashboard
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_dashboard_link_opens_own_memory_once(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        await ann.set_up_memory()
        await ann.ask("My boat is called Quinquereme.")
        sent = await ann.ask("/dashboard", "#link=")
        link = LINK.search(sent)
        assert link is not None
        session = await page.open_session(link=link[1])
        assert (session["person"], session["owner"], session["is_admin"]) == (ann.id, ann.id, False)
        again = await page.client.post("/api/session", json={"link": link[1]})
        assert again.status_code == 401
        assert "/dashboard" in again.json()["error"]

        visitor = Visitor(page=page, token=session["token"], owner=ann.id)
        home = await visitor.get("home")
        assert (home["memory"]["enabled"], home["counts"]["total"]) == (True, 2)
        assert [scope["messages"] for scope in home["scopes"]] == [2]
        shown = await visitor.get("timeline")
        assert [message["text"] for message in shown["messages"]] == ["My boat is called Quinquereme.", "Noted."]
        assert [message["role"] for message in shown["messages"]] == ["user", "assistant"]
        found = await visitor.get("search", q="boat")
        assert [message["text"] for message in found["found"]] == ["My boat is called Quinquereme."]
        assert (await visitor.get("search", q="boat", kind="assistant"))["found"] == []
        why = await visitor.get("why")
        [answer] = why["answers"]
        assert (answer["question"], answer["answer"]) == ("My boat is called Quinquereme.", "Noted.")
        assert sum(part["tokens"] for part in answer["parts"]) == answer["tokens"] > 0
        figures = await visitor.get("statistics")
        assert [messages for _, messages in figures["days"]] == [2]
        assert figures["answers"]["explained"] == 1
        assert sum(figure["answers"] for figure in figures["usage"]) == 1
        for path in ("speakers", "facts", "profile", "summaries", "settings", "reminders"):
            await visitor.get(path)
        message = shown["messages"][0]["id"]
        whole = await visitor.get("message", id=message)
        assert [message["text"] for message in whole["turn"]] == ["My boat is called Quinquereme.", "Noted."]


async def test_lone_surrogate_in_name_does_not_prevent_sign_in(own_servers: LocalServers) -> None:
    """The answer once was status 500, because a lone surrogate cannot be encoded as UTF-8."""
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person()
        session = await page.open_session(init_data=make_init_data(ann.id, name="Ann \ud800"))
        assert session["name"] == "Ann \ufffd"


async def test_valid_init_data_opens_session_and_forged_or_expired_does_not(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        session = await page.open_session(init_data=make_init_data(ann.id))
        assert (session["person"], session["name"]) == (ann.id, "Ann")
        for forged in (
            make_init_data(ann.id, token="4343:AAanother"),
            make_init_data(ann.id, age=4_000),
            make_init_data(ann.id).replace(str(ann.id), "1"),
            "",
            "user=1",
        ):
            refused = await page.client.post("/api/session", json={"init_data": forged})
            assert refused.status_code == 401, forged
        renewed = await Visitor(page=page, token=session["token"], owner=ann.id).post("session")
        assert renewed["person"] == ann.id


async def test_memory_is_visible_only_to_owner_or_group_admins(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann, bob = own_servers.add_person("Ann"), own_servers.add_person("Bob")
        await ann.set_up_memory()
        await ann.ask("My secret word is quinquereme.")
        group = own_servers.add_group(ann, bob, admins=[ann])
        anns, bobs = await page.open_session_by_link(ann), await page.open_session_by_link(bob)
        for owner in (ann.id, group, -1, 0):
            answer = await bobs.request("GET", "timeline", params={"owner": owner})
            assert (answer.status_code, "quinquereme" in answer.text) == (403, False)
        assert (await anns.request("GET", "home", params={"owner": group})).status_code == 200
        for thread in ("-5", "x", "9" * 40, "1e3"):
            answer = await anns.request("GET", "timeline", params={"owner": ann.id, "thread": thread})
            assert answer.status_code in (400, 403)
        bearer = {"Authorization": f"Bearer {bobs.token}"}
        for whose, seen in ((bob.id, True), ("", True), (ann.id, False), (group, False), ("x", False)):
            asked = {"opening": {"owner": whose, "limit": 20}}
            session = (await page.client.post("/api/session", json=asked, headers=bearer)).json()
            assert (session["person"], session["opening"] is not None) == (bob.id, seen), whose
            assert "quinquereme" not in str(session)
        # In the group the link goes to the admin in private, and to nobody else.
        since = ann.last_event
        await ann.with_chat(group).ask("/dashboard", "private")
        told = await ann.wait_for_message("#link=", since=since)
        link = LINK.search(told["text"])
        assert link is not None
        assert (await page.open_session(link=link[1]))["owner"] == group
        assert "#link=" not in await bob.with_chat(group).ask("/dashboard")


async def test_session_is_refused_for_person_who_is_not_allowed(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers, ALLOWED_USER_IDS="1") as page:
        ann = own_servers.add_person("Ann")
        refused = await page.client.post("/api/session", json={"init_data": make_init_data(ann.id)})
        assert refused.status_code == 403


async def test_foreign_origins_hosts_paths_and_tokens_are_refused(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        ann = own_servers.add_person("Ann")
        visitor = await page.open_session_by_link(ann)
        own = str(page.client.base_url).rstrip("/")
        for headers, status in (
            ({"Origin": own}, 200),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": "http://["}, 403),
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Host": "evil.example"}, 400),
            ({"Host": "evil.example:8090", "Origin": "http://evil.example:8090"}, 400),
            ({"Host": "127.0.0.1.evil.example"}, 400),
            ({"Host": "bot-1.evil.example"}, 400),
            ({"Host": "evillocal.example."}, 400),
            ({"Host": ""}, 400),
            ({"Host": "."}, 400),
            ({"Host": ":8090"}, 400),
            ({"Host": "[::"}, 400),
            # A proxy that calls its neighbour by the name of a service or by address.
            ({"Host": "bot-1:8090"}, 200),
            ({"Host": "keepsake.default.svc.cluster.local:8090"}, 200),
            ({"Host": "host.docker.internal:8090"}, 200),
            ({"Host": "10.244.1.7:8090"}, 200),
            ({"Host": "[::1]:8090"}, 200),
        ):
            answer = await visitor.request("GET", "home", params={"owner": ann.id}, headers=headers)
            assert answer.status_code == status, headers
            posted = await visitor.request("POST", "session", json={}, headers=headers)
            assert posted.status_code == status, headers
        for path in (
            "/static/../app.py",
            "/static/%2e%2e/app.py",
            "/static/..%2fsessions.py",
            "/static//etc/passwd",
            "/static/%00",
            "/api/../../bot.py",
            "/.env",
        ):
            answer = await page.client.get(httpx.URL(own).copy_with(raw_path=path.encode()))
            assert answer.status_code in (400, 404), path
        for proof in ("", "x", "Bearer", f"Bearer {visitor.token}x", f"Basic {visitor.token}", visitor.token):
            answer = await page.client.get("/api/home", params={"owner": ann.id}, headers={"Authorization": proof})
            assert answer.status_code == 401
        # No form of another site can say that its body is JSON.
        form = await visitor.request("POST", "session", content="{}", headers={"Content-Type": "text/plain"})
        assert form.status_code == 400
        large = await visitor.request("POST", "session", json={"link": "x" * 100_000})
        assert large.status_code == 413
        for body in ("[]", "{", '{"link": 5}', "[" * 10_000):
            answer = await visitor.request(
                "POST", "session", content=body, headers={"Content-Type": "application/json"}
            )
            assert answer.status_code == 400, body[:20]


async def test_session_survives_bot_restart(own_servers: LocalServers) -> None:
    ann = own_servers.add_person("Ann")
    async with run_bot_with_dashboard(own_servers) as page:
        await ann.set_up_memory()
        await ann.ask("My boat is called Quinquereme.")
        token = (await page.open_session_by_link(ann)).token
    async with run_bot_with_dashboard(own_servers) as page:
        visitor = Visitor(page=page, token=token, owner=ann.id)
        assert len((await visitor.get("timeline"))["messages"]) == 2


async def test_page_has_strict_security_and_cache_headers(own_servers: LocalServers) -> None:
    async with run_bot_with_dashboard(own_servers) as page:
        shown = await page.client.get("/")
        assert shown.status_code == 200
        policy = shown.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        for script in re.findall(r"<script>(.*?)</script>", shown.text, re.DOTALL):
            assert f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
        assert shown.headers["x-content-type-options"] == "nosniff"
        assert shown.headers["cache-control"] == "no-cache"
        assert (await page.client.get("/api/home")).headers["cache-control"] == "no-store"


async def test_dashboard_command_names_missing_setting(own_servers: LocalServers) -> None:
    async with own_servers.run_bot():
        assert "DASHBOARD_URL" in await own_servers.add_person("Ann").ask("/dashboard")


async def test_group_admin_who_never_started_bot_is_told_what_to_send_again(own_servers: LocalServers) -> None:
    ann = own_servers.add_person("Ann")
    anns = ann.with_chat(own_servers.add_group(ann, admins=[ann]))
    async with run_bot_with_dashboard(own_servers):
        await anns.set_up_memory()
        assert "send /dashboard here again" in await anns.ask("/dashboard")
        await ann.ask("/start")
        assert "in private" in await anns.ask("/dashboard")


async def test_link_from_topic_opens_topic(own_servers: LocalServers) -> None:
    ann = own_servers.add_person("Ann")
    group = own_servers.add_group(ann, admins=[ann], topics={7: "Tides", 9: "Boats"})
    tides, boats = ann.with_chat(group, 7), ann.with_chat(group, 9)
    async with run_bot_with_dashboard(own_servers) as page:
        await ann.ask("/start")
        await tides.set_up_memory()
        await tides.ask("@keepsake_bot high water is at noon", "Noted.")
        await boats.ask("@keepsake_bot we sail at nine", "Noted.")
        for topic, said in ((tides, "high water is at noon"), (boats, "we sail at nine")):
            since = ann.last_event
            topic.say("/dashboard")
            sent = (await ann.wait_for_message("#link=", since=since))["text"]
            link = LINK.search(sent)
            assert link is not None
            session = await page.open_session(link=link[1])
            visitor = Visitor(page=page, token=session["token"], owner=session["owner"])
            opened = await visitor.get("timeline", thread=httpx.URL(sent.split()[-1]).params["thread"])
            assert [message["text"] for message in opened["messages"]] == [said, "Noted."]


async def test_path_prefix_may_be_kept_or_stripped_by_proxy(own_servers: LocalServers) -> None:
    with reserve_port() as port:
        address = f"127.0.0.1:{port}"
        settings = {"DASHBOARD_URL": f"http://{address}/keepsake", "DASHBOARD_LISTEN": address}
        async with (
            own_servers.run_bot(**settings),
            httpx.AsyncClient(
                base_url=f"http://{address}", trust_env=False, verify=NO_CERTIFICATES, timeout=60
            ) as client,
        ):
            for path in ("/keepsake/", "/", "/keepsake/static/index.html"):
                assert (await client.get(path)).status_code == 200, path
            assert (await client.post("/keepsake/api/session", json={"link": "x"})).status_code == 401


async def test_dashboard_opens_from_telegram_button_and_menu(own_servers: LocalServers) -> None:
    url = "https://memory.example.org/page"
    with reserve_port() as port:
        address = f"127.0.0.1:{port}"
        async with (
            own_servers.run_bot(DASHBOARD_URL=url, DASHBOARD_LISTEN=address),
            httpx.AsyncClient(
                base_url=f"http://{address}", trust_env=False, verify=NO_CERTIFICATES, timeout=60
            ) as client,
        ):
            ann = own_servers.add_person("Ann")
            told = await ann.ask_for_message("/dashboard", "#link=")
            [[button]] = told["reply_markup"]["inline_keyboard"]
            assert button["web_app"] == {"url": f"{url}/?owner={ann.id}"}
            call = await own_servers.world.calls.wait_for_first_match(
                lambda call: call["method"] == "setChatMenuButton", timeout=60
            )
            assert url in str(call["params"])
            proof = {"init_data": make_init_data(ann.id)}
            # A proxy hands on the public name, or calls the server by its own.
            for headers in ({"Host": "memory.example.org"}, {}):
                headers["Origin"] = "https://memory.example.org"
                answer = await client.post("/page/api/session", json=proof, headers=headers)
                assert answer.status_code == 200, headers
