"""Telegram's published limits on sending, for tests and benchmarks that ask for them.

Source: core.telegram.org/bots/faq, "My bot is hitting limits, how do I avoid this?".
"""

import math
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

IN_ALL = 30
"""Messages in a second, to all chats together."""
IN_A_CHAT = 1
"""Messages in a second to one chat; "we may allow short bursts that go over this limit"."""
BURST = 3
IN_A_GROUP = 20
"""Messages in a minute to one group."""
MINUTE = 60.0


def is_counted(method: str) -> bool:
    """Return True if a method sends or changes a message or draft, and therefore counts."""
    name = method.lower()
    return name.startswith(("send", "edit", "copy", "forward")) and name != "sendchataction"


@dataclass
class Limits:
    """The messages of the last second and minute. `clock` returns seconds."""

    clock: Callable[[], float]
    _all: deque[float] = field(default_factory=deque)
    _chats: dict[int, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def wait(self, chat: int) -> int:
        """Return the whole seconds that the bot must wait before it sends to this chat, or 0 and count the message."""
        now = self.clock()
        here = self._chats[chat]
        window = MINUTE if chat < 0 else float(BURST)
        for moments, kept in ((self._all, 1.0), (here, window)):
            while moments and moments[0] <= now - kept:
                moments.popleft()
        waits = [
            self._all[0] + 1.0 - now if len(self._all) >= IN_ALL else 0.0,
            here[0] + window - now if len(here) >= (IN_A_GROUP if chat < 0 else BURST * IN_A_CHAT) else 0.0,
        ]
        if longest := max(waits):
            return math.ceil(longest)
        self._all.append(now)
        here.append(now)
        return 0
