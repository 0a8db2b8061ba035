"""Pure functions that render a message for the prompt: its text, forwarded texts, documents and pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llm import prompts, quoting
from records.attachments import Picture
from records.turns import UserMessage
from retrieval.turns import compute_common_cap
from text.tokenizer import Tokenizer

SHARE = 2  # documents take at most half of the prompt, and so do pictures


@dataclass(frozen=True, kw_only=True, slots=True)
class _QuotedPart:
    """A block of texts with a limit of `max_tokens`, formatted by `quote`."""

    texts: Sequence[str]
    quote: Callable[[Sequence[str]], str]
    max_tokens: int


class IncomingRenderer:
    """Renders an incoming message for the prompt. Documents, forwarded texts and the sender's own text are quoted."""

    def __init__(self, incoming: UserMessage, tokenizer: Tokenizer, limit: int) -> None:
        self._tokens = tokenizer

        def prefix_name(text: str) -> str:
            return prompts.prepend_speaker_name(incoming.person.name, text) if incoming.in_group else text

        def quote_forwarded_texts(texts: Sequence[str]) -> str:
            return prefix_name("\n".join(quoting.quote_with_origin_tag("forwarded", text) for text in texts))

        def quote_sender_text(texts: Sequence[str]) -> str:
            return prefix_name(quoting.quote_text(texts[0])) if incoming.in_group else quoting.quote_user_text(texts[0])

        parts = (
            _QuotedPart(texts=incoming.attached_passages, quote=prompts.format_document, max_tokens=limit // SHARE),
            _QuotedPart(texts=incoming.forwarded_texts, quote=quote_forwarded_texts, max_tokens=limit),
            _QuotedPart(texts=(incoming.own_text,), quote=quote_sender_text, max_tokens=limit),
        )
        self._quoted = [(part, part.quote(part.texts)) for part in parts if any(part.texts)]

    def render_and_check_if_cut(self, max_tokens: int) -> tuple[str, bool]:
        """Return the rendered message in at most `max_tokens` tokens, and True if some of it was cut."""
        sizes = [min(self._tokens.count(text), part.max_tokens) for part, text in self._quoted]
        limit = compute_common_cap(sizes, max(0, max_tokens - 2 * len(sizes)))
        rendered = [self._shorten_part(part, text, min(limit, part.max_tokens)) for part, text in self._quoted]
        was_cut = rendered != [text for _, text in self._quoted]
        return "\n\n".join(text for text in rendered if text), was_cut

    def _shorten_part(self, part: _QuotedPart, quoted_text: str, max_tokens: int) -> str:
        if self._tokens.count(quoted_text) <= max_tokens:
            return quoted_text
        text = "\n".join(part.texts)
        kept = self._tokens.truncate_to_fit_when_rendered(
            text, max_tokens, lambda text: part.quote([text]), self._tokens.omit_middle
        )
        return part.quote([kept]) if kept else ""


def select_pictures_that_fit(incoming: UserMessage, max_prompt_tokens: int) -> tuple[Picture, ...]:
    """Return those pictures of a message, in order, that together fit in half of `max_prompt_tokens`."""
    left, chosen = max_prompt_tokens // SHARE, list[Picture]()
    for picture in incoming.pictures:
        if picture.token_count <= left:
            chosen.append(picture)
            left -= picture.token_count
    return tuple(chosen)
