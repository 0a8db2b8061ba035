"""Renders a message that came in for the prompt: its own words, and what came with them. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from llm import prompts, quoting
from records.attachments import Picture
from records.turns import Incoming
from retrieval.turns import find_common_limit
from text.tokenizer import Tokenizer

SHARE = 2  # documents take at most one in 2 tokens of the ceiling, and so do pictures: words and memory keep a part
SEAM = "\n\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class _SentPart:
    """`whole`: as the prompt carries it; `write`: the same of a text that was cut; `most`: tokens it may take."""

    text: str
    whole: str
    write: Callable[[str], str]
    most: int


class Words:
    """The words of a turn: documents, what was forwarded, and what the person wrote, each quoted by itself."""

    def __init__(self, incoming: Incoming, tokenizer: Tokenizer, ceiling: int) -> None:
        self._tokens = tokenizer
        passages, forwarded, name = incoming.passages, incoming.forwarded, incoming.person.name

        def in_group(text: str) -> str:
            return prompts.group_line(name, text) if incoming.in_group else text

        def from_others(*texts: str) -> str:
            return in_group(prompts.format_forwarded(texts))

        def written(text: str) -> str:
            return in_group(quoting.quote_text(text)) if incoming.in_group else quoting.quote_own(text)

        def document(*texts: str) -> str:
            return prompts.format_document(texts)

        own = incoming.own_words
        several = (
            _SentPart(text="\n".join(passages), whole=document(*passages), write=document, most=ceiling // SHARE),
            _SentPart(text="\n".join(forwarded), whole=from_others(*forwarded), write=from_others, most=ceiling),
            _SentPart(text=own, whole=written(own), write=written, most=ceiling),
        )
        self._parts = [one for one in several if one.text]
        self._sizes = [tokenizer.count(part.whole) for part in self._parts]

    def within(self, tokens: int) -> tuple[str, bool]:
        """Return the words in at most so many tokens, and whether any of them had to be cut in its middle."""
        room = tokens - 2 * len(self._parts)
        sizes = [min(size, part.most) for size, part in zip(self._sizes, self._parts, strict=True)]
        limit = find_common_limit(sizes, max(0, room))
        made = [
            part.whole if size <= min(limit, part.most) else self._cut_part(part, min(limit, part.most))
            for size, part in zip(self._sizes, self._parts, strict=True)
        ]
        was_cut = any(text != part.whole for text, part in zip(made, self._parts, strict=True))
        return SEAM.join(text for text in made if text), was_cut

    def _cut_part(self, part: _SentPart, tokens: int) -> str:
        kept = self._tokens.cut_written(part.text, tokens, part.write, self._tokens.cut_middle)
        return part.write(kept) if kept else ""


def select_pictures(incoming: Incoming, ceiling: int) -> tuple[Picture, ...]:
    """Return the pictures, in order, while they fit."""
    left, taken = ceiling // SHARE, list[Picture]()
    for picture in incoming.pictures:
        if picture.tokens <= left:
            taken.append(picture)
            left -= picture.tokens
    return tuple(taken)
