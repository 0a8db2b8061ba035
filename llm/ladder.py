"""Decides what to leave out of a request after a refusal of unknown cause, and how long prompts may be. Does no I/O."""

import logging
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from time import monotonic
from typing import Any, Literal

from cachetools import TTLCache

from llm import prompt_cache
from records.attachments import Picture
from records.model_calls import Abilities, Prompt

log = logging.getLogger(__name__)

# What the next request leaves out. A refused history is dropped with the tools, see chat/answer_loop.py.
Step = Literal["parameters", "tools", "length", "history", "system", "stream"]
STEPS: tuple[Step, ...] = ("parameters", "tools", "length", "history", "system", "stream")

# Without these, a request means the same.
PARAMETERS = ("max_tokens", prompt_cache.PARAMETER, "stream_options", "response_format", "tool_choice")
MAX_REQUESTS = 4  # for one answer, since a person waits
REMEMBERED_SECONDS = 86_400.0  # A server may be updated, so a refused feature is tried again a day later.

LENGTH, PERHAPS_LENGTH, PERHAPS_TOOLS = "longer prompts", "longer prompts, perhaps", "requests with tools, perhaps"
PERHAPS_PICTURES, PERHAPS_STREAM, FAULTS = "pictures, perhaps", "streams, perhaps", "requests that make it fail"
# The steps that the next refusal tries first, since they helped together with others.
DOUBTS: Mapping[Step, str] = {"stream": PERHAPS_STREAM, "tools": PERHAPS_TOOLS, "length": PERHAPS_LENGTH}

MIN_SHORTENED_TOKENS = 1_000  # a shorter prompt is assumed to fit every server
MIN_WINDOW_TOKENS = 256  # tokens that a prompt may always have, because fewer leave no room for a question
ANSWER_SHARE, MAX_ANSWER_TOKENS = 4, 1024  # one in 4 tokens of a window is left free for the answer, at most 1,024
SHORTER = 0.4  # the next prompt is shortened to this share if a refusal names no size
MIN_BELIEVED_TOKENS, MAX_WINDOW_TOKENS = 64, 10**8  # sizes that are believed
MIN_SOLE_NUMBER = 512  # a smaller number in a refusal is not taken for a size, unless there are two numbers
_NUMBER = re.compile(r"\b\d{1,3}(?:,\d{3}){1,2}\b|\b\d{2,9}\b")


def compute_answer_token_reserve(window_size: int) -> int:
    return min(MAX_ANSWER_TOKENS, window_size // ANSWER_SHARE)


def compute_max_prompt_tokens(abilities: Abilities, limit: int | None) -> int | None:
    """Return the maximum number of tokens in a prompt, or None if it is unknown. `limit` was learned from refusals."""
    known = [limit] if limit is not None else []
    if abilities.context is not None:
        known.append(int((abilities.context - compute_answer_token_reserve(abilities.context)) / abilities.tokens))
    return max(MIN_WINDOW_TOKENS, min(known)) if known else None


def compute_lower_limit(prompt_tokens: int, refusal: str, former: int | None = None) -> int:
    """Return a limit below the lower of two numbers in `refusal`, or below a single one that is under `prompt_tokens`.

    It is never above `former`, an earlier limit.
    """
    sizes = {int(number.replace(",", "")) for number in _NUMBER.findall(refusal)}
    sizes = {size for size in sizes if MIN_BELIEVED_TOKENS <= size <= MAX_WINDOW_TOKENS}
    limit, size = min(sizes, default=0), max(sizes, default=0)
    share = SHORTER
    if len(sizes) == 2:
        share = (limit - compute_answer_token_reserve(limit)) / size
    elif len(sizes) == 1 and MIN_SOLE_NUMBER <= limit < prompt_tokens:
        share = min(SHORTER * 2, (limit - compute_answer_token_reserve(limit)) / prompt_tokens)
    return max(MIN_WINDOW_TOKENS, min(int(share * prompt_tokens), former or prompt_tokens))


class RefusedFeatures(TTLCache[str, int]):
    """The features that an endpoint has refused within the last day, and its doubtful ones. `LENGTH` has the limit."""

    def __init__(self, model: str) -> None:
        super().__init__(maxsize=100, ttl=REMEMBERED_SECONDS)
        self._model = model

    def add(self, feature: str, value: int = 1) -> None:
        if feature not in self:
            log.info("model %s takes no %s: it is asked without from now on", self._model, feature)
        self[feature] = value

    def doubt(self, feature: str, reason: str, times: int = 2) -> bool:
        """Count a reason to doubt a feature. Return True once it is taken for refused, which takes `times` reasons."""
        self[reason] = self.get(reason, 0) + 1
        if self[reason] >= times:
            self.discard(reason)
            self.add(feature)
        return feature in self

    def try_one_again(self) -> None:
        """Use a feature again that was left out together with others, which may have been refused alone."""
        for feature, doubt in ((LENGTH, PERHAPS_LENGTH), ("tools", PERHAPS_TOOLS)):
            if feature in self and doubt in self:
                self.discard(feature)
                return

    def settle(self, feature: str, doubt: str, value: int = 1) -> None:
        """Remember a feature as refused. If it was in doubt, what was left out with it was left out for nothing."""
        if doubt in self:
            self.discard(doubt, "system", "tools", PERHAPS_TOOLS, LENGTH, PERHAPS_LENGTH)
        self.add(feature, value)

    def record_and_compare_refused_pictures(self, pictures: Iterable[Picture]) -> bool:
        """Record refused pictures. Return True if different ones were refused before, as one alone may be damaged."""
        refused = hash(tuple(picture.data for picture in pictures if picture.mime == "image/jpeg"))
        earlier, self[PERHAPS_PICTURES] = self.get(PERHAPS_PICTURES, refused), refused
        return earlier != refused

    def discard(self, *features: str) -> None:
        for name in features:
            self.pop(name, None)


@dataclass
class Fallbacks:
    """Tracks the refusals while one answer is requested, and the parts to leave out of the next request."""

    for_person: bool = False
    refusals: int = 0
    refused_at: float | None = None  # the time of the first refusal, on the monotonic clock
    left_out: set[Step] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    limit: int | None = None  # of a prompt, as learned from refusals because of length
    answers_others: bool | None = None  # True if a harmless question was answered, None if none was asked
    may_have_passed: bool = False  # True if the last refusal may pass by itself
    had_fault: bool = False  # True if it was a server's or a gateway's fault
    empty_answers: int = 0
    called_other_tools: bool = False  # True if it called tools that do not exist, so it may call those that do
    _taken: list[tuple[frozenset[Step], str]] = field(default_factory=list)

    @property
    def last_refusal(self) -> str:
        """The status and text of the last refusal in lower case, without words that contain digits."""
        return self._taken[-1][1].lower() if self._taken else ""

    def record_refusal(self) -> None:
        self.refusals += 1
        if self.refused_at is None:
            self.refused_at = monotonic()

    def list_possible_steps(self, messages: Prompt, request: Mapping[str, Any], prompt_tokens: int) -> set[Step]:
        """Return the steps that would reduce `request`, which was made from `messages` of `prompt_tokens` tokens."""
        possible: set[Step] = set()
        if request.keys() & PARAMETERS:
            possible.add("parameters")
        if "tools" in request or any(message.role == "tool" for message in messages):
            possible.add("tools")
        if any(message["role"] == "system" for message in request["messages"]):
            possible.add("system")
        # In the background a shorter prompt is another call, which would not know of parameters left out next to it.
        if prompt_tokens > MIN_SHORTENED_TOKENS and (self.for_person or "parameters" not in possible):
            possible.add("length")
        if self.for_person and has_history(messages) and "history" not in self.left_out:
            possible.add("history")
        return possible

    def choose_steps(self, refusal: str, possible_steps: Collection[Step], likely_step: Step | None) -> frozenset[Step]:
        """Choose the steps that reduce the next request. Return an empty set if no step or no request is left.

        `refusal` is the status and text of the error. `possible_steps` contains the steps that would change the
        request. `likely_step` is tried first. If it is None, one request is reserved for a harmless question, which
        shows if the model declined this prompt. After a fault, a busy server or that question, none is reserved.
        """
        order = [step for step in STEPS if step in possible_steps]
        is_unclear = likely_step is None and not (self.may_have_passed or refusal.startswith("5"))
        left = MAX_REQUESTS - self.refusals - (is_unclear and self.answers_others is None)
        if left <= 0 or not order:
            return frozenset()
        if left > 1 and likely_step in order:
            steps = frozenset({likely_step})
        else:
            count = 1 if left == MAX_REQUESTS - 1 else ceil(len(order) / left)
            # What helps next to the history may have helped alone, and would be taken for refused.
            is_history_last = left > 1 and "history" in order[1:count]
            steps = frozenset(order[: order.index("history") if is_history_last else count])
        # Sizes and ids of requests differ each time.
        lasting = [word for word in refusal[3:].split() if not any(map(str.isdigit, word))]
        self._taken.append((steps, refusal[:3] + " ".join(lasting)))
        self.left_out |= steps if left > 1 else {*steps, "stream"}  # the last attempt has nothing else to lose
        return steps

    def was_tried_alone(self, step: Step) -> bool:
        """Return True if this step was ever the only difference between two consecutive requests."""
        return any(steps == {step} for steps, _ in self._taken)

    def get_steps_that_helped(self) -> set[Step]:
        """Return the steps after which a request succeeded or was refused for a different reason.

        If the trouble may have passed by itself, return only steps that were tried alone.
        """
        after = [*(words for _, words in self._taken[1:]), ""]
        pairs = zip(self._taken, after, strict=False)  # without a step, nothing
        helpful: set[Step] = {step for (steps, words), later in pairs if words != later for step in steps}
        return set(filter(self.was_tried_alone, helpful)) if self.may_have_passed else helpful


def has_history(messages: Prompt) -> bool:
    return sum(not message.calls and message.role != "tool" for message in messages) > 2
