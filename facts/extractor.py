"""Extract facts with a model: repair its answers, ask for less after failures, and verify what it returns."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import TypeVar

from attrs import define, field
from cachetools import LRUCache, TTLCache

from facts import kinds, schemas, verification
from facts.compounds import is_clause_before_wish, split_compound_fact
from facts.own_words import remove_code_and_block_quotes
from facts.requests import ExtractionRequest, RequestBuilder
from llm import prompts
from llm.chat_model import ChatModel
from llm.ladder import REMEMBERED_SECONDS
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
from records.model_calls import Prompt, Schema
from records.scopes import Clock, Scope
from text.characters import cut_out_middle
from text.fingerprint import describes_change

log = logging.getLogger(__name__)

T = TypeVar("T")
FactSource = tuple[Scope, bool]  # a scope, and True for its imported messages or False for those written here
MAX_SOURCES = 1_000  # sources whose failures are kept; any other is tried at once
MAX_ATTEMPTS = 3  # after which messages that the model cannot answer are skipped
MIN_REQUESTS_LEFT = 4  # requests that the rest of the day's tokens must pay for; answers and summaries go first
MAX_CHECKED_CHARS = 8_000  # of a message, as the patterns for words of change take seconds for a hundred thousand
MIN_LINES = 60  # lines to classify before judging whether this model extracts facts where there are none
MIN_TRIALS = 8  # turns to ask about again before judging whether this model finds more in single turns
FIRST_PAUSE = timedelta(minutes=1)
MAX_PAUSE = timedelta(hours=1)


class Backoff:
    """Delays retries after failures to learn from a source. The delay doubles with each failure."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = LRUCache[FactSource, tuple[int, datetime]](MAX_SOURCES)  # attempts, and when to try again

    def get_failure_count(self, source: FactSource) -> int:
        return self._failures[source][0] if source in self._failures else 0

    async def run_if_due(self, source: FactSource, work: Callable[[], Awaitable[T]]) -> T | None:
        """Run `work` and return its result, or None if it fails or a retry is not due yet."""
        if source in self._failures and self._clock() < self._failures[source][1]:
            return None
        try:
            result = await work()
        except (StaleFacts, ServedElsewhere) as error:  # the messages changed, or another process learns from them now
            log.info("facts of %s are learned later: %s", source[0], type(error).__name__)
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
    # For the newest turns that were asked about again by themselves, True if a fact was found then.
    _trials: TTLCache[object, bool] = field(factory=partial(TTLCache, 9 * MIN_TRIALS, REMEMBERED_SECONDS), init=False)
    # The kinds of the newest lines that were asked about, "" for an answer that is none.
    _kinds: TTLCache[object, str] = field(factory=partial(TTLCache, 9 * MIN_LINES, REMEMBERED_SECONDS), init=False)

    async def extract(self, batch: Batch, request: ExtractionRequest, *, failure_count: int) -> list[NewFact]:
        """Return the verified facts of the turns in a request. Raise ModelError if the model fails.

        If the answer is not a list of facts, or every fact in it is rejected, ask about each turn separately, because
        small models find more in fewer lines, and about a single one without learned facts, which they repeat. After a
        rejected fact, also ask again about the first MIN_TRIALS turns without facts, and any that tells of a change.
        Skip turns if the last attempt, or one after a list, fails.
        """
        can_skip = failure_count + 1 >= MAX_ATTEMPTS
        extracted, valid = await self._ask_for_all_and_valid_facts(batch, request, can_skip=can_skip)
        facts, is_list = [*valid], extracted is not None
        used = {id_ for fact in valid for id_ in fact.source_ids}
        silent = [turn for turn in request.turns if used.isdisjoint(message.id for message in turn)]
        if valid and len(self._trials) >= MIN_TRIALS:
            silent = [turn for turn in silent if any(m.is_user and describes_change(m.content) for m in turn)]
        has_bad_answer = not is_list or (extracted and self._has_rejected)
        who = prompts.describe_owner(batch.scope.owner)
        make_request = partial(self._requests.make_extraction_request, owner_description=who, zone=batch.zone)
        has_several = len(request.turns) > 1
        known = [fact for fact in batch.known if has_several or fact.decided_at]
        ask_again = partial(self._ask_for_all_and_valid_facts, batch, can_skip=is_list or can_skip, is_last=True)
        try:
            for turn in silent if has_bad_answer and (has_several or (extracted and request.shown)) else ():
                _, found = await ask_again(make_request([turn], known))
                if has_several:
                    self._trials[object()] = bool(found)
                facts += found
        except ModelError as error:  # it says nothing about single turns, and what was found before is kept
            if not (valid or (is_list and isinstance(error, QuotaExceeded))):
                raise
        facts = await self._filter_facts(request, facts, owner=batch.scope.owner)
        return sorted(facts, key=lambda fact: fact.observed_at)  # so that what ended later ends what is found later

    async def _ask_for_all_and_valid_facts(
        self, batch: Batch, request: ExtractionRequest, *, can_skip: bool, is_last: bool = False
    ) -> tuple[list[schemas.ExtractedFact] | None, list[NewFact]]:
        """Return the extracted and the valid facts, or (None, []) for a bad answer or, if `can_skip`, an error.

        If `is_last`, do not ask for a repair, and keep what the model tells wrongly as the person said it.
        """
        extracted = None
        try:
            answer = await self._ask_model(batch.scope.owner, request.request)
            extracted = schemas.parse_facts(answer)
            if extracted is None and not is_last:
                repair = self._requests.make_repair_request(request, answer)
                extracted = schemas.parse_facts(await self._ask_model(batch.scope.owner, repair))
        except (ModelBroken, ModelDeclined, ContextTooLong):
            if not can_skip:
                raise
        if extracted is None and len(request.turns) < 2:
            log.info("the model gave no usable facts for %s: a turn is skipped", batch.scope)
        return extracted, await asyncio.to_thread(self._make_valid_facts, batch, request, extracted or (), is_last)

    async def _filter_facts(self, request: ExtractionRequest, facts: Sequence[NewFact], *, owner: int) -> list[NewFact]:
        """Drop facts from questions or empty talk, and reword wishes and doubts in the person's own words.

        Small models recognise most of them if asked about one line at a time. Without an answer, keep the fact. Any
        model is asked about a fact to which it gave no type, and about words behind a colon: "Translate: I'm in Rome"
        is a request, "News: I'm in Rome" is none.
        """
        speakers = {message.id: prompts.get_speaker_name(message) for turn in request.turns for message in turn}
        found = dict[int, str]()
        with suppress(ModelError):
            for number, fact in enumerate(facts):
                is_unclear = not (fact.is_typed or fact.is_uncertain or fact.is_in_question)
                is_needed = fact.is_introduced or is_unclear
                is_asked = is_needed or not fact.is_uncertain or fact.kind == "instruction"
                ask = partial(self._ask_for_kind_of_line, owner, is_needed=is_needed)
                kind = await ask(fact.line) if is_asked else ""
                # "I live in Tula, how warm is it there"; a wish, or its end, looks like a fact without "I would love".
                is_part = kind in kinds.NO_FACTS or (kind == "wish" and is_clause_before_wish(fact.quote, fact.line))
                if is_part and fact.quote != fact.line and not fact.is_introduced:
                    kind = await ask(fact.quote)
                found[number] = kind
        checked = (
            kinds.rewrite_or_drop_fact_by_kind(fact, found.get(number, ""), speakers[fact.source_ids[0]])
            for number, fact in enumerate(facts)
        )
        return [fact for fact in checked if fact is not None]

    async def _ask_for_kind_of_line(self, owner: int, line: str, *, is_needed: bool) -> str:
        """Ask the model for the kind of a line. Return "" if it gives no usable answer or should not be asked.

        If `is_needed`, ask unless an answer was unusable within a day.
        """
        is_asked = "" not in self._kinds.values() if is_needed else self.count_lines_to_classify(1) > 0
        if not is_asked:
            return ""
        asked = kinds.make_kind_request(line)
        if not self._requests.fits_window(asked, kinds.KIND_SCHEMA):
            return ""
        kind = self._kinds[object()] = kinds.parse_kind_of_line(await self._ask_model(owner, asked, kinds.KIND_SCHEMA))
        return kind

    def count_lines_to_classify(self, max_lines: int) -> int:
        """Return how many of the next `max_lines` lines the model should be asked about, judging by its past answers.

        Ask only if one of the model's facts was rejected. After MIN_LINES lines, stop if fewer than a tenth of them
        were wishes, doubts, questions or empty talk. After an unusable answer, do not ask for a day.
        """
        found = [*self._kinds.values()]
        if not self._has_rejected or "" in found:
            return 0
        is_useful = 10 * sum(kind in kinds.NOT_SO for kind in found) >= max(len(found), MIN_LINES)
        return max_lines if is_useful else min(max_lines, max(0, MIN_LINES - len(found)))

    def choose_turns_per_request(self, max_turns: int) -> int:
        """Return 1 if asking about single turns has often yielded facts that were missed, or else `max_turns`."""
        gains = list(self._trials.values())
        return 1 if len(gains) >= MIN_TRIALS and 4 * sum(gains) >= len(gains) else max_turns

    def _make_valid_facts(
        self, batch: Batch, request: ExtractionRequest, extracted_facts: Sequence[schemas.ExtractedFact], is_last: bool
    ) -> list[NewFact]:
        """Return the valid facts, and record whether any was rejected. If `is_last`, tell those as they were said."""
        shown = {fact.id: fact for fact in request.shown}
        own = ((message, remove_code_and_block_quotes(message.content)) for message in request.messages)
        messages = [replace(message, content=cut_out_middle(text, MAX_CHECKED_CHARS)) for message, text in own]
        speakers = [prompts.get_speaker_name(message) for message in messages]
        single = [part for fact in extracted_facts for part in split_compound_fact(fact, " ".join(speakers))]
        by_id = {message.id: message for message in messages}
        kept, rejected = [], []
        for versions in schemas.iterate_candidates_for_each_fact(single, messages, known_ids=shown, zone=batch.zone):
            faults = list[str]()
            for version in versions:
                source = by_id[version.source_ids[0]]
                fact = schemas.replace_vague_text_with_quote(version, source.speaker, is_model_weak=self._has_rejected)
                named = [shown[number].text for number in fact.known[:1]]  # it goes if that one is forgotten
                allowed = [*speakers, *named]
                faults = verification.find_fact_faults(fact, source, allowed_texts=allowed, zone=batch.zone)
                if not faults:
                    kept.append(fact)
                    break
            if faults:
                log.info("a fact about %s is refused: %s", batch.scope, "; ".join(faults))
                rejected.append(schemas.tell_as_said(versions[0], by_id[versions[0].source_ids[0]].speaker))
        self._has_rejected = self._has_rejected or len(kept) < len(single)
        # They are true, but say nothing about other facts: the model's key may belong to what it invented.
        return [*kept, *(replace(fact, subject="", only_one=False, known=()) for fact in rejected if is_last)]

    async def _ask_model(self, owner: int, request: Prompt, schema: Schema = schemas.FACTS_SCHEMA) -> str:
        room = await self._quota.count_tokens_left_if_limited(owner)
        if room is not None and room < MIN_REQUESTS_LEFT * self._requests.count_prompt_tokens(request):
            raise QuotaExceeded
        return (await self._quota.complete(owner, self._model, request, schema=schema)).text
