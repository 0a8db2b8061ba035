"""The offline model extracts facts from plain statements only."""

import json

from facts.schemas import FACTS_SCHEMA, PROFILE_SCHEMA
from llm.offline import make_json_answer


def extract_facts(*lines: str, known: str = "") -> list[dict[str, object]]:
    talk = "\n".join(f"#{number} [2026-11-21 09:00, Saturday] Anna: {line}" for number, line in enumerate(lines, 1))
    block = f"<known>\n{known}\n</known>\n\n" if known else ""
    told = json.loads(make_json_answer(f"{block}<conversation>\n{talk}\n</conversation>", FACTS_SCHEMA))
    found: list[dict[str, object]] = told["facts"]
    return found


def test_extracts_facts_from_plain_statements() -> None:
    found = extract_facts("I live in Oslo. I'm allergic to walnuts!", "My sister is Olga, and I love jazz.")
    assert [(message["text"], message["message"]) for message in found] == [
        ("Anna lives in Oslo.", 1),
        ("Anna is allergic to walnuts.", 1),
        ("Anna's sister is Olga.", 2),
        ("Anna likes jazz.", 2),
    ]


def test_extracts_profession_and_home_of_relative() -> None:
    found = extract_facts(
        "My sister Mara lives in Porto and has a dog.", "I am a carpenter and I work on Mondays.", "I'm a bit sad."
    )
    assert [message["text"] for message in found] == ["Anna's sister Mara lives in Porto.", "Anna is a carpenter."]


def test_date_is_not_part_of_place() -> None:
    found = extract_facts("I moved from Portland to Seattle in May.", "I now live in Bergen since 2019.")
    assert [message["text"] for message in found] == ["Anna lives in Seattle.", "Anna lives in Bergen."]


def test_ignores_questions_quotes_and_vague_statements() -> None:
    assert (
        extract_facts("Do I live in Oslo?", "He said: “I live in Rome.”", "I like what you wrote.", "What is my name?")
        == []
    )


def test_move_replaces_known_home_and_known_fact_is_not_repeated() -> None:
    known = "3 · since 2026-05-01: Anna lives in Oslo."
    (moved,) = extract_facts("I moved from Oslo to Bergen.", known=known)
    assert (moved["text"], moved["replaces"]) == ("Anna lives in Bergen.", [3])
    assert extract_facts("I live in Oslo.", known=known) == []


def test_instruction_is_kept_verbatim() -> None:
    (wish,) = extract_facts("From now on use imperial units.")
    assert (wish["text"], wish["type"]) == ("From now on use imperial units.", "instruction")


def test_builds_profile_from_facts() -> None:
    request = "<facts>\n[fact 1 · said 2026-05-01] Anna lives in Oslo.\n[fact 2 · said 2026-05-01] Anna likes jazz.\n"
    told = json.loads(make_json_answer(request + "</facts>", PROFILE_SCHEMA))
    assert (told["profile"], told["preferences"]) == ("Anna lives in Oslo.", "Anna likes jazz.")
