"""All summaries of a scope, made anew from the stored messages under its owner's policy and wishes.

Runs in the background, under the scope's fold lease; the old summaries serve until the new are whole. One that ends
with its process, or fails, goes on from the parts that it had made. Does not know Telegram, or who is told of it.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, Self

from external_memory import ExternalMemory
from llm import prompts
from llm.chat_model import ChatModel
from records.errors import FoldRefused, KeepsakeError, ModelDeclined, QuotaExceeded, StaleFold, StorageError
from records.messages import Archived, Message
from records.owners import OwnerConfig
from records.scopes import Clock, Scope
from records.summaries import FoldLease, NewSummary, Rebuilt, Summary
from runtime.tasks import ended
from summaries import pyramid, rolling, sliding
from summaries.generation import Material
from summaries.quality_score import Source
from summaries.situation import Said, Situation, Standing
from summaries.sources import message_sources
from summary_manager import LEASE, SummaryManager

log = logging.getLogger(__name__)


CHANGED = "Something was forgotten, edited or moved meanwhile, or memory was turned off."


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """How far a rebuild is: chunks done, chunks in all; `error` is a sentence for the owner."""

    state: Literal["running", "done", "nothing", "busy", "failed"]
    done: int = 0
    total: int = 0
    summaries: int = 0
    error: str | None = None


Tell = Callable[[Progress], Awaitable[None]]


class Rebuilder:
    """The rebuilds under way; each lives as long as the block at most.

    `stand_in`: makes the summary of a chunk that the model refuses to summarise.
    """

    def __init__(self, *, memory: ExternalMemory, summaries: SummaryManager, stand_in: ChatModel, clock: Clock) -> None:
        self._memory = memory
        self._summaries = summaries
        self._stand_in = stand_in
        self._clock = clock
        self._tasks = set[asyncio.Task[None]]()

    async def __aenter__(self) -> Self:
        for store in self._memory.stores:
            for scope in await store.rebuilds.interrupted():
                log.info("the summaries of %s are made anew, going on where it ended with its process", scope)
                self.start(scope, _untold)
        return self

    async def __aexit__(self, *_: object) -> None:
        # The lease stays: the next start finds it, and goes on.
        await ended(*self._tasks)

    def start(self, scope: Scope, tell: Tell) -> None:
        """Begin in the background; `tell` hears of each chunk and of the end."""
        task = asyncio.create_task(self._run(scope, tell))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finished(self) -> None:
        """Wait until none is under way."""
        await asyncio.gather(*self._tasks)

    async def _run(self, scope: Scope, tell: Tell) -> None:
        try:
            outcome = await self.rebuild(scope, tell)
        except Exception as error:  # broad: a task of its own, nobody else would hear of it
            log.warning("making the summaries of %s anew failed: %s", scope, type(error).__name__)
            outcome = Progress(state="failed", error="Something went wrong.")
        await tell(outcome)

    async def rebuild(self, scope: Scope, tell: Tell) -> Progress:
        """Make everything anew; what it came to."""
        since = self._clock()
        config = await self._memory.config(scope.owner)
        async with self._memory.opened(scope.owner) as store:
            if config is None or store is None or not (outline := await store.rebuilds.outline(scope)):
                return Progress(state="nothing")
            lease = await store.begin_fold(scope, "rebuild", now=since, lease=LEASE)
        if lease is None:
            return Progress(state="busy")
        started = time.monotonic()
        try:
            rebuilt = await self._make(lease, config, outline, tell)
            async with self._memory.home(scope.owner) as store:
                await store.rebuilds.commit(lease, rebuilt, outline, since=since, now=self._clock())
        except StaleFold:
            return await self._failed(lease, CHANGED)
        except KeepsakeError as error:
            return await self._failed(lease, error.sentence)
        finally:
            self._summaries.rebuilds.pop(scope, None)
        log.info(
            "made %d summaries of messages %d-%d of %s anew in %d ms",
            *(len(rebuilt), outline[0].id, outline[-1].id, scope, round((time.monotonic() - started) * 1000)),
        )
        return Progress(state="done", summaries=len(rebuilt))

    async def _failed(self, lease: FoldLease, sentence: str) -> Progress:
        log.warning("making the summaries of %s anew failed", lease.scope)
        try:
            async with self._memory.home(lease.scope.owner) as store:
                await store.release_fold(lease)
        except StorageError as error:
            log.warning("a lease of %s stays until it expires: %s", lease.scope, type(error).__name__)
        return Progress(state="failed", error=sentence)

    async def _make(
        self, lease: FoldLease, config: OwnerConfig, outline: Sequence[Archived], tell: Tell
    ) -> list[Rebuilt]:
        """The new summaries in order, those that others were made of before them."""
        scope = lease.scope
        chunks = list(chunked(outline, config))
        made: list[Rebuilt] = []
        for done, chunk in enumerate(chunks):
            self._summaries.rebuilds[scope] = (done, len(chunks))
            await tell(Progress(state="running", done=done, total=len(chunks)))
            await self._make_chunk(lease, config, chunk, made)
            while config.policy == "pyramid" and (plan := pyramid.plan(_situation(made), "upwards")):
                await self._make_upwards(lease, config, plan.level, plan.summary_ids, made)
        return made

    async def _make_chunk(
        self, lease: FoldLease, config: OwnerConfig, chunk: Sequence[Archived], made: list[Rebuilt]
    ) -> None:
        told = tuple(one.id for one in chunk)
        if config.policy == "sliding":
            told = sliding.window([Said(id=one.id, is_user=one.is_user) for one in chunk])
        messages = await self._read(lease, told)
        base = len(made) - 1 if made and config.policy == "rolling" else None
        below = made[base] if base is not None else None
        text = await self._text(
            lease,
            Material(
                lines=message_sources(messages),
                base=[_line(lease.scope, below)] if below else (),
                limit=self._summaries.limits.text(config.policy),
                wishes=config.fold_instructions,
            ),
            compressed=1 + (int(below.made.details["compressed"]) if below else 0),
        )
        if base is not None:
            made[base] = replace(made[base], is_active=False)
        made.append(
            Rebuilt(
                level=1,
                made=text,
                message_ids=tuple(one.id for one in chunk),
                sources=() if base is None else (base,),
                base=base,
                first=below.first if below else (messages[0].id, messages[0].created_at),
                last=(messages[-1].id, messages[-1].created_at),
                message_count=len(messages) + (below.message_count if below else 0),
                policy=config.policy,
            )
        )

    async def _make_upwards(
        self, lease: FoldLease, config: OwnerConfig, level: int, sources: tuple[int, ...], made: list[Rebuilt]
    ) -> None:
        below = sorted((made[source] for source in sources), key=lambda one: one.first)
        text = await self._text(
            lease,
            Material(
                lines=[_line(lease.scope, one) for one in below],
                of_summaries=True,
                limit=self._summaries.limits.text(config.policy),
                wishes=config.fold_instructions,
            ),
            compressed=1 + max(int(one.made.details["compressed"]) for one in below),
        )
        for source in sources:
            made[source] = replace(made[source], is_active=False)
        made.append(
            Rebuilt(
                level=level,
                made=text,
                message_ids=(),
                sources=sources,
                base=None,
                first=below[0].first,
                last=max(one.last for one in below),
                message_count=sum(one.message_count for one in below),
                policy=config.policy,
            )
        )

    async def _read(self, lease: FoldLease, ids: Sequence[int]) -> list[Message]:
        """These messages, all of them, while the lease is held and memory is on; raises StaleFold otherwise."""
        async with self._memory.opened(lease.scope.owner) as store:
            if store is None:
                raise StaleFold
            await store.rebuilds.renew(lease, self._clock() + LEASE)
            messages = await store.messages(lease.scope, ids)
        if len(messages) != len(ids):
            raise StaleFold
        return messages

    async def _text(self, lease: FoldLease, material: Material, *, compressed: int) -> NewSummary:
        digest = digest_of(material)
        async with self._memory.home(lease.scope.owner) as store:
            if known := await store.rebuilds.part(lease.scope, digest):
                return known
        made = await self._made(lease, material, compressed)
        async with self._memory.home(lease.scope.owner) as store:
            await store.rebuilds.keep_part(lease, digest, made)
        return made

    async def _made(self, lease: FoldLease, material: Material, compressed: int) -> NewSummary:
        started = time.monotonic()
        try:
            made = await self._summaries.summarise(lease.scope.owner, material)
        except QuotaExceeded:
            raise
        except (FoldRefused, ModelDeclined) as error:
            log.info("a chunk of %s is summarised by %s: %s", lease.scope, self._stand_in.name, type(error).__name__)
            made = await self._summaries.summarise_by(self._stand_in, material)
        milliseconds = round((time.monotonic() - started) * 1000)
        return replace(made, milliseconds=milliseconds, details={**made.details, "compressed": float(compressed)})


def digest_of(material: Material) -> str:
    """What a summary is made from, and how it is wanted, in 64 characters."""
    return hashlib.sha256(f"{prompts.FOLD_VERSION}\n{material!r}".encode("utf-8", "surrogatepass")).hexdigest()


def chunked(outline: Sequence[Archived], config: OwnerConfig) -> Iterator[Sequence[Archived]]:
    """The archived messages as the policy would have folded them: whole turns, oldest first."""
    if config.policy == "sliding":
        yield outline
        return
    turns = [list(turn) for _, turn in groupby(outline, key=lambda one: one.turn)]
    size = config.every_n if config.policy == "pyramid" else rolling.ANEW_TURNS
    for start in range(0, len(turns), size):
        yield [message for turn in turns[start : start + size] for message in turn]


def _situation(made: Sequence[Rebuilt]) -> Situation:
    """What stands so far, numbered by place."""
    standing = [(one.first[0], Standing(id=place, level=one.level)) for place, one in enumerate(made) if one.is_active]
    return Situation(standing=[one for _, one in sorted(standing, key=lambda pair: pair[0])])


def _line(scope: Scope, one: Rebuilt) -> Source:
    """A summary made just now, as the next one reads it."""
    as_stored = Summary(
        id=0,
        scope=scope,
        level=one.level,
        text=one.made.text,
        created_at=one.last[1],
        source_chunk_ids=(),
        source_ids=(),
        is_active=True,
        first_id=one.first[0],
        last_id=one.last[0],
        first_at=one.first[1],
        last_at=one.last[1],
        message_count=one.message_count,
    )
    return Source(text=prompts.summary_line(as_stored), is_user=False)


async def _untold(progress: Progress) -> None:
    """Nobody waits for it."""
