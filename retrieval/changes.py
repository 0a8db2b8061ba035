"""What a prompt says of statements that do not hold alone: a fact that newer words correct, what a fact replaced, a
message that denies what is asked about. Pure.

Does not know how facts and messages are found; what people say of themselves is known to text/newer_words.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from records.context import RecalledFact
from records.facts import Fact
from records.messages import Message
from records.turns import Incoming
from text import cues
from text.analyzer import analyse
from text.characters import sentence_ends
from text.newer_words import says_newer

NEWEST = 12
"""So many of the newest messages are compared with each fact: from earlier ones facts were learned long ago."""
ASKED_ABOUT = 0.5
"""A denial is about the question if one sentence holds this share of the question's words, by rarity."""


def with_earlier(facts: Sequence[RecalledFact], replaced: Sequence[Fact]) -> list[RecalledFact]:
    """Each fact with the newest of the facts that it replaced."""
    before = {one.superseded_by: one for one in sorted(replaced, key=lambda one: (one.valid_from, one.id))}
    return [replace(one, earlier=before.get(one.fact.id)) for one in facts]


def with_newer(facts: Sequence[RecalledFact], said: Sequence[Message], incoming: Incoming) -> list[RecalledFact]:
    """Each fact, marked where its owner has said something newer about it in one of the messages `said` or just now,
    from which nothing was learned yet.
    """
    if not facts:
        return []
    messages = {one.id: one for one in said if one.is_user and not one.origin}
    own = sorted(messages.values(), key=lambda one: one.order)[-NEWEST:]
    told = [(one.id, one.created_at, one.speaker, one.content) for one in own]
    told.append((0, incoming.pieces[-1].sent_at, incoming.person.name, incoming.text))

    def is_outdated(fact: Fact) -> bool:
        return any(
            at > fact.observed_at
            and id_ not in fact.source_ids
            # In a group each fact is about the member whom it begins with.
            and (not incoming.in_group or fact.text.casefold().startswith(speaker.casefold()))
            and says_newer(fact.text, text)
            for id_, at, speaker, text in told
        )

    return [replace(one, is_outdated=is_outdated(one.fact)) for one in facts]


def ended(facts: Sequence[RecalledFact]) -> Mapping[int, datetime]:
    """The messages from which these facts' predecessors were learned, by id, with when that ceased to be so."""
    return {
        source: one.earlier.valid_to or one.fact.valid_from
        for one in facts
        if one.earlier is not None
        for source in one.earlier.source_ids
        if source not in one.fact.source_ids
    }


def denies(text: str, weights: Mapping[str, float]) -> bool:
    """Whether a sentence says "never" of what is asked about. `weights`: of the question's words."""
    if not cues.says_never(text):
        return False
    least, start = ASKED_ABOUT * sum(weights.values()), 0
    for end in [*sentence_ends(text), len(text)]:
        sentence = text[start:end]
        start = end
        if cues.says_never(sentence) and sum(weights.get(term, 0.0) for term in set(analyse(sentence))) >= least:
            return True
    return False
