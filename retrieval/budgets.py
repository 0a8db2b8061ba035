"""The token budgets of a request and of its parts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from text.tokenizer import Tokenizer


@dataclass(frozen=True, kw_only=True, slots=True)
class Budgets:
    """Token limits of a request (`ceiling`) and of its parts."""

    ceiling: int
    system: int
    summaries: int
    recent: int
    snippets: int

    def fit_under(self, ceiling: int) -> "Budgets":
        """Return these budgets for another ceiling. Parts that do not fit are scaled down together."""
        share = min(1.0, ceiling / max(1, self.system + self.summaries + self.recent + self.snippets))
        return replace(self.scale(share), ceiling=ceiling, system=int(self.system * share))

    def scale(self, share: float) -> "Budgets":
        """Return these budgets with a share of the tokens for summaries, recent turns and snippets."""
        return replace(
            self,
            summaries=int(self.summaries * share),
            recent=int(self.recent * share),
            snippets=int(self.snippets * share),
        )


SECTION_SHARE = 3  # a section that takes more than a third of the system prompt's budget is left out


def add_sections(tokenizer: Tokenizer, system_prompt: str, sections: Sequence[str], budget: int) -> str:
    """Append the sections that are small enough to the system prompt, which is cut if it does not fit."""
    sizes = {section: tokenizer.count(section) + 2 for section in sections if section}
    fitting = [section for section, size in sizes.items() if size * SECTION_SHARE <= budget]
    own = tokenizer.cut_end(system_prompt, budget - sum(sizes[section] for section in fitting))
    return "\n\n".join(text for text in (own, *fitting) if text)
