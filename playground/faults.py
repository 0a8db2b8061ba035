"""Rules for faults that tests inject into the Bot API. bot_api.py applies them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from playground.parameters import Parameters
from playground.refusals import Refusal, make_bad_request_error, make_too_many_requests_error

KINDS = {
    "retry_after": "429 without effect",
    "server_error": "502 without effect",
    "error": "error_code and description as given, without effect",
    "refuse_entities": "400 for calls with entities or parse_mode, without effect; others pass",
    "drop_before": "the connection is cut, without effect",
    "drop_after": "the connection is cut after the effect",
    "hang": "the effect happens; the answer is held until released",
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A rule that makes Bot API calls fail.

    It skips the first `after` matching calls and then applies to `times` calls, or to all if `times` is None. If
    `field` is set, only calls with this parameter match.
    """

    kind: str
    method: str = "*"
    chat_id: int | None = None
    times: int | None = 1
    after: int = 0
    retry_after: int = 1
    error_code: int = 400
    description: str = "Bad Request"
    field: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is one of {', '.join(KINDS)}.")

    def matches(self, method: str, parameters: Parameters) -> bool:
        if self.method != "*" and self.method.lower() != method.lower():
            return False
        if self.chat_id is not None and parameters.read_text("chat_id") != str(self.chat_id):
            return False
        if self.field and self.field not in parameters:
            return False
        has_markup = "parse_mode" in parameters or bool(parameters.read_objects("entities"))
        return self.kind != "refuse_entities" or has_markup

    def make_refusal(self) -> Refusal | None:
        """Return the refusal that replaces the call's effect, or None if this kind of fault lets the effect happen."""
        match self.kind:
            case "retry_after":
                return make_too_many_requests_error(self.retry_after)
            case "server_error":
                return Refusal(502, "Bad Gateway")
            case "error":
                return Refusal(self.error_code, self.description)
            case "refuse_entities":
                return make_bad_request_error("can't parse entities: injected fault")
        return None


class Faults:
    """The active faults, oldest first. At most one of them applies to a call."""

    def __init__(self) -> None:
        self._rules: list[Fault] = []
        self._released = asyncio.Event()

    def add(self, fault: Fault) -> None:
        self._rules.append(fault)

    def list_faults(self) -> list[Fault]:
        return list(self._rules)

    def clear_faults(self) -> None:
        """Remove all faults and release the calls that hang."""
        self._rules = []
        self.release_hanging_calls()

    def release_hanging_calls(self) -> None:
        """Release all calls that hang."""
        held, self._released = self._released, asyncio.Event()
        held.set()

    def get_release_event(self) -> asyncio.Event:
        """Return the event that a hanging call waits for.

        Get it before the call is recorded, because a test may release the calls as soon as it sees the record.
        """
        return self._released

    def take_matching_fault(self, method: str, parameters: Parameters) -> Fault | None:
        """Return the fault that applies to this call, and count its use. Return None if no fault applies."""
        for index, rule in enumerate(self._rules):
            if not rule.matches(method, parameters):
                continue
            if rule.after:
                self._rules[index] = replace(rule, after=rule.after - 1)
                continue
            if rule.times is not None:
                self._rules[index : index + 1] = [replace(rule, times=rule.times - 1)] if rule.times > 1 else []
            return rule
        return None


def parse_fault(rule: Mapping[str, Any]) -> Fault:
    """Make a fault from its JSON object. Raise ValueError if it is invalid."""
    known = {field.name for field in fields(Fault)}
    if unknown := set(rule) - known:
        raise ValueError(f"A fault has no field {', '.join(sorted(unknown))}.")
    if "kind" not in rule:
        raise ValueError("A fault needs a kind.")
    numbers = ("chat_id", "times", "after", "retry_after", "error_code")
    if any(not isinstance(rule[name], int | None) for name in numbers if name in rule):
        raise ValueError(f"These fields are numbers: {', '.join(numbers)}.")
    return Fault(**rule)
