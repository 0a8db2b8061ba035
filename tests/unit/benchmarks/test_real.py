"""Tests of the measurement with a real model: its script, its judging, and one run against a scripted endpoint."""

from dataclasses import replace
from pathlib import Path

from benchmarks.real.__main__ import measure_model
from benchmarks.real.judging import find_invented_words, judge_facts, judge_summaries
from benchmarks.real.script import read_script
from benchmarks.real.watched import AnswerCache
from settings import Settings
from tests.peers.openai_server import Behaviour, run_openai_server

SCRIPT = read_script()


def test_script_has_expected_lines_questions_and_facts() -> None:
    hold, ended = SCRIPT.split_facts_by_validity()
    assert (len(SCRIPT.lines), len(SCRIPT.questions)) == (40, 15)
    assert len(hold) >= 24
    assert {line.id for line in ended} == {"home-old", "job-old", "rent", "kitchen-start"}
    for line in SCRIPT.lines:
        assert all(fact.is_stated_in(line.text) for fact in line.facts), line.text
    said = "\n".join(line.text for line in SCRIPT.lines).casefold()
    assert all(any(word in said for word in asked.right) for asked in SCRIPT.questions)


def test_learned_facts_are_judged_by_keywords() -> None:
    found = judge_facts(
        SCRIPT.take_first_lines(5),
        [
            "Nora lives in Lisbon.",
            "Nora's sister is Ingrid.",
            "Nora is allergic to walnuts and hazelnuts.",
            "Her cat Biscuit is 12.",
            "Nora likes rain.",
        ],
    )
    assert (found["told"], found["right"], found["right_percent"]) == (7, 4, 57.1)
    assert found["missed"] == ["job-old", "oslo", "cat-age"]
    assert found["wrong"] == ["Her cat Biscuit is 12."]
    assert found["others_to_read"] == ["Nora likes rain."]


def test_outdated_fact_is_judged_wrong() -> None:
    found = judge_facts(SCRIPT, ["Nora lives in Lisbon.", "Nora lives in Porto."])
    assert found["wrong"] == ["Nora lives in Lisbon."]
    assert found["right"] == 1


def test_unsaid_names_and_numbers_count_as_invented() -> None:
    assert find_invented_words("The user met Peter on 12 March with 3 dogs.", "on 12 march") == ["3", "Peter"]
    figures = judge_summaries(SCRIPT, ["Nora lives in Lisbon with Peter.", "Her sister Ingrid lives in Oslo."])
    assert figures["with_something_invented_percent"] == 50.0
    assert figures["invented"] == {"Nora lives in Lisbon with Peter.": ["Peter"]}


async def test_measurement_returns_figures_and_resumes_from_cache(tmp_path: Path) -> None:
    async with run_openai_server() as (server, url):
        server.set_default_answer("real", Behaviour(text="She lives in Porto; her sister is Ingrid.", cached=7))
        server.set_default_schema_answer("trial", '{"word": "ok"}')
        settings = Settings(openai_base_url=url, openai_model="real", summary_model="real", embedding_model="none")
        script = SCRIPT.take_first_lines(4)
        assert [question.text for question in script.questions] == [
            "Which nuts am I allergic to?",
            "What is my sister's name?",
        ]

        async def figures_of(file: Path) -> dict[str, object]:
            made = replace(settings, data_dir=tmp_path)
            return await measure_model(made, script, every_n=2, cache=AnswerCache(file))

        figures = await figures_of(tmp_path / "answered.jsonl")
        asked = len(server.requests)
        again = await figures_of(tmp_path / "answered.jsonl")
        asked_again = [request.messages[-1]["content"] for request in server.requests[asked:]]
        assert len(asked_again) == 3, "of a run that goes on, the trial alone is asked again"
    assert again == figures
    questions = figures["questions"]
    assert isinstance(questions, dict)
    assert (questions["asked"], questions["right"]) == (2, 1)
    assert len(questions["prompt_tokens"]) == len(questions["cached_prefix_percent"]) == 2
    assert all(percent > 0 for percent in questions["cached_prefix_percent"])
