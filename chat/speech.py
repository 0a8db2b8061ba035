"""Answers are spoken, within a person's budget. Does not know how they are sent."""

from attrs import define

from llm.quota import Quota
from llm.speech import Speaker


@define(kw_only=True, eq=False)
class Speech:
    """One for the whole bot."""

    _speaker: Speaker
    _quota: Quota

    async def spoken(self, text: str, *, person: int) -> bytes:
        """A recording of a text, as Telegram plays it. Raises a ModelError."""
        await self._quota.demand(person)
        return await self._speaker.speak(text)
