"""A question as ranking and packing see it: its words, the times it names, and what kind of answer it asks for. Pure.

Does not know what was found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.date_expressions import Range
from text import cues, past_cues


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, analysed. `fact_sources`: the messages from which relevant facts were learned, by id, with the score.

    `before`: those of its terms that come from the turns before a short question. `of_assistant`: the assistant's own
    words are asked for; `of_many`: an order of events, an overview, everything of a kind; `of_overview`: of these, how
    something developed, to which the assistant's answers belong. `of_past`: what was said may be asked for;
    `is_small_talk`: nothing is asked or told at all.
    """

    text: str
    terms: tuple[str, ...]
    before: frozenset[str] = frozenset()
    ranges: tuple[Range, ...] = ()
    fact_sources: Mapping[int, float] = field(default_factory=dict)
    of_assistant: bool = False
    of_many: bool = False
    of_overview: bool = False
    of_past: bool = True
    is_small_talk: bool = False

    @classmethod
    def of(
        cls,
        text: str,
        *,
        itself: str,
        terms: Sequence[str],
        own: Sequence[str],
        ranges: tuple[Range, ...],
        fact_sources: Mapping[int, float],
    ) -> "Question":
        """`itself`: the question without the turns before it; `own`: its own terms."""
        of_assistant, of_many = cues.is_of_assistant(itself), cues.is_of_many(itself)
        return cls(
            text=text,
            terms=tuple(terms),
            before=frozenset(terms) - frozenset(own),
            ranges=ranges,
            fact_sources=fact_sources,
            of_assistant=of_assistant,
            of_many=of_many,
            of_overview=cues.is_of_overview(itself),
            of_past=bool(of_assistant or of_many or ranges) or past_cues.may_ask_for_past(itself),
            is_small_talk=past_cues.is_small_talk(itself),
        )
