"""What the offline model notes of plain statements, and that it notes nothing else."""

import json

from facts.schemas import FACTS_SCHEMA, PROFILE_SCHEMA
from llm.offline import make_json_answer


def facts(*lines: str, known: str = "") -> list[dict[str, object]]:
    talk = "\n".join(f"#{number} [2026-11-21 09:00, Saturday] Anna: {line}" for number, line in enumerate(lines, 1))
    block = f"<known>\n{known}\n</known>\n\n" if known else ""
    told = json.loads(make_json_answer(f"{block}<conversation>\n{talk}\n</conversation>", FACTS_SCHEMA))
    found: list[dict[str, object]] = told["facts"]
    return found


def test_plain_statements_are_noted() -> None:
    found = facts("I live in Oslo. I'm allergic to walnuts!", "My sister is Olga, and I love jazz.")
    assert [(message["text"], message["message"]) for message in found] == [
        ("Anna lives in Oslo.", 1),
        ("Anna is allergic to walnuts.", 1),
        ("Anna's sister is Olga.", 2),
        ("Anna likes jazz.", 2),
    ]


def test_what_somebody_is_and_where_theirs_live_is_noted() -> None:
    found = facts(
        "My sister Mara lives in Porto and has a dog.", "I am a carpenter and I work on Mondays.", "I'm a bit sad."
    )
    assert [message["text"] for message in found] == ["Anna's sister Mara lives in Porto.", "Anna is a carpenter."]


def test_when_it_was_is_no_part_of_a_place() -> None:
    found = facts("I moved from Portland to Seattle in May.", "I now live in Bergen since 2019.")
    assert [message["text"] for message in found] == ["Anna lives in Seattle.", "Anna lives in Bergen."]


def test_questions_quotes_and_others_are_not() -> None:
    assert facts("Do I live in Oslo?", "He said: “I live in Rome.”", "I like what you wrote.", "What is my name?") == []


def test_a_move_names_what_it_replaces_and_what_is_known_is_not_noted_again() -> None:
    known = "3 · since 2026-05-01: Anna lives in Oslo."
    (moved,) = facts("I moved from Oslo to Bergen.", known=known)
    assert (moved["text"], moved["replaces"]) == ("Anna lives in Bergen.", [3])
    assert facts("I live in Oslo.", known=known) == []


def test_what_is_asked_for_is_noted_in_the_persons_own_words() -> None:
    (wish,) = facts("From now on use imperial units.")
    assert (wish["text"], wish["type"]) == ("From now on use imperial units.", "instruction")


def test_a_profile_is_made_of_facts() -> None:
    request = "<facts>\n[fact 1 · said 2026-05-01] Anna lives in Oslo.\n[fact 2 · said 2026-05-01] Anna likes jazz.\n"
    told = json.loads(make_json_answer(request + "</facts>", PROFILE_SCHEMA))
    assert (told["profile"], told["preferences"]) == ("Anna lives in Oslo.", "Anna likes jazz.")
