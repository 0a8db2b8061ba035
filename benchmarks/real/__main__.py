"""Measure the program with a real small model. `python -m benchmarks.real [--turns 40]`

Play a scripted conversation with known facts, corrections, a paste and a second language. The bot's Conversation uses
the endpoint of OPENAI_BASE_URL and OPENAI_MODEL. The assistant's part is scripted unless `--answers model`. The model
writes facts, summaries and the answers to the questions. It prints one JSON object. A run takes minutes to hours. With
`--answered FILE` it can be interrupted, also by `--minutes`, and continued by the same call.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.measure import print_progress, print_report
from benchmarks.real import script as scripts
from benchmarks.real.answered import Answered
from benchmarks.real.judging import SYNTAX, judge_facts, judge_summaries
from benchmarks.real.script import Asked, Script
from benchmarks.real.watched import Watch, WatchedModel
from benchmarks.tokens import count_repeated_tokens
from chat.services import Services
from llm.openai_api import OpenAIChat
from llm.trial import try_model
from records.errors import ModelError
from records.model_calls import PromptMessage
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import Incoming, IncomingPiece
from settings import Settings
from text.tokenizer import Tokenizer

PATIENCE = 900.0  # seconds without a byte: a small machine reads for minutes before it writes
LAST_TURNS = 10
SCOPE = Scope(owner=1)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One measurement: the open program with recording models, and a clock that is set by hand."""

    services: Services
    script: Script
    answers: Watch
    background: Watch
    bare: WatchedModel
    system: str
    moment: list[datetime]

    async def say(self, text: str, source: str) -> str:
        piece = IncomingPiece(text=text, source=source, sent_at=self.moment[0])
        incoming = Incoming(scope=SCOPE, person=Person(id=1, name=self.script.person), pieces=(piece,))
        return (await self.services.conversation.reply(incoming)).text


async def play(run: Run) -> list[str]:
    """Play the scripted turns and settle each. Return the notices of failed folds."""
    told: list[str] = []
    for place, line in enumerate(run.script.lines, start=1):
        run.moment[0] = line.said_at
        started = time.perf_counter()
        await run.say(line.text, f"real:{place}")
        told += await run.services.conversation.run_follow_up(SCOPE)
        print_progress(f"turn {place} of {len(run.script.lines)}, {time.perf_counter() - started:.0f} s")
    # What is still waiting is learned once the conversation has paused.
    run.moment[0] += timedelta(days=1)
    await run.services.facts.learn_from_quiet_scopes()
    return told


async def ask_questions(run: Run) -> dict[str, object]:
    """Ask the bot each question incognito, so that no answer changes the next, and then the bare model."""
    await run.services.memory.change_config(SCOPE.owner, lambda known: replace(known, incognito=True))
    before = len(run.answers.usages)
    ours = await _judge_each(run, lambda asked: run.say(asked.text, f"real:q{asked.text}"))
    usages, prompts = run.answers.usages[before:], run.answers.prompts[before:]
    first = [seconds for seconds in run.answers.first[before:] if seconds is not None]
    ten = await _judge_each(run, lambda asked: _ask_bare_model(run, asked, LAST_TURNS))
    whole = await _judge_each(run, lambda asked: _ask_bare_model(run, asked, len(run.script.lines)))
    tokens = Tokenizer.for_model(run.bare.name)
    return {
        "asked": len(run.script.questions),
        "right": {
            "keepsake": sum(ours.values()),
            "last_ten_turns": sum(ten.values()),
            "whole_history": sum(whole.values()),
        },
        "wrong": [question for question, is_right in ours.items() if not is_right],
        "answer_in_the_prompt": sum(
            any(
                asked.is_right("\n".join(message.content for message in prompt))
                for prompt in prompts
                if asked.text in prompt[-1].content
            )
            for asked in run.script.questions
        ),
        "prompt_tokens": {
            "keepsake": median([tokens.count_request(prompt) for prompt in prompts] or [0]),
            "whole_history": tokens.count_request(_history(run, len(run.script.lines))),
        },
        "seconds_to_first_text": {
            "each": [round(seconds, 1) for seconds in first],
            "median": round(median(first or [0.0]), 1),
            "most": round(max(first, default=0.0), 1),
        },
        "cached_prefix_percent": _compute_cached_shares(
            [usage.cached for usage in usages], [usage.prompt for usage in usages]
        ),
        # By our own count, whatever the server had cached: what its cache may hold at most.
        "repeated_prefix_percent": _compute_cached_shares(
            [0, *(count_repeated_tokens(earlier, other, tokens) for earlier, other in pairwise(prompts))],
            [tokens.count_request(prompt) for prompt in prompts],
        ),
    }


def _compute_cached_shares(parts: Sequence[int], wholes: Sequence[int]) -> dict[str, object]:
    """Return the cached share of each prompt, of the second one, and of all from the second on, in percent."""
    each = [round(100 * part / max(1, whole), 1) for part, whole in zip(parts, wholes, strict=True)]
    all_of_it = round(100 * sum(parts[1:]) / max(1, sum(wholes[1:])), 1)
    return {"each": each, "second": each[1] if len(each) > 1 else None, "all_but_first": all_of_it}


async def _judge_each(run: Run, ask: Callable[[Asked], Awaitable[str]]) -> dict[str, bool]:
    """Return for each question if its answer is right."""
    found = {}
    for asked in run.script.questions:
        run.moment[0] += timedelta(minutes=1)
        answer = await ask(asked)
        found[asked.text] = asked.is_right(answer)
        print_progress(f"{'right' if found[asked.text] else 'wrong'}: {asked.text} {answer[:200]}")
    return found


def _history(run: Run, turns: int) -> list[PromptMessage]:
    made = [PromptMessage(role="system", content=run.system)]
    for line in run.script.lines[-turns:]:
        made += [PromptMessage(role="user", content=line.text), PromptMessage(role="assistant", content=line.answer)]
    return made


async def _ask_bare_model(run: Run, asked: Asked, turns: int) -> str:
    """Ask the model without memory, after the last turns."""
    try:
        return (await run.bare.complete([*_history(run, turns), PromptMessage(role="user", content=asked.text)])).text
    except ModelError as error:
        return f"({error.sentence})"


async def count_searches(run: Run) -> dict[str, object]:
    """Count how often a tool was offered and called for wishes that need one, and if a call was ever shown."""
    called = run.answers.calls
    before = len(run.answers.tools)
    for wish in run.script.searches:
        print_progress(f"search: {wish} {(await run.say(wish, f'real:s{wish}'))[:200]}")
    return {
        "wishes": len(run.script.searches),
        "requests_with_tools": sum(run.answers.tools[before:]),
        "calls_understood": run.answers.calls - called,
        "syntax_shown": sum(SYNTAX.search(text) is not None for text in run.answers.shown),
    }


async def measure(
    settings: Settings, script: Script, *, every_n: int, is_scripted: bool, answered: Answered
) -> dict[str, object]:
    """Measure the endpoint in the settings."""
    started = time.perf_counter()
    moment = [script.lines[0].said_at]
    answers, background, bare = Watch(), Watch(), Watch()
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(
            OpenAIChat(
                model=settings.openai_model,
                api_key=settings.openai_api_key,
                base_url=settings.openai_base_url,
                timeout=PATIENCE,
            )
        )
        can = await try_model(model, tools=True, schema=True)
        print_progress(can)
        said = [line.answer for line in script.lines] if is_scripted else []
        models = (WatchedModel(model, answers, answered, said), WatchedModel(model, background, answered))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="keepsake-real-"))
        services = await stack.enter_async_context(
            open_services(replace(settings, data_dir=Path(folder)), clock=lambda: moment[0], models=models)
        )
        await services.memory.configure(SCOPE.owner, storage=StorageType.SQLITE, every_n=every_n)
        run = Run(
            services=services,
            script=script,
            answers=answers,
            background=background,
            bare=WatchedModel(model, bare, answered),
            system=settings.system_prompt,
            moment=moment,
        )
        failed = await play(run)
        played = time.perf_counter() - started
        known = [fact.text for fact in await services.facts.list_all(SCOPE.owner) if fact.is_valid]
        summaries = [summary.text for summary in await services.summaries.list_active(SCOPE)]
        status = await services.summaries.read_status(SCOPE)
        asked = await ask_questions(run)
        looked_up = await count_searches(run)
    return {
        "model": settings.openai_model,
        "endpoint": can,
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
        "facts": judge_facts(script, known).figures(),
        "summaries": judge_summaries(script, summaries, folded_lines=len(script.lines) - status.counts.active_turns),
        "questions": asked,
        "tools": looked_up,
        # As they came, for reading, and for tests that replay them.
        "recorded": {
            "summaries": summaries,
            "background": background.answers,
            "answers": answers.answers,
            "bare": bare.answers,
        },
    }


async def _measured(options: argparse.Namespace, settings: Settings) -> dict[str, object]:
    script = scripts.read().first(options.turns)
    async with asyncio.timeout(60 * options.minutes if options.minutes else None):
        return await measure(
            replace(settings, summary_model=settings.openai_model),
            script,
            every_n=options.every_n,
            is_scripted=options.answers == "script",
            answered=Answered(options.answered),
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real", description=__doc__)
    parser.add_argument("--turns", type=make_number_parser(1, 40), default=40)
    parser.add_argument("--every-n", type=make_number_parser(1, 500), default=5)
    parser.add_argument("--answers", choices=("script", "model"), default="script", help="who answers while it is told")
    parser.add_argument(
        "--answered", type=parse_output_path, help="keep the model's answers in this file, and use those in it"
    )
    parser.add_argument(
        "--minutes", type=make_number_parser(1), help="stop after so many; the same call goes on (--answered)"
    )
    parser.add_argument("--out", type=parse_output_path, help="write the figures to this file as well")
    options = parser.parse_args(arguments)
    try:
        result = {"benchmark": "real", **asyncio.run(_measured(options, read_settings_or_exit(parser)))}
    except TimeoutError:
        parser.exit(3, f"stopped after {options.minutes} minutes; the same call goes on\n")
    if options.out:
        options.out.write_text(json.dumps(result, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print_report(result)


if __name__ == "__main__":
    main()
