"""Make the README's picture: `python -m tests.end_to_end.playground.picture docs/playground.png`.

Runs `bot.py --playground` with a scripted model and a fresh memory, chats a little, and takes a screenshot of the
page with the learned facts next to the chat. Needs Chromium.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

import httpx
from playwright.async_api import ViewportSize, async_playwright

from settings import read_environment
from tests.end_to_end.playground.test_page import CHROMIUM
from tests.end_to_end.test_playground import say, set_up_memory
from tests.paths import ROOT
from tests.peers.openai_server import run_openai_server
from tests.peers.ports import reserve_port

SIZE = ViewportSize(width=1440, height=636)
TALK = {
    "I'm allergic to walnuts.": "Good to know: no walnuts, in any recipe.",
    "My sister Nora is moving to Lisbon in June.": "How exciting! Will you visit her there?",
    "Yes, by train. What shall I read on the way?": "“Journey to Portugal” by José Saramago. You can put it down "
    "whenever the view is better.",
    "And what shall I bake for Nora's farewell?": "An orange cake: it stays fresh for days. I left out the walnuts "
    "that most recipes ask for, since you are allergic to them.",
}
LEARNED = {"Anna is allergic to walnuts.": 1, "Anna's sister Nora is moving to Lisbon in June.": 2}


async def talked(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as page:
        await set_up_memory(page)
        for said, answered in TALK.items():
            await say(page, said, answered[-20:])


async def photographed(url: str, file: Path) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = await browser.new_context(viewport=SIZE, locale="en", color_scheme="light")
        page = await context.new_page()
        await page.goto(url)
        memory = page.frame_locator("#panel iframe")
        await memory.get_by_role("link", name="Facts").click()
        await memory.get_by_text("moving to Lisbon").first.wait_for()
        await page.locator("#jump").click()
        await page.locator("#jump").wait_for(state="hidden")
        await page.screenshot(path=file)
        await browser.close()


async def main(file: Path) -> None:
    async with run_openai_server() as (model, model_url):
        model.script("demo", *TALK.values())
        learned = [
            {"message": number, "text": text, "type": "fact", "applies_to": None, "replaces": None}
            for text, number in LEARNED.items()
        ]
        model.script_schema("facts", json.dumps({"facts": learned}))
        await pictured(file, model_url)


async def pictured(file: Path, model_url: str) -> None:
    with reserve_port() as port, tempfile.TemporaryDirectory(prefix="keepsake-picture-") as folder:
        env = {
            **read_environment(),
            "DATA_DIR": folder,
            "OPENAI_BASE_URL": model_url,
            "OPENAI_MODEL": "demo",
            "EMBEDDING_MODEL": "none",
            "TOOLS": "off",
            "FACTS_BATCH_TURNS": str(len(TALK)),
            "TELEGRAM_BOT_TOKEN": "",
        }
        command = ("bot.py", "--playground", "--no-browser", "--port", str(port))
        bot = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=ROOT, env=env, stderr=asyncio.subprocess.PIPE
        )
        assert bot.stderr
        reading = asyncio.create_task(bot.stderr.readuntil(b"ready"))
        await reading
        rest = asyncio.create_task(bot.stderr.read())
        try:
            await talked(f"http://127.0.0.1:{port}")
            await photographed(f"http://127.0.0.1:{port}", file)
        finally:
            bot.terminate()
            await bot.wait()
            await rest


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
