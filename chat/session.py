"""Caches each scope's recent messages in this process, along with the turns that have not been stored yet."""

import secrets
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count

from records.attachments import Picture
from records.forgetting import ForgetRequest
from records.messages import UNSTORED, AnswerVersions, Correction, Message, NewMessage
from records.owners import MODES, Mode
from records.scopes import Scope
from records.turns import ReplyTarget, UserMessage
from retrieval.explanation import ExplanationRecord

MESSAGES_HELD = 40  # messages per scope kept in the process, for chats without memory and while a store fails
SESSIONS_HELD = 1_000  # sessions kept in the process. The least recently used is dropped first.


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerOutcome:
    """The record that explains an answer, with True if the answer was truncated, and True if it was stopped."""

    record: ExplanationRecord
    is_truncated: bool
    is_stopped: bool


@dataclass
class UnwrittenMessages:
    """Messages that could not be stored because the store failed."""

    messages: list[NewMessage]
    turn: int | None = None
    if_on: bool = False  # store them only if memory is on
    then: list[Callable[[], Awaitable[None]]] = field(default_factory=list)  # to call once they are stored

    def matches_forget_request(self, request: ForgetRequest, scope: Scope) -> bool:
        if request.what == "conversations":
            return scope.thread in request.ids
        if request.what == "dates":
            said = self.messages[0].created_at
            return not ((request.since and said < request.since) or (request.until and said >= request.until))
        return request.what == "everything" or (request.what == "messages" and self.turn in request.ids)


@dataclass(frozen=True, kw_only=True, slots=True)
class UndescribedPicture:
    """A picture of a stored turn that is waiting for a description."""

    picture: Picture
    turn: int
    incoming: UserMessage


@dataclass
class UnstoredAnswer:
    """The explanation of an answer that is not stored, and the messages that it can be asked for by."""

    turn: int
    source: str
    question_ids: tuple[int, ...]  # of the Telegram messages that it answers
    record: ExplanationRecord


@dataclass
class LastTurn:
    """The state of a scope's last turn in this process, apart from its messages."""

    number: int = 0
    replied: ReplyTarget | None = None  # the message that it replied to
    given: dict[str, AnswerOutcome] = field(default_factory=dict)  # the answers that this process gave, by their text


@dataclass(eq=False)
class Session:
    """The state of a scope in this process, including its recent messages."""

    scope: Scope
    is_in_turn: bool = False
    recent: deque[Message] = field(default_factory=lambda: deque(maxlen=MESSAGES_HELD))
    incognito: deque[Message] = field(default_factory=lambda: deque(maxlen=MESSAGES_HELD))  # never stored
    unstored_answers: deque[UnstoredAnswer] = field(default_factory=lambda: deque(maxlen=20))
    unwritten: deque[UnwrittenMessages] = field(default_factory=deque)
    undescribed: deque[UndescribedPicture] = field(default_factory=lambda: deque(maxlen=10))  # an album
    mode: Mode | None = None  # of the last turn
    has_cut: bool = False  # the last prompt had to leave turns out
    recall_failed: bool = False  # the store could not be read for the last prompt
    memory_was_offered: bool = False
    last: LastTurn = field(default_factory=LastTurn)

    @asynccontextmanager
    async def mark_turn_running(self) -> AsyncIterator[None]:
        """Mark a turn as running while the block is open. Raise RuntimeError if another turn is running."""
        if self.is_in_turn:
            raise RuntimeError("Two turns of one scope at once.")
        self.is_in_turn = True
        try:
            yield
        finally:
            self.is_in_turn = False

    def switch_mode(self, mode: Mode) -> None:
        """Switch the memory mode, and drop messages that the new mode may not use."""
        if self.mode is not None and self.mode != mode:
            recent = [] if "off" in (self.mode, mode) else [*self.recent]
            self.drop_held_messages()
            self.recent.extend(recent)
        self.mode = mode

    def drop_held_messages(self) -> None:
        """Drop all messages and explanations, except messages that still have to be stored."""
        self.recent.clear()
        self.incognito.clear()
        self.unstored_answers.clear()
        self.last = LastTurn()

    def get_cached_messages(self, mode: Mode) -> deque[Message]:
        return self.incognito if mode == "incognito" else self.recent

    def set_last_turn(self, turn: int, reply_target: ReplyTarget | None = None) -> LastTurn:
        """Make `turn` the last turn and return its state. `reply_target` is the message that it replies to, if any."""
        if self.last.number != turn:
            self.last = LastTurn(turn, reply_target)
        return self.last

    def get_answer_versions(self, turn: int, mode: Mode) -> AnswerVersions:
        texts, held = tuple(self.set_last_turn(turn).given), self.get_cached_messages(mode)
        shown = held[-1].content if held else ""
        return AnswerVersions(texts=texts, number=texts.index(shown) + 1 if shown in texts else 0)

    def show_answer_version(self, text: str, mode: Mode) -> None:
        """Replace the text of the last answer, which is not stored."""
        held = self.get_cached_messages(mode)
        held[-1] = replace(held[-1], content=text)

    def correct_message(self, telegram_id: int, new_text: str, mode: Mode) -> Correction:
        """Replace the text of an unstored message. Return a Correction, which is empty if nothing changed."""
        held = self.get_cached_messages(mode)
        for index, message in enumerate(held):
            if self.mode == mode and message.role == "user" and message.telegram_id == telegram_id:
                if message.content == new_text:
                    break
                held[index] = replace(message, content=new_text)
                is_last = held[-1].turn == message.turn
                if is_last:
                    self.set_last_turn(message.turn).given.clear()  # they answered what it said before
                return Correction(turn=message.turn, is_last=is_last)
        return Correction()

    def mark_declined_turns(self, turn_numbers: Collection[int]) -> None:
        """Mark turns that the provider refused, so that later prompts leave them out."""
        for held in (self.recent, self.incognito):
            for index, message in enumerate(held):
                if message.turn in turn_numbers and message.is_user:
                    held[index] = replace(message, origin="declined")

    def forget_messages(self, request: ForgetRequest) -> None:
        """Drop all recent messages, and the unwritten messages that the request covers."""
        self.drop_held_messages()
        self.undescribed.clear()
        self.has_cut = False
        self.unwritten = deque(turn for turn in self.unwritten if not turn.matches_forget_request(request, self.scope))
        if request.with_quotes:
            # Nobody can search these answers for a quote: they are not indexed.
            for turn in self.unwritten:
                turn.messages = [message for message in turn.messages if message.role == "user"]
            self.unwritten = deque(turn for turn in self.unwritten if turn.messages)


class Sessions:
    """The sessions by scope, created on first use. Beyond SESSIONS_HELD, drops the least recently used idle one."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[Scope, Session] = OrderedDict()
        # From somewhere else in each process: an earlier one's button must not name a turn of this one.
        self._ids = count(UNSTORED + secrets.randbelow(UNSTORED))

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._sessions.values()))

    def list_owner_sessions(self, owner: int) -> list[Session]:
        return [session for session in self if session.scope.owner == owner]

    def get_or_create_session(self, scope: Scope) -> Session:
        session = self._sessions.get(scope)
        if session is None:
            session = self._sessions[scope] = Session(scope)
        self._sessions.move_to_end(scope)
        if len(self._sessions) > SESSIONS_HELD:
            idle_scopes = (key for key, held in self._sessions.items() if not held.is_in_turn and not held.unwritten)
            if (oldest := next(idle_scopes, scope)) != scope:
                del self._sessions[oldest]
        return session

    def move_unwritten_messages(self, session: Session, new_scope: Scope) -> None:
        """Move a session's unwritten messages to another scope, and drop the rest of the session."""
        del self._sessions[session.scope]
        self.get_or_create_session(new_scope).unwritten.extendleft(reversed(session.unwritten))

    def make_local_id(self) -> int:
        """Return a new id for a turn or message that is not stored."""
        return next(self._ids)

    def add_messages(self, session: Session, messages: Sequence[NewMessage], *, turn: int, mode: Mode) -> None:
        numbered = (replace(message, turn=turn).with_id(self.make_local_id(), session.scope) for message in messages)
        session.get_cached_messages(mode).extend(numbered)


def choose_stricter_mode(current_mode: Mode | None, mode_when_sent: Mode | None) -> Mode | None:
    """Return the stricter of two modes, so that nothing said while memory was off is stored later."""
    if mode_when_sent is None or mode_when_sent == "on":
        return current_mode
    return mode_when_sent if current_mode is None else min(current_mode, mode_when_sent, key=MODES.index)
