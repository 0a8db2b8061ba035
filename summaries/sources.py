"""Stored messages and summaries as planners count them and as a model reads them.

Pure. Does not know when they are folded, nor by whom.
"""

from collections.abc import Sequence

from llm import prompts
from records.messages import Message
from records.summaries import Summary
from summaries.quality_score import Source
from summaries.situation import Standing, UnfoldedTurn
from text.tokenizer import Tokenizer


def unfolded_turns(messages: Sequence[Message], tokens: Tokenizer | None = None) -> list[UnfoldedTurn]:
    """Active messages grouped by turn, in order; their sizes by `tokens`, where these matter."""
    turns: dict[int, list[Message]] = {}
    for message in messages:
        turns.setdefault(message.turn, []).append(message)
    return [
        UnfoldedTurn(
            message_ids=tuple(message.id for message in turn),
            answered=any(message.role == "assistant" for message in turn),
            user_ids=frozenset(message.id for message in turn if message.role == "user"),
            tokens=sum(tokens.count(message.content) for message in turn) if tokens else 0,
        )
        for turn in turns.values()
    ]


def standing(summaries: Sequence[Summary]) -> list[Standing]:
    """Active summaries, oldest first."""
    return [
        Standing(id=one.id, level=one.level, policy=one.policy)
        for one in sorted(summaries, key=lambda one: (one.first_id, one.id))
    ]


def message_sources(messages: Sequence[Message]) -> list[Source]:
    """Messages as the model reads them; what tools gave out is left out, unless there is nothing else."""
    told = [message for message in messages if message.origin != "tool"] or messages
    return [Source(text=prompts.conversation_line(one), is_user=one.role == "user") for one in told]


def times_compressed(summary: Summary) -> int:
    """How often the oldest of what a summary tells was compressed: by its making, and those of what it was made of."""
    return int(summary.details.get("compressed", summary.level))
