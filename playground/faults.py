"""Faults that tests inject into the Bot API: which call is hit, how, and how often.

Does not carry them out: bot_api.py does.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from playground.parameters import Parameters
from playground.refusals import Refusal, bad_request, too_many_requests

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
    """One rule. times: how many calls it hits (None = all); after: how many matching calls pass first; field: hits only
    calls that have it.
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

    def fits(self, method: str, parameters: Parameters) -> bool:
        if self.method != "*" and self.method.lower() != method.lower():
            return False
        if self.chat_id is not None and parameters.text("chat_id") != str(self.chat_id):
            return False
        if self.field and self.field not in parameters:
            return False
        has_markup = "parse_mode" in parameters or bool(parameters.objects("entities"))
        return self.kind != "refuse_entities" or has_markup

    def refusal(self) -> Refusal | None:
        """The answer instead of the effect; None for faults of another kind."""
        match self.kind:
            case "retry_after":
                return too_many_requests(self.retry_after)
            case "server_error":
                return Refusal(502, "Bad Gateway")
            case "error":
                return Refusal(self.error_code, self.description)
            case "refuse_entities":
                return bad_request("can't parse entities: injected fault")
        return None


class Faults:
    """The rules in force, oldest first; each call is hit by at most one."""

    def __init__(self) -> None:
        self._rules: list[Fault] = []
        self._released = asyncio.Event()

    def add(self, fault: Fault) -> None:
        self._rules.append(fault)

    def rules(self) -> list[Fault]:
        return list(self._rules)

    def clear(self) -> None:
        """No more faults; what hangs is released."""
        self._rules = []
        self.release()

    def release(self) -> None:
        """Let go of every answer that is being held."""
        held, self._released = self._released, asyncio.Event()
        held.set()

    def released(self) -> asyncio.Event:
        """What a hanging call waits for; call this before the journal shows that it hangs."""
        return self._released

    def take(self, method: str, parameters: Parameters) -> Fault | None:
        """The fault that hits this call, counted; None when it passes."""
        for index, rule in enumerate(self._rules):
            if not rule.fits(method, parameters):
                continue
            if rule.after:
                self._rules[index] = replace(rule, after=rule.after - 1)
                continue
            if rule.times is not None:
                self._rules[index : index + 1] = [replace(rule, times=rule.times - 1)] if rule.times > 1 else []
            return rule
        return None


def fault_from(rule: Mapping[str, Any]) -> Fault:
    """A fault from JSON; ValueError with a sentence for what is not one."""
    known = {field.name for field in fields(Fault)}
    if unknown := set(rule) - known:
        raise ValueError(f"A fault has no field {', '.join(sorted(unknown))}.")
    if "kind" not in rule:
        raise ValueError("A fault needs a kind.")
    numbers = ("chat_id", "times", "after", "retry_after", "error_code")
    if any(not isinstance(rule[name], int | None) for name in numbers if name in rule):
        raise ValueError(f"These fields are numbers: {', '.join(numbers)}.")
    return Fault(**rule)
