"""What is changed afterwards in what was said: forgotten, corrected, or moved along under another id.

Owns that the store and what this process holds change together, while no answer is being written. Does not know who
asked for it, nor what is built on a message (storage/).
"""

import logging
from datetime import timedelta

from background.indexing import Indexing
from chat.explanations import Explanations
from chat.session import Sessions
from external_memory import ExternalMemory
from records.errors import StorageError
from records.forgetting import Forgetting, Forgotten
from records.messages import Correction
from records.owners import mode_of
from records.scopes import Clock, Scope

log = logging.getLogger(__name__)

DELETED_FOR = timedelta(days=1)
"""How long a fact that its owner deleted can be restored; then it is forgotten."""


class Corrections:
    """Amends owners' memories. What was said is not amended while an answer is written that may have read it; facts and
    profiles alone are at once, since no answer goes with them.
    """

    def __init__(
        self,
        *,
        memory: ExternalMemory,
        sessions: Sessions,
        explanations: Explanations,
        clock: Clock,
        indexing: Indexing | None = None,
    ) -> None:
        self._memory = memory
        self._sessions = sessions
        self._explanations = explanations
        self._clock = clock
        self._indexing = indexing

    async def forget(self, owner: int, what: Forgetting, *, tidies: bool = True) -> Forgotten:
        """Erase it from every store and file, and from what this process holds; what went. Raises StorageError.

        `tidies`: see ExternalMemory.forget.
        """
        if what.is_of_facts_alone:
            taken = await self._memory.forget(owner, what, tidies=tidies)
            self._sessions.drop_contexts(owner)
            log.info("%d facts and %d profiles were taken back of %d", taken.facts, taken.profiles, owner)
            return taken
        async with self._memory.between_turns(owner):
            taken = await self._memory.forget(owner, what, tidies=tidies)
            for session in self._sessions.of_owner(owner):
                session.forget(what)
            self._drop_held(owner)
            log.info("%d messages and what was built on them were forgotten of %d", taken.messages, owner)
            return taken

    async def undo_edit(self, owner: int, fact: int) -> Forgotten | None:
        """A fact has the words again that it had before its last edit; the others leave every file, with the profiles
        that were made of them. None: it was not edited. Raises StorageError.
        """
        async with self._memory.home(owner) as store:
            earlier = await store.facts.before_edit(owner, fact)
        return None if earlier is None else await self.forget(owner, Forgetting(what="edits", ids=(earlier,)))

    async def forget_archives(self, keep: timedelta) -> None:
        """Forget every owner's archives that are older than what is to be kept; the files are cleaned once for all."""
        until = self._clock() - keep
        for owner in await self._memory.with_archives(older_than=until):
            try:
                await self.forget(owner, Forgetting(what="archives", until=until), tidies=False)
            except StorageError as error:
                log.warning("the old archives of %d stay for now: %s", owner, type(error).__name__)
        await self._memory.tidy()

    async def forget_deleted(self) -> None:
        """Forget the facts that their owners deleted a day ago; the files are cleaned once for all."""
        until = self._clock() - DELETED_FOR
        deleted = [found for store in self._memory.stores for found in (await store.facts.deleted(until)).items()]
        for owner, ids in deleted:
            try:
                await self.forget(owner, Forgetting(what="facts", ids=tuple(ids), until=until), tidies=False)
            except StorageError as error:
                log.warning("the deleted facts of %d stay for now: %s", owner, type(error).__name__)
        if deleted:
            await self._memory.tidy()

    async def rename(self, owner: int, new: int) -> None:
        """A group has another id: its memory, and what the process holds of it, go on under that.

        Raises StorageError: then to be tried again.
        """
        async with self._memory.between_turns(owner):
            if await self._memory.rename(owner, new):
                log.info("what is kept of %d goes on as that of %d", owner, new)
            self._drop_held(owner)
            for session in self._sessions.of_owner(owner):
                self._sessions.move(session, Scope(owner=new, thread=session.scope.thread))
        self._wake()

    def successor(self, owner: int) -> int:
        """The id that an owner has now, which may have been another."""
        return self._memory.successor(owner)

    async def correct(self, scope: Scope, telegram_id: int, text: str) -> Correction:
        """The stored text follows what a person made of a message; what was built on it goes. Raises StorageError."""
        async with self._memory.between_turns(scope.owner):
            if mode_of(await self._memory.config(scope.owner)) != "on":
                return Correction()
            async with self._memory.opened(scope.owner) as store:
                if store is None or (message := await store.forgetting.said_as(scope, telegram_id)) is None:
                    return Correction()
                revised = await store.forgetting.revise(scope, message.id, text, why="edited", now=self._clock())
                if revised is None:
                    return Correction()
                newest = await store.last_turns(scope, 1)
            self._sessions.of(scope).recent.clear()
            self._sessions.contexts.pop(scope, None)
        self._wake()
        return Correction(turn=revised.turn, is_last=bool(newest) and newest[-1].turn == revised.turn)

    def _drop_held(self, owner: int) -> None:
        """Drop what this process holds of what the owner's answers were made from."""
        self._explanations.drop_owner(owner)
        self._sessions.drop_contexts(owner)

    def _wake(self) -> None:
        if self._indexing is not None:
            self._indexing.wake()
