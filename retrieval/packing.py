"""Packs passages into a token budget greedily, best first, without cutting any. Pure functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import attrs

from llm import prompts
from records.context import Snippet
from records.messages import Message
from text.analyzer import list_search_terms
from text.passages import join_passages_at_indexes

MIN_ROOM_TOKENS = 12  # no message fits into fewer tokens
ELLIPSES_TOKENS = 4  # the tokens of the ellipses where text was left out


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedPassage:
    """A candidate passage: its message, its index in the message (`part`), and the components of its score by name."""

    message: Message
    part: int
    score: Mapping[str, float]


@attrs.define(kw_only=True, eq=False)
class Packer:
    """Greedily packs passages into `room` tokens. Passages from the same message form one snippet."""

    room: int
    _now: datetime
    _count: Callable[[str], int]
    _format_line: Callable[[Message, str], str] = prompts.format_message_with_speaker
    _days: set[date] = attrs.field(factory=set, init=False)
    _texts: set[str] = attrs.field(factory=set, init=False)
    _parts: dict[int, set[int]] = attrs.field(factory=dict, init=False)
    _taken: dict[int, Snippet] = attrs.field(factory=dict, init=False)
    _costs: dict[int, int] = attrs.field(factory=dict, init=False)

    @property
    def snippets(self) -> list[Snippet]:
        """The packed snippets, in the order in which their messages were added."""
        return list(self._taken.values())

    def add_fitting_passages(self, passages: Iterable[RankedPassage], *, reserved_tokens: int = 0) -> None:
        """Add the passages that fit, in the given order, while keeping `reserved_tokens` tokens of the budget free."""
        for passage in passages:
            if self.room - reserved_tokens < MIN_ROOM_TOKENS:
                break
            self._try_to_add_passage(passage, reserved_tokens)

    def add_required_passages(
        self, passages: Iterable[RankedPassage], terms: frozenset[str], split_text: Callable[[str, int], Sequence[str]]
    ) -> None:
        """Add each passage or, if it does not fit, the piece from `split_text` that contains the most `terms`."""
        for passage in passages:
            if self._try_to_add_passage(passage, 0):
                continue
            text = join_passages_at_indexes(passage.message.content, {passage.part})
            line = self._format_line(passage.message, "")
            room = self.room - self._count(
                f"{prompts.format_snippet_heading(passage.message.created_at, self._now)}\n{line}\n"
            )
            while room >= MIN_ROOM_TOKENS and passage.message.id not in self._taken:
                pieces = split_text(text, room - ELLIPSES_TOKENS)
                piece = max(pieces, key=lambda text: len(terms.intersection(list_search_terms(text)))).strip()
                if terms.intersection(list_search_terms(piece)):  # otherwise the word itself was divided
                    self.try_to_add_snippet(Snippet(message=passage.message, text=f"… {piece} …", score=passage.score))
                room = room * 3 // 4

    def _try_to_add_passage(self, passage: RankedPassage, reserved_tokens: int) -> bool:
        id_ = passage.message.id
        parts = self._parts.get(id_, set())
        if passage.part in parts or (id_ in self._taken and not parts):  # in full, or as a required piece
            return True
        parts = parts | {passage.part}
        text = join_passages_at_indexes(passage.message.content, parts)
        score = self._taken[id_].score if id_ in self._taken else passage.score
        is_added = self.try_to_add_snippet(
            Snippet(message=passage.message, text=text, score=score), reserved_tokens=reserved_tokens
        )
        if is_added:
            self._parts[id_] = parts
        return is_added

    def try_to_add_snippet(self, snippet: Snippet, *, reserved_tokens: int = 0) -> bool:
        """Add a snippet, replacing an earlier snippet of the same message. Return False if it does not fit."""
        id_, line = snippet.message.id, self._format_line(snippet.message, snippet.text)
        if line in self._texts:  # another message says the same
            return True
        local = snippet.message.created_at.astimezone(self._now.tzinfo)
        cost = self._count(line + "\n")
        more = cost - self._costs.get(id_, 0)
        if local.date() not in self._days:
            more += self._count(prompts.format_snippet_heading(local, self._now) + "\n")
        if more > self.room - reserved_tokens:
            return False
        self.room -= more
        self._costs[id_], self._taken[id_] = cost, snippet
        self._days.add(local.date())
        self._texts.add(line)
        return True
