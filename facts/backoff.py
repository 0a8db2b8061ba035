"""What could not be learned from, and when it is tried again. Held by the process alone.

Does not know what learning is.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cachetools import LRUCache

from records.errors import ModelError, QuotaExceeded, StaleFacts, StorageError
from records.scopes import Clock, Scope

log = logging.getLogger(__name__)

Place = tuple[Scope, bool]
"""A scope's talk, or (True) its imported history: each fails, and is tried again, by itself."""
MOST = 1_000
"""Places of which it is known that learning from them failed lately; any other is tried at once."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Trouble:
    """How often in a row it failed, and when it is tried again."""

    attempts: int
    again_at: datetime


class Backoff:
    """The places that are in trouble."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._found = LRUCache[Place, _Trouble](MOST)

    def attempts(self, place: Place) -> int:
        """How often it has failed in a row."""
        trouble = self._found.get(place)
        return trouble.attempts if trouble else 0

    async def spare(self, place: Place, work: Callable[[], Awaitable[bool]]) -> bool:
        """What `work` gives; False where it fails, which is said in the log, or did so lately."""
        scope, trouble = place[0], self._found.get(place)
        if trouble is not None and self._clock() < trouble.again_at:
            return False
        try:
            is_done = await work()
        except StaleFacts:
            log.info("what %s was learned from changed meanwhile: it is learned from again", scope)
        except (StorageError, ModelError) as error:
            attempts = self.attempts(place) + 1
            # The day's budget is no failure of this stretch.
            attempts = min(attempts, 1) if isinstance(error, QuotaExceeded) else attempts
            pause = min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE)
            self._found[place] = _Trouble(attempts, self._clock() + pause)
            log.warning("nothing learned from %s yet (attempt %d): %s", scope, attempts, type(error).__name__)
        else:
            self._found.pop(place, None)
            return is_done
        return False
