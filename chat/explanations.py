"""What an answer was made from: kept by the process where no store holds it, told again with the things themselves.

An account holds ids and figures (retrieval/account.py); here they become the messages, summaries and facts that they
name, as far as these are still there. Does not know how an answer is made, or how this is shown to people.
"""

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cachetools import LRUCache

from external_memory import ExternalMemory
from records.errors import StorageError
from records.facts import Fact, Profile
from records.messages import Message
from records.scopes import Scope
from records.summaries import Summary
from records.turns import Incoming
from retrieval.explanation import Chosen, ExplanationRecord, read
from storage.protocol import MemoryStore

log = logging.getLogger(__name__)

HELD = 20
"""Accounts of a scope that the process holds: those of answers that are in no store."""
SCOPES_HELD = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Brought:
    """An earlier message that was brought back; None where it has been forgotten since."""

    message: Message | None
    chosen: Chosen


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A fact that went along; None where it has been forgotten since."""

    fact: Fact | None
    chosen: Chosen


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """An account with the things that it names. `recent`: the first and the last of the messages that stood in the
    prompt word for word, and how many they were with those of this process; `looked_up`: what the model searched for
    by itself, None where it has been forgotten since; `is_stored`: False for one that only this
    process knows.
    """

    account: ExplanationRecord
    recent: tuple[Message, ...] = ()
    summaries: tuple[Summary, ...] = ()
    gone_summaries: int = 0
    brought: tuple[Brought, ...] = ()
    facts: tuple[Told, ...] = ()
    profile: Profile | None = None
    looked_up: tuple[Message | None, ...] = ()
    is_stored: bool = True


@dataclass(slots=True)
class _Held:
    """An answer that is in no store. `asked_as`: Telegram's ids of its question."""

    source: str
    asked_as: tuple[int, ...]
    account: ExplanationRecord


class Explanations:
    """Explains answers. One for all scopes."""

    def __init__(self, memory: ExternalMemory) -> None:
        self._memory = memory
        self._held = LRUCache[Scope, deque[_Held]](SCOPES_HELD)

    def hold(self, incoming: Incoming, account: ExplanationRecord) -> None:
        """Keep, in this process only, the account of an answer that is not stored."""
        held_of_scope = self._held.setdefault(incoming.scope, deque(maxlen=HELD))
        asked_as = tuple(piece.telegram_id for piece in incoming.pieces if piece.telegram_id is not None)
        held_of_scope.append(_Held(incoming.source, asked_as, account))

    def drop(self, scope: Scope) -> None:
        """Forget what the process held of a scope: its memory was turned on or off."""
        self._held.pop(scope, None)

    def drop_owner(self, owner: int) -> None:
        """The same of all scopes of an owner."""
        for scope in [scope for scope in self._held if scope.owner == owner]:
            del self._held[scope]

    async def shown(self, incoming: Incoming, telegram_ids: Sequence[int]) -> None:
        """Remember by which Telegram messages the answer to a turn was shown; where that fails, it is not known."""
        if not telegram_ids:
            return
        for held in self._held.get(incoming.scope, ()):
            if held.source == incoming.source:
                held.account = replace(held.account, shown=tuple(telegram_ids))
        await self._note_shown(incoming.scope, incoming.source, telegram_ids)

    async def written(self, scope: Scope, source: str) -> None:
        """The answer to `source`, which no store had taken, is in one now with its account: that is not held longer."""
        held_of_scope = self._held.get(scope, deque())
        for held in [one for one in held_of_scope if one.source == source]:
            held_of_scope.remove(held)
            if held.account.shown:
                await self._note_shown(scope, source, held.account.shown)
        if not held_of_scope:
            self.drop(scope)

    async def _note_shown(self, scope: Scope, source: str, telegram_ids: Sequence[int]) -> None:
        try:
            async with self._memory.opened(scope.owner) as store:
                if store is not None:
                    await store.accounts.note_shown(scope, source, telegram_ids)
        except StorageError as error:
            log.warning("where an answer in %s was shown is not kept: %s", scope, type(error).__name__)

    async def explain(self, scope: Scope, telegram_id: int | None = None) -> Explanation | None:
        """What the last answer of a scope was made from, or the one that a Telegram message showed or asked for.

        None where nothing is known of it. Raises a StorageError.
        """
        held = self._latest_held(scope, telegram_id)
        async with self._memory.opened(scope.owner) as store:
            text = await store.accounts.text(scope, telegram_id) if store is not None else None
            stored = read(text) if text else None
            if stored is not None and (held is None or stored.at > held.at):
                return await _explained(stored, store, scope, is_stored=True)
            if held is not None:
                return await _explained(held, store, scope, is_stored=False)
        return None

    def _latest_held(self, scope: Scope, telegram_id: int | None) -> ExplanationRecord | None:
        for held in reversed(self._held.get(scope, ())):
            if telegram_id is None or telegram_id in (*held.account.shown, *held.asked_as):
                return held.account
        return None


async def _explained(
    account: ExplanationRecord, store: MemoryStore | None, scope: Scope, *, is_stored: bool
) -> Explanation:
    if store is None:
        return Explanation(account=account, is_stored=is_stored)
    recent_ids = account.recent_ids
    wanted = {*recent_ids, *account.looked_up, *(one.id for one in account.snippets)}
    messages = {one.id: one for one in await store.messages(scope, sorted(wanted))}
    summaries = [one for one in await store.summaries(scope, active_only=False) if one.id in account.summaries]
    facts = {fact.id: fact for fact in await store.facts.all(scope.owner)} if account.facts else {}
    profiles = await store.profiles.versions(scope.owner) if account.profile is not None else []
    return Explanation(
        account=account,
        recent=tuple(messages[number] for number in recent_ids if number in messages),
        summaries=tuple(sorted(summaries, key=lambda one: (-one.level, one.first_id))),
        gone_summaries=len(account.summaries) - len(summaries),
        brought=tuple(
            Brought(message=messages.get(one.id), chosen=one)
            for one in sorted(account.snippets, key=lambda one: -sum(one.score.values()))
        ),
        facts=tuple(Told(fact=facts.get(one.id), chosen=one) for one in account.facts),
        profile=next((one for one in profiles if one.id == account.profile), None),
        looked_up=tuple(messages.get(number) for number in account.looked_up),
        is_stored=is_stored,
    )
