"""The state of one turn, and the metrics of turns."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from time import monotonic

from chat.session import Session
from records.messages import UNSTORED, Message
from records.owners import Mode, OwnerConfig
from records.scopes import Person, Scope
from records.turns import IncomingPiece, Reply, UserMessage
from runtime.metrics import make_counter, make_duration_histogram
from runtime.tracing import record_span


@dataclass(kw_only=True)
class Turn:
    """The state of a turn that is being answered."""

    incoming: UserMessage
    session: Session
    config: OwnerConfig | None  # None if it could not be read
    mode: Mode
    is_mode_known: bool = True
    local_id: int = UNSTORED
    stored: int | None = None  # the turn's number in the store
    answer: Message | None = None  # if the question was answered before
    notices: list[str] = field(default_factory=list)
    history: tuple[Message, ...] = field(init=False)  # earlier messages that the process holds
    incognito: tuple[Message, ...] = field(init=False)

    def __post_init__(self) -> None:
        # Here, because the turn's own messages push the oldest ones out of the session.
        self.incognito = tuple(message for message in self.session.incognito if message.turn != self.local_id)
        recent = tuple(message for message in self.session.recent if message.turn != self.local_id)
        self.history = (*recent, *self.incognito) if self.mode == "incognito" else recent

    @property
    def scope(self) -> Scope:
        return self.incoming.scope

    @property
    def number(self) -> int:
        """The number of the turn in the store, or its local id if it is not stored."""
        return self.local_id if self.stored is None else self.stored

    @property
    def is_memory_on(self) -> bool:
        return self.mode == "on"

    @property
    def reads_memory(self) -> bool:
        """True if this turn may read stored messages."""
        return self.stored is not None or self.mode == "incognito"

    @property
    def zone(self) -> tzinfo:
        """The owner's time zone, or UTC if this turn may not read memory."""
        return self.config.zone if self.config is not None and self.reads_memory else UTC


def restore_incoming_message(messages: Sequence[Message], person: Person, *, in_group: bool) -> UserMessage | None:
    """Rebuild the incoming message of a turn from its stored messages. Return None if they contain no question."""
    asked = [message for message in messages if message.role == "user"]
    if not asked:
        return None
    return UserMessage(
        scope=asked[0].scope,
        person=replace(person, id=asked[0].person_id or person.id, name=asked[0].speaker or person.name),
        pieces=tuple(
            IncomingPiece(
                text=message.content,
                source=message.source or "",
                sent_at=message.created_at,
                telegram_id=message.telegram_id,
                origin=message.origin,
            )
            for message in asked
            if message.origin != "picture"
        ),
        in_group=in_group,
    )


TURNS = make_counter(
    "keepsake_turns", "Turns, by their end.", {"outcome": ("answered", "repeated", "failed", "stopped")}
)
SECONDS = make_duration_histogram(
    "keepsake_turn_seconds", "From a message to its whole answer, the model's time included."
)


@contextmanager
def record_turn_metrics() -> Iterator[Callable[[Reply], Reply]]:
    """Measure a turn while the block is open. Yield a function that records the reply and returns it."""
    began, outcome = monotonic(), "stopped"

    def record_and_return_reply(reply: Reply) -> Reply:
        nonlocal outcome
        outcome = "failed" if reply.is_error else "repeated" if reply.is_repeated else "answered"
        if reply.is_error:
            turn.mark_failed(reply.error_type)
        return reply

    try:
        with record_span("turn") as turn:
            yield record_and_return_reply
    finally:
        TURNS.labels(outcome).inc()
        if outcome == "answered":
            SECONDS.observe(monotonic() - began)
