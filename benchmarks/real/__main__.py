"""Measure the program with a real small model. `python -m benchmarks.real [--turns 40]`

Play a scripted conversation with known facts, corrections, a paste and a second language through the bot's own
Conversation, then ask questions about it. The model at OPENAI_BASE_URL writes the facts, the summaries and the answers
to the questions. In the scripted conversation, the assistant's answers are scripted too. A run takes minutes or
hours and prints one JSON object. With `--answered FILE`, an interrupted run continues when the same command is called
again.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import median

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.invented import Clock, make_incoming_message
from benchmarks.measure import print_progress, print_report
from benchmarks.real.judging import judge_facts, judge_summaries
from benchmarks.real.script import Script, read_script
from benchmarks.real.watched import AnswerCache, RecordingModel
from chat.services import Services
from llm.openai_api import OpenAIChat
from llm.trial import describe_model
from records.owners import StorageType
from records.scopes import Scope
from settings import Settings

MODEL_TIMEOUT = 900.0  # seconds without a byte; a small machine reads a prompt for minutes before it writes
EVERY_N = 5  # turns until the bot folds
SCOPE = Scope(owner=1)


async def play_scripted_turns(services: Services, script: Script, clock: Clock) -> int:
    """Play the scripted turns, waiting for the background work after each. Return the number of failed folds."""
    failed_folds = 0
    for place, line in enumerate(script.lines, start=1):
        clock.now = line.said_at
        started = time.perf_counter()
        await services.conversation.reply(make_incoming_message(SCOPE, script.person, line.text, clock))
        failed_folds += len(await services.conversation.run_post_turn_tasks(SCOPE))
        print_progress(f"turn {place} of {len(script.lines)}, {time.perf_counter() - started:.0f} s")
    # What is still waiting is learned once the conversation has paused.
    clock.now += timedelta(days=1)
    await services.facts.learn_from_idle_scopes()
    return failed_folds


async def ask_questions(services: Services, script: Script, clock: Clock, model: RecordingModel) -> dict[str, object]:
    """Ask the bot all questions, count the right answers, and measure the requests.

    Incognito mode is on, so that the bot does not remember an answer and use it for a later question.
    """
    await services.memory.change_config(SCOPE.owner, lambda known: replace(known, incognito=True))
    wrong: list[str] = []
    for question in script.questions:
        clock.now += timedelta(minutes=1)
        answer = await services.conversation.reply(make_incoming_message(SCOPE, script.person, question.text, clock))
        if not question.is_right(answer.text):
            wrong.append(question.text)
        print_progress(f"{'wrong' if question.text in wrong else 'right'}: {question.text} {answer.text[:200]}")
    usages = [answer.completion.usage for answer in model.answers]
    seconds = [answer.first for answer in model.answers if answer.first is not None]
    cached_percents = [round(100 * usage.cached / max(1, usage.prompt), 1) for usage in usages]
    return {
        "asked": len(script.questions),
        "right": len(script.questions) - len(wrong),
        "wrong": wrong,
        "prompt_tokens": [usage.prompt for usage in usages],
        "cached_prefix_percent": cached_percents,
        "seconds_to_first_text": {
            "each": [round(value, 1) for value in seconds],
            "median": round(median(seconds or [0.0]), 1),
        },
    }


async def measure_model(
    settings: Settings, script: Script, *, cache: AnswerCache, every_n: int = EVERY_N
) -> dict[str, object]:
    """Run the script against the configured endpoint, and return the report. `cache` has earlier answers."""
    clock = Clock(now=script.lines[0].said_at)
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(
            OpenAIChat(
                model=settings.openai_model,
                api_key=settings.openai_api_key,
                base_url=settings.openai_base_url,
                timeout=MODEL_TIMEOUT,
            )
        )
        capabilities = await describe_model(model, probes_tools=True, probes_schema=True)
        print_progress(capabilities)
        answering = RecordingModel(model, cache, [line.answer for line in script.lines])
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="keepsake-real-"))
        services = await stack.enter_async_context(
            open_services(
                replace(settings, data_dir=Path(folder)), clock=clock, models=(answering, RecordingModel(model, cache))
            )
        )
        await services.memory.configure(SCOPE.owner, storage=StorageType.SQLITE, every_n=every_n)
        failed_folds = await play_scripted_turns(services, script, clock)
        known = [fact.text for fact in await services.facts.list_all(SCOPE.owner) if fact.is_valid]
        summaries = [summary.text for summary in await services.summaries.list_active_summaries(SCOPE)]
        questions = await ask_questions(services, script, clock, answering)
    return {
        "model": settings.openai_model,
        "endpoint": capabilities,
        "turns": len(script.lines),
        "max_context_tokens": settings.max_context_tokens,
        "failed_folds": failed_folds,
        "facts": judge_facts(script, known),
        "summaries": judge_summaries(script, summaries),
        "questions": questions,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real", description=__doc__)
    parser.add_argument("--turns", type=make_number_parser(1, 40), default=40)
    parser.add_argument(
        "--answered", type=parse_output_path, help="keep the model's answers in this file, and use those in it"
    )
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser)
    settings = replace(settings, summary_model=settings.openai_model)
    script, cache = read_script().take_first_lines(options.turns), AnswerCache(options.answered)
    print_report({"benchmark": "real", **asyncio.run(measure_model(settings, script, cache=cache))})


if __name__ == "__main__":
    main()
