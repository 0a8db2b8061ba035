"""The HTML page of an export in a browser: it is searchable offline, and user text is never markup."""

import json
from pathlib import Path

from playwright.async_api import expect

from tests.end_to_end.playground.test_page import PATIENCE, launch_chromium
from tests.support.talk import ANNA, open_chat_harness
from tests.unit.transfer.test_importer import import_file

TEXTS = (
    "Where is the spare key?",
    "<script>document.title = 'taken'</script></p></body><img src=x onerror=alert(1)>",
    "أين المفتاح؟ In the İstanbul flat",
    "Straße",
)


def chat() -> bytes:
    messages = [
        {
            "id": number,
            "type": "message",
            "date": f"2024-0{number}-01T10:00:00",
            "from": "<b>Maria</b>",
            "from_id": "user99",
            "text": text,
        }
        for number, text in enumerate(TEXTS, start=1)
    ]
    return json.dumps({"name": "Maria", "type": "personal_chat", "id": 99, "messages": messages}).encode()


async def test_exported_page_is_searchable_offline_and_escapes_markup(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory()
        await import_file(talk, chat())
        async with talk.services.exporter.export_for_people(ANNA.id) as files:
            page_of_it = next(file.file.read() for file in files if file.name.endswith(".html"))
    (tmp_path / "memory.html").write_bytes(page_of_it)
    async with launch_chromium() as browser:
        page = await browser.new_page()
        page.set_default_timeout(PATIENCE)
        surprises: list[str] = []
        page.on("dialog", lambda dialog: surprises.append(dialog.message))
        page.on("request", lambda request: surprises.append(request.url))
        await page.goto(f"file://{tmp_path / 'memory.html'}")
        assert await page.title() == "My memory"
        assert surprises == [f"file://{tmp_path / 'memory.html'}"]
        shown = page.locator("section p.user:visible")
        for text, found in zip(await shown.all_inner_texts(), TEXTS, strict=True):
            assert found in text
        arabic = page.locator("p", has_text="أين").last
        assert await arabic.evaluate("one => getComputedStyle(one).direction") == "rtl"
        months = page.locator("section:has(p.user) h2:visible")
        for words, month in (("istanbul FLAT", "2024-03"), ("zzz", None), ("strasse", "2024-04"), ("النص", None)):
            await page.get_by_role("searchbox").fill(words)
            await expect(months).to_have_text([month] if month else [])
