"""What comes along where a question needs many messages (an order, an overview, everything of a kind): further facts,
and the summaries of the chunks that its snippets are from. Pure.

Takes only room that the summaries' budget leaves, so that no snippet is shown less for it. Does not know stores.
"""

from collections import Counter
from collections.abc import Sequence, Set

from records.context import RecalledFact, Snippet
from records.facts import Fact
from records.summaries import Summary
from retrieval.date_expressions import Range
from retrieval.fact_ranking import FoundFacts

MORE_FACTS = 10
"""Facts in addition to those of every question."""
MOST_CHUNKS = 12
"""Summaries that are looked at: an L1 summary has about a hundred tokens."""


def further_facts(found: FoundFacts, known: Sequence[Fact], times: Sequence[Range]) -> list[RecalledFact]:
    """The next facts that matter to a question, and those that began at a time that it names."""
    taken = {one.fact.id for one in found.relevant}
    timely = [
        RecalledFact(fact=fact, score={"time": 1.0})
        for fact in known
        if not fact.is_standing and any(one.start <= fact.valid_from < one.end for one in times)
    ]
    further: dict[int, RecalledFact] = {}
    for one in (*found.ranked, *timely):
        if not one.fact.is_standing and one.fact.id not in taken:
            further.setdefault(one.fact.id, one)
    return list(further.values())[:MORE_FACTS]


def chunks(snippets: Sequence[Snippet]) -> list[int]:
    """The chunks that most of the snippets are from, best first."""
    counted = Counter(one.message.chunk_id for one in snippets if one.message.chunk_id is not None)
    return [chunk for chunk, _ in counted.most_common(MOST_CHUNKS)]


def summaries(found: Sequence[Summary], wanted: Sequence[int], *, shown: Set[int]) -> list[Summary]:
    """The chunks' own summaries, in the order `wanted`, apart from those that the prompt shows anyway.

    A rolling or sliding summary tells of all that was before, which its newest version tells as well.
    """
    own = {one.id: one for one in found if one.level == 1 and one.policy == "pyramid" and one.id not in shown}
    return [own[chunk] for chunk in wanted if chunk in own]
