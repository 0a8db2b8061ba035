"""Pure functions that render past turns for a prompt, whole or with their longest messages cut in the middle."""

from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from llm import prompts, quoting
from records.context import Cut, Snippet
from records.messages import NEVER_RECALLED, OTHERS, Message, Role, limit_document_passages
from records.summaries import Summary
from text.tokenizer import Tokenizer

WORTH_SHOWING = 48  # tokens; a smaller piece of a message says too little
NEIGHBOURS = 2  # messages before and after the one that is replied to
ROOM_SHARE = 2  # these messages take at most half of the room for snippets
MAX_NEIGHBOUR_TOKENS = 300
LINE_TOKENS = 24  # the tokens of a line's date, time and name, without its text


@dataclass(frozen=True, kw_only=True, slots=True)
class PastTurn:
    """A past turn as the prompt shows it. `contents` are the rendered texts of its messages."""

    messages: tuple[Message, ...]
    contents: tuple[str, ...]  # the texts in the prompt
    tokens: int
    is_whole: bool = True
    left_out: tuple[Message, ...] = ()  # further passages of documents, which are searched instead

    def make_cut_record(self, reason: str) -> Cut:
        return Cut(what="turns", first_id=self.messages[0].id, last_id=self.messages[-1].id, why=reason)


class TurnRenderer:
    """Renders past turns for a prompt, in full or shortened."""

    def __init__(self, tokenizer: Tokenizer, *, in_group: bool) -> None:
        self._tokens = tokenizer
        self._in_group = in_group

    def render_turns(self, messages: Sequence[Message]) -> list[PastTurn]:
        grouped: dict[int, list[Message]] = {}
        for message in messages:
            if message.origin != "declined":
                grouped.setdefault(message.turn, []).append(message)
        turns = []
        for group in grouped.values():
            shown = limit_document_passages(group)
            ids = {message.id for message in shown}
            turn = self._make_turn(shown, [self._render_content(message) for message in shown])
            turns.append(replace(turn, left_out=tuple(message for message in group if message.id not in ids)))
        return turns

    def shorten_turn(self, turn: PastTurn, max_tokens: int) -> PastTurn | None:
        """Shorten a turn's longest messages to fit `max_tokens` tokens. Return None if too little would be left."""
        tokens = max_tokens - 6 * len(turn.messages)
        if tokens < WORTH_SHOWING * len(turn.messages):
            return None
        whole = [self._render_content(message) for message in turn.messages]
        limit = compute_common_cap([self._tokens.count(content) for content in whole], tokens)
        contents = [self._render_content(message, limit) for message in turn.messages]
        squeezed = self._make_turn(turn.messages, contents, is_whole=False)
        return replace(squeezed, left_out=turn.left_out) if squeezed.tokens <= max_tokens else None

    def _make_turn(self, messages: Sequence[Message], contents: Sequence[str], *, is_whole: bool = True) -> PastTurn:
        roles = map(find_prompt_role, messages)
        tokens = sum(map(self._tokens.count_text_message_tokens, roles, contents))
        return PastTurn(messages=tuple(messages), contents=tuple(contents), tokens=tokens, is_whole=is_whole)

    def _render_content(self, message: Message, max_tokens: int | None = None) -> str:
        if message.origin == "tool":  # what a search found may be out of date
            return prompts.PROPOSED if message.content.endswith(prompts.PROPOSED_NOTE) else prompts.ARCHIVED_RESULT
        quote = partial(self._quote_text_of_message, message)
        if max_tokens is None:
            return quote(message.content)
        return quote(
            self._tokens.truncate_to_fit_when_rendered(message.content, max_tokens, quote, self._tokens.omit_middle)
        )

    def _quote_text_of_message(self, message: Message, text: str) -> str:
        if self._in_group and message.role != "assistant":  # several people share the role "user"
            return prompts.prepend_speaker_name(message.speaker, quoting.quote_message(message, text))
        if message.origin == "imported":  # from a file that may attribute anything to anyone
            said = text if message.is_user else prompts.format_message_with_speaker(message, text)
            return quoting.quote_with_origin_tag(message.origin, said)
        return quoting.quote_message(message, text) if message.origin in OTHERS else quoting.quote_user_text(text)


def find_prompt_role(message: Message) -> Role:
    """Return the role of a message in a prompt. Only the bot's own answers are "assistant"."""
    return "assistant" if message.role == "assistant" and message.origin in ("", "tool") else "user"


def compute_common_cap(sizes: Sequence[int], max_total: int) -> int:
    """Return the largest cap such that the sizes, each reduced to the cap if larger, add up to at most `max_total`."""
    limits = range(max(sizes, default=0) + 1)
    return max(0, bisect_right(limits, max_total, key=lambda limit: sum(min(size, limit) for size in sizes)) - 1)


def select_messages_of_newest_turns(messages: Sequence[Message], turn_count: int) -> list[Message]:
    """Return the messages of the `turn_count` newest turns, in their original order."""
    newest = sorted({message.turn for message in messages})[-turn_count:]
    return [message for message in messages if message.turn in newest]


def count_characters(messages: Sequence[Message]) -> int:
    return sum(len(message.content) for message in messages)


def find_uncovered_ranges(
    summaries: Sequence[Summary], oldest_id: int, newest_id: int, *, includes_range_after_last: bool
) -> list[tuple[int, int]]:
    """Return the id ranges that no summary covers, from `oldest_id` up to the last summary.

    If there are none and `includes_range_after_last` is True, return the range after the last summary.
    """
    gaps, next_id = list[tuple[int, int]](), oldest_id
    for summary in sorted(summaries, key=lambda summary: summary.first_id):
        if summary.first_id > next_id:
            gaps.append((next_id, summary.first_id - 1))
        next_id = max(next_id, summary.last_id + 1)
    if not gaps and includes_range_after_last:
        gaps.append((min(next_id, newest_id), newest_id))
    return gaps


def find_reply_snippets(
    messages: Sequence[Message],
    tokenizer: Tokenizer,
    *,
    replied_to_id: int,
    message_ids_in_prompt: Set[int],
    before_turn: int | None,
    available_tokens: int,
) -> list[Snippet]:
    """Return snippets of the replied-to message and its neighbours, nearest first, using part of `available_tokens`."""
    chosen: list[Snippet] = []
    left = available_tokens // ROOM_SHARE
    for message in sorted(messages, key=lambda message: abs(message.id - replied_to_id)):
        is_later = before_turn is not None and message.turn >= before_turn
        if is_later or message.id in message_ids_in_prompt or message.origin in NEVER_RECALLED:
            continue
        text = tokenizer.truncate(message.content, min(MAX_NEIGHBOUR_TOKENS, left - LINE_TOKENS))
        left -= tokenizer.count(text) + LINE_TOKENS
        if left < 0 or not text:
            break
        chosen.append(Snippet(message=message, text=text, score={"reply": 1.0}))
    return chosen
