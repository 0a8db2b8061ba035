"""The context of a reply to an earlier message: the words it refers to, that message and its neighbours. Pure.

Does not know how they are read from a store, or what else competes for the room.
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import datetime

from llm import prompts
from records.context import Snippet
from records.messages import NEVER_RECALLED, Message
from records.turns import Replied
from text.tokenizer import Tokenizer

QUOTED_TOKENS, QUOTED_SHARE = 150, 20
"""Of the words that are replied to, at most so many tokens, and one in so many of the ceiling."""
NEIGHBOURS = 2  # messages before and after the one that is replied to, which come with it
ROOM_SHARE = 2  # they take at most one in so many tokens of the room for snippets
MESSAGE_TOKENS = 300  # of one of them
LINE_TOKENS = 24  # the line of one may take so many next to its text: its day, its time and a name


def quote_replied(replied: Replied, tokenizer: Tokenizer, ceiling: int) -> str:
    """Return the words that are replied to, as the prompt carries them."""
    most = min(QUOTED_TOKENS, ceiling // QUOTED_SHARE)
    return prompts.format_replied(replace(replied, text=tokenizer.cut_end(replied.text, most)))


def list_ids_around(message: Message) -> range:
    """Return the ids under which a message and its neighbours may be found."""
    return range(message.id - NEIGHBOURS, message.id + NEIGHBOURS + 1)


def find_snippets(
    near: Sequence[Message], tokenizer: Tokenizer, *, middle: int, shown: Set[int], before: int | None, room: int
) -> list[Snippet]:
    """Return the messages around the one with the id `middle`, the nearest first, within their share of `room` tokens.

    `shown`: ids that are whole in the prompt already; `before`: the turn that is being answered.
    """
    allowed = [
        one
        for one in near
        if (before is None or one.turn < before) and one.id not in shown and one.origin not in NEVER_RECALLED
    ]
    chosen: list[Snippet] = []
    left = room // ROOM_SHARE
    for one in sorted(allowed, key=lambda message: abs(message.id - middle)):
        text = tokenizer.cut_end(one.content, min(MESSAGE_TOKENS, left - LINE_TOKENS))
        left -= tokenizer.count(text) + LINE_TOKENS
        if left < 0 or not text:
            break
        chosen.append(Snippet(message=one, text=text, score={"reply": 1.0}))
    return chosen


def count_tokens(chosen: Sequence[Snippet], tokenizer: Tokenizer, now: datetime) -> int:
    """Return the tokens that these snippets take of the room."""
    return tokenizer.count(prompts.format_remembered(chosen, now)) if chosen else 0
