"""Answers that are all written at once, within Telegram's limits. `python -m benchmarks.streaming [--chats 200]`

Runs bot.py as a process against a local Bot API server that keeps Telegram's published limits (30 messages a second in
all, one a second in a chat: beyond them 429), and a model that writes `--tokens` at a realistic pace. Everybody asks at
the same moment, `--turns` times, each after the answer to the one before. What was shown while answers were written,
what was refused, how long the last answer took, and how many never came. `--mode edit`: by edits instead of drafts.
"""

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.arguments import number
from benchmarks.crowd import Crowd, Seen
from benchmarks.instant_model import PACE, InstantModel
from benchmarks.load import running
from benchmarks.measure import machine, report, spread, without_embedding
from playground.bot_api import bot_api
from playground.feed import Feed
from playground.limits import Limits, counts
from playground.server import serve
from playground.world import World

TOKEN = "1:benchmark"  # noqa: S105 - of the local server
KEPT_CALLS = 1_000_000


@dataclass
class PatientCrowd(Crowd):
    """People who count the answers that never come, instead of giving up."""

    lost: int = 0

    async def _ask(self, person: int, tag: str, seen: Seen, *, after: float = 0.0) -> None:
        try:
            await super()._ask(person, tag, seen, after=after)
        except TimeoutError:
            self.lost += 1


async def measure(chats: int, turns: int, tokens: int, mode: str) -> dict[str, Any]:
    """The figures of one run."""
    world, model = World(token=TOKEN), InstantModel(tokens=tokens)
    world.calls = Feed(keep=KEPT_CALLS)
    crowd = PatientCrowd(world, chats)
    async with serve(model.app()) as model_url, serve(bot_api(world, limits=Limits(time.monotonic))) as api:
        with tempfile.TemporaryDirectory(prefix="keepsake-streaming-") as folder:
            env = {
                **without_embedding(),
                "TELEGRAM_BOT_TOKEN": world.token,
                "TELEGRAM_API_URL": api,
                "OPENAI_BASE_URL": f"{model_url}/v1",
                "OPENAI_API_KEY": "none",
                "ALLOWED_USER_IDS": "*",
                "DATA_DIR": str(Path(folder)),
                "LOG_LEVEL": "ERROR",
                "REPLY_STREAMING": mode,
            }
            async with running(["bot"], world, env):
                since, begun = world.calls.last, time.perf_counter()
                seen = await crowd.talk(turns)
                seconds = time.perf_counter() - begun
                return {**figures(world.calls.since(since)), **_waited(crowd, seen, seconds, chats * turns)}


def figures(calls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What went out, what of it was refused, and the most in a second."""
    shown = [one for one in calls if counts(one["method"])]
    taken = [one for one in shown if one["answer"].get("ok")]
    refused = Counter(one["method"] for one in shown if one["answer"].get("error_code") == 429)
    return {"sent": dict(Counter(one["method"] for one in taken)), "refused_429": dict(refused)}


def _waited(crowd: PatientCrowd, seen: Seen, seconds: float, asked: int) -> dict[str, Any]:
    return {
        "answers": len(seen.whole),
        "answers_lost": crowd.lost,
        "answers_unaccounted": asked - len(seen.whole) - crowd.lost,
        "seconds_in_all": round(seconds, 1),
        "ms_to_first_words": spread(seen.first),
        "ms_to_the_whole_answer": spread(seen.whole),
        "longest_wait_s": round(max(seen.whole, default=0.0), 1),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=__doc__)
    parser.add_argument("--chats", type=number(1), default=200)
    parser.add_argument("--turns", type=number(1), default=2)
    parser.add_argument("--tokens", type=number(1), default=400)
    parser.add_argument("--mode", default="auto", choices=("auto", "edit"))
    options = parser.parse_args(arguments)
    asked = {"chats": options.chats, "turns_each": options.turns, "tokens": options.tokens, "mode": options.mode}
    asked["model_s"] = round(options.tokens / PACE, 1)
    results = asyncio.run(measure(options.chats, options.turns, options.tokens, options.mode))
    report({"benchmark": "streaming", "machine": machine(), **asked, **results})


if __name__ == "__main__":
    main()
