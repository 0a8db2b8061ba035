"""The recorded output of a real small model (tests/peers/recorded.json) yields facts, summaries and answers."""

import json
from pathlib import Path

from benchmarks.real import script as scripts
from records.scopes import Scope
from tests.support.talk import ANNA, open_chat_harness

RECORDED = json.loads((Path(__file__).parents[2] / "peers" / "recorded.json").read_text(encoding="utf-8"))
SCOPE = Scope(owner=ANNA.id)


async def test_recorded_model_output_yields_facts_summaries_and_answer(tmp_path: Path) -> None:
    script = scripts.read_script().take_first_lines(4)
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    async with open_chat_harness(tmp_path, facts_batch_turns=2) as talk:
        await talk.turn_on_memory(every_n=2)
        talk.server.script("chat-model", *(line.answer for line in script.lines))
        talk.server.script("summary-model", *RECORDED["summaries"])
        talk.server.script_schema("facts", *RECORDED["facts"])
        for line in script.lines:
            assert await talk.run_turn(line.text) == ()
        talk.server.script("chat-model", RECORDED["call"], *RECORDED["answers"])
        assert (await talk.say(script.questions[0].text, on_text=show)).text == RECORDED["answers"][0]
        known = [fact.text for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]
        made = [summary.text for summary in await talk.services.summaries.list_active_summaries(SCOPE)]
    assert known == ["Nora is a nurse at the Santa Clara hospital in Lisbon."], "what it repeats is one fact"
    assert set(made) <= set(RECORDED["summaries"])
    assert shown
    assert not any("search_memory" in text or "{" in text for text in shown)
