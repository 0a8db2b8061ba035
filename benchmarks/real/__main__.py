"""Measure the program with a real small model. `python -m benchmarks.real [--turns 40]`

Play a scripted conversation with known facts, corrections, a paste and a second language through the bot's own
Conversation, then ask questions about it. The model at OPENAI_BASE_URL writes the facts, the summaries and the answers
to the questions. The script also contains the assistant's side of the conversation, unless the model writes it too
(`--answers model`). The benchmark prints one JSON object, after minutes or hours. With `--answered FILE`, a run that
was interrupted or stopped by `--minutes` continues when the same command is called again.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.invented import Clock
from benchmarks.measure import print_progress, print_report
from benchmarks.real import script as scripts
from benchmarks.real.answered import AnswerCache
from benchmarks.real.judging import SYNTAX, judge_facts, judge_summaries
from benchmarks.real.script import Script, ScriptedQuestion
from benchmarks.real.watched import CallLog, WatchedModel
from benchmarks.tokens import count_repeated_tokens
from chat.services import Services
from llm.openai_api import OpenAIChat
from llm.trial import describe_model
from records.errors import ModelError
from records.model_calls import PromptMessage
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import IncomingPiece, UserMessage
from settings import Settings
from text.tokenizer import Tokenizer

MODEL_TIMEOUT = 900.0  # seconds without a byte; a small machine reads a prompt for minutes before it writes
LAST_TURNS = 10  # given to the bare model, for comparison
SCOPE = Scope(owner=1)


@dataclass(frozen=True, kw_only=True)
class BenchmarkRun:
    """One measurement: the running program, the logs of its model calls, and its clock.

    `bare` is the same model without memory, and `system` is its system prompt.
    """

    services: Services
    script: Script
    answers: CallLog
    background: CallLog
    bare: WatchedModel
    system: str
    clock: Clock

    async def send_text(self, text: str, source: str) -> str:
        piece = IncomingPiece(text=text, source=source, sent_at=self.clock.now)
        incoming = UserMessage(scope=SCOPE, person=Person(id=1, name=self.script.person), pieces=(piece,))
        return (await self.services.conversation.reply(incoming)).text


async def play_scripted_turns(run: BenchmarkRun) -> list[str]:
    """Play the scripted turns, waiting for the background work after each. Return the notices of failed folds."""
    notices: list[str] = []
    for place, line in enumerate(run.script.lines, start=1):
        run.clock.now = line.said_at
        started = time.perf_counter()
        await run.send_text(line.text, f"real:{place}")
        notices += await run.services.conversation.run_after_turn(SCOPE)
        print_progress(f"turn {place} of {len(run.script.lines)}, {time.perf_counter() - started:.0f} s")
    # What is still waiting is learned once the conversation has paused.
    run.clock.now += timedelta(days=1)
    await run.services.facts.learn_from_quiet_scopes()
    return notices


async def ask_questions(run: BenchmarkRun) -> dict[str, object]:
    """Ask the bot all questions, then the bare model, and count the right answers.

    Incognito mode is on, so that the bot does not remember an answer and use it for a later question.
    """
    await run.services.memory.change_config(SCOPE.owner, lambda known: replace(known, incognito=True))
    before = len(run.answers.usages)
    with_memory = await _judge_answers(run, lambda question: run.send_text(question.text, f"real:q{question.text}"))
    usages, prompts = run.answers.usages[before:], run.answers.prompts[before:]
    first = [seconds for seconds in run.answers.first[before:] if seconds is not None]
    with_last_turns = await _judge_answers(run, lambda question: _ask_bare_model(run, question, LAST_TURNS))
    with_history = await _judge_answers(run, lambda question: _ask_bare_model(run, question, len(run.script.lines)))
    tokenizer = Tokenizer.for_model(run.bare.name)
    return {
        "asked": len(run.script.questions),
        "right": {
            "keepsake": sum(with_memory.values()),
            "last_ten_turns": sum(with_last_turns.values()),
            "whole_history": sum(with_history.values()),
        },
        "wrong": [question for question, is_right in with_memory.items() if not is_right],
        "answer_in_the_prompt": sum(
            any(
                question.is_right("\n".join(message.content for message in prompt))
                for prompt in prompts
                if question.text in prompt[-1].content
            )
            for question in run.script.questions
        ),
        "prompt_tokens": {
            "keepsake": median([tokenizer.count_request_tokens(prompt) for prompt in prompts] or [0]),
            "whole_history": tokenizer.count_request_tokens(_make_history(run, len(run.script.lines))),
        },
        "seconds_to_first_text": {
            "each": [round(seconds, 1) for seconds in first],
            "median": round(median(first or [0.0]), 1),
            "most": round(max(first, default=0.0), 1),
        },
        "cached_prefix_percent": _compute_cached_shares(
            [usage.cached for usage in usages], [usage.prompt for usage in usages]
        ),
        # Counted here, whatever the server cached. It is the most that a cache could have saved.
        "repeated_prefix_percent": _compute_cached_shares(
            [0, *(count_repeated_tokens(earlier, other, tokenizer) for earlier, other in pairwise(prompts))],
            [tokenizer.count_request_tokens(prompt) for prompt in prompts],
        ),
    }


def _compute_cached_shares(parts: Sequence[int], wholes: Sequence[int]) -> dict[str, object]:
    """Return what percentage each part is of its whole, and the combined percentage of all parts but the first."""
    each = [round(100 * part / max(1, whole), 1) for part, whole in zip(parts, wholes, strict=True)]
    all_of_it = round(100 * sum(parts[1:]) / max(1, sum(wholes[1:])), 1)
    return {"each": each, "second": each[1] if len(each) > 1 else None, "all_but_first": all_of_it}


async def _judge_answers(run: BenchmarkRun, ask: Callable[[ScriptedQuestion], Awaitable[str]]) -> dict[str, bool]:
    """Ask each question with `ask`. Return a mapping from each question's text to True if the answer was right."""
    is_right_by_question = {}
    for question in run.script.questions:
        run.clock.now += timedelta(minutes=1)
        answer = await ask(question)
        is_right_by_question[question.text] = question.is_right(answer)
        print_progress(f"{'right' if is_right_by_question[question.text] else 'wrong'}: {question.text} {answer[:200]}")
    return is_right_by_question


def _make_history(run: BenchmarkRun, turn_count: int) -> list[PromptMessage]:
    messages = [PromptMessage(role="system", content=run.system)]
    for line in run.script.lines[-turn_count:]:
        messages += [
            PromptMessage(role="user", content=line.text),
            PromptMessage(role="assistant", content=line.answer),
        ]
    return messages


async def _ask_bare_model(run: BenchmarkRun, question: ScriptedQuestion, turn_count: int) -> str:
    """Ask the model a question with the last turns as its only context. Return its answer or an error in brackets."""
    try:
        return (
            await run.bare.complete(
                [*_make_history(run, turn_count), PromptMessage(role="user", content=question.text)]
            )
        ).text
    except ModelError as error:
        return f"({error.sentence})"


async def measure_tool_calls(run: BenchmarkRun) -> dict[str, object]:
    """Send requests that need a search, and count the tool calls. `syntax_shown` counts texts that show call syntax."""
    called = run.answers.calls
    before = len(run.answers.tools)
    for wish in run.script.searches:
        print_progress(f"search: {wish} {(await run.send_text(wish, f'real:s{wish}'))[:200]}")
    return {
        "wishes": len(run.script.searches),
        "requests_with_tools": sum(run.answers.tools[before:]),
        "calls_understood": run.answers.calls - called,
        "syntax_shown": sum(SYNTAX.search(text) is not None for text in run.answers.shown),
    }


async def measure_model(
    settings: Settings, script: Script, *, every_n: int, is_scripted: bool, cache: AnswerCache
) -> dict[str, object]:
    """Run the script against the endpoint in the settings, and return the report.

    Scripted answers are used if `is_scripted`. `cache` holds the model's answers of an earlier run.
    """
    started = time.perf_counter()
    clock = Clock(now=script.lines[0].said_at)
    answers, background, bare = CallLog(), CallLog(), CallLog()
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(
            OpenAIChat(
                model=settings.openai_model,
                api_key=settings.openai_api_key,
                base_url=settings.openai_base_url,
                timeout=MODEL_TIMEOUT,
            )
        )
        capabilities = await describe_model(model, tools=True, schema=True)
        print_progress(capabilities)
        said = [line.answer for line in script.lines] if is_scripted else []
        models = (WatchedModel(model, answers, cache, said), WatchedModel(model, background, cache))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="keepsake-real-"))
        services = await stack.enter_async_context(
            open_services(replace(settings, data_dir=Path(folder)), clock=clock, models=models)
        )
        await services.memory.configure(SCOPE.owner, storage=StorageType.SQLITE, every_n=every_n)
        run = BenchmarkRun(
            services=services,
            script=script,
            answers=answers,
            background=background,
            bare=WatchedModel(model, bare, cache),
            system=settings.system_prompt,
            clock=clock,
        )
        failed = await play_scripted_turns(run)
        played = time.perf_counter() - started
        known = [fact.text for fact in await services.facts.list_all(SCOPE.owner) if fact.is_valid]
        summaries = [summary.text for summary in await services.summaries.list_active_summaries(SCOPE)]
        status = await services.summaries.read_status(SCOPE)
        question_figures = await ask_questions(run)
        tool_calls = await measure_tool_calls(run)
    return {
        "model": settings.openai_model,
        "endpoint": capabilities,
        "turns": len(script.lines),
        "every_n": every_n,
        "max_context_tokens": settings.max_context_tokens,
        "minutes": {"conversation": round(played / 60, 1), "all": round((time.perf_counter() - started) / 60, 1)},
        "background": {
            "requests": len(background.usages),
            "prompt_tokens": sum(usage.prompt for usage in background.usages),
            "answer_tokens": sum(usage.completion for usage in background.usages),
            "longest_answer": max((usage.completion for usage in background.usages), default=0),
            "failed_folds": len(failed),
        },
        "facts": judge_facts(script, known).make_report(),
        "summaries": judge_summaries(script, summaries, folded_lines=len(script.lines) - status.counts.active_turns),
        "questions": question_figures,
        "tools": tool_calls,
        # Unchanged, for people to read and for tests to replay.
        "recorded": {
            "summaries": summaries,
            "background": background.answers,
            "answers": answers.answers,
            "bare": bare.answers,
        },
    }


async def _run_measurement_with_timeout(options: argparse.Namespace, settings: Settings) -> dict[str, object]:
    script = scripts.read_script().take_first_lines(options.turns)
    async with asyncio.timeout(60 * options.minutes if options.minutes else None):
        return await measure_model(
            replace(settings, summary_model=settings.openai_model),
            script,
            every_n=options.every_n,
            is_scripted=options.answers == "script",
            cache=AnswerCache(options.answered),
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real", description=__doc__)
    parser.add_argument("--turns", type=make_number_parser(1, 40), default=40)
    parser.add_argument("--every-n", type=make_number_parser(1, 500), default=5)
    parser.add_argument(
        "--answers", choices=("script", "model"), default="script", help="who writes the assistant's part"
    )
    parser.add_argument(
        "--answered", type=parse_output_path, help="keep the model's answers in this file, and use those in it"
    )
    parser.add_argument(
        "--minutes",
        type=make_number_parser(1),
        help="stop after so many minutes; with --answered, run again to continue",
    )
    parser.add_argument("--out", type=parse_output_path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    try:
        result = {
            "benchmark": "real",
            **asyncio.run(_run_measurement_with_timeout(options, read_settings_or_exit(parser))),
        }
    except TimeoutError:
        parser.exit(3, f"stopped after {options.minutes} minutes; the same call goes on\n")
    if options.out:
        options.out.write_text(json.dumps(result, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print_report(result)


if __name__ == "__main__":
    main()
