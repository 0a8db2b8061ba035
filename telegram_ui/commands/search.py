"""/search: shows the messages that chat/search.py finds, page by page."""

from collections.abc import Mapping
from datetime import tzinfo
from functools import partial

from telegram import InlineKeyboardButton

from chat.search import Hit, Page
from locales.catalog import RIGHT_TO_LEFT, get_current_language, tr
from records.messages import make_message_link
from records.scopes import Scope
from telegram_ui.commands import wording
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply

MORE = "fnd"
MAX_QUERY_CHARS = 200
MAX_SHOWN_CHARS = 600  # characters shown of a found message
# Of all messages on a page. With headings and links they fit into one message: a second one would have the buttons, but
# not the line with the query.
MAX_PAGE_CHARS = 2_400
HEADING = "🔎 "  # begins the first line, which holds the query, so that the buttons work even after a restart
RIGHT_TO_LEFT_MARK = "\u200f"  # keeps the direction of the message if the query is in another script
EVERYWHERE = "a"  # marks the buttons of a search through all conversations
MAX_NEAR = 3  # messages shown that have no word of the query and are similar in meaning


class SearchCommands(CommandGroup):
    heading = "recall"

    @Command("search")
    async def _search_messages(self, event: ChatEvent) -> HandlerReply:
        query = " ".join(event.argument.split())[:MAX_QUERY_CHARS]
        if not query:
            return tr("search-how")
        if await self._read_config(event) is None:
            return tr("search-not-configured")
        return await self._send_page(
            event, query, await self._services.search.find_hit_page(event.chat.scope, query, max_near=MAX_NEAR), {}
        )

    @Action(MORE)
    async def _show_next_page(self, event: ChatEvent) -> HandlerReply:
        heading = event.message_text.partition("\n")[0].removeprefix(RIGHT_TO_LEFT_MARK)
        first, _, rest = event.argument.partition("-")
        until, _, where = rest.partition("-")
        if not heading.startswith(HEADING) or not first.isdecimal() or not until.isdecimal():
            return tr("shared-dead-button")
        query = heading.removeprefix(HEADING)
        titles = await self._get_conversation_titles_by_scope(event) if where == EVERYWHERE else {}
        page = await self._services.search.find_hit_page(
            event.chat.scope,
            query,
            offset=int(first),
            until_message_id=int(until) or None,
            other_scopes=tuple(titles),
            max_near=MAX_NEAR,
        )
        if not page.found and page.first:
            return tr("search-no-more")
        return await self._send_page(event, query, page, titles)

    async def _send_page(self, event: ChatEvent, query: str, page: Page, titles: Mapping[Scope, str]) -> HandlerReply:
        """Send a page of results. `titles` holds the titles of all conversations if all were searched."""
        rows: list[list[InlineKeyboardButton]] = []
        lines = [f"{RIGHT_TO_LEFT_MARK if get_current_language() in RIGHT_TO_LEFT else ''}{HEADING}{query}"]
        lines += [tr("search-in-all")] if titles else []
        near = page.near if page.first == 0 else ()
        if not page.total:
            lines.append(tr("search-close" if near else "search-nothing"))
        zone = await self._read_zone(event.chat.scope.owner)
        max_chars = min(MAX_SHOWN_CHARS, MAX_PAGE_CHARS // max(1, len(page.found) + len(near)))
        show = partial(_format_hit, event=event, zone=zone, titles=titles, max_chars=max_chars)
        for number, found in enumerate(page.found, start=page.first + 1):
            lines += ["", show(f"{number}.", found)]
        lines += ["", tr("search-near")] if near and page.total else []
        for found in near:
            lines += ["", show("•", found)]
        if page.next_offset is not None:
            lines += ["", tr("search-so-far", shown=str(page.next_offset), total=str(page.total))]
            payload = f"{page.next_offset}-{page.until}" + (f"-{EVERYWHERE}" if titles else "")
            rows.append([self._make_button(event, MORE, tr("search-more"), payload)])
        if not titles and page.first == 0 and len(await self._get_conversation_titles_by_scope(event)) > 1:
            rows.append([self._make_button(event, MORE, tr("search-in-all"), f"0-0-{EVERYWHERE}")])
        return await self._send_new(event, "\n".join(lines), *rows)

    async def _get_conversation_titles_by_scope(self, event: ChatEvent) -> Mapping[Scope, str]:
        async with self._services.memory.open_store(event.chat.chat_scope.owner) as store:
            found, _ = await store.conversations.list_with_total(event.chat.chat_scope, offset=0, limit=20)
        return {listed.scope: wording.format_conversation_title(listed) for listed in found}


def _format_hit(
    mark: str, hit: Hit, event: ChatEvent, zone: tzinfo, titles: Mapping[Scope, str], max_chars: int
) -> str:
    """Format a found message with a mark, its date, its speaker, the matching part and its conversation's title."""
    message = hit.message
    title = titles.get(message.scope) or message.title
    parts = (wording.format_moment(message.created_at, zone), wording.format_speaker(message), title)
    heading = f"{mark} {' · '.join(filter(None, parts))}"
    text = wording.format_quote(wording.localize_message_notes(message, hit.text), max_chars)
    address = make_message_link(event.chat.id, event.chat.thread, message.telegram_id)
    return "\n".join(filter(None, [heading, text, address]))
