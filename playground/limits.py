"""Telegram's published limits on sending messages, for tests that enable them.

Source: core.telegram.org/bots/faq, "My bot is hitting limits, how do I avoid this?".
"""

import math
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_PER_SECOND = 30
"""The most messages per second to all chats together."""
MAX_PER_SECOND_IN_CHAT = 1
"""The average limit for one chat, in messages per second: "we may allow short bursts that go over this limit"."""
BURST_SECONDS = 3
"""The number of seconds over which the average of one chat is taken."""
MAX_PER_MINUTE_IN_GROUP = 20
"""The most messages per minute to one group."""
GROUP_SECONDS = 60.0


def is_rate_limited(method: str) -> bool:
    """Return True if the sending limits apply to a method, that is, if it sends or changes a message or draft."""
    name = method.lower()
    return name.startswith(("send", "edit", "copy", "forward")) and name != "sendchataction"


@dataclass
class SendingLimits:
    """Counts the messages sent recently to each chat and in total, and enforces the limits. `clock` returns seconds."""

    clock: Callable[[], float]
    _all: deque[float] = field(default_factory=deque)
    _chats: dict[int, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def reserve_or_get_wait_seconds(self, chat_id: int) -> int:
        """Count a message to this chat and return 0, or return the whole seconds to wait if it exceeds a limit."""
        now = self.clock()
        here = self._chats[chat_id]
        window = GROUP_SECONDS if chat_id < 0 else float(BURST_SECONDS)
        for times, window_seconds in ((self._all, 1.0), (here, window)):
            while times and times[0] <= now - window_seconds:
                times.popleft()
        waits = [
            self._all[0] + 1.0 - now if len(self._all) >= MAX_PER_SECOND else 0.0,
            here[0] + window - now
            if len(here) >= (MAX_PER_MINUTE_IN_GROUP if chat_id < 0 else BURST_SECONDS * MAX_PER_SECOND_IN_CHAT)
            else 0.0,
        ]
        if longest := max(waits):
            return math.ceil(longest)
        self._all.append(now)
        here.append(now)
        return 0
