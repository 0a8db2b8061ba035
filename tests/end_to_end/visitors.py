"""A visitor of the dashboard over real HTTP: sessions, requests, and initData as Telegram signs it."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from tests.end_to_end.harness import TOKEN, LocalServers, Member
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES

LINK = re.compile(r"#link=(\S+)")


@dataclass(frozen=True, kw_only=True)
class Page:
    """The dashboard's server as a browser reaches it."""

    client: httpx.AsyncClient

    async def open_session(self, **proof: str) -> dict[str, Any]:
        answer = await self.client.post("/api/session", json=proof)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def open_session_by_link(self, member: Member) -> "Visitor":
        """Open a session with the link that the bot sends, and return its visitor."""
        link = LINK.search(await member.ask("/dashboard", "#link="))
        assert link is not None
        session = await self.open_session(link=link[1])
        return Visitor(page=self, token=session["token"], owner=session["owner"])


@dataclass(frozen=True, kw_only=True)
class Visitor:
    page: Page
    token: str
    owner: int

    async def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        return await self.page.client.request(method, f"/api/{path}", headers=headers, **more)

    async def get(self, path: str, **asked: str | int) -> dict[str, Any]:
        answer = await self.request("GET", path, params={"owner": self.owner, **asked})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def post(self, path: str, *, status: int = 200, **body: object) -> dict[str, Any]:
        answer = await self.request("POST", path, json={"owner": self.owner, **body})
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found


@asynccontextmanager
async def run_bot_with_dashboard(servers: LocalServers, **settings: str) -> AsyncIterator[Page]:
    with reserve_port() as port:
        address = f"127.0.0.1:{port}"
        url = f"http://{address}"
        async with (
            servers.run_bot(**{"DASHBOARD_URL": url, "DASHBOARD_LISTEN": address, **settings}),
            httpx.AsyncClient(base_url=url, trust_env=False, verify=NO_CERTIFICATES, timeout=60) as client,
        ):
            yield Page(client=client)


def make_init_data(person: int, *, token: str = TOKEN, age: int = 0, language: str = "en", name: str = "Ann") -> str:
    """Make init data signed as Telegram's apps pass it to a page."""
    user = {"id": person, "first_name": name, "language_code": language}
    form = {"user": json.dumps(user), "auth_date": str(int(time.time()) - age)}
    lines = "\n".join(f"{name}={form[name]}" for name in sorted(form))
    key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
    return urlencode({**form, "hash": hmac.new(key, lines.encode(), hashlib.sha256).hexdigest()})
