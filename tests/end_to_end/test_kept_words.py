"""What is confirmed is what is kept, and what a person decided stands: a running bot, whichever way words come in."""

import json

import pytest

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.test_past import sends
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

HIDDEN = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\u202e\u2066\u2800\u3164\u200b\u00ad\u034f\ufe0f"
FACTS = "facts"


async def test_no_command_keeps_what_nobody_sees(house: LocalServers) -> None:
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


async def test_an_edit_of_an_older_message_leaves_what_was_decided_by_hand(house: LocalServers) -> None:
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
        logged = bot.log.last
        await ann.asks("Good morning.", "Noted.")
        await bot.logged("learned 0 facts", since=logged)  # or it would be taught with what comes next
        again = [told | {"message": 1, "text": text} for text in ("Ann wohnt in Lissabon.", "Ann resides in Lisbon.")]
        house.model.script_schema(FACTS, json.dumps({"facts": again}))
        since, logged = ann.now, bot.log.last
        ann.edits(said["message_id"], "I live in Lisbon near the river :)")
        acknowledged = await ann.hears("new words of this message count", since=since)
        assert "\n" not in str(acknowledged["text"])
        await bot.logged("learned 0 facts", since=logged)
        assert "I know nothing yet." in await ann.asks("/memory")


SAID = "I live in Lisbon near the river."
UNDATED = (
    ("chat.md", f"## You\n\n{SAID}\n\n## ChatGPT\n\nA good place.\n"),
    ("chat.json", json.dumps([{"role": "user", "content": f"Hm: {SAID}"}, {"role": "assistant", "content": "Ah."}])),
)


async def test_files_without_dates_bring_back_nothing_that_was_decided_by_hand(own_house: LocalServers) -> None:
    """Neither before nor after a kill while facts are learned from them, nor as pasted facts."""
    ann, model = own_house.person(), own_house.model
    told: dict[str, str | int | None] = {"quote": "I live in Lisbon", "type": "state", "replaces": None}
    back = json.dumps({"facts": [told | {"message": -2, "text": "The user lives in Lisbon."}]})
    settings = {"DATA_DIR": "undated", "FACTS_BATCH_TURNS": "1"}
    async with own_house.bot(**settings) as bot:
        await ann.sets_up("SQLite")
        model.script_schema(FACTS, json.dumps({"facts": [told | {"message": 1, "text": "Ann lives in Lisbon."}]}))
        ann.says(SAID)
        await bot.logged("learned 1 facts")
        await ann.asks("/memory edit 1 Ann lives in Porto.", "Ann lives in Porto.")
        model.default_schema(FACTS, back)
        for name, text in UNDATED:
            since, logged = ann.now, bot.log.last
            sends(ann, text.encode(), name)
            offer = await ann.hears("would add 2 messages.", since=since)
            since = ann.now
            ann.press(offer, "Import")
            done = await ann.hears("Done: 2 messages added", since=since)
            if name == UNDATED[-1][0]:
                held = Behaviour(hold="start", text=back)
                model.script_schema(FACTS, held, held)
                ann.press(done, "Learn facts")
                await model.until_held(1)
                await bot.kill()
            else:
                ann.press(done, "Learn facts")
                await bot.logged("learned 0 facts", since=logged)
    async with own_house.bot(**settings) as bot:
        await model.until_held(2)
        await model.release()
        await bot.logged("learned 0 facts")
        known = await ann.asks("/memory")
        assert "Porto" in known
        assert "Lisbon" not in known
        shown = await ann.tells("/import", "send me the file")
        ann.press(shown, "From another assistant")
        await ann.hears("List everything that you know", since=0)
        shown = await ann.tells("- Ann lives in Lisbon.\n- Ann grows walnuts.", "1 – Ann lives in Lisbon.")
        assert "2 ✓ Ann grows walnuts." in shown["text"]
        since = ann.now
        ann.press(shown, "Continue")
        offer = await ann.hears("would add 1 fact", since=since)
        ann.press(offer, "Import")
        await ann.hears("Done: 1 fact added", since=since)
        assert "Lisbon" not in await ann.asks("/memory")
