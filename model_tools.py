"""What the model may do while it answers: look into the memory of the scope that it answers in.

Owns which tools are offered when, and what their results are. Does not know how a model calls tools (models/), nor how
messages are found (memory_search.py).
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

import prompts
from errors import StorageError
from lines import Mode
from memory_search import MemorySearch
from records import Clock, Context, Scope, Snippet, Tool, ToolCall
from retrieval.packing import pack
from tokens import Tokenizer

log = logging.getLogger(__name__)

FOUND = 12
"""Messages that one search gives at most."""
RESULT_TOKENS = 500
"""Of one result."""
MOST_ARGUMENTS = 1_000
"""Characters of a call's arguments; a longer call is refused, for it goes back into the prompt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Used:
    """A tool that was used. `result`: what the model gets; `note`: what memory keeps of it, without a word of others;
    `found`: ids of messages that it brought.
    """

    call: ToolCall
    result: str
    note: str
    found: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where tools are used: in this scope, for the question that is stored as `turn` (None: it is stored nowhere)."""

    scope: Scope
    mode: Mode
    turn: int | None = None


class ModelTools:
    """Offers tools and does what they are called for. One for all scopes."""

    def __init__(self, *, search: MemorySearch, tokenizer: Tokenizer, clock: Clock) -> None:
        self._search = search
        self._tokens = tokenizer
        self._clock = clock

    def offered(self, place: Place, context: Context) -> tuple[Tool, ...]:
        """Those that may help: nothing needs to be looked for where everything stands in the prompt."""
        if place.mode == "off" or context.earlier <= len(context.recent):
            return ()
        return (prompts.SEARCH_MEMORY,)

    async def use(self, call: ToolCall, place: Place) -> Used:
        """Do what was called for. Whatever is wrong with the call is told to the model, which may call again."""
        arguments = _arguments(call)
        if call.name != prompts.SEARCH_MEMORY.name:
            return Used(call=call, result="There is no such tool.", note="no such tool")
        if isinstance(arguments, str):
            return Used(call=replaced(call, "{}"), result=arguments, note="not understood")
        try:
            return await self._search_memory(call, arguments, place)
        except StorageError as error:
            log.warning("a search for the model in %s failed: %s", place.scope, type(error).__name__)
            return Used(call=call, result="The memory cannot be read right now.", note="failed")

    async def _search_memory(self, call: ToolCall, arguments: Mapping[str, Any], place: Place) -> Used:
        query = str(arguments.get("query") or "").strip()
        try:
            since, before = _day(arguments.get("from")), _day(arguments.get("to"), following=True)
        except ValueError:
            return Used(call=call, result="Dates are written YYYY-MM-DD.", note="not understood")
        if not query:
            return Used(call=call, result="The query is empty.", note="not understood")
        page = await self._search.page(
            place.scope,
            query,
            size=FOUND,
            until=None if place.turn is None else place.turn - 1,
            since=since,
            before=before,
            said_only=True,
        )
        now = self._clock()
        snippets = [Snippet(message=one.message, text=one.text, score={}) for one in page.found]
        fitting = pack(snippets, room=RESULT_TOKENS, now=now, count=self._tokens.count)
        in_time = sorted(fitting, key=lambda one: one.message.id)
        found = tuple(one.message.id for one in in_time)
        log.info("the model searched the memory of %s: %d messages found", place.scope, len(found))
        numbers = ", ".join(map(str, found)) or "none"
        return Used(
            call=call,
            result=prompts.remembered_block(in_time, now) if in_time else "Nothing was found.",
            note=f"{call.name} {json.dumps(arguments, ensure_ascii=False)}: messages {numbers}",
            found=found,
        )


def replaced(call: ToolCall, arguments: str) -> ToolCall:
    return ToolCall(id=call.id, name=call.name, arguments=arguments)


def _arguments(call: ToolCall) -> Mapping[str, Any] | str:
    """The arguments as an object, or what is wrong with them."""
    if len(call.arguments) > MOST_ARGUMENTS:
        return "The arguments are too long."
    try:
        given = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return "The arguments are not JSON."
    return given if isinstance(given, dict) else "The arguments are not an object."


def _day(given: object, *, following: bool = False) -> datetime | None:
    """The beginning of a day, or of the one after it. Raises ValueError for what is no date."""
    if given is None or given == "":
        return None
    day = datetime.fromisoformat(str(given)[:10]).date()
    try:
        return datetime.combine(day + timedelta(days=int(following)), time(), UTC)
    except OverflowError:
        raise ValueError("no such day") from None


def used_ids(used: Sequence[Used]) -> tuple[int, ...]:
    """All messages that were looked up, once each, in order."""
    return tuple(dict.fromkeys(number for one in used for number in one.found))
