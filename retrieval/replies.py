"""Selects the messages around the one that is replied to. Pure."""

from collections.abc import Sequence, Set

from records.context import Snippet
from records.messages import NEVER_RECALLED, Message
from text.tokenizer import Tokenizer

NEIGHBOURS = 2  # messages before and after the one that is replied to
ROOM_SHARE = 2  # these messages take at most half of the room for snippets
MAX_MESSAGE_TOKENS = 300
LINE_TOKENS = 24  # of a line without its text: day, time and a name


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
