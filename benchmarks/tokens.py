"""Measure the tokens of a conversation. `python -m benchmarks.tokens [--turns 200] [--data FILE …]`

Run a conversation, either invented or read from files in LoCoMo's format, through the bot's own Conversation. Compare
each prompt with one that contains the whole history, and with the previous prompt. Answers and summaries are made in
this process, so neither a network nor a key is needed. Settings come from the environment.
"""

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from pathlib import Path
from statistics import mean, median

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_output_path, read_settings_or_exit
from benchmarks.invented import START_TIME, Clock, InstantModel, MessageGenerator, make_incoming_message
from benchmarks.locomo import parse_conversations_path, read_samples
from benchmarks.measure import print_progress, print_report
from benchmarks.recall import open_embedder
from facts.schemas import PROFILE_SCHEMA
from llm.chat_model import OnText
from llm.embeddings import Embedder
from llm.offline import ExtractiveSummarizer
from llm.prompts import PROFILE_SECTIONS
from records.model_calls import Completion, Prompt, PromptMessage, Schema
from records.owners import MAX_EVERY_N, Policy, StorageType
from records.scopes import Scope
from settings import Settings
from summaries.policies import POLICIES
from text.tokenizer import Tokenizer

SCOPE = Scope(owner=1)
PROFILE = (
    "The user is called Nadia, lives by the sea with two cats, and works in a library from Monday to Friday.",
    "She likes short answers without lists, wants sources where there are any, and dislikes being asked again.",
    "A reading group is being planned: the room is booked, the first book is not chosen, friends are to be asked.",
    "In spring she moved from the hills, changed her work soon after, and gave up the car; her sister helped.",
)


class MeteredSummarizer(ExtractiveSummarizer):
    """A summarizer that counts its calls by purpose, and its tokens.

    It replaces each profile that it writes with PROFILE, which has a typical length, because nothing can be extracted
    from invented messages.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls = Counter[str]()
        self.tokens = 0

    async def complete(
        self, messages: Prompt, *, on_text: OnText | None = None, schema: Schema | None = None
    ) -> Completion:
        completion = await super().complete(messages, on_text=on_text, schema=schema)
        if schema == PROFILE_SCHEMA:
            text = json.dumps(dict(zip(PROFILE_SECTIONS, PROFILE, strict=True)))
            completion = replace(completion, text=text, usage=replace(completion.usage, completion=len(text) // 4))
        self.calls["summaries" if schema is None else str(schema.get("name"))] += 1
        self.tokens += completion.usage.prompt + completion.usage.completion
        return completion


def count_repeated_tokens(previous: Prompt, current: Prompt, tokenizer: Tokenizer) -> int:
    """Count the tokens of the prefix that a prompt shares with the previous one, which a provider may have cached."""
    total = 0
    for old, new in zip(previous, current, strict=False):
        if old == new:
            total += tokenizer.count_message_tokens(new)
            continue
        if old.role == new.role:
            total += tokenizer.count(_find_common_prefix(old.content, new.content))
        break
    return total


def compute_cost_shares(prompts: Sequence[Prompt], tokenizer: Tokenizer) -> dict[str, float]:
    """Return the cost of the prompts as a share of their price without a cache, under the rules of two providers.

    With `automatic` caching, the prefix shared with the previous prompt costs a tenth. With `breakpoints`, a prompt is
    cached up to its second-newest user message. Writing to the cache then costs 1.25 times the price, and reading the
    part that the previous prompt wrote costs a tenth.
    """
    full_cost = sum(tokenizer.count_request_tokens(prompt) for prompt in prompts) or 1
    repeated = sum(count_repeated_tokens(before, now, tokenizer) for before, now in pairwise(prompts))
    breakpoint_cost, before = float(full_cost), list[PromptMessage]()
    for prompt in prompts:
        user_indexes = [place for place, message in enumerate(prompt) if message.role == "user"]
        cached = list(prompt[: user_indexes[-2] + 1]) if len(user_indexes) > 1 else []
        is_read = bool(before) and cached[: len(before)] == before
        read = sum(map(tokenizer.count_message_tokens, before)) if is_read else 0
        breakpoint_cost += 0.25 * (sum(map(tokenizer.count_message_tokens, cached)) - read) - 0.9 * read
        before = cached
    return {
        "automatic": round((full_cost - 0.9 * repeated) / full_cost, 3),
        "breakpoints": round(breakpoint_cost / full_cost, 3),
    }


def _find_common_prefix(left: str, right: str) -> str:
    return "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


class ScriptedModel(InstantModel):
    """A model that answers with `next_answer` and records its prompts."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__(lambda: self.next_answer, tokenizer)
        self.next_answer = ""
        self.prompts: list[Prompt] = []

    async def complete(
        self, messages: Prompt, *, on_text: OnText | None = None, schema: Schema | None = None
    ) -> Completion:
        self.prompts.append(messages)
        return await super().complete(messages, on_text=on_text, schema=schema)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationTurn:
    """A user's message, the time when it was sent, and the answer."""

    text: str
    answer: str
    said_at: datetime


def generate_turns(count: int) -> Iterator[ConversationTurn]:
    """Yield `count` invented turns, seven minutes apart."""
    asked, answered, clock = MessageGenerator(seed=1), MessageGenerator(seed=2), Clock()
    for _ in range(count):
        clock.advance(7)
        yield ConversationTurn(text=asked.make_question(), answer=answered.make_answer(), said_at=clock.now)


def read_turns(files: Sequence[Path], count: int) -> Iterator[ConversationTurn]:
    """Yield the first `count` turns of files in LoCoMo's format, with the conversations one after another.

    A conversation that would begin before the end of the previous one is moved to the day after it.
    """
    now, known = START_TIME, 0
    for sample in (sample for file in files for sample in read_samples(file)):
        lines = list(sample.lines)
        later = max(timedelta(), now - lines[0].said_at + timedelta(days=1))
        for asked, answered in pairwise(lines):
            if asked.role == "user" and answered.role == "assistant" and known < count:
                now, known = asked.said_at + later, known + 1
                yield ConversationTurn(text=asked.text, answer=answered.text, said_at=now)


async def measure_conversation_tokens(
    settings: Settings, turns: Iterable[ConversationTurn], *, every_n: int, policy: Policy, embedder: Embedder | None
) -> dict[str, object]:
    """Measure the tokens of a conversation under a fold policy. Without `embedder`, only words are searched."""
    clock = Clock()
    tokenizer = Tokenizer.for_model(settings.openai_model)
    answers, background = ScriptedModel(tokenizer), MeteredSummarizer()
    history_sizes: list[int] = []
    history_size = tokenizer.count_request_tokens([PromptMessage(role="system", content=settings.system_prompt)])
    failed_folds = 0
    async with open_services(settings, clock=clock, models=(answers, background), embedder=embedder) as services:
        await services.memory.configure(SCOPE.owner, storage=StorageType.SQLITE, every_n=every_n)
        await services.memory.change_config(SCOPE.owner, lambda known: replace(known, policy=policy))
        for turn in turns:
            clock.now, answers.next_answer = turn.said_at, turn.answer
            history_size += tokenizer.count_message_tokens(PromptMessage(role="user", content=turn.text))
            history_sizes.append(history_size)
            reply = await services.conversation.reply(make_incoming_message(SCOPE, "Nadia", turn.text, clock))
            if reply.is_error:
                raise RuntimeError(reply.text)
            history_size += tokenizer.count_message_tokens(PromptMessage(role="assistant", content=reply.text))
            failed_folds += bool(await services.conversation.run_post_turn_tasks(SCOPE))
            if services.indexing is not None:
                await services.indexing.idle.wait()
            if len(history_sizes) % 50 == 0:
                print_progress(f"{policy}: {len(history_sizes)} turns")
    sizes = [tokenizer.count_request_tokens(prompt) for prompt in answers.prompts]
    repeated = [count_repeated_tokens(before, now, tokenizer) for before, now in pairwise(answers.prompts)]
    return {
        "turns": len(history_sizes),
        "failed_folds": failed_folds,
        "prompt_tokens": _summarize_sizes(sizes),
        "whole_history_tokens": _summarize_sizes(history_sizes),
        "saved_percent": {
            # The size of prompts goes up and down with the folds, so the end is the mean over the last N turns.
            "at_the_end": _compute_saved_percent(sizes[-every_n:], history_sizes[-every_n:]),
            "in_all": _compute_saved_percent(sizes, history_sizes),
        },
        "cost": compute_cost_shares(answers.prompts, tokenizer),
        "repeated_prefix_percent": round(100 * sum(repeated) / sum(sizes[1:]), 1) if repeated else 0.0,
        "background_tokens_per_turn": round(background.tokens / len(history_sizes), 1),
        "background_calls": dict(background.calls),
    }


def _summarize_sizes(sizes: Sequence[int]) -> dict[str, float]:
    return {"median": median(sizes), "mean": round(mean(sizes), 1), "most": max(sizes), "last": sizes[-1]}


def _compute_saved_percent(our_tokens: Sequence[int], full_tokens: Sequence[int]) -> float:
    return round(100 * (1 - sum(our_tokens) / sum(full_tokens)), 1)


async def _measure_policies(options: argparse.Namespace, settings: Settings) -> dict[str, dict[str, object]]:
    """Measure each policy with the same conversation. Its vectors are computed only once."""
    results: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory(prefix="keepsake-tokens-") as folder:
        async with open_embedder(settings, options.vectors or Path(folder, "vectors.db")) as embedder:
            if embedder is None:
                settings = replace(settings, embedding_model="none")
            for policy in POLICIES:
                turns = read_turns(options.data, options.turns) if options.data else generate_turns(options.turns)
                results[policy] = await measure_conversation_tokens(
                    replace(settings, data_dir=Path(folder, policy)),
                    turns,
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
    parser.add_argument(
        "--data", type=parse_conversations_path, nargs="+", help="conversations in LoCoMo's format; default: invented"
    )
    parser.add_argument("--vectors", type=parse_output_path, help="keep vectors in this file, for the next run")
    options = parser.parse_args(arguments)
    if options.data and next(read_turns(options.data, 1), None) is None:
        parser.error("argument --data: it contains no message from a person with an answer")
    results = asyncio.run(_measure_policies(options, read_settings_or_exit(parser)))
    # The figures of the first policy, which is the default, are also at the top level.
    first = next(iter(results))
    print_report(
        {"benchmark": "tokens", "policy": first, "every_n": options.every_n, **results[first], "policies": results}
    )


if __name__ == "__main__":
    main()
