"""/search: earlier messages with their dates, best first, page by page.

The words of a search are in the first line of each page, so that its button works after a restart although nothing is
kept. Does not know how messages are found (chat/search.py).
"""

from datetime import tzinfo

from telegram import InlineKeyboardMarkup

from chat.search import Found, Page
from locales.catalog import tr
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.wording import moment, quoted, speaker
from telegram_ui.sending.links import link

MORE = "fnd"
LONGEST = 200
"""Characters of a search that are kept: each page quotes it."""
SHOWN = 600
"""Characters that are shown of a found message."""
HEADING = "🔎 "


class SearchCommands(Family):
    """Answers /search and its "More" button."""

    heading = "recall"

    @command("search")
    async def _search(self, ask: Ask) -> str | None:
        query = " ".join(ask.argument.split())[:LONGEST]
        if not query:
            return tr("search-how")
        if await self._services.memory.config(ask.chat.scope.owner) is None:
            return tr("search-not-configured")
        await self._send_page(ask, query, await self._services.search.page(ask.chat.scope, query))
        return None

    @press(MORE)
    async def _more(self, ask: Ask) -> str | None:
        heading = ask.message_text.partition("\n")[0]
        first, _, until = ask.argument.partition("-")
        if not heading.startswith(HEADING) or not first.isdecimal() or not until.isdecimal():
            return tr("search-too-old")
        query = heading.removeprefix(HEADING)
        page = await self._services.search.page(ask.chat.scope, query, first=int(first), until=int(until))
        if not page.found:
            return tr("search-no-more")
        await self._send_page(ask, query, page)
        return None

    async def _send_page(self, ask: Ask, query: str, page: Page) -> None:
        keyboard = None
        lines = [f"{HEADING}{query}"]
        if not page.found:
            lines.append(tr("search-nothing"))
        async with self._services.memory.home(ask.chat.scope.owner) as store:
            if not await store.indexed(ask.chat.scope.owner, within=0):
                lines.append(tr("notices-indexing"))
        zone = await self._zone(ask.chat.scope.owner)
        for number, found in enumerate(page.found, start=page.first + 1):
            lines += ["", found_text(number, found, ask, zone)]
        if page.next is not None:
            lines += ["", tr("search-so-far", shown=str(page.next), total=str(page.total))]
            keyboard = InlineKeyboardMarkup([[self._button(ask, MORE, tr("search-more"), f"{page.next}-{page.until}")]])
        await self._delivery.say(ask.chat, "\n".join(lines), keyboard=keyboard)


def found_text(number: int, found: Found, ask: Ask, zone: tzinfo) -> str:
    """A found message: when it was said, by whom, and the part that matters."""
    message = found.message
    lines = [f"{number}. {moment(message.created_at, zone)} · {speaker(message)}", quoted(found.text, SHOWN)]
    if address := link(ask.chat.id, ask.chat.thread, message.telegram_id):
        lines.append(address)
    return "\n".join(lines)
