"""A model that mistakes wishes, questions and requests for facts is asked to classify each line.

People wrote these lines in issues of programs with a memory, and to a model of 1.5 billion parameters.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from facts.extractor import MIN_LINES
from records.facts import Fact, HistoryBacklog
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=ANNA.id)
REQUEST = "请直接告诉我周留存怎么算"
RULE = "以后请不要重复询问背景，回答先给结论"
CONSIDERED = "このアプリに、obsidianは有効に使えるかどうか検討して"
UNSAID = {"message": 1, "text": "Rain is water.", "quote": "nobody said this"}  # refused, so that lines are asked about


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=500, storage=storage)
        yield talk


async def learn(talk: ChatHarness, line: str, **fields: object) -> list[Fact]:
    """Say a line from which the model learns a lasting state, and return all facts."""
    await talk.say(line)
    async with talk.services.memory.open_store(ANNA.id) as store:
        [message] = [message for message in await store.timeline.read_page(SCOPE, limit=2) if message.is_user]
    state = {"message": message.id, "quote": line, "text": f"Anna: {line}", "type": "state"} | fields
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [state, UNSAID | {"message": message.id}]}))
    await talk.services.facts.learn(SCOPE)
    return await talk.services.facts.list_all(ANNA.id)


def set_line_kinds(talk: ChatHarness, kinds: Mapping[str, str]) -> None:
    """Let the model classify lines by `kinds`, and every other line as a fact."""

    def answer(messages: Sequence[Mapping[str, object]]) -> str:
        line = str(messages[-1]["content"]).removeprefix("Line: ")
        return json.dumps({"kind": kinds.get(line, "fact")})

    talk.server.set_default_schema_answer("kind", answer)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (REQUEST, "ask"),
        ("Whats a good way to dry wet shoes over night", "ask"),
        ("Tell me a short joke about rain", "ask"),
        ("Usually he does.", "nothing"),
    ],
)
async def test_request_or_fragment_yields_no_fact(talk: ChatHarness, line: str, kind: str) -> None:
    set_line_kinds(talk, {line.rstrip("."): kind})
    assert await learn(talk, line) == []


@pytest.mark.parametrize(
    ("line", "kind", "quote", "text"),
    [
        ("me gustaría vivir en Porto", "wish", "vivir en Porto", "Anna vive en Porto"),
        ("Ich wäre so gern Tierärztin", "wish", "Tierärztin", "Anna ist Tierärztin"),
        ("我还没决定要不要搬到上海", "maybe", "搬到上海", "Anna搬到上海"),
        (CONSIDERED, "maybe", "obsidianは有効に使える", "Annaはobsidianを使っている"),
    ],
)
async def test_wish_or_plan_is_stored_as_uncertain_quote(
    talk: ChatHarness, line: str, kind: str, quote: str, text: str
) -> None:
    set_line_kinds(talk, {line: kind})
    await learn(talk, "I live in Bergen", text="Anna lives in Bergen.", about="Anna", attribute="home", is_single=True)
    home, wish = await learn(
        talk, line, quote=quote, text=text, about="Anna", attribute="home", is_single=True, replaces=[1]
    )
    assert home.is_valid, "a wish ends nothing"
    assert (wish.text, wish.quote, wish.subject, wish.is_uncertain) == (f"Anna: {line}", line, "", True)


@pytest.mark.parametrize(
    ("line", "quote", "text"),
    [
        ("I live in Porto and would love a dog", "I live in Porto", "Anna lives in Porto."),
        ("Ich wohne in Gent, hätte aber gern ein Haus am Meer", "Ich wohne in Gent", "Anna wohnt in Gent."),
        ("Vivo en Lugo y me gustaría tener un perro", "Vivo en Lugo", "Anna vive en Lugo."),
        ("I'd love a dog but I live in a small flat", "I live in a small flat", "Anna lives in a small flat."),
    ],
)
async def test_fact_on_same_line_as_wish_is_certain(talk: ChatHarness, line: str, quote: str, text: str) -> None:
    set_line_kinds(talk, {line: "wish"})
    (fact,) = await learn(talk, line, quote=quote, text=text)
    assert (fact.text, fact.quote, fact.is_uncertain) == (text, quote, False)


@pytest.mark.parametrize(
    ("line", "quote", "text"),
    [
        ("I would love a house by the sea, and a dog", "a dog", "Anna has a dog."),
        ("I'd so like a garden with roses", "a garden with roses", "Anna has a garden with roses."),
        ("I would love a dog and a garden", "I would love a dog", "Anna has a dog."),
        ("I'd love to live in Porto, work as a nurse and bake", "work as a nurse", "Anna works as a nurse."),
    ],
)
async def test_part_of_wish_is_stored_as_whole_wish(talk: ChatHarness, line: str, quote: str, text: str) -> None:
    set_line_kinds(talk, {line: "wish", "I would love a dog": "wish"})
    (wish,) = await learn(talk, line, quote=quote, text=text)
    assert (wish.text, wish.is_uncertain) == (f"Anna: {line}", True)


async def test_doubt_next_to_fact_is_kept(talk: ChatHarness) -> None:
    line = "I live in Porto and I'm not sure for how long"
    set_line_kinds(talk, {line: "maybe"})
    (fact,) = await learn(talk, line, quote="I live in Porto", text="Anna lives in Porto.")
    assert (fact.text, fact.is_uncertain) == (f"Anna: {line}", True)


async def test_condition_without_hedge_remains_instruction(talk: ChatHarness) -> None:
    line = "If I write in German answer in English"
    set_line_kinds(talk, {line: "maybe"})
    (fact,) = await learn(talk, line, text="Anna wants English answers to German messages.", type="instruction")
    assert fact.kind == "instruction"


@pytest.mark.parametrize(
    ("line", "kind", "expected"),
    [  # a model of 1.5 billion parameters called all of them instructions, and told these kinds
        ("I live in Lisbon", "fact", ("personal", "home city")),
        ("On Tuesdays I sing in a choir called Vox Mare", "fact", ("personal", "home city")),
        ("Марк переехал: теперь живём в Зейсте", "fact", ("personal", "home city")),
        ("Por favor, a partir de ahora contéstame siempre sin emojis", "rule", ("instruction", "")),
        ("I'm allergic to hazelnuts, so never with nuts like that", "rule", ("instruction", "")),
    ],
)
async def test_instruction_whose_line_is_a_fact_becomes_personal(
    talk: ChatHarness, line: str, kind: str, expected: tuple[str, str]
) -> None:
    set_line_kinds(talk, {line: kind})
    [fact] = await learn(talk, line, type="instruction", attribute="home city", is_single=True)
    assert (fact.kind, fact.subject, fact.is_uncertain) == (*expected, False)


async def test_condition_with_hedge_is_not_an_instruction(talk: ChatHarness) -> None:
    line = "if it rains I might take the bus"
    set_line_kinds(talk, {line: "maybe", "Could you always answer in German": "rule"})
    (fact,) = await learn(talk, line, text="Anna might take the bus if it rains.", type="instruction")
    assert (fact.kind, fact.text, fact.is_uncertain) == ("personal", f"Anna: {line}", True)
    *_, rule = await learn(
        talk, "Could you always answer in German", text="Anna wants answers in German.", type="instruction"
    )
    assert rule.kind == "instruction"


@pytest.mark.parametrize(("line", "kind"), [(RULE, "rule"), ("I drink my coffee without milk", "fact")])
async def test_facts_and_rules_are_kept_unchanged(talk: ChatHarness, line: str, kind: str) -> None:
    set_line_kinds(talk, {line: kind})
    (fact,) = await learn(talk, line)
    assert (fact.text, fact.is_uncertain) == (f"Anna: {line}", False)


async def test_wish_about_code_answers_applies_only_to_code(talk: ChatHarness) -> None:
    line = "I wish your answers about code were short"
    set_line_kinds(talk, {line: "wish"})
    (wish,) = await learn(talk, line, type="instruction", about="code")
    assert (wish.kind, wish.subject, wish.text) == ("instruction", "code", f"Anna: {line}")


async def test_line_with_names_or_numbers_is_kept_despite_kind_nothing(talk: ChatHarness) -> None:
    line = "Carpenter: Duarte Pinho, workshop in Matosinhos, telephone 220 145 778"
    set_line_kinds(talk, {line: "nothing"})
    assert len(await learn(talk, line)) == 1


async def test_keeps_allergy_and_statement_before_question(talk: ChatHarness) -> None:
    line = "I live in Tula, how warm does it get there"
    set_line_kinds(talk, {line: "ask", "allergic to pollen, right": "ask"})
    (home,) = await learn(talk, line, quote="I live in Tula", text="Anna lives in Tula.")
    assert home.text == "Anna lives in Tula."
    assert len(await learn(talk, "allergic to pollen, right", text="Anna is allergic to pollen.")) == 2


@pytest.mark.parametrize("answer", ["{}", '{"facts": []}', '{"kind": "joke"}', "fact", "[" * 3000, '["wish"]'])
async def test_invalid_kind_answer_keeps_facts_and_stops_kind_requests(talk: ChatHarness, answer: str) -> None:
    talk.server.set_default_schema_answer("kind", answer)
    for line in ("I live in Oslo", "I drink tea", "I sing in a choir"):
        await learn(talk, line)
    assert len([fact for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]) == 3
    assert len(talk.server.list_schema_requests("kind")) == 1


async def test_failed_kind_request_keeps_fact_and_next_line_is_classified(talk: ChatHarness) -> None:
    talk.server.script_schema("kind", Behaviour(status=503, retry_after="600"))
    set_line_kinds(talk, {})
    assert len(await learn(talk, "I live in Oslo")) == 1
    asked = len(talk.server.list_schema_requests("kind"))
    assert len(await learn(talk, "I drink tea")) == 2
    assert len(talk.server.list_schema_requests("kind")) > asked


async def test_model_with_only_valid_facts_is_not_asked_for_kinds(talk: ChatHarness) -> None:
    await talk.say("I live in Oslo")
    fact = {"message": 1, "text": "Anna lives in Oslo.", "quote": "I live in Oslo", "type": "state"}
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [fact]}))
    assert len(await talk.services.facts.learn(SCOPE)) == 1
    assert talk.server.list_schema_requests("kind") == []


async def test_stops_asking_after_min_lines_if_all_lines_are_facts(talk: ChatHarness) -> None:
    """A pasted offer has twenty lines, which say too little about the model, so MIN_LINES is larger."""
    set_line_kinds(talk, {})
    for offer in range(4):
        lines = [f"Locker {number} costs {offer} euros" for number in range(20)]
        await talk.say(". ".join(lines))
        facts = [{"message": 2 * offer + 1, "quote": line, "text": f"{line}.", "type": "state"} for line in lines]
        talk.server.set_default_schema_answer(
            "facts", json.dumps({"facts": [*facts, UNSAID | {"message": 2 * offer + 1}]})
        )
        await talk.services.facts.learn(SCOPE)
    assert len(talk.server.list_schema_requests("kind")) == MIN_LINES


async def test_kind_request_fits_context_window(tmp_path: Path) -> None:
    count = Tokenizer.for_model("summary-model").count
    for window, times in ((500, 0), (1500, 1)):
        async with open_chat_harness(tmp_path / str(window), max_context_tokens=window) as talk:
            await talk.turn_on_memory(every_n=500)
            set_line_kinds(talk, {})
            await learn(talk, "I live in Oslo")
            asked = talk.server.list_schema_requests("kind")
            assert len(asked) == times
            assert all(sum(count(str(part["content"])) for part in request.messages) < window for request in asked)


async def test_history_estimate_includes_kind_requests(talk: ChatHarness) -> None:
    set_line_kinds(talk, {})
    backlog, facts = HistoryBacklog(messages=5_000, characters=200_000), talk.services.facts
    before = facts.estimate_history_extraction(backlog)
    await learn(talk, "Locker 1 costs 12 euros")
    after = facts.estimate_history_extraction(backlog)
    assert after.requests == before.requests + MIN_LINES - 1
    assert after.tokens > before.tokens
