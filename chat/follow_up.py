"""Describes pictures, learns facts and summarises messages after a turn. A failed step does not stop the others."""

import logging
import secrets
from collections.abc import Callable

from attrs import define

from chat.pictures import PictureDescriber
from chat.session import Sessions
from external_memory import ExternalMemory
from facts.distillation import ProfileDistiller
from facts.learning import Facts
from locales.catalog import tr
from locales.sentences import add_error_number
from records.errors import StorageError
from records.owners import get_memory_mode
from records.scopes import Scope
from records.turns import Notices
from summary_manager import SummaryManager

log = logging.getLogger(__name__)


@define(eq=False)
class FollowUp:
    """Runs the work that follows a turn, such as learning facts and summarising older messages."""

    _memory: ExternalMemory
    _sessions: Sessions
    _summaries: SummaryManager
    _facts: Facts
    _distiller: ProfileDistiller
    _describer: PictureDescriber
    _wake_indexer: Callable[[], None]

    async def run_post_turn_tasks(self, scope: Scope) -> Notices:
        """Describe pictures, learn facts and summarise messages, each if it is due. Return notices for the owner."""
        try:
            if get_memory_mode(await self._memory.get_config(scope.owner)) == "incognito":
                return ()
        except StorageError as error:
            log.warning("follow-up work in %s failed: %s", scope, type(error).__name__)
            return ()
        await self._describer.describe_pictures(self._sessions.get_or_create_session(scope))
        self._wake_indexer()
        await self._facts.learn_if_due(scope)
        sentences = await self._fold_scope_if_due(scope)
        if not scope.is_channel_direct_chat:
            await self._distiller.distil_if_due(scope.owner)
        return sentences

    async def _fold_scope_if_due(self, scope: Scope) -> Notices:
        session = self._sessions.get_or_create_session(scope)
        try:
            outcome = await self._summaries.fold(scope, "threshold")
            if outcome.state == "nothing" and session.has_cut:
                outcome = await self._summaries.fold(scope, "cut")
            session.has_cut = False
            # A fold that failed meanwhile in the background is told as well.
            may_have_failed = outcome.state in ("failed", "nothing")
            if may_have_failed and (failure := await self._summaries.pop_unreported_failure(scope)):
                number = secrets.token_hex(4)
                log.warning("[%s] the owner of %s is told that a fold failed", number, scope)
                return (add_error_number(tr("notices-fold", why=failure.error), number),)
        except StorageError as error:
            log.warning("follow-up work in %s failed: %s", scope, type(error).__name__)
        return ()
