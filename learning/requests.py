"""The requests that facts and the profile are asked with, each within the model's window.

Owns how much of what goes in: turns, known facts, summaries. Does not know who asks, or when.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

import prompts
from learning.extraction import FACTS_SCHEMA
from learning.marks import topics
from learning.profile import PROFILE_SCHEMA
from records import Fact, Message, Profile, PromptMessage, Study, Summary
from tokens import Tokenizer

MOST_TURNS = 20
"""Turns that one request may carry."""
MOST_KNOWN = 40
"""Known facts that a request shows, those that share most with the talk first."""
CONTEXT_TOKENS = 60
"""Of what the assistant said between."""
ANSWER_SHARE = 0.25
"""Of the window, left free for the model's answer and a repair."""
LEAST_ROOM = 64
CHARACTERS_OF_TOKEN = 4
LINE_TOKENS, ANSWER_TOKENS = 15, 250
"""Of the frame of one message, and of an answer with the known facts that its request showed: for a guess."""

Request = tuple[PromptMessage, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stretch:
    """So many turns to learn from in one request: the person's own messages of them, and the facts that are shown."""

    request: Request
    turns: int
    messages: tuple[Message, ...]
    shown: tuple[Fact, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileRequest:
    """A request for a profile, the facts that it carries, and the ids of the summaries."""

    request: Request
    facts: tuple[Fact, ...]
    summary_ids: tuple[int, ...]


class Requests:
    """Makes requests of at most `window` tokens, the schema counted in."""

    def __init__(self, tokenizer: Tokenizer, window: int) -> None:
        self._tokens = tokenizer
        self._window = window

    def stretch(self, turns: Sequence[Sequence[Message]], known: Sequence[Fact], *, who: str, zone: tzinfo) -> Stretch:
        """As many of the turns as fit, at least one, with the known facts that they may be about."""
        turns = turns[:MOST_TURNS]
        shown, known_lines = self._shown(known, turns)
        instructions = prompts.EXTRACT_FACTS.format(who=who)
        room = self._room(instructions, prompts.facts_request(known_lines, []), FACTS_SCHEMA)
        lines: list[str] = []
        messages: list[Message] = []
        taken = 0
        for turn in turns:
            fresh = [self._line(message, zone, room) for message in turn]
            size = self._size(fresh)
            if lines and size > room:
                break
            room -= size
            lines += fresh
            messages += [message for message in turn if message.role == "user"]
            taken += 1
        return Stretch(
            request=_request(instructions, prompts.facts_request(known_lines, lines)),
            turns=taken,
            messages=tuple(messages),
            shown=tuple(shown),
        )

    def cost(self, study: Study) -> tuple[int, int]:
        """Requests, and tokens of all of them with their answers: a guess from the length of what is to be read."""
        empty = _request(prompts.EXTRACT_FACTS.format(who=""), prompts.facts_request([], []))
        frame = self._tokens.prompt_tokens(empty) + self._tokens.count(str(FACTS_SCHEMA))
        said = study.characters // CHARACTERS_OF_TOKEN + study.messages * LINE_TOKENS
        room = max(LEAST_ROOM, int((self._window - frame - LEAST_ROOM) * (1 - ANSWER_SHARE)))
        requests = max(-(-study.messages // MOST_TURNS), -(-said // room))
        return requests, said + requests * (frame + ANSWER_TOKENS)

    def size(self, request: Request) -> int:
        """Tokens of a request's prompt."""
        return self._tokens.prompt_tokens(request)

    def repair(self, stretch: Stretch, answer: str) -> Request:
        """The same request after an answer that was no list of facts."""
        shown = self._tokens.cut_middle(answer, int(self._window * ANSWER_SHARE / 2))
        return (
            *stretch.request,
            PromptMessage(role="assistant", content=shown or "…"),
            PromptMessage(role="user", content=prompts.REPAIR_FACTS),
        )

    def profile(
        self, before: Profile | None, summaries: Sequence[Summary], known: Sequence[Fact], *, who: str
    ) -> ProfileRequest:
        """The facts in the order given, at most half of the room, then the newest of the summaries."""
        instructions = prompts.DISTIL_PROFILE.format(who=who, words=prompts.LONGEST_PROFILE)
        text = before.text if before else ""
        room = self._room(instructions, prompts.profile_request(text, [], []), PROFILE_SCHEMA)
        fact_lines = self._fitting([prompts.fact_line(fact) for fact in known], room // 2)
        newest = sorted(summaries, key=lambda one: -one.id)
        lines = self._fitting([prompts.summary_line(one) for one in newest], room - self._size(fact_lines))
        return ProfileRequest(
            request=_request(instructions, prompts.profile_request(text, lines[::-1], fact_lines)),
            facts=tuple(known[: len(fact_lines)]),
            summary_ids=tuple(one.id for one in newest[: len(lines)]),
        )

    def _shown(self, known: Sequence[Fact], turns: Sequence[Sequence[Message]]) -> tuple[list[Fact], list[str]]:
        """The known facts that the model sees, since it may be told something that changes them."""
        about = frozenset[str]().union(*(topics(message.content) for turn in turns for message in turn))
        ranked = sorted(
            known, key=lambda fact: (-len(topics(f"{fact.text} {fact.subject}") & about), -fact.importance, -fact.id)
        )[:MOST_KNOWN]
        lines = self._fitting([prompts.known_line(fact) for fact in ranked], self._window // 4)
        return ranked[: len(lines)], lines

    def _line(self, message: Message, zone: tzinfo, room: int) -> str:
        if message.role == "assistant":
            return prompts.context_line(self._tokens.cut_middle(message.content, CONTEXT_TOKENS))
        text = self._tokens.cut_middle(message.content, max(16, room // 4))
        return prompts.learnable_line(message, message.created_at.astimezone(zone), text)

    def _room(self, instructions: str, body: str, schema: Mapping[str, object]) -> int:
        """Tokens of further lines beside all else, and the answer's share left free."""
        used = self._tokens.prompt_tokens(_request(instructions, body)) + self._tokens.count(str(schema)) + LEAST_ROOM
        return max(LEAST_ROOM, int((self._window - used) * (1 - ANSWER_SHARE)))

    def _fitting(self, lines: Sequence[str], room: int) -> list[str]:
        """The first lines that fit."""
        kept: list[str] = []
        for line in lines:
            room -= self._tokens.count(line) + 1
            if room < 0:
                break
            kept.append(line)
        return kept

    def _size(self, lines: Sequence[str]) -> int:
        return sum(self._tokens.count(line) + 1 for line in lines)


def _request(instructions: str, body: str) -> Request:
    return PromptMessage(role="system", content=instructions), PromptMessage(role="user", content=body)
