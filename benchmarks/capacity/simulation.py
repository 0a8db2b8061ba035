"""Arrivals, hot scopes and failovers, simulated: what people wait for a bot of several processes.

A process works on one thing at a time (Python's lock), a scope is served in order, and a model takes its time next to
that. Pure: no clock, no bot. Does not know where its parameters were measured.
"""

import heapq
import random
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """What is simulated. Times in seconds.

    `work`: what a turn costs its process, half of it before the model is asked; `model`: how long the model takes.
    `people` write `rate` messages a second together, or, with a rate of 0, each after the answer to the one before.
    `hot`: the share of all messages that the busiest hundredth of the people write. `failovers`: when a process dies;
    its people wait for `takeover`, and it does not come back.
    """

    processes: int
    people: int
    turns: int
    work: float
    model: float = 0.0
    rate: float = 0.0
    hot: float = 0.01
    failovers: Sequence[float] = ()
    takeover: float = 20.0
    seed: int = 1


@dataclass(kw_only=True, slots=True)
class Waited:
    """What people waited, in seconds from sending to the answer, and how long all of it took."""

    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0
    busy: float = 0.0
    """Seconds of work done, over all processes."""


@dataclass(order=True, slots=True)
class _Event:
    at: float
    number: int
    kind: str = field(compare=False)
    person: int = field(compare=False)
    process: int = field(compare=False, default=-1)


class _Simulation:
    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.result = Waited()
        self._chance = random.Random(shape.seed)  # noqa: S311 - repeatable, not secret
        self._events: list[_Event] = []
        self._numbers = 0
        self._alive = set(range(shape.processes))
        self._home: dict[int, int] = {}  # whose process serves whom
        self._queues: dict[int, deque[_Event]] = defaultdict(deque)  # of each process
        self._busy: set[int] = set()
        self._waiting: dict[int, deque[float]] = defaultdict(deque)  # messages of each person, by when they were sent
        self._left = shape.turns

    def run(self) -> Waited:
        shape = self.shape
        if shape.rate:
            at = 0.0
            for _ in range(shape.turns):
                at += self._chance.expovariate(shape.rate)
                self._later(at, "said", self._somebody())
            self._left = 0
        else:
            for person in range(min(shape.people, self._left)):
                self._say(0.0, person)
        for at in shape.failovers:
            self._later(at, "dies", 0)
        while self._events:
            event = heapq.heappop(self._events)
            if event.kind != "dies":
                self.result.seconds = event.at
            getattr(self, f"_{event.kind}")(event)
        return self.result

    def _somebody(self) -> int:
        busiest = max(1, self.shape.people // 100)
        if self._chance.random() < self.shape.hot:
            return self._chance.randrange(busiest)
        return self._chance.randrange(self.shape.people)

    def _later(self, at: float, kind: str, person: int, process: int = -1) -> None:
        self._numbers += 1
        heapq.heappush(self._events, _Event(at, self._numbers, kind, person, process))

    def _say(self, at: float, person: int) -> None:
        if self._left:
            self._left -= 1
            self._later(at, "said", person)

    # what happens ---------------------------------------------------------------------------------------------
    def _said(self, event: _Event) -> None:
        waiting = self._waiting[event.person]
        waiting.append(event.at)
        if len(waiting) == 1:
            self._begin(event.at, event.person)

    def _begin(self, at: float, person: int) -> None:
        """A turn: work, the model, work. It begins again where its process dies."""
        home = self._home.setdefault(person, self._chance.choice(sorted(self._alive)))
        self._enqueue(_Event(at, 0, "asks", person, home))

    def _enqueue(self, work: _Event) -> None:
        self._queues[work.process].append(work)
        self._next(work.at, work.process)

    def _next(self, at: float, process: int) -> None:
        if process in self._busy or not self._queues[process] or process not in self._alive:
            return
        work = self._queues[process].popleft()
        self._busy.add(process)
        self.result.busy += self.shape.work / 2
        self._later(at + self.shape.work / 2, f"{work.kind}_over", work.person, process)

    def _asks_over(self, event: _Event) -> None:
        if self._is_idle_again(event):
            self._later(event.at + self.shape.model, "answered", event.person, event.process)

    def _answered(self, event: _Event) -> None:
        if event.process in self._alive:
            self._enqueue(_Event(event.at, 0, "shows", event.person, event.process))

    def _shows_over(self, event: _Event) -> None:
        if not self._is_idle_again(event):
            return
        waiting = self._waiting[event.person]
        self.result.waits.append(event.at - waiting.popleft())
        if waiting:
            self._begin(event.at, event.person)
        if not self.shape.rate:
            self._say(event.at, event.person)

    def _is_idle_again(self, event: _Event) -> bool:
        if event.process not in self._alive:
            return False
        self._busy.discard(event.process)
        self._next(event.at, event.process)
        return True

    def _dies(self, event: _Event) -> None:
        if len(self._alive) < 2:
            return
        dead = self._chance.choice(sorted(self._alive))
        self._alive.discard(dead)
        self._queues.pop(dead, None)
        for person in [person for person, process in self._home.items() if process == dead]:
            del self._home[person]
            if self._waiting[person]:
                self._later(event.at + self.shape.takeover, "taken_over", person)
            else:
                # Nobody notices but who writes before the lease lapses, who is treated as if it had not.
                self._home.pop(person, None)

    def _taken_over(self, event: _Event) -> None:
        if self._waiting[event.person] and event.person not in self._home:
            self._begin(event.at, event.person)


def simulate(shape: Shape) -> Waited:
    """Run it to the last answer."""
    return _Simulation(shape).run()
