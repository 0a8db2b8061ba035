"""Measures the tokens of a conversation. `python -m benchmarks.tokens [--turns 200] [--policy POLICY] [--data FILE …]`

Holds a conversation, invented or read from files in LoCoMo's format, with the bot's own Conversation; answers and
summaries are made in the process. Compares each prompt with one that carries the whole history, and with the prompt
before it. Settings come from the environment. No network, no key.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from pathlib import Path
from statistics import mean, median

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.invented import BEGINNING, PERSON, Clock, InstantModel, Talk
from benchmarks.locomo import parse_talk_file, read
from benchmarks.measure import milliseconds_since, print_progress, print_report
from benchmarks.recall import open_embedder
from external_memory import MAX_EVERY_N
from facts.schemas import PROFILE_SCHEMA, SECTIONS
from llm.chat_model import ChatModel, OnText
from llm.embeddings import Embedder
from llm.offline import ExtractiveSummarizer
from records.model_calls import Completion, PromptMessage
from records.owners import Policy, StorageType
from records.scopes import Scope
from records.turns import Incoming, IncomingPiece
from settings import Settings
from summaries.policies import POLICIES
from text.tokenizer import Tokenizer

PROFILE = (
    "The user is called Nadia, lives by the sea with two cats, and works in a library from Monday to Friday.",
    "She likes short answers without lists, wants sources where there are any, and dislikes being asked again.",
    "A reading group is being planned: the room is booked, the first book is not chosen, friends are to be asked.",
    "In spring she moved from the hills, changed her work soon after, and gave up the car; her sister helped.",
)


@dataclass
class Meter(ChatModel):
    """A model that counts its calls and tokens by purpose.

    It answers requests for a profile itself, with one of usual length: nothing can be extracted from invented messages.
    """

    model: ChatModel
    name: str = "metered"
    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        completion = await self.model.complete(messages, on_text=on_text, schema=schema)
        what = "summaries" if schema is None else str(schema.get("name"))
        if schema == PROFILE_SCHEMA:
            text = json.dumps(dict(zip(SECTIONS, PROFILE, strict=True)))
            completion = replace(completion, text=text, usage=replace(completion.usage, completion=len(text) // 4))
        self.calls[what] += 1
        self.tokens[what] += completion.usage.prompt + completion.usage.completion
        return completion


def count_repeated_tokens(before: Sequence[PromptMessage], now: Sequence[PromptMessage], tokens: Tokenizer) -> int:
    """Count the tokens of a prompt's prefix that the previous prompt shares, which a provider may have cached."""
    total = 0
    for old, new in zip(before, now, strict=False):
        if old == new:
            total += tokens.count_message(new)
            continue
        if old.role == new.role:
            total += tokens.count(_common_beginning(old.content, new.content))
        break
    return total


def compute_cost_shares(prompts: Sequence[Sequence[PromptMessage]], tokens: Tokenizer) -> dict[str, float]:
    """Return the cost of the prompts as a share of the uncached price, by two rules of providers.

    With `automatic`, the prefix that repeats the previous prompt costs a tenth. With `breakpoints`, a prompt is cached
    up to the last user message before its newest one. Writing then costs 1.25, and reading what the previous prompt
    wrote costs a tenth.
    """
    whole = sum(tokens.count_request(prompt) for prompt in prompts) or 1
    kept = sum(count_repeated_tokens(before, now, tokens) for before, now in pairwise(prompts))
    marked, before = float(whole), list[PromptMessage]()
    for prompt in prompts:
        users = [place for place, message in enumerate(prompt) if message.role == "user"]
        stable = list(prompt[: users[-2] + 1]) if len(users) > 1 else []
        is_read = bool(before) and stable[: len(before)] == before
        read = sum(map(tokens.count_message, before)) if is_read else 0
        marked += 0.25 * (sum(map(tokens.count_message, stable)) - read) - 0.9 * read
        before = stable
    return {"automatic": round((whole - 0.9 * kept) / whole, 3), "breakpoints": round(marked / whole, 3)}


def _common_beginning(one: str, other: str) -> str:
    return "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


class Saying(InstantModel):
    """A model that gives prepared answers."""

    def __init__(self, tokens: Tokenizer) -> None:
        self.next = ""
        super().__init__("saying", lambda: self.next, tokens)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A turn: a message, its time, and the model's answer."""

    text: str
    answer: str
    said_at: datetime


def invent_turns(count: int) -> Iterator[Said]:
    """Invent turns, some minutes apart."""
    asked, answered, clock = Talk(seed=1), Talk(seed=2), Clock()
    for _ in range(count):
        clock.pass_by(7)
        yield Said(text=asked.question(), answer=answered.answer(), said_at=clock.now)


def read_turns(files: Sequence[Path], count: int) -> Iterator[Said]:
    """Read the first turns of files in LoCoMo's format, one conversation after the other, in order of time."""
    now, known = BEGINNING, 0
    for sample in (sample for file in files for sample in read(file)):
        lines = list(sample.lines)
        later = max(timedelta(), now - lines[0].said_at + timedelta(days=1))
        for asked, answered in pairwise(lines):
            if asked.role == "user" and answered.role == "assistant" and known < count:
                now, known = asked.said_at + later, known + 1
                yield Said(text=asked.text, answer=answered.text, said_at=now)


async def measure(
    settings: Settings, talk: Iterable[Said], *, every_n: int, policy: Policy = "pyramid", embedder: Embedder | None
) -> dict[str, object]:
    """Measure one conversation under a policy. Without an open `embedder`, search by words alone."""
    clock, scope = Clock(), Scope(owner=PERSON.id)
    tokens = Tokenizer.for_model(settings.openai_model)
    answers, background = Saying(tokens), Meter(ExtractiveSummarizer())
    history = [PromptMessage(role="system", content=settings.system_prompt)]
    whole: list[int] = []
    parts: list[dict[str, int]] = []
    whole_now = tokens.count_request(history)
    failures: list[str] = []
    start = time.perf_counter()
    async with open_services(settings, clock=clock, models=(answers, background), embedder=embedder) as services:
        await services.memory.configure(scope.owner, storage=StorageType.SQLITE, every_n=every_n)
        await services.memory.change_config(scope.owner, lambda known: replace(known, policy=policy))
        for number, said in enumerate(talk, start=1):
            clock.now, answers.next = said.said_at, said.answer
            piece = IncomingPiece(text=said.text, source=f"bench:{number}", sent_at=clock.now)
            incoming = Incoming(scope=scope, person=PERSON, pieces=(piece,))
            whole_now += tokens.count_message(PromptMessage(role="user", content=incoming.text))
            whole.append(whole_now)
            reply = await services.conversation.reply(incoming)
            if reply.is_error:
                raise RuntimeError(reply.text)
            whole_now += tokens.count_message(PromptMessage(role="assistant", content=reply.text))
            if reply.context is not None:
                parts.append({part.name: part.tokens for part in reply.context.parts})
            if told := await services.conversation.run_follow_up(scope):
                failures.append(told[0])
            if services.indexing is not None:
                await services.indexing.wait_until_done()
            if len(whole) % 50 == 0:
                print_progress(f"{policy}: {len(whole)} turns, {milliseconds_since(start) / 1000:.0f} s")
    sizes = [tokens.count_request(prompt) for prompt in answers.prompts]
    kept = [count_repeated_tokens(before, now, tokens) for before, now in pairwise(answers.prompts)]
    last = mean(sizes[-every_n:])
    ending = parts[-every_n:]
    return {
        "turns": len(whole),
        "failed_folds": len(failures),
        "prompt_tokens": _figures(sizes),
        "parts_at_the_end": {name: round(mean(total[name] for total in ending)) for name in ending[-1]}
        if ending
        else {},
        "whole_history_tokens": _figures(whole),
        "saved_percent": {
            # The size of prompts goes up and down with the folds, so the end is the mean over the last N turns.
            "at_the_end": _share_saved(last, mean(whole[-every_n:])),
            "in_all": _share_saved(sum(sizes), sum(whole)),
            "in_all_with_background": _share_saved(sum(sizes) + background.tokens.total(), sum(whole)),
        },
        "cost": compute_cost_shares(answers.prompts, tokens),
        "repeated_prefix_percent": round(100 * sum(kept) / sum(sizes[1:]), 1) if kept else 0.0,
        "background_tokens_per_turn": round(background.tokens.total() / len(whole), 1),
        "background_calls": background.calls.total(),
        "background": {
            what: {"calls": background.calls[what], "tokens_per_turn": round(background.tokens[what] / len(whole), 1)}
            for what in sorted(background.calls)
        },
    }


def _figures(sizes: Sequence[int]) -> dict[str, float]:
    return {"median": median(sizes), "mean": round(mean(sizes), 1), "most": max(sizes), "last": sizes[-1]}


def _share_saved(ours: float, whole: float) -> float:
    return round(100 * (1 - ours / whole), 1)


async def _measured(options: argparse.Namespace, settings: Settings) -> dict[str, dict[str, object]]:
    """Measure each policy with the same conversation, which is embedded once."""
    results: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory(prefix="keepsake-tokens-") as folder:
        async with open_embedder(settings, options.vectors or Path(folder, "vectors.db")) as embedder:
            if embedder is None:
                settings = replace(settings, embedding_model="none")
            for policy in [options.policy] if options.policy else POLICIES:
                talk = read_turns(options.data, options.turns) if options.data else invent_turns(options.turns)
                results[policy] = await measure(
                    replace(settings, data_dir=Path(folder, policy)),
                    talk,
                    every_n=options.every_n,
                    policy=policy,
                    embedder=embedder,
                )
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tokens", description=__doc__)
    parser.add_argument("--turns", type=make_number_parser(1), default=200)
    parser.add_argument(
        "--every-n", type=make_number_parser(1, MAX_EVERY_N), default=20, help="the threshold of the pyramid policy"
    )
    parser.add_argument("--policy", choices=POLICIES, help="one policy alone; all of them unless given")
    parser.add_argument(
        "--data", type=parse_talk_file, nargs="+", help="the talk, in LoCoMo's format; invented unless given"
    )
    parser.add_argument("--vectors", type=parse_output_path, help="keep vectors in this file, for the next run")
    options = parser.parse_args(arguments)
    if options.data and next(read_turns(options.data, 1), None) is None:
        parser.error("argument --data: nothing in it is said by a person and answered")
    results = asyncio.run(_measured(options, read_settings_or_exit(parser)))
    # The figures of the first policy, the default one, stand at the top as well.
    first = next(iter(results))
    print_report(
        {"benchmark": "tokens", "policy": first, "every_n": options.every_n, **results[first], "policies": results}
    )


if __name__ == "__main__":
    main()
