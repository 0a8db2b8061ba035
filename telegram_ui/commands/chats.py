"""/new and /chats: several conversations in one chat or topic, one of which is open."""

from dataclasses import replace
from functools import partial

from telegram import InlineKeyboardButton

from locales.catalog import tr
from records.owners import get_memory_mode
from records.scopes import MAX_TITLE_CHARS, Scope
from telegram_ui.commands import forget
from telegram_ui.commands.buttons import make_page_buttons
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply
from telegram_ui.commands.wording import format_conversation_title, format_moment, format_option
from text.characters import collapse_to_single_line

KIND = "cht"
GO, RENAME, PAGE, NEW = "g", "r", "p", "n"
CHATS_PER_PAGE = 6


class ChatsCommands(CommandGroup):
    """Handlers of /new and /chats. In groups, only admins can switch conversations."""

    heading = "chats"
    question_kind = "title"

    @Command("new", who="admins")
    async def _begin_chat(self, event: ChatEvent) -> HandlerReply:
        chat_scope, title = event.chat.chat_scope, " ".join(event.argument.split())
        if len(title) > MAX_TITLE_CHARS:
            return tr("chats-too-long", most=str(MAX_TITLE_CHARS))
        if get_memory_mode(await self._services.memory.get_config(chat_scope.owner)) == "off":
            await self._services.corrections.clear_session(event.chat.scope)
            return tr("chats-begun-off")
        await self._services.memory.begin_conversation(chat_scope, title)
        self._services.titles.start_generating_titles(chat_scope, [event.chat.scope])
        return f"{tr('shared-quoted', text=title)}\n{tr('chats-begun')}" if title else tr("chats-begun")

    @Action(KIND, who="admins")
    async def _begin_list_rename_or_open_chat(self, event: ChatEvent) -> HandlerReply:
        action, number = event.argument[:1], event.argument[1:]
        if action == NEW:
            return await self._send_new(event, await self._begin_chat(replace(event, argument="")) or "")
        if not number.removeprefix("-").isdecimal():
            return tr("shared-dead-button")
        if action == PAGE:
            return await self._show_chats_page(event, int(number))
        scope = Scope(owner=event.chat.id, thread=int(number))
        if not await self._services.memory.has_conversation(event.chat.chat_scope, scope):
            return tr("chats-gone")
        if action == RENAME:
            title, example = tr("chats-which-title"), tr("chats-example")
            return await self._question.ask(event, title, subject_id=scope.thread, placeholder=example)
        if action != GO:
            return tr("shared-dead-button")
        if not await self._services.memory.open_conversation_if_exists(event.chat.chat_scope, scope):
            return tr("chats-gone")
        self._services.titles.start_generating_titles(event.chat.chat_scope, [event.chat.scope])
        await self._show_chats_page(event)
        return tr("chats-opened")

    async def _show_chats_page(self, event: ChatEvent, page: int = 0) -> HandlerReply:
        chat_scope, memory, first = event.chat.chat_scope, self._services.memory, page * CHATS_PER_PAGE
        if get_memory_mode(await memory.get_config(chat_scope.owner)) == "off":
            return tr("chats-off")
        async with memory.open_store(chat_scope.owner) as store:
            found, total = await store.conversations.list_with_total(chat_scope, offset=first, limit=CHATS_PER_PAGE)
        if not found:
            return tr("chats-none")
        self._services.titles.start_generating_titles(
            chat_scope, [listed.scope for listed in found if not listed.is_titled]
        )
        zone = await self._read_zone(chat_scope.owner)
        lines = [tr("chats-heading"), ""]
        rows: list[list[InlineKeyboardButton]] = []
        for number, listed in enumerate(found, start=first + 1):
            title, date = format_conversation_title(listed), format_moment(listed.last_at, zone)
            count = tr("shared-messages", messages=listed.messages)
            lines.append(tr("chats-line", number=str(number), title=title, count=count, date=date))
            thread = str(listed.scope.thread)
            go = self._make_button(event, KIND, format_option(title, is_chosen=listed.is_open), GO + thread)
            rename = self._make_button(event, KIND, "✏️", RENAME + thread)
            rows.append([go, rename, self._make_button(event, forget.CONVERSATION, "🗑", thread)])
        pages = -(-total // CHATS_PER_PAGE)
        turn = make_page_buttons(page, pages, lambda label, to: self._make_button(event, KIND, label, f"{PAGE}{to}"))
        new = self._make_button(event, KIND, tr("chats-untitled"), NEW)
        return await self._show_text(event, "\n".join(lines), *rows, turn, [new])

    _list_chats = Command("chats", who="admins", stands_alone=True)(_show_chats_page)

    async def accept_text_if_awaited(self, event: ChatEvent) -> bool:
        return await self._question.accept_text_if_answer(
            event, partial(self._rename_chat, event), max_chars=MAX_TITLE_CHARS
        )

    async def _rename_chat(self, event: ChatEvent, thread: int) -> HandlerReply:
        scope, title = Scope(owner=event.chat.id, thread=thread), collapse_to_single_line(event.argument)
        if len(title) > MAX_TITLE_CHARS:
            return tr("chats-too-long", most=str(MAX_TITLE_CHARS))
        async with self._services.memory.open_store(scope.owner) as store:
            is_done = await store.conversations.rename_if_exists(event.chat.chat_scope, scope, title, now=self._now())
        return tr("chats-renamed", title=title) if is_done else tr("chats-gone")
