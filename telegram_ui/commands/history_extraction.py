"""Learning facts from what was imported: offered under the receipt of an import, begun and stopped by buttons.

Owns its words. Does not know how anything is learned, nor how it is imported.
"""

from collections.abc import Mapping
from typing import Literal, Protocol

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from chat.notices import counted
from facts.history_extraction import Ahead
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Handler, MayConfigure, Press
from telegram_ui.commands.wizard import ADMINS_ONLY
from telegram_ui.sending.delivery import Delivery

LEARN, STOP = "stu", "stn"
OFFER = "Learn facts from it"
WHAT_IT_TAKES = (
    "I learn no facts from it unless you ask me to. If you do, I read {messages} of yours now, in about {requests:,} "
    "requests of roughly {tokens:,} tokens together: in the background, and within the day's tokens."
)
BEGUN = "I am learning facts from it in the background. /summary_status tells how far I am, /memory what I know."
BUSY = "I am still learning from what was imported before. Please try again when that is done."
OFF = (
    "Nothing is learned now: memory is off (/summary_on), incognito is on (/incognito off), or my operator has turned "
    "learning off."
)
NOTHING = "There is nothing (more) in it to learn from."
STOPPED = "I have stopped learning from it. What I learned stays; the button goes on."


class Learns(Protocol):
    """What is needed of studying.Studying."""

    async def ahead(self, owner: int, first: int, last: int) -> Ahead | None: ...
    async def begin(self, owner: int, first: int, last: int) -> Literal["begun", "busy", "nothing", "off"]: ...
    async def stop(self, owner: int) -> None: ...


class HistoryExtractionCommands:
    """A family without commands of its own."""

    def __init__(self, learns: Learns, delivery: Delivery, buttons: Buttons, *, may_configure: MayConfigure) -> None:
        self._learns = learns
        self._delivery = delivery
        self._buttons = buttons
        self._may_configure = may_configure

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {LEARN: self._learn, STOP: self._stop}

    async def offer(self, ask: Ask, ids: tuple[int, int]) -> tuple[str, InlineKeyboardMarkup] | None:
        """What learning from these messages would take, and the button for it; None where there is nothing to."""
        ahead = await self._learns.ahead(ask.chat.scope.owner, *ids)
        if ahead is None:
            return None
        number = counted(ahead.messages, "message", "messages")
        text = WHAT_IT_TAKES.format(messages=number, requests=ahead.requests, tokens=_rounded(ahead.tokens))
        return text, self._keyboard(ask, LEARN, OFFER, ids)

    async def _learn(self, ask: Ask) -> str | None:
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        ids = _ids(ask.argument)
        match await self._learns.begin(ask.chat.scope.owner, *ids):
            case "busy":
                return BUSY
            case "off":
                return OFF
            case "nothing":
                await self._show(ask, NOTHING, None)
            case "begun":
                await self._show(ask, BEGUN, self._keyboard(ask, STOP, "Stop", ids))
        return None

    async def _stop(self, ask: Ask) -> str | None:
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        await self._learns.stop(ask.chat.scope.owner)
        await self._show(ask, STOPPED, self._keyboard(ask, LEARN, "Go on", _ids(ask.argument)))
        return None

    async def _show(self, ask: Ask, text: str, keyboard: InlineKeyboardMarkup | None) -> None:
        """Behind what was said of the file, in place of what was said of learning before: the last paragraph."""
        done = ask.shown.rpartition("\n\n")[0]
        whole = "\n\n".join(part for part in (done, text) if part)
        await self._delivery.replace(ask.chat, ask.message_id, whole, keyboard=keyboard)

    def _keyboard(self, ask: Ask, kind: str, label: str, ids: tuple[int, int]) -> InlineKeyboardMarkup:
        data = self._buttons.data(kind, ask.chat, ask.person, f"{ids[0]}.{ids[1]}")
        return InlineKeyboardMarkup([[InlineKeyboardButton(label, callback_data=data)]])


def _ids(argument: str) -> tuple[int, int]:
    first, _, last = argument.partition(".")
    return int(first), int(last)


def _rounded(tokens: int) -> int:
    """To two digits: it is a guess."""
    unit = int("1" + "0" * max(0, len(str(tokens)) - 2))
    return -(-tokens // unit) * unit
