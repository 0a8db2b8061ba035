"""How chats fare while a backlog is embedded by the local model. Part of benchmarks.scale.

Turns are held for some seconds in a filled data directory, first without embeddings, then while the bot's own indexing
embeds what is stored. Does not know how indexing works.
"""

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

from assembly import open_services
from benchmarks.filling import LAST_DAY
from benchmarks.invented import Clock, InventedModel, Talk, turns
from benchmarks.measure import LoopWatch, progress, spread
from llm.offline import ExtractiveSummarizer
from records.scopes import Scope
from settings import Settings

PAUSE = 0.5
"""Seconds between an answer and the next message."""


def measure_backlog(settings: Settings, scope: Scope, seconds: float) -> dict[str, object]:
    """The figures for one filled data directory, to which some turns are added."""
    return asyncio.run(_measure(settings, scope, seconds))


async def _measure(settings: Settings, scope: Scope, seconds: float) -> dict[str, object]:
    return {
        "quiet": await chatting(replace(settings, embedding_model="none"), scope, seconds),
        "embedding": await chatting(replace(settings, embedding_model="local"), scope, seconds),
    }


async def chatting(settings: Settings, scope: Scope, seconds: float) -> dict[str, object]:
    """The figures for turns that are held one after the other, with the embeddings that the settings name."""
    clock = Clock(now=LAST_DAY + timedelta(days=2))
    models = (InventedModel(Talk(seed=5)), ExtractiveSummarizer())
    async with open_services(settings, clock=clock, models=models) as services:
        status = await services.summaries.status(scope)
        asked = turns(Talk(seed=6), scope, clock, first=status.counts.total + 1)
        # The first text that is embedded loads the model.
        await services.conversation.reply(next(asked))
        before = (await services.summaries.status(scope)).indexed
        taken: list[float] = []
        began = time.perf_counter()
        async with LoopWatch().watching() as watch:
            while time.perf_counter() - began < seconds:
                start = time.perf_counter()
                reply = await services.conversation.reply(next(asked))
                taken.append(time.perf_counter() - start)
                if reply.is_error:
                    raise RuntimeError(reply.text)
                await asyncio.sleep(PAUSE)
        after = (await services.summaries.status(scope)).indexed
    figures: dict[str, object] = {"turn_ms": spread(taken), "event_loop_blocked_ms": watch.figures()}
    if before and after:
        figures["embedded_per_second"] = round((after[0] - before[0]) / seconds, 2)
        figures["left"] = after[1] - after[0]
    progress(f"{settings.embedding_model}: {figures}")
    return figures
