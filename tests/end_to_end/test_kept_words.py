"""Stored text equals the confirmed text, and imports or edits never override manual decisions."""

import json

import pytest

from tests.end_to_end.harness import LocalServers
from tests.end_to_end.test_past import send_import
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

HIDDEN = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "\u202e\u2066\u2800\u3164\u200b\u00ad\u034f\ufe0f"
FACTS = "facts"


async def test_invisible_characters_are_removed_from_commands_and_names(servers: LocalServers) -> None:
    ann = servers.add_person(f"Ann{HIDDEN}")
    async with servers.run_bot(DATA_DIR="hidden"):
        await ann.set_up_memory("SQLite")
        for command, shown in (
            ("/persona Friendly{} pal.", "Friendly pal."),
            ("/memory add I sail{} boats.", "I sail boats."),
            ("/new My{} title", "My title"),
            ("/reminders add tomorrow at 9:00 dentist{} visit", "dentist visit"),
        ):
            assert shown in await ann.ask(command.format(HIDDEN))
        await ann.ask("Good morning.", "Noted.")
        home = servers.get_memory("hidden").read_state().get_owner_rows(ann.owner)
    assert not set(HIDDEN) & set("".join(json.dumps(row, ensure_ascii=False, default=str) for row in home.messages))


async def test_fact_that_was_sent_as_code_is_stored_without_marks(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="as-code"):
        await ann.set_up_memory("SQLite")
        shown = await ann.ask_for_message("/memory")
        since = ann.last_event
        ann.press_button(shown, "Add")
        await ann.wait_for_message(since=since)
        since, code = ann.last_event, {"type": "pre", "offset": 0, "length": 13}
        servers.world.post_from_person(ann.id, ann.chat_id, {"text": "I sail boats.", "entities": [code]})
        await ann.wait_for_message("I sail boats.", since=since)
        listed = await ann.ask("/memory", "I sail boats.")
    assert "`" not in listed


async def test_edit_of_older_message_does_not_restore_deleted_fact(servers: LocalServers) -> None:
    ann = servers.add_person()
    told: dict[str, str | int | None] = {
        "quote": "I live in Lisbon",
        "text": "Ann lives in Lisbon.",
        "type": "state",
        "replaces": None,
    }
    async with servers.run_bot(DATA_DIR="decided", FACTS_BATCH_TURNS="1") as bot:
        await ann.set_up_memory("SQLite")
        servers.model.script_schema(FACTS, json.dumps({"facts": [told | {"message": 1}]}))
        said = ann.say("I live in Lisbon near the river.")
        await bot.wait_for_log_line("learned 1 facts")
        await ann.ask("/memory delete 1", "Deleted: ")
        logged = bot.log.last
        await ann.ask("Good morning.", "Noted.")
        await bot.wait_for_log_line("learned 0 facts", since=logged)  # or it would be taught with what comes next
        again = [told | {"message": 1, "text": text} for text in ("Ann wohnt in Lissabon.", "Ann resides in Lisbon.")]
        servers.model.script_schema(FACTS, json.dumps({"facts": again}))
        since, logged = ann.last_event, bot.log.last
        ann.edit_message(said["message_id"], "I live in Lisbon near the river :)")
        acknowledged = await ann.wait_for_message("new text of this message counts", since=since)
        assert "\n" not in str(acknowledged["text"])
        await bot.wait_for_log_line("learned 0 facts", since=logged)
        assert "I know nothing yet." in await ann.ask("/memory")


SAID = "I live in Lisbon near the river."
UNDATED = (
    ("chat.md", f"## You\n\n{SAID}\n\n## ChatGPT\n\nA good place.\n"),
    ("chat.json", json.dumps([{"role": "user", "content": f"Hm: {SAID}"}, {"role": "assistant", "content": "Ah."}])),
)


async def test_undated_imports_do_not_restore_corrected_fact(own_servers: LocalServers) -> None:
    """The old fact returns neither from an import, with or without a kill during learning, nor as a pasted fact."""
    ann, model = own_servers.add_person(), own_servers.model
    told: dict[str, str | int | None] = {"quote": "I live in Lisbon", "type": "state", "replaces": None}
    back = json.dumps({"facts": [told | {"message": -2, "text": "The user lives in Lisbon."}]})
    settings = {"DATA_DIR": "undated", "FACTS_BATCH_TURNS": "1"}
    async with own_servers.run_bot(**settings) as bot:
        await ann.set_up_memory("SQLite")
        model.script_schema(FACTS, json.dumps({"facts": [told | {"message": 1, "text": "Ann lives in Lisbon."}]}))
        ann.say(SAID)
        await bot.wait_for_log_line("learned 1 facts")
        await ann.ask("/memory edit 1 Ann lives in Porto.", "Ann lives in Porto.")
        model.set_default_schema_answer(FACTS, back)
        for name, text in UNDATED:
            since, logged = ann.last_event, bot.log.last
            send_import(ann, text.encode(), name)
            offer = await ann.wait_for_message("would add 2 messages.", since=since)
            since = ann.last_event
            ann.press_button(offer, "Import")
            done = await ann.wait_for_message("Done: 2 messages added", since=since)
            if name == UNDATED[-1][0]:
                held = Behaviour(hold="start", text=back)
                model.script_schema(FACTS, held, held)
                ann.press_button(done, "Learn facts")
                await model.wait_until_held(1)
                await bot.kill()
            else:
                ann.press_button(done, "Learn facts")
                await bot.wait_for_log_line("learned 0 facts", since=logged)
    async with own_servers.run_bot(**settings) as bot:
        await model.wait_until_held(2)
        await model.release()
        await bot.wait_for_log_line("learned 0 facts")
        known = await ann.ask("/memory")
        assert "Porto" in known
        assert "Lisbon" not in known
        shown = await ann.ask_for_message("/import", "send me the file")
        ann.press_button(shown, "From another assistant")
        await ann.wait_for_message("List everything that you know", since=0)
        shown = await ann.ask_for_message("- Ann lives in Lisbon.\n- Ann grows walnuts.", "1 – Ann lives in Lisbon.")
        assert "2 ✓ Ann grows walnuts." in shown["text"]
        since = ann.last_event
        ann.press_button(shown, "Continue")
        offer = await ann.wait_for_message("would add 1 fact", since=since)
        ann.press_button(offer, "Import")
        await ann.wait_for_message("Done: 1 fact added", since=since)
        assert "Lisbon" not in await ann.ask("/memory")
