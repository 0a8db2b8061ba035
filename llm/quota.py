"""Counts the tokens of model calls and enforces daily budgets.

An answer is charged to the person who asked. All other work is charged to the owner of the memory, and a group's work
also to its latest speaker. A day begins at 00:00 UTC.
"""

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Protocol

from attrs import define, field

from llm.chat_model import ChatModel, OnText
from llm.embeddings import MAX_INPUT_CHARS
from locales.catalog import format_time_until, tr
from records.errors import ModelError, ModelUnreachable, QuotaExceeded, StorageError
from records.model_calls import Completion, DailyUsage, Prompt, Schema, Usage
from records.scopes import Clock
from runtime.tasks import run_to_completion
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

_speaking: ContextVar[int | None] = ContextVar("speaking", default=None)


@contextmanager
def charge_tokens_to_speaker(person_id: int) -> Iterator[None]:
    """Also charge this person for the tokens that are charged to other owners while the block runs."""
    before = _speaking.set(person_id)
    try:
        yield
    finally:
        _speaking.reset(before)


Charge = Callable[[Mapping[int, Sequence[str]]], Awaitable[None]]  # told of texts that were embedded, by their owner


class Ledger(Protocol):
    """Stores the token usage of each UTC day by spender (a person or an owner) and model."""

    async def add_usage(self, day: date, usage: Mapping[tuple[int, str], Usage]) -> None: ...

    async def read_usage_of_day_by_spender(self, day: date) -> dict[int, Usage]: ...

    async def list_daily_usage(self, spender: int, last_day: date, days: int) -> list[DailyUsage]: ...


@define(eq=False)
class Quota:
    """Calls models within daily token budgets, per person and in total. A budget of 0 means no limit.

    Concurrent calls may exceed a limit. Without limits, only `store_usage` stores usage: no answer waits for the disk.
    """

    _ledger: Ledger
    _tokens: Tokenizer = field(alias="tokenizer", kw_only=True)
    _per_user: int = field(kw_only=True)
    _overall: int = field(kw_only=True)
    _clock: Clock = field(kw_only=True)
    _serves: Callable[[int], bool] = field(kw_only=True, default=lambda _spender: True)
    _embedding_model: str = field(kw_only=True, default="")
    _read_at: datetime | None = field(default=None, init=False)
    _day: date | None = field(default=None, init=False)
    _spent: Counter[int] = field(factory=Counter, init=False)
    _caused: Counter[tuple[date, int]] = field(factory=Counter, init=False)
    _unwritten: dict[date, defaultdict[tuple[int, str], Usage]] = field(factory=dict, init=False)
    _writing: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    @property
    def has_limits(self) -> bool:
        return bool(self._per_user or self._overall)

    async def complete(
        self,
        spender: int,
        model: ChatModel,
        messages: Prompt,
        *,
        on_text: OnText | None = None,
        schema: Schema | None = None,
        is_answer: bool = False,
    ) -> Completion:
        """Return the model's answer and charge `spender`. Raise QuotaExceeded or a ModelError.

        If the model fails, charge for what arrived. If `is_answer`, count a completion without tool calls as an answer.
        """
        await self.raise_if_used_up(spender)
        shown = ""

        async def record_shown_text(text: str) -> None:
            nonlocal shown
            shown = text
            if on_text:
                await on_text(text)

        try:
            completion = await model.complete(messages, on_text=record_shown_text if on_text else None, schema=schema)
        except BaseException as error:
            if isinstance(error, ModelUnreachable):  # it was silent for too long
                error.half = shown
            if shown or not isinstance(error, ModelError):
                used = Usage(prompt=self._tokens.count_request_tokens(messages), completion=self._tokens.count(shown))
                await self._record_usage(spender, model.name, used)
            raise
        answers = int(is_answer and not completion.calls)
        await self._record_usage(spender, model.name, replace(completion.usage, answers=answers))
        return completion

    async def raise_if_used_up(self, spender: int) -> None:
        """Raise QuotaExceeded if a budget is used up or `spender` was removed."""
        if not self._serves(spender):
            raise QuotaExceeded(tr("notices-stranger", id=str(spender)))
        personal, overall = await self._read_tokens_left_for_person_and_bot(spender)
        if personal is not None and personal <= 0:
            raise QuotaExceeded(tr("errors-quota-person", tokens=self._per_user, wait=self._format_time_until_reset()))
        if overall is not None and overall <= 0:
            raise QuotaExceeded(tr("errors-quota-bot", wait=self._format_time_until_reset()))

    async def count_tokens_left_if_limited(self, spender: int) -> int | None:
        """Return the tokens that `spender` has left today, or None if there is no limit."""
        left = [tokens for tokens in await self._read_tokens_left_for_person_and_bot(spender) if tokens is not None]
        return max(0, min(left)) if left else None

    async def _read_tokens_left_for_person_and_bot(self, spender: int) -> tuple[int | None, int | None]:
        """Return the tokens left today for a person and for the whole bot. None means that there is no limit."""
        if self.has_limits:
            await self._load_todays_usage()
        people, today = {spender, _speaking.get() or spender}, self._clock().date()
        spent = max(self._spent[person] + self._caused[today, person] for person in people)
        personal = self._per_user - spent if self._per_user else None
        return personal, self._overall - sum(self._spent.values()) if self._overall else None

    async def charge_embedded_texts(self, texts: Mapping[int, Sequence[str]]) -> None:
        """Charge owners for embedded texts even if a budget is used up, since stored messages are always embedded."""
        for owner, embedded in texts.items() if self._embedding_model else ():
            joined = [text[:MAX_INPUT_CHARS] for text in embedded]
            # In a thread, since counting a batch of long messages takes a while.
            counts = await asyncio.to_thread(lambda: list(map(self._tokens.count, joined)))  # noqa: B023
            await self._record_usage(owner, self._embedding_model, Usage(prompt=sum(counts)))

    async def charge_speech(
        self, spender: int, model: str, *, spoken_text: str = "", transcribed_text: str = ""
    ) -> None:
        """Charge for the tokens of the text that was read aloud (`spoken_text`) or transcribed (`transcribed_text`)."""
        prompt, completion = await asyncio.to_thread(
            lambda: (self._tokens.count(spoken_text), self._tokens.count(transcribed_text))
        )
        await self._record_usage(spender, model, Usage(prompt=prompt, completion=completion))

    async def list_daily_usage(self, spender: int, days: int) -> list[DailyUsage]:
        """Return the usage of the last `days` days (UTC, today too) by day and model. Raise StorageError on failure."""
        await self.store_usage()
        return await self._ledger.list_daily_usage(spender, self._clock().date(), days)

    async def _record_usage(self, spender: int, model: str, usage: Usage) -> None:
        """Record usage before the first await, since the caller may be cancelled. If there are limits, store it now."""
        today = self._clock().date()
        self._unwritten.setdefault(today, defaultdict(Usage))[spender, model] += usage
        person = _speaking.get()
        if person not in (None, spender) and self._per_user:
            self._caused = Counter({key: spent for key, spent in self._caused.items() if key[0] == today})
            self._caused[today, person] += usage.total
        if self._day == today:
            self._spent[spender] += usage.total
        if self.has_limits:
            await self.store_usage()

    def discard_unstored_usage(self, spender: int) -> None:
        """Discard the unstored usage of an owner who erased everything, unless a budget depends on it."""
        if not self.has_limits:
            for waiting in self._unwritten.values():
                for key in [key for key in waiting if key[0] == spender]:
                    del waiting[key]

    async def store_usage(self) -> None:
        """Store the usage that is not in the ledger yet. Call this at intervals and at shutdown."""
        await run_to_completion(self._write_usage)

    async def _write_usage(self) -> None:
        async with self._writing:
            for day in sorted(self._unwritten):
                spent = self._unwritten.pop(day)
                try:
                    await self._ledger.add_usage(day, spent)
                except StorageError as error:
                    # What others added while this was being written is kept as well.
                    for key, used in self._unwritten.pop(day, defaultdict(Usage)).items():
                        spent[key] += used
                    self._unwritten[day] = spent
                    log.warning("tokens spent could not be written yet: %s", type(error).__name__)
                    return

    async def _load_todays_usage(self) -> None:
        now = self._clock()
        if self._read_at is not None and self._day == now.date() and now - self._read_at < timedelta(seconds=5):
            return
        with suppress(StorageError):
            # A ledger that cannot be read now is read the next time; until then, what this process knows counts.
            await self.store_usage()
            async with self._writing:  # what is being written is in neither sum
                known = await self._ledger.read_usage_of_day_by_spender(now.date())
            self._spent = Counter({spender: used.total for spender, used in known.items()})
            for (spender, _), used in self._unwritten.get(now.date(), {}).items():
                self._spent[spender] += used.total
            self._day, self._read_at = now.date(), now

    def _format_time_until_reset(self) -> str:
        now = self._clock()
        begun = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return format_time_until((begun + timedelta(days=1) - now).total_seconds())
