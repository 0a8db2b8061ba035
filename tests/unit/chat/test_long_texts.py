"""Long texts of one person do not block the event loop for others."""

import json
from pathlib import Path

from records.owners import StorageType
from records.scopes import Scope
from tests.support.loop_watch import watch_loop
from tests.support.talk import ANNA, open_chat_harness
from transfer.formats.history import MAX_MESSAGE_CHARS
from transfer.importer import Importer

SCOPE = Scope(owner=ANNA.id)
CODES = " ".join(f"w{number}x{number}" for number in range(30_000))
MAX_HELD_UNITS = 250
"""Maximum units of processor time (see processor_time.py) per turn of the event loop.

Each of these texts took about 50. Analysed in one piece, the paste took 600.
"""


def make_telegram_export(*texts: str, first: int = 1) -> bytes:
    said = [
        {"id": number, "type": "message", "date": "2024-01-01T10:00:00", "from_id": f"user{ANNA.id}", "text": text}
        for number, text in enumerate(texts, start=first)
    ]
    return json.dumps({"type": "saved_messages", "id": ANNA.id, "messages": said}).encode()


async def test_importing_long_message_does_not_block_event_loop(tmp_path: Path, storage: StorageType) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=5, storage=storage)
        importer: Importer = talk.services.importer
        await importer.import_file(SCOPE, ANNA.id, make_telegram_export("Short.", first=1_000), progress=_unseen)
        await talk.say("What was w77x77?")  # loads and compiles what a process needs once
        async with watch_loop() as held:
            done = await importer.import_file(SCOPE, ANNA.id, make_telegram_export(CODES[:300_000]), progress=_unseen)
            reply = await talk.say("What was w77x77?")
        assert not reply.is_error
        assert held.units < MAX_HELD_UNITS
        assert done.messages >= 300_000 / MAX_MESSAGE_CHARS
        async with talk.services.memory.open_store(ANNA.id) as store:
            first, last = done.ids or (0, 0)
            messages = await store.read_messages(SCOPE, list(range(first, last + 1)))
        assert (
            "".join(message.content for message in sorted(messages, key=lambda message: message.id)) == CODES[:300_000]
        )
        assert len({message.turn for message in messages}) == 1
        again = await importer.plan(SCOPE, ANNA.id, make_telegram_export(CODES[:300_000]))
        assert not again.has_anything_new


async def test_long_paste_does_not_block_event_loop(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=5)
        await talk.say("The walnuts are in the cellar.")
        await talk.say(CODES[200_000:300_000])  # loads and compiles what a process needs once
        async with watch_loop() as held:
            await talk.say(CODES[:102_400])
            await talk.say("What was w77x77?")
        assert held.units < MAX_HELD_UNITS


async def _unseen(done: int, total: int) -> None:
    """Ignore progress reports."""
