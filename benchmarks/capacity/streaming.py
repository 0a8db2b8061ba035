"""Answers that are all written at once, within Telegram's limits.

`python -m benchmarks.capacity.streaming [--chats 200]` runs bot.py as a process against a local Bot API server that
keeps Telegram's published limits (30 messages a second in all, one a second in a chat: beyond them 429), and a model
that writes `--tokens`, `--pace` of them a second. Everybody asks at the same moment, `--turns` times, each after the
answer to the one before. What was shown while answers were written, what was refused, how long the last answer took,
how many came late (after two minutes), and how many never. `--mode edit`: by edits instead of drafts.
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
from benchmarks.load import running
from benchmarks.measure import machine, report, spread, without_embedding
from benchmarks.stand_ins import TAG, InstantModel
from playground.bot_api import bot_api
from playground.feed import Feed
from playground.limits import Limits, counts
from playground.server import serve
from playground.world import World

TOKEN = "1:benchmark"  # noqa: S105 - of the local server
KEPT_CALLS = 1_000_000


@dataclass
class PatientCrowd(Crowd):
    """People who count the answers that they did not wait for, instead of giving up."""

    late: int = 0

    async def _ask(self, person: int, tag: str, seen: Seen, *, after: float = 0.0) -> None:
        try:
            await super()._ask(person, tag, seen, after=after)
        except TimeoutError:
            self.late += 1


async def measure(chats: int, turns: int, tokens: int, pace: float, mode: str) -> dict[str, Any]:
    """The figures of one run."""
    world, model = World(token=TOKEN), InstantModel(tokens=tokens, pace=pace)
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
        "answers_late": crowd.late,
        "answers_lost": asked - _there(crowd.world),
        "seconds_in_all": round(seconds, 1),
        "ms_to_first_words": spread(seen.first),
        "ms_to_the_whole_answer": spread(seen.whole),
        "longest_wait_s": round(max(seen.whole, default=0.0), 1),
    }


def _there(world: World) -> int:
    """Answers that are in the chats, each by its tag."""
    texts = (one.get("text", "") for chat in world.messages.values() for one in chat.values() if one["from"]["is_bot"])
    return len({tag for text in texts for tag in TAG.findall(text)})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity.streaming", description=__doc__)
    parser.add_argument("--chats", type=number(1), default=200)
    parser.add_argument("--turns", type=number(1), default=2)
    parser.add_argument("--tokens", type=number(1), default=60)
    parser.add_argument("--pace", type=number(1), default=6)
    parser.add_argument("--mode", default="auto", choices=("auto", "edit"))
    options = parser.parse_args(arguments)
    asked = {"chats": options.chats, "turns_each": options.turns, "tokens": options.tokens, "mode": options.mode}
    asked["model_s"] = round(options.tokens / options.pace, 1)
    results = asyncio.run(measure(options.chats, options.turns, options.tokens, options.pace, options.mode))
    report({"benchmark": "streaming", "machine": machine(), **asked, **results})


if __name__ == "__main__":
    main()
