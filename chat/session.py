"""What the process itself holds of each scope's talk: its queue, what was said, and what is still to be written.

Does not know models, stores or prompts; conversation.py decides what is held, amending.py what goes before its time.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count

from cachetools import LRUCache

from records.context import Context
from records.forgetting import Forgetting
from records.messages import UNSTORED, Message, NewMessage
from records.owners import Mode
from records.scopes import Person, Scope
from records.turns import Incoming, Piece
from runtime.locks import OwnerLock, OwnerLocks

REMEMBERED_HERE = 40
"""Messages of a scope that the process itself remembers: all there is while memory is off or a store fails."""
CONTEXTS_HERE = 20
"""Scopes of which the last prompt is kept, for whoever looks into it: a whole one may hold 100 kB."""
SCOPES_HERE = 1_000
"""Scopes whose lines are kept in the process; the longest unused go first."""


@dataclass
class Unwritten:
    """A turn that a failing store did not take; `turn` is set once its question is stored.

    `if_on`: the store could not even say whether memory is on; it is dropped where it turns out to be off or incognito.
    """

    drafts: list[NewMessage]
    turn: int | None = None
    if_on: bool = False

    def is_meant(self, what: Forgetting) -> bool:
        if what.what == "dates":
            said = self.drafts[0].created_at
            return not ((what.since and said < what.since) or (what.until and said >= what.until))
        return what.what == "everything" or (what.what == "messages" and self.turn in what.ids)


@dataclass
class Turn:
    """The turn being answered: where it stands in the store (None: nowhere yet) and in the process's own memory.

    `before`: what the process itself knows of the talk so far; `unseen`: what of that was said incognito.
    `told`: sentences that the person reads beside the answer.
    """

    mode: Mode
    here: int
    before: tuple[Message, ...] = ()
    unseen: tuple[Message, ...] = ()
    stored: int | None = None
    answer: Message | None = None
    told: list[str] = field(default_factory=list)

    @property
    def is_on(self) -> bool:
        """Whether memory is to hold this turn."""
        return self.mode == "on"


@dataclass(eq=False)
class Session:
    """What is held of one scope. `unseen`: what was said incognito, beside what the store holds. `mode`: how memory
    stood at the last turn. `has_cut`: its last prompt had to leave turns out, or could not be relieved of them;
    `is_unreadable`: its last recall failed. `is_outdated`: what a prompt made before may quote was taken back.
    """

    scope: Scope
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    recent: deque[Message] = field(default_factory=lambda: deque(maxlen=REMEMBERED_HERE))
    unseen: deque[Message] = field(default_factory=lambda: deque(maxlen=REMEMBERED_HERE))
    unwritten: deque[Unwritten] = field(default_factory=deque)
    mode: Mode | None = None
    has_cut: bool = False
    is_unreadable: bool = False
    is_outdated: bool = False

    @property
    def is_idle(self) -> bool:
        """Whether nobody is served or waits here, and nothing is to be written."""
        return not self.users and not self.unwritten

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """The scope's own queue: one at a time, in order."""
        self.users += 1
        try:
            async with self.lock:
                yield
        finally:
            self.users -= 1

    def enter(self, mode: Mode) -> bool:
        """What was said under one mode is not carried into another; whether the mode changed."""
        is_other = self.mode is not None and self.mode != mode
        if is_other:
            self.unseen.clear()
            if "off" in (self.mode, mode):
                self.recent.clear()
        self.mode = mode
        return is_other

    def forget(self, what: Forgetting) -> None:
        """What was said, as a whole: it is known by no id. What is unwritten as far as it is meant."""
        self.recent.clear()
        self.unseen.clear()
        self.has_cut = False
        self.unwritten = deque(kept for kept in self.unwritten if not kept.is_meant(what))


class Sessions:
    """The lines of all scopes. `contexts`: what the last prompts were made of."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Scope, Session] = OrderedDict()
        self.contexts = LRUCache[Scope, Context](CONTEXTS_HERE)
        self._ids = count(UNSTORED)
        self._gates = OwnerLocks()

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._lines.values()))

    def talks(self, owner: int) -> OwnerLock:
        """Turns of an owner are many at once, in their scopes; what amends them is alone."""
        return self._gates.of(owner)

    def of_owner(self, owner: int) -> list[Session]:
        """The lines of all of an owner's scopes."""
        return [line for line in self if line.scope.owner == owner]

    def keep(self, line: Session, context: Context) -> None:
        """What an answer's prompt was made of, unless it may quote what was taken back since."""
        if not line.is_outdated:
            self.contexts[line.scope] = context

    def let_go(self, owner: int) -> None:
        """The last prompts of an owner's scopes, and those that are being answered now."""
        for scope in [scope for scope in self.contexts if scope.owner == owner]:
            del self.contexts[scope]
        for line in self.of_owner(owner):
            line.is_outdated = True

    def of(self, scope: Scope) -> Session:
        line = self._lines.setdefault(scope, Session(scope))
        self._lines.move_to_end(scope)
        if len(self._lines) > SCOPES_HERE:
            idle = next((one for one, old in self._lines.items() if old.is_idle), None)
            if idle is not None and idle != scope:
                del self._lines[idle]
        return line

    def move(self, line: Session, scope: Scope) -> None:
        """The talk of one scope goes on in another, where usually nothing was said yet."""
        del self._lines[line.scope]
        line.scope = scope
        line.recent = deque((replace(one, scope=scope) for one in line.recent), maxlen=REMEMBERED_HERE)
        line.unseen = deque((replace(one, scope=scope) for one in line.unseen), maxlen=REMEMBERED_HERE)
        known = self._lines.setdefault(scope, line)
        if known is not line:
            known.unwritten.extendleft(reversed(line.unwritten))

    def turn(self, line: Session, mode: Mode, told: list[str]) -> Turn:
        """A turn that begins, knowing what was said here before."""
        here = (*line.recent, *line.unseen) if mode == "incognito" else tuple(line.recent)
        return Turn(mode=mode, here=next(self._ids), before=here, unseen=tuple(line.unseen), told=told)

    def remember(self, line: Session, turn: Turn, draft: NewMessage) -> None:
        said = line.unseen if turn.mode == "incognito" else line.recent
        said.append(
            Message(
                id=next(self._ids),
                scope=line.scope,
                role=draft.role,
                content=draft.content,
                created_at=draft.created_at,
                turn=turn.here,
                speaker=draft.speaker,
            )
        )


def drafts_of(incoming: Incoming) -> list[NewMessage]:
    """What memory is to hold of a turn as it came in: its pieces, in order."""
    return [
        NewMessage(
            role="user",
            content=piece.text,
            created_at=piece.sent_at,
            speaker=incoming.person.name,
            source=piece.source,
            telegram_id=piece.telegram_id,
            origin=piece.origin,
        )
        for piece in incoming.pieces
    ]


def incoming_of(turn: Sequence[Message], person: Person, *, in_group: bool) -> Incoming | None:
    """A stored turn as it came in; None where nobody's words are left of it."""
    asked = [one for one in turn if one.role == "user"]
    if not asked:
        return None
    return Incoming(
        scope=asked[0].scope,
        person=replace(person, name=asked[0].speaker or person.name),
        pieces=tuple(
            Piece(text=one.content, source=one.source or "", sent_at=one.created_at, telegram_id=one.telegram_id)
            for one in asked
        ),
        in_group=in_group,
    )
