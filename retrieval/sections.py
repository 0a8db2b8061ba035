"""What is said in the system prompt after the operator's own words: of the bot itself, and of the blocks that follow.

Pure. Does not know what the sections say.
"""

from collections.abc import Sequence

from text.tokenizer import Tokenizer

SECTION_SHARE = 3
"""Each section takes at most one in 3 tokens of the system prompt's budget, or is left out."""


def with_sections(tokenizer: Tokenizer, system_prompt: str, sections: Sequence[str], budget: int) -> str:
    """The system prompt, cut where there is no room for it, and after it the sections that are small enough."""
    sizes = {one: tokenizer.count(one) + 2 for one in sections if one}
    kept = [one for one, size in sizes.items() if size * SECTION_SHARE <= budget]
    own = tokenizer.cut_end(system_prompt, budget - sum(sizes[one] for one in kept))
    return "\n\n".join(text for text in (own, *kept) if text)
