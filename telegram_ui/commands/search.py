"""/search: earlier messages with their dates, best first, page by page.

The words that were looked for stand in the first line of each page, so that its button works after a restart with
nothing kept anywhere. Does not know how messages are found (memory_search.py).
"""

from collections.abc import Mapping
from typing import Protocol

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from chat.search import Found, Page
from records.owners import OwnerConfig
from records.scopes import Scope
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Handler, Press
from telegram_ui.commands.why import minute, quoted, speaker
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.links import link

MORE = "fnd"
LONGEST = 200
"""Characters of a search that are kept: its page has to name it."""
SHOWN = 600
"""Characters of a found message."""
HEADING = "🔎 "
HOW = (
    "/search WORDS finds earlier messages here, folded away or not, best first: by their words, and by what they mean "
    'where search by meaning is on. What stands in quotes is found exactly as written: /search "walnut oil"'
)
NOT_CONFIGURED = "There is nothing to search: memory was never turned on here. /summary sets it up."


class Memory(Protocol):
    """What is needed of external_memory.ExternalMemory."""

    async def config(self, owner: int) -> OwnerConfig | None: ...


class Search(Protocol):
    """What is needed of memory_search.MemorySearch."""

    async def page(self, scope: Scope, typed: str, *, first: int = 0, until: int | None = None) -> Page: ...


class SearchCommands:
    """Answers /search and its "more" button."""

    def __init__(self, memory: Memory, search: Search, delivery: Delivery, buttons: Buttons) -> None:
        self._memory = memory
        self._search = search
        self._delivery = delivery
        self._buttons = buttons

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {"search": self._begin}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {MORE: self._more}

    async def _begin(self, ask: Ask) -> None:
        typed = " ".join(ask.argument.split())[:LONGEST]
        if not typed:
            await self._delivery.say(ask.chat, HOW)
        elif await self._memory.config(ask.chat.scope.owner) is None:
            await self._delivery.say(ask.chat, NOT_CONFIGURED)
        else:
            await self._show(ask, typed, await self._search.page(ask.chat.scope, typed))

    async def _more(self, ask: Ask) -> str | None:
        heading = ask.shown.partition("\n")[0]
        first, _, until = ask.argument.partition("-")
        if not heading.startswith(HEADING) or not first.isdecimal() or not until.isdecimal():
            return "That list is too old. Please search again."
        typed = heading.removeprefix(HEADING)
        page = await self._search.page(ask.chat.scope, typed, first=int(first), until=int(until))
        if not page.found:
            return "There is nothing more."
        await self._show(ask, typed, page)
        return None

    async def _show(self, ask: Ask, typed: str, page: Page) -> None:
        keyboard = None
        if page.next is not None:
            data = self._buttons.data(MORE, ask.chat, ask.person, f"{page.next}-{page.until}")
            keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("More", callback_data=data)]])
        lines = [f"{HEADING}{typed}"]
        if not page.found:
            lines.append("Nothing was found. Other words may do, or fewer.")
        for number, found in enumerate(page.found, start=page.first + 1):
            lines += ["", found_text(number, found, ask)]
        if page.next is not None:
            lines += ["", f"{page.next} of {page.total}"]
        await self._delivery.say(ask.chat, "\n".join(lines), keyboard=keyboard)


def found_text(number: int, found: Found, ask: Ask) -> str:
    """A found message: when, who, and what of it matters."""
    message = found.message
    lines = [f"{number}. {minute(message.created_at)} · {speaker(message)}", quoted(found.text, SHOWN)]
    if address := link(ask.chat.id, ask.chat.thread, message.telegram_id):
        lines.append(address)
    return "\n".join(lines)
