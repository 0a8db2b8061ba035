"""How many tokens a request and each part of it may take. Pure. Does not know what fills them."""

from dataclasses import dataclass, replace


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
        return replace(self.scaled(share), ceiling=ceiling, system=int(self.system * share))

    def scaled(self, share: float) -> "Budgets":
        """With this share of what summaries, recent turns and snippets may take."""
        return replace(
            self,
            summaries=int(self.summaries * share),
            recent=int(self.recent * share),
            snippets=int(self.snippets * share),
        )
