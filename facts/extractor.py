"""Extract facts with a model: repair its answers, ask for less after failures, and verify what it returns."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import TypeVar

from attrs import define, field
from cachetools import LRUCache

from facts import schemas, verification
from facts.compounds import split_fact
from facts.requests import ExtractionRequest, Request, RequestBuilder
from llm import prompts
from llm.chat_model import ChatModel
from llm.quota import Quota
from records.errors import (
    ContextTooLong,
    ModelBroken,
    ModelDeclined,
    ModelError,
    QuotaExceeded,
    ServedElsewhere,
    StaleFacts,
    StorageError,
)
from records.facts import Fact, NewFact
from records.messages import Message
from records.scopes import Clock, Scope
from text.characters import cut_out_middle

log = logging.getLogger(__name__)

T = TypeVar("T")
Source = tuple[Scope, bool]  # a scope, and True for its imported messages or False for those written here
MAX_SOURCES = 1_000  # sources whose failures are kept; any other is tried at once
MAX_ATTEMPTS = 3  # after which messages that the model cannot answer are skipped
MIN_REQUESTS_LEFT = 4  # requests that the rest of the day's tokens must pay for; answers and summaries go first
MAX_CHECKED_CHARS = 8_000  # of a message, as the patterns for words of change take seconds for a hundred thousand
MIN_TRIALS = 8  # turns that are asked about again until it is known if this model finds more in single turns
FIRST_PAUSE = timedelta(minutes=1)
MAX_PAUSE = timedelta(hours=1)


class Backoff:
    """Delays retries after failures to learn from a source. The delay doubles with each failure."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = LRUCache[Source, tuple[int, datetime]](MAX_SOURCES)  # attempts, and when to try again

    def get_failure_count(self, source: Source) -> int:
        """Return the number of consecutive failures to learn from a source."""
        return self._failures[source][0] if source in self._failures else 0

    async def run_if_due(self, source: Source, work: Callable[[], Awaitable[T]]) -> T | None:
        """Run `work` and return its result, or None if it fails or a retry is not due yet."""
        if source in self._failures and self._clock() < self._failures[source][1]:
            return None
        try:
            result = await work()
        except StaleFacts:
            log.info("the messages of %s changed while facts were learned from them: they are read again", source[0])
        except ServedElsewhere:
            log.info("facts of %s are learned by another process now", source[0])
        except (StorageError, ModelError) as error:
            # Running out of the day's tokens is no failure of these messages.
            attempts = 1 if isinstance(error, QuotaExceeded) else self.get_failure_count(source) + 1
            pause = min(FIRST_PAUSE * 2 ** min(attempts - 1, 10), MAX_PAUSE)  # more would overflow after two days
            self._failures[source] = attempts, self._clock() + pause
            log.warning("no facts learned from %s yet (attempt %d): %s", source[0], attempts, type(error).__name__)
        else:
            self._failures.pop(source, None)
            return result
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Turns to learn from, and the known facts, read from the same snapshot of the store."""

    scope: Scope
    request: ExtractionRequest | None  # None if there is nothing to learn
    known: tuple[Fact, ...]  # valid facts, and those that the owner decided on
    learned: int  # the id of the last message that was learned from before
    until: int  # the id of the last message of this batch
    zone: tzinfo
    is_last: bool  # True if no further turns wait
    from_history: bool = False  # True if the messages were imported


@define(kw_only=True, eq=False)
class FactExtractor:
    """Extracts facts from turns with a model, within the owner's daily quota."""

    _model: ChatModel
    _requests: RequestBuilder
    _quota: Quota
    _has_rejected: bool = field(default=False, init=False)
    _trials: int = field(default=0, init=False)  # turns that were asked about again, each by itself
    _gains: int = field(default=0, init=False)  # of these, the turns in which a fact was found then

    async def extract(self, batch: Batch, request: ExtractionRequest, *, failure_count: int) -> list[NewFact]:
        """Return the verified facts of the turns in a request. Raise ModelError if the model fails.

        If the answer is not a list of facts, or every fact in it is rejected, ask about each turn separately, because
        small models find more in fewer lines. Once any fact has been rejected, also ask again about turns without one,
        until MIN_TRIALS turns show if that helps. If the model fails after it has returned a list, or in the last
        attempt, skip the turns that it was asked about.
        """
        facts: list[NewFact] = []
        waiting, is_answered, is_optional = [request], False, False
        while waiting:
            asked, extracted = waiting.pop(0), None
            try:
                answer = await self._ask_model(batch.scope.owner, asked.request)
                extracted = schemas.parse_facts(answer)
                if extracted is None and asked is request:
                    repair = self._requests.make_repair_request(request, answer)
                    extracted = schemas.parse_facts(await self._ask_model(batch.scope.owner, repair))
            except (ModelBroken, ModelDeclined, ContextTooLong):
                if not is_answered and failure_count + 1 < MAX_ATTEMPTS:
                    raise
            except ModelError as error:
                if not (is_optional or (is_answered and isinstance(error, QuotaExceeded))):
                    raise
                break  # what was found is kept, and says nothing about single turns
            is_answered = is_answered or (asked is request and extracted is not None)
            valid, has_rejected = await asyncio.to_thread(self._make_valid_facts, batch, asked, extracted or ())
            facts += valid
            self._has_rejected = self._has_rejected or has_rejected
            if asked is not request:
                self._trials, self._gains = self._trials + 1, self._gains + bool(valid)
            elif len(request.turns) > 1 and (extracted is None or (extracted and self._has_rejected)):
                used = {id_ for fact in valid for id_ in fact.source_ids}
                silent = [turn for turn in request.turns if used.isdisjoint(message.id for message in turn)]
                is_optional = bool(valid)
                if not valid or self._trials < MIN_TRIALS:
                    waiting = [self._make_turn_request(batch, turn) for turn in silent]
            if extracted is None and len(asked.turns) < 2:
                log.info("the model gave no usable facts for %s: a turn is skipped", batch.scope)
        return sorted(facts, key=lambda fact: fact.observed_at)  # so that what ended later ends what is found later

    @property
    def asks_about_single_turns(self) -> bool:
        """True if MIN_TRIALS turns were asked about again one by one, and at least a quarter of them yielded facts."""
        return self._trials >= MIN_TRIALS and 4 * self._gains >= self._trials

    def _make_turn_request(self, batch: Batch, turn: Sequence[Message]) -> ExtractionRequest:
        who = prompts.describe_owner(batch.scope.owner)
        return self._requests.make_extraction_request([turn], batch.known, owner_description=who, zone=batch.zone)

    def _make_valid_facts(
        self, batch: Batch, request: ExtractionRequest, extracted_facts: Sequence[schemas.ExtractedFact]
    ) -> tuple[list[NewFact], bool]:
        """Return the valid facts, and True if others were rejected."""
        shown = {fact.id: fact for fact in request.shown}
        messages = [replace(m, content=cut_out_middle(m.content, MAX_CHECKED_CHARS)) for m in request.messages]
        speakers = [prompts.get_speaker_name(message) for message in messages]
        single = [part for fact in extracted_facts for part in split_fact(fact, " ".join(speakers))]
        kept = []
        for versions in schemas.make_fact_versions(single, messages, known_ids=shown, zone=batch.zone):
            faults = list[str]()
            for version in versions:
                [speaker] = {message.speaker for message in messages if message.id in version.source_ids}
                fact = schemas.replace_vague_text(version, speaker)
                named = [shown[number].text for number in fact.known[:1]]  # it goes if that one is forgotten
                faults = verification.find_fact_faults(
                    fact,
                    messages,
                    allowed_texts=[*speakers, *named],
                    zone=batch.zone,
                    assistant_text=request.assistant_text,
                )
                if not faults:
                    kept.append(verification.remove_unsupported_start_date(fact, messages, zone=batch.zone))
                    break
            if faults:
                log.info("a fact about %s is refused: %s", batch.scope, "; ".join(faults))
        return kept, len(kept) < len(single)

    async def _ask_model(self, owner: int, request: Request) -> str:
        room = await self._quota.count_tokens_left(owner)
        if room is not None and room < MIN_REQUESTS_LEFT * self._requests.count_prompt_tokens(request):
            raise QuotaExceeded
        return (await self._quota.complete(owner, self._model, request, schema=schemas.FACTS_SCHEMA)).text
