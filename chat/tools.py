"""The model's tools: search the memory, and propose facts, reminders or commands."""

import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from attrs import define

from chat.memory_reading import MemoryReader, SearchCall, SeenIds
from chat.turn import Turn
from facts.learning import Facts
from llm import prompts
from llm.meant_json import parse_json_or_none
from records.context import Context
from records.errors import ErrorText, StorageError
from records.facts import MAX_FACT_CHARS, Fact
from records.model_calls import Tool, ToolCall
from records.scopes import Clock
from records.turns import Proposal
from reminders.arguments import parse_reminder
from text.characters import remove_invisible_characters, repair_surrogates_in_json

log = logging.getLogger(__name__)

RESULT_TOKENS = 1_500  # of one result
MAX_COMMAND_CHARS = 200  # the most characters of a command with its arguments
MAX_PROPOSALS = 5  # in one answer: a reminder for each workday
TOO_MANY_PROPOSALS = f"The user is asked about {MAX_PROPOSALS} things at once: tell them that this is not among them."
ASKED = "The user is asked by a button now; it is not done yet."
MAX_ARGUMENTS_CHARS = 1_000  # the most characters of a call's arguments, which go back into the prompt


def _make_tool(name: str) -> Tool:
    told = prompts.TOOLS[name]
    parameters = {"type": "object", "properties": told["properties"], "required": told["required"]}
    return Tool(name=name, description=told["description"], parameters=parameters)


SEARCH_MEMORY = _make_tool("search_memory")
REMEMBER = _make_tool("remember")
FORGET = _make_tool("forget")
OFFER_COMMAND = _make_tool("offer_command")
REMIND = _make_tool("remind")
TOOL_NAMES = frozenset({REMIND.name, SEARCH_MEMORY.name, REMEMBER.name, FORGET.name, OFFER_COMMAND.name})


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """A completed tool call. `note` is the text to store. `found` holds message ids, and `summaries` summary ids."""

    call: ToolCall
    result: str
    note: str
    found: tuple[int, ...] = ()
    summaries: tuple[int, ...] = ()
    proposal: Proposal | None = None


@define(kw_only=True, eq=False)
class MemoryTools:
    """Offers tools to the model and runs its calls. If `facts` is None, there are no tools for facts."""

    _reading: MemoryReader
    _facts: Facts | None
    _clock: Clock
    _commands: Collection[str] = ()

    def list_tools(self, turn: Turn, context: Context) -> tuple[Tool, ...]:
        """Return the tools for a turn. Leave out the search tool if the prompt already contains all messages."""
        tools = [REMIND]  # always: a list that changes would break the prompt's cached prefix
        if turn.reads_memory and context.earlier > len(context.recent):
            tools.append(SEARCH_MEMORY)
        if self._can_store_facts(turn):
            tools.append(REMEMBER)
            if context.facts:
                tools.append(FORGET)
        if self._commands:
            tools.append(OFFER_COMMAND)
        return tuple(tools)

    def _can_store_facts(self, turn: Turn) -> bool:
        return turn.stored is not None and self._facts is not None and not turn.scope.is_channel_direct_chat

    async def run_tool_call(self, call: ToolCall, turn: Turn, *, seen_ids: SeenIds, max_tokens: int) -> ToolResult:
        """Run a tool call. Its result has at most `max_tokens` tokens, and describes any error to the model."""
        arguments = _parse_arguments(call)
        if isinstance(arguments, str):
            return make_error_result(replace(call, arguments="{}"), arguments)
        try:
            if call.name == SEARCH_MEMORY.name and turn.reads_memory:
                return await self._search_memory(call, arguments, turn, seen_ids, max_tokens)
            if call.name == REMEMBER.name and self._can_store_facts(turn):
                return _propose_fact(call, arguments)
            if call.name == FORGET.name and self._facts is not None and self._can_store_facts(turn):
                return _propose_forgetting(call, arguments, await self._facts.list_all(turn.scope.owner))
            if call.name == REMIND.name:
                return _propose_reminder(call, arguments, turn, self._clock())
            if call.name == OFFER_COMMAND.name and self._commands:
                return _propose_command(call, arguments, self._commands, turn.stored)
        except StorageError as error:
            log.warning("a tool for the model in %s failed: %s", turn.scope, type(error).__name__)
            return make_error_result(call, "The memory cannot be read right now.")
        return make_error_result(call, "There is no such tool.")

    async def _search_memory(
        self, call: ToolCall, arguments: Mapping[str, Any], turn: Turn, seen_ids: SeenIds, max_tokens: int
    ) -> ToolResult:
        search = SearchCall.parse(arguments)
        if isinstance(search, str):
            return make_error_result(call, search)
        until = None if turn.stored is None else turn.stored - 1
        shown = await self._reading.search_memory(
            turn.scope,
            search,
            seen_ids=seen_ids,
            until_message_id=until,
            now=self._clock(),
            max_tokens=min(RESULT_TOKENS, max_tokens),
        )
        log.info("the model searched the memory of %s: %d messages found", turn.scope, len(shown.messages))
        numbers = ", ".join(map(str, shown.messages)) or "none"
        return ToolResult(
            call=call,
            result=shown.text,
            note=f"{call.name} {json.dumps(arguments, ensure_ascii=False)}: messages {numbers}",
            found=tuple(shown.messages),
            summaries=shown.summaries,
        )


def _propose_fact(call: ToolCall, arguments: Mapping[str, Any]) -> ToolResult:
    text = " ".join(str(arguments.get("text") or "").split())
    if not text or len(text) > MAX_FACT_CHARS:
        return make_error_result(call, f"A fact is one sentence of at most {MAX_FACT_CHARS} characters.")
    proposal = Proposal(kind="remember", text=text)
    return ToolResult(call=call, result=ASKED, note=f"{call.name}{prompts.PROPOSED_NOTE}", proposal=proposal)


def _propose_forgetting(call: ToolCall, arguments: Mapping[str, Any], known_facts: Sequence[Fact]) -> ToolResult:
    fact = next((fact for fact in known_facts if str(fact.id) == str(arguments.get("fact_id")) and fact.is_valid), None)
    if fact is None:
        return make_error_result(call, "There is no such fact.")
    proposal = Proposal(kind="command", text=f"/forget fact {fact.id}")
    return ToolResult(call=call, result=ASKED, note=f"{call.name} {fact.id}{prompts.PROPOSED_NOTE}", proposal=proposal)


def _propose_reminder(call: ToolCall, arguments: Mapping[str, Any], turn: Turn, now: datetime) -> ToolResult:
    reminder = parse_reminder(arguments, now.astimezone(turn.config.zone if turn.config is not None else UTC))
    if reminder is None:
        return make_error_result(call, "A reminder needs text and a later time: at (YYYY-MM-DDTHH:MM) or in_minutes.")
    proposal = Proposal(kind="remind", text=reminder.text, reminder=reminder, source=turn.stored)
    return ToolResult(call=call, result=ASKED, note=f"{call.name}{prompts.PROPOSED_NOTE}", proposal=proposal)


def _propose_command(
    call: ToolCall, arguments: Mapping[str, Any], commands: Collection[str], turn: int | None
) -> ToolResult:
    text = " ".join(str(arguments.get("command") or "").split())
    name = text.partition(" ")[0].removeprefix("/").lower()
    if name not in commands or len(text) > MAX_COMMAND_CHARS:
        return make_error_result(call, "There is no such command, or it is too long.")
    proposal = Proposal(kind="command", text=f"/{name} {text.partition(' ')[2]}".rstrip(), source=turn)
    return ToolResult(call=call, result=ASKED, note=f"{call.name} /{name}{prompts.PROPOSED_NOTE}", proposal=proposal)


def make_error_result(call: ToolCall, reason: str) -> ToolResult:
    return ToolResult(call=call, result=reason, note=f"{call.name[:40]}: {reason}")


def _parse_arguments(call: ToolCall) -> Mapping[str, Any] | ErrorText:
    if len(call.arguments) > MAX_ARGUMENTS_CHARS:
        return "The arguments are too long."
    given = repair_surrogates_in_json(parse_json_or_none(call.arguments or "{}"))
    if not isinstance(given, dict):
        return "The arguments are not a JSON object."
    # A person confirms what they see: nothing else may stand in it.
    return {key: remove_invisible_characters(text) if isinstance(text, str) else text for key, text in given.items()}
