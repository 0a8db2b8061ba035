"""The tokens that a request and each part of it may take. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from text.tokenizer import Tokenizer


@dataclass(frozen=True, kw_only=True, slots=True)
class Budgets:
    """Tokens: the ceiling of a request, and the parts of it."""

    ceiling: int
    system: int
    summaries: int
    recent: int
    snippets: int

    def under(self, ceiling: int) -> "Budgets":
        """These budgets below another ceiling: the parts are scaled down together where they do not fit."""
        share = min(1.0, ceiling / max(1, self.system + self.summaries + self.recent + self.snippets))
        return replace(self.scale(share), ceiling=ceiling, system=int(self.system * share))

    def scale(self, share: float) -> "Budgets":
        """With this share of what summaries, recent turns and snippets may take."""
        return replace(
            self,
            summaries=int(self.summaries * share),
            recent=int(self.recent * share),
            snippets=int(self.snippets * share),
        )


SECTION_SHARE = 3  # each section takes at most one in 3 tokens of the system prompt's budget, or is left out


def add_sections(tokenizer: Tokenizer, system_prompt: str, sections: Sequence[str], budget: int) -> str:
    """Return the system prompt, cut where there is no room for it, and after it the sections that are small enough."""
    sizes = {section: tokenizer.count(section) + 2 for section in sections if section}
    kept = [one for one, size in sizes.items() if size * SECTION_SHARE <= budget]
    own = tokenizer.cut_end(system_prompt, budget - sum(sizes[one] for one in kept))
    return "\n\n".join(text for text in (own, *kept) if text)
