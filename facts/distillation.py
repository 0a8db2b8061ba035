"""The profile: a short document about an owner, distilled from summaries and facts for every prompt."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Self

from attrs import define, field
from cachetools import LRUCache

from external_memory import ExternalMemory
from facts.requests import RequestBuilder
from facts.schemas import PROFILE_SCHEMA, parse_profile_sections
from llm import prompts
from llm.chat_model import ChatModel
from llm.quota import Quota
from locales.sentences import format_error
from records.errors import KeepsakeError, ModelBroken, ModelError, NewerFacts, QuotaExceeded, StorageError
from records.facts import EVERYBODY, NewProfile, Profile
from records.scopes import Clock
from records.summaries import Summary
from runtime.tasks import cancel_and_wait
from settings import Settings
from storage.stores.memory_store import MemoryStore
from storage.tables.decisions import remove_overruled_sentences
from summaries import quality_gate

log = logging.getLogger(__name__)

MAX_SUMMARIES = 200  # that a profile is distilled from; older ones are left out
MAX_OWNERS = 1_000  # whose last attempt is kept, and whose profile is known to be correct
MAX_ATTEMPTS = 8  # to store a profile while its owner's facts change


@define(kw_only=True, eq=False)
class ProfileDistiller:
    """Distils facts and summaries into profiles. Cancels its background tasks when it is closed."""

    _memory: ExternalMemory
    _model: ChatModel
    _requests: RequestBuilder
    _quota: Quota
    _clock: Clock
    _settings: Settings
    _tasks: dict[int, asyncio.Task[None]] = field(factory=dict, init=False)
    # By owner, the newest summary at the last attempt, and the failures in a row.
    _attempts: LRUCache[int, tuple[int, int]] = field(factory=partial(LRUCache, MAX_OWNERS), init=False)
    _agreed_revisions: LRUCache[int, str] = field(factory=partial(LRUCache, MAX_OWNERS), init=False)  # of facts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await cancel_and_wait(*self._tasks.values())

    async def list_versions(self, owner: int) -> list[Profile]:
        """Return all versions of an owner's profile, newest first. The newest one is in use."""
        await self.correct_profile_if_stale(owner)
        async with self._memory.open_store(owner) as store:
            return await store.profiles.list_versions(owner)

    async def correct_profile_if_stale(self, owner: int) -> None:
        """Remove the profile's sentences that facts overrule."""
        async with self._memory.open_store(owner) as store:
            await self.correct_profile_in_store_if_stale(store, owner)

    async def correct_profile_in_store_if_stale(
        self, store: MemoryStore, owner: int, *, may_write: bool = True
    ) -> bool:
        """Remove the profile's sentences that facts overrule. Return True if the profile has such sentences."""
        with suppress(StorageError):  # the rest of the memory may still be read
            revision = await store.facts.read_revision(owner)
            if self._agreed_revisions.get(owner) == revision:
                return False
            if await correct_and_store_profile(store, owner, clock=self._clock, may_write=may_write) is not None:
                return True
            self._agreed_revisions[owner] = revision
        return False

    def try_to_start(self, owner: int, on_profile_or_error: Callable[[Profile | str | None], Awaitable[None]]) -> bool:
        """Distil a profile in the background. Return False if this is already running.

        Call `on_profile_or_error` with the new version, None if there is nothing to distil, or an error sentence.
        """

        async def distil_and_notify() -> None:
            try:
                try:
                    made: Profile | str | None = await self.distil_now(owner)
                except KeepsakeError as error:
                    made = format_error(error)
                await on_profile_or_error(made)
            except Exception as error:  # error boundary of this task: nobody waits for it
                log.warning("distilling the profile of %d: %s", owner, type(error).__name__)
            finally:
                self._tasks.pop(owner, None)

        if owner in self._tasks:
            return False
        self._tasks[owner] = asyncio.create_task(distil_and_notify())
        return True

    async def distil_if_due(self, owner: int) -> Profile | None:
        """Correct the profile. If enough new summaries are waiting, distil a new profile and return it. Log errors."""
        if not self._settings.learns_facts:
            return None
        every = self._settings.profile_every_summaries
        # A model that failed here is asked again only with many more summaries, each time twice as many.
        last_tried, failures = self._attempts.get(owner, (0, 0))
        try:
            async with self._memory.open_store_if_enabled(owner) as store:
                waiting = await store.profiles.list_new_summaries(owner, MAX_SUMMARIES) if store is not None else []
            if store is not None:  # now, so that the next answer need not wait for it
                await self.correct_profile_if_stale(owner)
            news = sum(summary.id > last_tried for summary in waiting)
            wanted = min(max(1, every // 2) * 2 ** max(0, failures - 1), MAX_SUMMARIES)
            if len(waiting) < every or news < wanted:
                return None
            self._attempts[owner] = waiting[-1].id, failures + 1
            keep = min(self._settings.profile_keep_summaries, max(0, len(waiting) - 1))
            made = await self._distil_profile(owner, waiting[: len(waiting) - keep])
        except (StorageError, ModelError) as error:
            if isinstance(error, StorageError | QuotaExceeded):  # not the model's failure
                self._attempts[owner] = last_tried, failures
            log.warning("the profile of %d was not distilled: %s", owner, type(error).__name__)
            return None
        if made is not None:
            self._attempts.pop(owner, None)
        return made

    async def distil_now(self, owner: int) -> Profile | None:
        """Distil a profile and return it, or None if there is nothing to store. Raise KeepsakeError on failure."""
        async with self._memory.open_store_if_enabled(owner) as store:
            waiting = await store.profiles.list_new_summaries(owner, MAX_SUMMARIES) if store is not None else []
        return await self._distil_profile(owner, waiting)

    async def _distil_profile(self, owner: int, summaries: Sequence[Summary]) -> Profile | None:
        async with self._memory.open_store_if_enabled(owner) as store:
            if store is None:
                return None
            before = await store.profiles.find_newest_profile(owner)
            # What a member of a group asks for holds for that member's turns; the profile is read in everybody's.
            facts = await store.facts.list_all_facts(owner)
        known = [fact for fact in facts if fact.is_valid and fact.applies_to(EVERYBODY)]
        # What lasts comes first, newest first; what happened once yields where there is no room.
        known.sort(key=lambda fact: (not fact.is_pinned, fact.kind == "event", -fact.importance, -fact.id))
        if not known and not summaries:
            return None
        # Of a summary and the version that replaced it, the later one says everything.
        bases = {summary.base_id for summary in summaries}
        newest = [summary for summary in summaries if summary.id not in bases]
        known += [fact for fact in reversed(facts) if not fact.is_valid and (fact.decided_at or fact.superseded_by)]
        who, now = prompts.describe_owner(owner), self._clock()
        asked = self._requests.make_profile_request(before, newest, known, owner_description=who, now=now)
        if not asked.facts and not asked.summary_ids:  # each is too long for so small a prompt
            return None
        completion = await self._quota.complete(owner, self._model, asked.request, schema=PROFILE_SCHEMA)
        sections = parse_profile_sections(completion.text)
        faults: list[str] = []
        for text in sections.values() or [""]:
            faults += quality_gate.find_text_faults(text, asked.request[-1].content, text_tokens=0, source_tokens=0)
        if faults:
            log.info("a profile of %d is refused: %s", owner, "; ".join(faults))
            raise ModelBroken
        new = NewProfile(
            owner=owner,
            text=format_profile_text(sections, max_words=prompts.MAX_PROFILE_WORDS),
            model=self._model.name,
            base_id=before.id if before else None,
            facts=asked.facts,
            summary_ids=(*asked.summary_ids, *(summary.id for summary in summaries[-1:])),
            tokens_in=completion.usage.prompt,
            tokens_out=completion.usage.completion,
        )
        async with self._memory.open_store_if_enabled(owner) as store:
            made = await correct_and_store_profile(store, owner, new, clock=self._clock) if store is not None else None
        if made is not None:
            log.info("distilled version %d of the profile of %d", made.id, owner)
        return made


async def correct_and_store_profile(
    store: MemoryStore, owner: int, new_profile: NewProfile | None = None, *, clock: Clock, may_write: bool = True
) -> Profile | None:
    """Store a new profile, or the current one if `new_profile` is None, without the sentences that decisions overrule.

    Return the stored version or, if `may_write` is False, the current one. Store nothing and return None if nothing of
    `new_profile` remains, or nothing is overruled. Raise StaleFacts if a source was deleted. Retry after other changes.
    """
    for _ in range(MAX_ATTEMPTS):
        revision, profile = await store.facts.read_revision(owner), new_profile
        old = await store.profiles.find_newest_profile(owner) if new_profile is None else None
        if old is not None:
            profile = NewProfile(owner=owner, text=old.text, model=old.model, base_id=old.id, facts=(), summary_ids=())
        if profile is None:
            return None
        facts, erased = await store.facts.list_all_facts(owner), await store.facts.list_decisions(owner)
        text = await asyncio.to_thread(remove_overruled_sentences, profile.text, facts, erased)
        if text == (profile.text if new_profile is None else ""):
            return None
        if not may_write:
            return old
        with suppress(NewerFacts):
            return await store.profiles.store_profile(replace(profile, text=text), revision=revision, now=clock())
    raise NewerFacts


def format_profile_text(sections: Mapping[str, str], *, max_words: int) -> str:
    """Format each section of a profile as a line, without its name. Cut the text after `max_words` words."""
    parts, left = [], max_words
    for text in sections.values():
        words = text.split()[: max(0, left)]
        parts += [" ".join(words)] if words else []
        left -= len(words)
    return "\n".join(parts)
