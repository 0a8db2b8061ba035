"""Finds what a reply to an earlier message brings along: the quoted words, that message and its neighbours. Pure."""

from collections.abc import Sequence, Set
from dataclasses import replace

from llm import prompts
from records.context import Snippet
from records.messages import NEVER_RECALLED, Message
from records.turns import Replied
from text.tokenizer import Tokenizer

QUOTED_TOKENS = 150  # of the quoted words, at most
QUOTED_SHARE = 20  # they take at most a twentieth of the ceiling
NEIGHBOURS = 2  # messages before and after the one that is replied to
ROOM_SHARE = 2  # these messages take at most half of the room for snippets
MESSAGE_TOKENS = 300  # of each of them
LINE_TOKENS = 24  # of a line without its text: day, time and a name


def quote_replied(replied: Replied, tokenizer: Tokenizer, ceiling: int) -> str:
    """Format the quoted words for the prompt."""
    limit = min(QUOTED_TOKENS, ceiling // QUOTED_SHARE)
    return prompts.format_replied(replace(replied, text=tokenizer.cut_end(replied.text, limit)))


def list_ids_around(message: Message) -> range:
    """Return the possible ids of a message and its neighbours."""
    return range(message.id - NEIGHBOURS, message.id + NEIGHBOURS + 1)


def find_reply_snippets(
    near: Sequence[Message], tokenizer: Tokenizer, *, middle: int, shown: Set[int], before: int | None, room: int
) -> list[Snippet]:
    """Return the messages around the one with the id `middle`, nearest first, within their share of `room` tokens.

    `shown`: ids that are whole in the prompt already. `before`: the turn that is being answered.
    """
    allowed = [
        one
        for one in near
        if (before is None or one.turn < before) and one.id not in shown and one.origin not in NEVER_RECALLED
    ]
    chosen: list[Snippet] = []
    left = room // ROOM_SHARE
    for message in sorted(allowed, key=lambda neighbour: abs(neighbour.id - middle)):
        text = tokenizer.cut_end(message.content, min(MESSAGE_TOKENS, left - LINE_TOKENS))
        left -= tokenizer.count(text) + LINE_TOKENS
        if left < 0 or not text:
            break
        chosen.append(Snippet(message=message, text=text, score={"reply": 1.0}))
    return chosen
