"""Measure how much longer one person waits for answers while another person attacks the bot.

`python -m reliability.hostile [--case NAME] [--rounds 2] [--turns 10] [--answer-after 1] [--webhook]` runs bot.py as a
process. Each round measures how long a bystander waits, first without the attack and then during it.

The program prints one JSON object. The exit status is 1 if the median wait during an attack is more than `MAX_SLOWDOWN`
times the normal wait. With `--answer-after 0`, the model answers immediately, so that only the delay caused by the
attack remains.
"""

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from benchmarks.measure import summarize_times
from reliability import command
from reliability import hostile_loads as loads
from reliability.hostile_loads import Attack, Load
from reliability.town import run_local_servers
from tests.end_to_end.harness import LocalServers
from tests.end_to_end.visitors import make_init_data
from tests.peers.openai_server import Answer, Behaviour
from tests.peers.ports import reserve_port

MAX_SLOWDOWN = 3.0  # the median wait during an attack, divided by the usual median
WARM_UP_TURNS = 5
PAUSE_SECONDS = 0.1  # between an answer and the next question
QUESTION = re.compile(r"question (\d+)")


@dataclass(frozen=True, kw_only=True)
class AttackCase:
    """An attack to repeat, and additional settings. If `has_page`, the bot also serves its memory page."""

    name: str
    load: Load
    settings: Mapping[str, str] = field(default_factory=dict)
    is_webhook: bool = False
    has_page: bool = False
    asks_after_load: bool = False
    """True if each question is asked right after a complete load, instead of during it."""


CASES = (
    AttackCase(
        name="tool results at a small token limit",
        load=loads.request_tool_calls,
        settings={"MAX_CONTEXT_TOKENS": "4096"},
    ),
    AttackCase(name="long texts and imports", load=loads.send_long_texts),
    AttackCase(name="imports of very many parts", load=loads.import_many_parts),
    AttackCase(name="answers with very many entities", load=loads.request_many_entities),
    AttackCase(name="1,200 messages and 900 of strangers", load=loads.flood_with_messages, asks_after_load=True),
    AttackCase(name="slow connections to the webhook", load=loads.open_slow_connections, is_webhook=True),
    AttackCase(name="pipelined requests of a stranger to the page", load=loads.pipeline_page_requests, has_page=True),
    AttackCase(name="100 connections of a stranger to the page", load=loads.open_page_connections, has_page=True),
    AttackCase(name="60 half-sent uploads to the page", load=loads.send_incomplete_page_uploads, has_page=True),
    AttackCase(name="60 unread exports of the page", load=loads.request_page_exports_without_reading, has_page=True),
)


class Bystander:
    """The person whose waiting times are measured while another person attacks the bot."""

    def __init__(self, servers: LocalServers) -> None:
        self.member = servers.add_person("Bob")
        self._asked = 0

    async def measure_wait(self) -> float:
        """Ask a question and return the seconds until the answer."""
        self._asked += 1
        since, started = self.member.last_event, time.perf_counter()
        self.member.say(f"What about question {self._asked}?")
        await self.member.wait_for_message(f"Answer {self._asked}.", since=since)
        return time.perf_counter() - started

    async def measure_waits(self, count: int, *, may_stop: Callable[[], bool] = lambda: True) -> list[float]:
        """Ask at least `count` questions, and go on until `may_stop()` is true. Return the waiting times in seconds."""
        waits: list[float] = []
        while len(waits) < count or not may_stop():
            waits.append(await self.measure_wait())
            await asyncio.sleep(PAUSE_SECONDS)
        return waits


async def measure_attack_case(
    case: AttackCase, folder: Path, *, rounds: int, turns: int, answer_after: float, webhook: bool
) -> dict[str, object]:
    """Measure one attack in its own run of the bot, and return its part of the report."""
    alone: list[float] = []
    during_attack: list[float] = []
    async with AsyncExitStack() as stack:
        servers = await stack.enter_async_context(run_local_servers(folder, lambda: answer_after, make_answer))
        settings = {"LOG_LEVEL": "INFO", **case.settings}
        address = f"127.0.0.1:{stack.enter_context(reserve_port())}"
        if webhook or case.is_webhook:
            settings |= {"WEBHOOK_URL": f"http://{address}/hook", "WEBHOOK_LISTEN": address}
        bystander, hostile = Bystander(servers), servers.add_person("Ann")
        attack = Attack(hostile=hostile, strangers=[servers.add_person(f"Eve {n}") for n in range(9)], address=address)
        if case.has_page:
            attack.page = f"127.0.0.1:{stack.enter_context(reserve_port())}"
            settings |= {"DASHBOARD_URL": f"http://{attack.page}", "DASHBOARD_LISTEN": attack.page}
        settings["ALLOWED_USER_IDS"] = f"{bystander.member.id},{hostile.id}"
        async with servers.run_bot(**settings):
            for person in (bystander.member, hostile):
                await person.set_up_memory()
            if case.has_page:
                attack.token = await _sign_in(attack)
            await bystander.measure_waits(WARM_UP_TURNS)
            for _ in range(rounds):
                alone += await bystander.measure_waits(turns)
                servers.model.requests.clear()
                if case.asks_after_load:
                    for _ in range(max(1, turns // 5)):
                        await case.load(attack)
                        during_attack.append(await bystander.measure_wait())
                        await attack.wait_until_answered()
                else:
                    async with _repeat_load(case.load, attack):
                        during_attack += await bystander.measure_waits(
                            turns, may_stop=partial(_has_load_finished, attack, attack.finished_loads)
                        )
                await attack.wait_until_answered()
    alone_ms, beside_ms = summarize_times(alone), summarize_times(during_attack)
    ratio = beside_ms["p50"] / alone_ms["p50"]
    return {
        "turns": len(during_attack),
        "alone_ms": alone_ms,
        "beside_ms": beside_ms,
        "ratio": round(ratio, 2),
        "loads": attack.finished_loads,
        "is_good": ratio <= MAX_SLOWDOWN,
    }


async def _sign_in(attack: Attack) -> str:
    """Sign in to the memory page as the hostile person, and return the session's token."""
    async with httpx.AsyncClient(base_url=f"http://{attack.page}", trust_env=False) as client:
        answer = await client.post("/api/session", json={"init_data": make_init_data(attack.hostile.id)})
        return str(answer.json()["token"])


def _has_load_finished(attack: Attack, loads_before: int) -> bool:
    """Return True if more than `loads_before` loads have finished, or if an open-ended load is running."""
    return attack.finished_loads > loads_before or attack.runs_until_ended


@asynccontextmanager
async def _repeat_load(load: Load, attack: Attack) -> AsyncIterator[None]:
    """Repeat the load while the block runs. At the end, let the current repetition finish."""
    stopping = asyncio.Event()

    async def send_load_repeatedly() -> None:
        while not stopping.is_set():
            await load(attack)

    task = asyncio.create_task(send_load_repeatedly())
    try:
        begun = asyncio.create_task(attack.load_started.wait())
        await asyncio.wait({task, begun}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        yield
        stopping.set()
        await attack.end_load()
        await task
    finally:
        attack.load_started.clear()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def make_answer(messages: Sequence[Mapping[str, str]]) -> Answer:
    """Return the simulated model's answer: the text that the attack requests, or else the number of the question."""
    said = next((message["content"] for message in reversed(messages) if message["role"] == "user"), "").rpartition(
        "\n\n"
    )[2]
    if loads.WALNUTS in said:
        call = {"name": "search_memory", "arguments": {"query": "walnut tree"}}
        return Behaviour(calls=(call,) * 8)
    for words, text in loads.ANSWERS.items():
        if words in said:
            return Behaviour(text=text, plain=True)  # in one piece, so that streaming does not slow down this program
    asked = QUESTION.findall(said)
    return f"Answer {asked[-1]}." if asked else "Noted."


async def measure_attack_cases(
    folder: Path, *, case: Sequence[str] = (), rounds: int, turns: int, answer_after: float, webhook: bool = False
) -> dict[str, object]:
    """Measure all cases, or those with a name that contains one of the texts in `case`, and return the report.

    The model takes `answer_after` seconds. With `webhook`, updates come by webhook in every case.
    """
    cases = [known for known in CASES if not case or any(text in known.name for text in case)]
    results: dict[str, dict[str, object]] = {}
    for number, chosen in enumerate(cases):
        place = folder / str(number)
        place.mkdir(parents=True)
        results[chosen.name] = await measure_attack_case(
            chosen, place, rounds=rounds, turns=turns, answer_after=answer_after, webhook=webhook
        )
    return {
        "webhook": webhook,
        "rounds": rounds,
        "turns_a_round": turns,
        "answer_after_s": answer_after,
        "cases": results,
        "is_good": all(result["is_good"] for result in results.values()),
    }


if __name__ == "__main__":
    defaults = {"case": (), "rounds": 2, "turns": 10, "answer_after": 1.0, "webhook": False}
    sys.exit(command.run_test_from_command_line(__doc__, defaults, measure_attack_cases))
