"""Finds what a reply to an earlier message brings along: the quoted words, that message and its neighbours. Pure."""

from collections.abc import Sequence, Set
from dataclasses import replace

from llm import prompts
from records.context import Snippet
from records.messages import NEVER_RECALLED, Message
from records.turns import Replied
from text.tokenizer import Tokenizer

MAX_QUOTED_TOKENS = 150
QUOTED_SHARE = 20  # the quoted words take at most a twentieth of the ceiling
NEIGHBOURS = 2  # messages before and after the one that is replied to
ROOM_SHARE = 2  # these messages take at most half of the room for snippets
MAX_MESSAGE_TOKENS = 300
LINE_TOKENS = 24  # of a line without its text: day, time and a name


def quote_replied(replied: Replied, tokenizer: Tokenizer, ceiling: int) -> str:
    """Format the quoted words for the prompt."""
    limit = min(MAX_QUOTED_TOKENS, ceiling // QUOTED_SHARE)
    return prompts.format_replied(replace(replied, text=tokenizer.cut_end(replied.text, limit)))


def find_reply_snippets(
    messages: Sequence[Message], tokenizer: Tokenizer, *, target_id: int, shown: Set[int], before: int | None, room: int
) -> list[Snippet]:
    """Return the message that is replied to and its neighbours, nearest first, in their share of `room` tokens.

    `shown`: ids that are whole in the prompt already. `before`: the turn that is being answered.
    """
    chosen: list[Snippet] = []
    left = room // ROOM_SHARE
    for message in sorted(messages, key=lambda message: abs(message.id - target_id)):
        is_later = before is not None and message.turn >= before
        if is_later or message.id in shown or message.origin in NEVER_RECALLED:
            continue
        text = tokenizer.cut_end(message.content, min(MAX_MESSAGE_TOKENS, left - LINE_TOKENS))
        left -= tokenizer.count(text) + LINE_TOKENS
        if left < 0 or not text:
            break
        chosen.append(Snippet(message=message, text=text, score={"reply": 1.0}))
    return chosen
