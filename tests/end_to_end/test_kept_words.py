"""What is confirmed is what is kept, and what a person decided stands: a running bot, whichever way words come in."""

import json

import pytest

from tests.end_to_end.harness import House

pytestmark = pytest.mark.asyncio(loop_scope="module")

HIDDEN = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\u202e\u2066\u2800\u3164\u200b\u00ad\u034f\ufe0f"
FACTS = "facts"


async def test_no_command_keeps_what_nobody_sees(house: House) -> None:
    ann = house.person(f"Ann{HIDDEN}")
    async with house.bot(DATA_DIR="hidden"):
        await ann.sets_up("SQLite")
        for command, shown in (
            ("/persona Friendly{} pal.", "Friendly pal."),
            ("/memory add I sail{} boats.", "I sail boats."),
            ("/new My{} title", "My title"),
            ("/reminders add tomorrow at 9:00 dentist{} visit", "dentist visit"),
        ):
            assert shown in await ann.asks(command.format(HIDDEN))
        await ann.asks("Good morning.", "Noted.")
        home = house.memory_in("hidden").files().get_owner_rows(ann.owner)
    assert not set(HIDDEN) & set("".join(json.dumps(row, ensure_ascii=False, default=str) for row in home.messages))


async def test_an_edit_of_an_older_message_leaves_what_was_decided_by_hand(house: House) -> None:
    ann = house.person()
    told: dict[str, str | int | None] = {
        "quote": "I live in Lisbon",
        "text": "Ann lives in Lisbon.",
        "type": "state",
        "replaces": None,
    }
    async with house.bot(DATA_DIR="decided", FACTS_BATCH_TURNS="1") as bot:
        await ann.sets_up("SQLite")
        house.model.script_schema(FACTS, json.dumps({"facts": [told | {"message": 1}]}))
        said = ann.says("I live in Lisbon near the river.")
        await bot.logged("learned 1 facts")
        await ann.asks("/memory delete 1", "Deleted: ")
        await ann.asks("Good morning.", "Noted.")
        again = [told | {"message": 1, "text": text} for text in ("Ann wohnt in Lissabon.", "Ann resides in Lisbon.")]
        house.model.script_schema(FACTS, json.dumps({"facts": again}))
        since, logged = ann.now, bot.log.last
        ann.edits(said["message_id"], "I live in Lisbon near the river :)")
        acknowledged = await ann.hears("new words of this message count", since=since)
        assert "\n" not in str(acknowledged["text"])
        await bot.logged("learned 0 facts", since=logged)
        assert "I know nothing yet." in await ann.asks("/memory")
