"""The bot's own words with headings and quotes that unfold, put together part by part.

Offsets are in UTF-16 units, as Telegram counts them. Does not know what is said.
"""

from typing import Self

from telegram import MessageEntity

from telegram_ui.sending.formatting import Piece, units
from text.characters import well_formed


class Marked:
    """A text under construction. Each method returns it, so that calls can be chained."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._entities: list[MessageEntity] = []
        self._units = 0

    def add(self, text: str) -> Self:
        """Plain text."""
        whole = well_formed(text)
        self._parts.append(whole)
        self._units += units(whole)
        return self

    def bold(self, text: str) -> Self:
        return self._marked(text, MessageEntity.BOLD)

    def folded(self, text: str) -> Self:
        """A quote of which clients show the first lines, and the rest at a tap. Put it on lines of its own."""
        return self._marked(text, MessageEntity.EXPANDABLE_BLOCKQUOTE)

    def folded_whole(self, inner: Piece) -> Self:
        """A part with headings of its own, as one such quote."""
        begin = self._units
        self._entities += [
            MessageEntity(type=one.type, offset=begin + one.offset, length=one.length) for one in inner.entities
        ]
        return self.folded(inner.text)

    def piece(self) -> Piece:
        text = "".join(self._parts)
        return Piece(text=text, entities=tuple(self._entities), plain=text)

    def _marked(self, text: str, kind: str) -> Self:
        begin = self._units
        self.add(text)
        if self._units > begin:
            self._entities.append(MessageEntity(type=kind, offset=begin, length=self._units - begin))
        return self
