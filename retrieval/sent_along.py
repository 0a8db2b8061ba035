"""Renders an incoming message for the prompt: its own words, forwarded ones, documents and pictures. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from llm import prompts, quoting
from records.attachments import Picture
from records.turns import Incoming
from retrieval.turns import find_common_limit
from text.tokenizer import Tokenizer

SHARE = 2  # documents take at most half of the ceiling, and so do pictures
SEAM = "\n\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class _SentPart:
    """A part of the message: its `text`, `whole` as the prompt carries it, and at most `max_tokens` long.

    `write` formats a text that was cut.
    """

    text: str
    whole: str
    write: Callable[[str], str]
    max_tokens: int


class IncomingRenderer:
    """The words of a turn: documents, forwarded messages and own words, each quoted separately."""

    def __init__(self, incoming: Incoming, tokenizer: Tokenizer, ceiling: int) -> None:
        self._tokens = tokenizer
        passages, forwarded, name = incoming.passages, incoming.forwarded, incoming.person.name

        def in_group(text: str) -> str:
            return prompts.format_group_line(name, text) if incoming.in_group else text

        def from_others(*texts: str) -> str:
            return in_group(prompts.format_forwarded(texts))

        def written(text: str) -> str:
            return in_group(quoting.quote_text(text)) if incoming.in_group else quoting.quote_own(text)

        def document(*texts: str) -> str:
            return prompts.format_document(texts)

        own = incoming.own_words
        several = (
            _SentPart(text="\n".join(passages), whole=document(*passages), write=document, max_tokens=ceiling // SHARE),
            _SentPart(text="\n".join(forwarded), whole=from_others(*forwarded), write=from_others, max_tokens=ceiling),
            _SentPart(text=own, whole=written(own), write=written, max_tokens=ceiling),
        )
        self._parts = [part for part in several if part.text]
        self._sizes = [tokenizer.count(part.whole) for part in self._parts]

    def render_within(self, tokens: int) -> tuple[str, bool]:
        """Return the words in at most so many tokens, and True if any of them was cut in its middle."""
        room = tokens - 2 * len(self._parts)
        sizes = [min(size, part.max_tokens) for size, part in zip(self._sizes, self._parts, strict=True)]
        limit = find_common_limit(sizes, max(0, room))
        made = [
            part.whole if size <= min(limit, part.max_tokens) else self._cut_part(part, min(limit, part.max_tokens))
            for size, part in zip(self._sizes, self._parts, strict=True)
        ]
        was_cut = any(text != part.whole for text, part in zip(made, self._parts, strict=True))
        return SEAM.join(text for text in made if text), was_cut

    def _cut_part(self, part: _SentPart, tokens: int) -> str:
        kept = self._tokens.cut_written(part.text, tokens, part.write, self._tokens.cut_middle)
        return part.write(kept) if kept else ""


def select_pictures(incoming: Incoming, ceiling: int) -> tuple[Picture, ...]:
    """Return the pictures that fit, in order."""
    left, taken = ceiling // SHARE, list[Picture]()
    for picture in incoming.pictures:
        if picture.tokens <= left:
            taken.append(picture)
            left -= picture.tokens
    return tuple(taken)
