"""Generate the text of a summary, in parts if the source is long, and retry with smaller parts after a refusal."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from itertools import pairwise
from typing import Literal

from attrs import define

from llm import prompts, quoting
from llm.chat_model import ChatModel
from llm.quota import Quota
from locales.catalog import tr
from records.errors import ContextTooLong, KeepsakeError, ModelDeclined, ModelError, QuotaExceeded, SummaryRejected
from records.facts import Decision, Fact
from records.messages import NEVER_RECALLED, OTHERS, Message, limit_document_passages
from records.model_calls import Completion, Prompt, PromptMessage, Usage
from records.owners import OwnerConfig
from records.summaries import NewSummary, Summary, count_compressions_of_next_summary
from storage.tables.decisions import remove_overruled_sentences
from summaries import quality_gate, quality_score
from summaries.quality_score import Source, SummaryScore, score_summary
from text.analyzer import list_search_terms
from text.characters import find_sentence_ends
from text.fingerprint import list_essential_words
from text.tokenizer import Tokenizer

log = logging.getLogger(__name__)

Ask = Callable[[Prompt], Awaitable[Completion]]  # asks a model, and may raise ModelError
AskForText = Callable[[Prompt], Awaitable[str]]
MAX_COMPARED_CHARS = 20_000  # of a message, for its words and details
MAX_SUPERSEDED = 50  # outdated facts in one request
MAX_DETAIL_CHARS = 60  # of a name or number that the second attempt is reminded of
DELETED = " (deleted)"  # ends the line of a fact that a person has deleted
MIN_SOURCE_TOKENS = 32  # of one request, however small the window is


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryInput:
    """The sources from which a summary is generated, and the requirements for its text."""

    lines: Sequence[Source]  # messages, or lower summaries if `of_summaries`
    limit: int  # tokens of the text
    of_summaries: bool = False
    prior: Sequence[Source] = ()  # the summaries to continue
    dropped: Sequence[Source] = ()  # messages that the new text must not mention
    window: Sequence[Source] = ()  # all messages to cover, if any are dropped
    superseded: Sequence[str] = ()  # facts of this time that no longer hold
    missing: Sequence[str] = ()  # details that the last attempt lacked
    wishes: str = ""  # the owner's instructions
    # How often the oldest detail was compressed. It does not affect the text, and is not part of its digest.
    compressed: int = field(default=1, repr=False)
    facts: Sequence[Fact] = field(default=(), repr=False)  # of the owner
    erased_fact_decisions: Sequence[Decision] = ()
    first_at: datetime = field(default=datetime.min.replace(tzinfo=UTC), repr=False)  # the time of the first source

    @property
    def new_sources(self) -> Sequence[Source]:
        """The sources whose content may appear in the summary."""
        return self.window or [*self.prior, *self.lines]

    def without_prior_summaries(self) -> "SummaryInput":
        """Return a copy without prior summaries, which may mention dropped messages, or self if none were dropped."""
        return replace(self, lines=self.window, prior=(), dropped=(), window=()) if self.dropped else self


class Summarizer:
    """Generates summaries, with no request longer than the model's context window."""

    def __init__(self, tokenizer: Tokenizer, get_window: Callable[[], int]) -> None:
        self._tokens = tokenizer
        self._get_window = get_window

    async def summarize(self, inputs: SummaryInput, ask: Ask, *, model: str) -> NewSummary:
        """Return a summary that passed the quality gate. Raise SummaryRejected after two failed attempts."""
        started, spent, faults = time.monotonic(), list[Usage](), list[str]()

        async def ask_for_text(prompt: Prompt) -> str:
            completion = await ask(prompt)
            spent.append(completion.usage)
            return completion.text.strip()

        wishes = self._tokens.truncate_to_fit_when_rendered(inputs.wishes, self._get_window() // 5, quoting.quote_text)
        inputs = replace(
            inputs, wishes=wishes, superseded=self._select_last_superseded_facts_that_fit(inputs.superseded)
        )
        for attempt in (inputs, inputs.without_prior_summaries()):
            try:
                text = await self._generate_text_retrying_in_smaller_parts(attempt, ask_for_text, faults)
            except ModelDeclined:
                if faults:
                    raise
                faults = ["it was a refusal"]
                continue
            text = await asyncio.to_thread(self._clean_up_and_shorten, text, inputs)
            faults, judged = await asyncio.to_thread(self._find_faults_and_score, text, attempt)
            if not faults and judged is not None and attempt is inputs:
                text, judged = await self._add_missing_details_if_better(text, judged, attempt, ask_for_text)
            if not faults:
                return NewSummary(
                    text=text,
                    model=model,
                    prompt_version=prompts.FOLD_VERSION,
                    tokens_in=sum(usage.prompt for usage in spent),
                    tokens_out=sum(usage.completion for usage in spent),
                    milliseconds=round((time.monotonic() - started) * 1000),
                    score=judged.total if judged else None,
                    details={**(judged.parts if judged else {}), "compressed": float(inputs.compressed)},
                )
        log.info("a summary was refused: %s", "; ".join(faults))
        raise SummaryRejected(f"The summary was refused: {'; '.join(faults)}.")

    async def _add_missing_details_if_better(
        self, text: str, score: SummaryScore, inputs: SummaryInput, ask: AskForText
    ) -> tuple[str, SummaryScore]:
        """Ask for missing names and numbers. Return the new text if it scores higher, or else the old one."""
        told = inputs.new_sources
        if inputs.of_summaries:
            told = [replace(source, is_user=True) for source in told]
        known = "\n".join([text, *(line for line in inputs.superseded if line.endswith(DELETED))])
        missing = await asyncio.to_thread(quality_score.list_source_details_missing_from_text, known, told)
        if not missing:
            return text, score
        completed = replace(inputs, missing=[detail[:MAX_DETAIL_CHARS] for detail in missing])
        try:
            again = await self._generate_text_retrying_in_smaller_parts(completed, ask, ())
        except ModelError as error:
            log.info("a summary stays as it is, without what it left out: %s", type(error).__name__)
            return text, score
        again = await asyncio.to_thread(self._clean_up_and_shorten, again, inputs)
        faults, other = await asyncio.to_thread(self._find_faults_and_score, again, inputs)
        return (again, other) if not faults and other and other.total > score.total else (text, score)

    def _clean_up_and_shorten(self, text: str, inputs: SummaryInput) -> str:
        lines = [source.text for source in inputs.new_sources]
        own = quoting.remove_prompt_tags(_remove_outdated_facts(text, inputs), lines)
        own = quality_gate.remove_copied_headings(own, lines)
        kept = quality_score.shorten_summary(own, inputs.limit, count_tokens=self._tokens.count)
        return self._tokens.truncate(kept, inputs.limit)

    def _select_last_superseded_facts_that_fit(self, superseded_facts: Sequence[str]) -> Sequence[str]:
        superseded_facts, room = superseded_facts[-MAX_SUPERSEDED:], self._get_window() // 5
        for number in range(len(superseded_facts) - 1, -1, -1):
            room -= self._tokens.count(superseded_facts[number]) + 1
            if room < 0:
                return superseded_facts[number + 1 :]
        return superseded_facts

    def _find_faults_and_score(self, text: str, inputs: SummaryInput) -> tuple[list[str], SummaryScore | None]:
        """Return a text's faults and score. This is slow for long sources, so run it in a thread."""
        known = [*inputs.prior, *inputs.window] if inputs.window else inputs.new_sources
        tokens, source_tokens = self._tokens.count(text), self._tokens.count("\n".join(source.text for source in known))
        lines = [quality_gate.parse_source_line(source.text) for source in known]
        words = "\n".join(line.words for line in lines)
        days = sorted({day for line in lines for day in line.days})
        faults = quality_gate.find_text_faults(
            text, words, text_tokens=tokens, source_tokens=source_tokens, source_dates=days
        )
        if not inputs.wishes and quality_gate.is_in_another_language(text, words):
            faults.append("it is in another language than the talk")
        if not faults and inputs.dropped and _mentions_dropped_text(text, inputs.dropped, inputs.window):
            faults = ["it tells of what was to be dropped"]
        if faults:
            return faults, None
        told = inputs.new_sources
        size = source_tokens if not inputs.window else sum(self._tokens.count(source.text) for source in told)
        return [], score_summary(text, told, tokens=tokens, source_tokens=size)

    async def _generate_text_retrying_in_smaller_parts(
        self, inputs: SummaryInput, ask: AskForText, previous_faults: Sequence[str]
    ) -> str:
        """Generate the text. If the model rejects a request as too long, retry with smaller parts."""
        while True:
            window = self._get_window()
            try:
                return await self._generate_text(inputs, ask, previous_faults)
            except ContextTooLong:
                if self._get_window() >= window:
                    raise

    async def _generate_text(self, inputs: SummaryInput, ask: AskForText, previous_faults: Sequence[str]) -> str:
        """Generate the text in one request if the input fits, or else in parts. Tokens are counted in threads."""
        if request := await asyncio.to_thread(self._make_prompt_if_it_fits, inputs, previous_faults):
            return await ask(request)
        if inputs.dropped:
            return await self._generate_text(inputs.without_prior_summaries(), ask, previous_faults)
        if inputs.prior:
            said = await self._generate_text(replace(inputs, prior=()), ask, ())
            below = [*inputs.prior, Source(text=_format_bullet(said), is_user=False)]
            return await self._generate_text(
                replace(inputs, lines=below, prior=(), of_summaries=True), ask, previous_faults
            )
        parts = await asyncio.to_thread(self._split_into_prompts, inputs, previous_faults)
        texts = [text for part in parts if (text := await ask(part))]
        if len(texts) < 2:
            return texts[0] if texts else ""
        # Two texts fit one request, so each round leaves fewer, however long the model's texts are.
        of_texts = replace(inputs, lines=(), of_summaries=True)
        below = await asyncio.to_thread(
            self._make_bullet_sources, texts, self._count_tokens_left_for_sources(of_texts, previous_faults) // 2 - 1
        )
        return await self._generate_text(replace(of_texts, lines=below), ask, previous_faults)

    def _make_prompt_if_it_fits(
        self, inputs: SummaryInput, previous_faults: Sequence[str]
    ) -> list[PromptMessage] | None:
        request = self._make_prompt(inputs, previous_faults)
        return request if self._tokens.count_request_tokens(request) <= self._get_window() else None

    def _make_bullet_sources(self, texts: Sequence[str], max_tokens: int) -> list[Source]:
        return [
            Source(
                text=_format_bullet(self._tokens.truncate_to_fit_when_rendered(text, max_tokens, _format_bullet)),
                is_user=False,
            )
            for text in texts
        ]

    def _split_into_prompts(self, inputs: SummaryInput, previous_faults: Sequence[str]) -> list[list[PromptMessage]]:
        """Return prompts that each fit the context window and together contain all lines. Split overlong lines."""
        room = self._count_tokens_left_for_sources(inputs, previous_faults)
        pieces = [
            Source(text=piece, is_user=line.is_user)
            for line in inputs.lines
            for piece in self._tokens.split(line.text, room)
        ]
        groups: list[list[Source]] = [[]]
        used = 0
        for piece in pieces:
            size = self._tokens.count(piece.text) + 1
            if groups[-1] and used + size > room:
                groups.append([])
                used = 0
            groups[-1].append(piece)
            used += size
        return [self._make_prompt(replace(inputs, lines=group), previous_faults) for group in groups]

    def _make_prompt(self, inputs: SummaryInput, previous_faults: Sequence[str]) -> list[PromptMessage]:
        of: Literal["summaries", "conversation"] = "summaries" if inputs.of_summaries else "conversation"
        kind: prompts.FoldKind = of
        # Small models answer the last block: one gave back the superseded facts alone.
        blocks: list[tuple[quoting.BlockName, Sequence[str]]] = [
            ("superseded", inputs.superseded),
            ("missing", [_format_bullet(detail) for detail in inputs.missing]),
        ]
        if inputs.prior:
            kind = "sliding" if inputs.dropped else "rolling"
            blocks.append(("summaries", [line.text for line in inputs.prior]))
        blocks += [(of, [line.text for line in inputs.lines]), ("dropped", [line.text for line in inputs.dropped])]
        carried = [(name, lines) for name, lines in blocks if lines or name == of]
        names = [name for name, _ in carried]
        system = prompts.make_summary_instructions(
            kind, max_tokens=inputs.limit, blocks=names, wishes=inputs.wishes, faults=previous_faults
        )
        return [
            PromptMessage(role="system", content=system),
            PromptMessage(role="user", content="\n".join(quoting.format_block(*block) for block in carried)),
        ]

    def _count_tokens_left_for_sources(self, inputs: SummaryInput, previous_faults: Sequence[str]) -> int:
        frame = self._tokens.count_request_tokens(self._make_prompt(replace(inputs, lines=()), previous_faults))
        return max(MIN_SOURCE_TOKENS, self._get_window() - frame - 16)


@define(kw_only=True, eq=False)
class SummaryWriter:
    """Generates summaries within the owner's quota. `fallback` is used if the model fails or its text is rejected."""

    _summarizer: Summarizer
    _model: ChatModel
    _quota: Quota
    _fallback: ChatModel | None

    async def raise_if_quota_used_up(self, owner: int) -> None:
        await self._quota.raise_if_used_up(owner)

    async def summarize(self, owner: int, inputs: SummaryInput) -> NewSummary:
        """Return a summary that passed the quality gate. If it is the fallback's, only its own tokens are counted."""
        if not inputs.new_sources:
            return NewSummary(text=tr("summaries-all-declined"), model="", prompt_version=prompts.FOLD_VERSION)
        complete_within_quota = partial(self._quota.complete, owner, self._model)
        try:
            return await self._summarizer.summarize(inputs, complete_within_quota, model=self._model.name)
        except QuotaExceeded:
            raise
        except KeepsakeError as error:
            if self._fallback is None:
                raise
            log.warning("summary by %s: the model's failed with %s", self._fallback.name, type(error).__name__)
            return await self.summarize_with_model(self._fallback, inputs)

    async def summarize_with_model(self, model: ChatModel, inputs: SummaryInput) -> NewSummary:
        """Return a summary generated by `model`, without checking or using the owner's quota."""
        return await self._summarizer.summarize(inputs, model.complete, model=model.name)


def make_summary_input(
    config: OwnerConfig,
    messages: Sequence[Message],
    below: Sequence[Summary],
    *,
    facts: Sequence[Fact],
    erased: Sequence[Decision],
    limit: int,
) -> SummaryInput:
    """Return the input for a summary of messages that continues the summaries `below`, or of these summaries alone."""
    summaries = make_summary_sources(below, config.zone)
    moments = [message.created_at for message in messages]
    moments += [moment for summary in below for moment in (summary.first_at, summary.last_at)]
    return SummaryInput(
        lines=make_message_sources(messages, config.zone) if messages else summaries,
        of_summaries=not messages,
        prior=summaries if messages else (),
        superseded=format_superseded_facts(facts, min(moments), max(moments)),
        facts=facts,
        erased_fact_decisions=erased,
        first_at=min(moments),
        limit=limit,
        wishes=config.fold_instructions,
        compressed=count_compressions_of_next_summary(below),
    )


def make_message_sources(messages: Sequence[Message], zone: tzinfo = UTC) -> list[Source]:
    """Format messages as sources. Leave out declined messages and tool results."""
    said = [message for message in messages if message.origin != "declined"]
    told = [message for message in said if message.origin not in NEVER_RECALLED] or said
    return [
        Source(text=prompts.format_message(document, zone), is_user=document.is_user and document.origin not in OTHERS)
        for document in limit_document_passages(prompts.mark_corrected_messages(told))
    ]


def _remove_outdated_facts(text: str, inputs: SummaryInput) -> str:
    """Return a summary without the sentences that copy a superseded line word for word, or repeat a deleted fact.

    If nothing would be left, keep the deleted facts, because the conversation could otherwise never be summarised.
    """
    gone = {list_essential_words(line.removeprefix("- ").removesuffix(DELETED)) for line in inputs.superseded}
    sentences = [text[start:end] for start, end in pairwise([0, *find_sentence_ends(text), len(text)])]
    own = "".join(text for text in sentences if not gone or list_essential_words(text) not in gone).strip()
    return remove_decided_facts(own, inputs.facts, inputs.erased_fact_decisions, inputs.first_at) or own


def remove_decided_facts(text: str, facts: Sequence[Fact], erased: Sequence[Decision], first_at: datetime) -> str:
    """Return a summary without the sentences that repeat what was deleted or replaced by hand after `first_at`."""
    # What a later message has replaced may be told as what was so then.
    by_hand = [fact for fact in facts if (moment := fact.decided_at or fact.deleted_at) and moment >= first_at]
    known = [*by_hand, *(fact for fact in facts if fact.is_valid)]
    decisions = [decision for decision in erased if decision.decided_at >= first_at]
    return remove_overruled_sentences(text, known, decisions, max_topics_per_term=2)


def make_summary_sources(summaries: Sequence[Summary], zone: tzinfo) -> list[Source]:
    """Format summaries, with dates in `zone`, as the sources of a higher-level summary."""
    return [Source(text=prompts.format_summary(summary, zone), is_user=False) for summary in summaries]


def format_superseded_facts(facts: Sequence[Fact], first_at: datetime, last_at: datetime) -> list[str]:
    """Return a line for each superseded or deleted fact that was observed from `first_at` to `last_at`, oldest first.

    Leave out the facts that replaced them, and deleted facts that were typed by hand: no source has them.
    """
    said = [fact for fact in facts if fact.deleted_at is None or fact.origin != "owner"]
    outdated = [fact for fact in said if fact.deleted_at is not None or fact.superseded_by is not None]
    outdated.sort(key=lambda fact: (fact.observed_at, fact.id))
    return [
        f"{_format_bullet(fact.text)}{DELETED if fact.deleted_at else ''}"
        for fact in outdated
        if first_at <= fact.observed_at <= last_at
    ]


def _format_bullet(text: str) -> str:
    return f"- {quoting.quote_text(text)}"


def _mentions_dropped_text(text: str, dropped_sources: Sequence[Source], window_sources: Sequence[Source]) -> bool:
    gone = {term for source in dropped_sources for term in list_search_terms(source.text[:MAX_COMPARED_CHARS])}
    kept = {term for source in window_sources for term in list_search_terms(source.text[:MAX_COMPARED_CHARS])}
    return bool((gone - kept) & set(list_search_terms(text)))
