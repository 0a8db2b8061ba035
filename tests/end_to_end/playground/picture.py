"""The picture of the playground in README: `python -m tests.end_to_end.playground.picture docs/playground.png`.

Runs `bot.py --playground` with the offline model and a fresh memory, tells it about walnuts, talks for forty turns,
asks about the walnuts, and photographs the page. Needs chromium.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

import httpx
from playwright.async_api import ViewportSize, async_playwright

from settings import environment
from tests.end_to_end.playground.test_page import CHROMIUM
from tests.end_to_end.test_playground import says, sets_up
from tests.paths import ROOT
from tests.peers.ports import kept_port

SIZE = ViewportSize(width=1440, height=900)
TURNS = 38
TALK = (
    "The reading group meets on Thursday at seven.",
    "My sister Nora lives in Lisbon.",
    "I repaired the red bike yesterday.",
    "The tomatoes on the balcony are ripe.",
    "We watched a film about lighthouses.",
    "My train to Porto leaves at 9:40.",
    "The new library opens in spring.",
    "I would like to learn to bake rye bread.",
)


async def talked(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as page:
        await sets_up(page)
        await says(page, "I'm allergic to walnuts, please remember.")
        for turn in range(TURNS):
            await says(page, f"{TALK[turn % len(TALK)]} ({turn + 1})" if turn >= len(TALK) else TALK[turn])
        await says(page, "What am I allergic to?")


async def photographed(url: str, file: Path) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = await browser.new_context(viewport=SIZE, locale="en", color_scheme="light")
        page = await context.new_page()
        await page.goto(url)
        memory = page.frame_locator("#panel iframe")
        await memory.get_by_role("link", name="Summaries").click()
        await memory.locator(".summary-detail .card").first.wait_for()
        await page.locator("#jump").click()
        await page.locator("#jump").wait_for(state="hidden")
        await page.screenshot(path=file)
        await browser.close()


async def main(file: Path) -> None:
    with kept_port() as port, tempfile.TemporaryDirectory(prefix="keepsake-picture-") as folder:
        env = {
            **environment(),
            "DATA_DIR": folder,
            "OPENAI_API_KEY": "",
            "OPENAI_BASE_URL": "",
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
