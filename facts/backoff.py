"""When it is tried again to learn from what failed: each time twice as much later. Held by the process alone.

Does not know how facts are learned.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cachetools import LRUCache

from records.errors import ModelError, QuotaExceeded, ServedElsewhere, StaleFacts, StorageError
from records.scopes import Clock, Scope

log = logging.getLogger(__name__)

Source = tuple[Scope, bool]
"""The messages of a scope that were said here, or (True) its imported history: each fails and is tried again alone."""
MOST = 1_000
"""Sources whose failures are kept; any other is tried at once."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Failures:
    """How often in a row it failed, and when it is tried again."""

    attempts: int
    again_at: datetime


class Backoff:
    """The sources from which learning has failed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = LRUCache[Source, _Failures](MOST)

    def attempts(self, source: Source) -> int:
        """How often it has failed in a row."""
        failures = self._failures.get(source)
        return failures.attempts if failures else 0

    async def attempt(self, source: Source, work: Callable[[], Awaitable[bool]]) -> bool:
        """The result of `work`; False where it fails, which is logged, or has failed too recently."""
        failures = self._failures.get(source)
        if failures is not None and self._clock() < failures.again_at:
            return False
        try:
            is_done = await work()
        except StaleFacts:
            log.info("the messages of %s changed while facts were learned from them: they are read again", source[0])
        except ServedElsewhere:
            log.info("facts of %s are learned by another process now", source[0])
        except (StorageError, ModelError) as error:
            # Running out of the day's tokens is no failure of these messages.
            attempts = 1 if isinstance(error, QuotaExceeded) else self.attempts(source) + 1
            pause = min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE)
            self._failures[source] = _Failures(attempts, self._clock() + pause)
            log.warning("no facts learned from %s yet (attempt %d): %s", source[0], attempts, type(error).__name__)
        else:
            self._failures.pop(source, None)
            return is_done
        return False
