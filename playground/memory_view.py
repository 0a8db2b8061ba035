"""The memory of one scope as the panel shows it. Reads only; does not know the page."""

from chat.services import Services
from locales.catalog import tr
from locales.told import reason
from playground.panel import (
    FACTS_SHOWN,
    MESSAGES_SHOWN,
    SUMMARIES_SHOWN,
    ContextAccount,
    ContextCut,
    ContextPart,
    ContextSnippet,
    FoldingState,
    MemoryPanel,
    OwnerState,
    PanelFact,
    PanelHistoryExtraction,
    PanelMessage,
    PanelProfile,
    PanelSummary,
    shortened,
)
from records.context import Context
from records.facts import Fact, Profile
from records.messages import Message
from records.owners import StorageType
from records.scopes import Scope
from records.status import Status
from records.summaries import Summary

STORAGE_NAMES = {StorageType.SQLITE: "SQLite", StorageType.JSON: "JSON", StorageType.POSTGRES: "PostgreSQL"}


async def memory_panel(services: Services, owner: int, thread: int) -> MemoryPanel:
    """What is remembered in a scope at this moment, and what its last answer was made from."""
    scope = await services.memory.conversation(Scope(owner=owner, thread=thread))
    status = await services.summaries.status(scope)
    async with services.memory.home(owner) as store:
        messages = await store.page(scope, limit=MESSAGES_SHOWN)
        summaries = await store.summaries(scope, active_only=False)
        facts = await store.facts.all(owner)
        profiles = await store.profiles.versions(owner)
        learned = await store.history_extraction.learned(scope)
    first = sorted(summaries, key=lambda one: (not one.is_active, -one.level, -one.id))[:SUMMARIES_SHOWN]
    context = services.conversation.last_context(scope)
    return MemoryPanel(
        owner=_owner(status),
        messages=tuple(_message(message) for message in messages),
        summaries=tuple(_summary(summary) for summary in sorted(first, key=lambda one: one.id)),
        summaries_total=len(summaries),
        facts=tuple(_fact(fact) for fact in facts[::-1][:FACTS_SHOWN]),
        profiles=tuple(_profile(profile) for profile in profiles),
        history_extraction=_history_extraction(status.history_extraction, learned),
        context=_account(context) if context else None,
        folding=_folding(status),
    )


def _owner(status: Status) -> OwnerState:
    config = status.config
    return OwnerState(
        enabled=bool(config and config.enabled),
        storage=STORAGE_NAMES[config.storage] if config else "",
        every_n=config.every_n if config else 0,
        total=status.counts.total,
        archived=status.counts.archived,
        unfolded_turns=status.counts.active_turns,
    )


def _message(message: Message) -> PanelMessage:
    return PanelMessage(
        id=message.id,
        role=message.role,
        speaker=message.speaker,
        text=shortened(message.content),
        created_at=message.created_at,
        chunk_id=message.chunk_id,
    )


def _summary(summary: Summary) -> PanelSummary:
    return PanelSummary(
        id=summary.id,
        level=summary.level,
        text=summary.text,
        first=summary.first_at,
        last=summary.last_at,
        count=summary.message_count,
        active=summary.is_active,
        chunk_ids=summary.source_chunk_ids,
        source_ids=summary.source_ids,
        created_at=summary.created_at,
        base_id=summary.base_id,
        policy=summary.policy,
        reason=summary.reason,
        score=summary.score,
        details=summary.details,
        model=summary.model,
        milliseconds=summary.milliseconds,
        tokens_in=summary.tokens_in,
        tokens_out=summary.tokens_out,
        compressed=summary.times_compressed,
    )


def _fact(fact: Fact) -> PanelFact:
    return PanelFact(
        id=fact.id,
        text=fact.text,
        kind=fact.kind,
        since=fact.valid_from,
        until=fact.valid_to,
        superseded_by=fact.superseded_by,
        pinned=fact.is_pinned,
        deleted=fact.deleted_at is not None,
        origin=fact.origin,
        importance=fact.importance,
        source_ids=fact.source_ids,
    )


def _profile(profile: Profile) -> PanelProfile:
    return PanelProfile(id=profile.id, text=profile.text, created_at=profile.created_at, model=profile.model)


def _history_extraction(
    running: tuple[int, int] | None, learned: tuple[int, int] | None
) -> PanelHistoryExtraction | None:
    if running is not None:
        return PanelHistoryExtraction(state="running", read=running[0], total=running[1])
    if learned is None:
        return None
    read, total = learned
    return PanelHistoryExtraction(state="done" if read == total else "partly", read=read, total=total)


def _account(context: Context) -> ContextAccount:
    return ContextAccount(
        ceiling=context.ceiling,
        parts=tuple(
            ContextPart(name=tr(f"why-part-{part.name}"), tokens=part.tokens, budget=part.budget or None)
            for part in context.parts
        ),
        total=context.tokens,
        cut=tuple(
            ContextCut(what=tr(f"page-cut-{cut.what}"), first=cut.first_id, last=cut.last_id) for cut in context.cut
        ),
        snippets=tuple(
            ContextSnippet(
                message_id=snippet.message.id,
                date=snippet.message.created_at,
                speaker=snippet.message.speaker or snippet.message.role,
                text=shortened(snippet.text),
                why=reason(snippet.score),
            )
            for snippet in context.snippets
        ),
    )


def _folding(status: Status) -> FoldingState | None:
    if status.is_folding:
        return FoldingState(state="processing", reason="")
    if status.failure:
        return FoldingState(state="failed", reason=status.failure.reason, error=status.failure.error)
    return None
