"""Tests with real nginx and Caddy, configured by the files of deploy/, in front of a real bot.

The dashboard, the webhook and a large import work through them.
"""

import io
import json
import os
import zipfile
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from telegram_ui.updates.webhook import SECRET_HEADER
from tests.end_to_end.harness import LocalServers
from tests.end_to_end.visitors import Page
from tests.peers.ports import reserve_port
from tests.support.http import NO_CERTIFICATES
from tests.support.proxies import proxy

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECRET = "between-telegram-and-the-bot"
CHAT = "".join(f"[03.05.24, 10:0{n}:00] Ann: The walnut tree has {n} nests.\n" for n in range(5))


def archive() -> bytes:
    """Return a WhatsApp export with 20 MB of pictures."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr("_chat.txt", CHAT)
        for number in range(4):
            packed.writestr(f"0000000{number}-PHOTO.jpg", os.urandom(5 * 2**20))
    return file.getvalue()


@pytest.mark.parametrize("name", ["nginx", "caddy"])
async def test_dashboard_webhook_and_large_import_work_behind_proxy(
    own_servers: LocalServers, tmp_path: Path, name: str
) -> None:
    with ExitStack() as stack:
        port, webhook, page, health = (stack.enter_context(reserve_port()) for _ in range(4))
        url = f"http://127.0.0.1:{port}"
        settings = {
            "WEBHOOK_URL": f"{url}/telegram",
            "WEBHOOK_SECRET": SECRET,
            "WEBHOOK_LISTEN": f"127.0.0.1:{webhook}",
            "DASHBOARD_URL": url,
            "DASHBOARD_LISTEN": f"127.0.0.1:{page}",
            "HEALTH_LISTEN": f"127.0.0.1:{health}",
        }
        async with (
            own_servers.run_bot(**settings),
            proxy(name, port, {8443: webhook, 8090: page, 8081: health}, tmp_path),
            httpx.AsyncClient(base_url=url, trust_env=False, verify=NO_CERTIFICATES, timeout=120) as client,
        ):
            ann = own_servers.add_person("Ann")
            await ann.set_up_memory()
            assert await ann.ask("By webhook") == "Noted."
            # Telegram's largest formatted messages get as far as the bot, who looks at what they are.
            large = await client.post("/telegram", content=b"x" * 7_900_000, headers={SECRET_HEADER: SECRET})
            assert large.status_code == 400

            shown = await client.get("/")
            assert "<!doctype html>" in shown.text.lower()
            visitor = await Page(client=client).open_session_by_link(ann)
            file, asked = archive(), {"owner": ann.id, "name": "WhatsApp Chat.zip"}
            planned = await visitor.request("POST", "import/plan", params=asked, content=file)
            assert planned.status_code == 200, planned.text
            asked["answers"] = json.dumps(
                {question["key"]: question["chosen"] or [0] for question in planned.json()["questions"]}
            )
            run = await visitor.request("POST", "import/run", params=asked, content=file)
            assert "said" in json.loads(run.text.splitlines()[-1]), run.text
            assert (await visitor.get("search", q="walnut nests"))["found"]
            too_large = await visitor.request("POST", "import/plan", params=asked, content=b"x" * 51_000_000)
            assert too_large.status_code in (413, 502)  # Debian's Caddy has no words for it
