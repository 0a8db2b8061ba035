"""/dashboard: opens the memory page within Telegram, or sends a link to it that works once."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import IO

from telegram import InlineKeyboardButton, WebAppInfo

from dashboard.host import Host
from dashboard.sessions import LINK_LIFETIME, PageSessions
from locales.catalog import tr
from records.scopes import Person
from telegram_ui.commands.admin import set_access
from telegram_ui.commands.buttons import make_keyboard
from telegram_ui.commands.command_group import ChatEvent, Command, CommandGroup, Dependencies, HandlerReply
from telegram_ui.sending import documents
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.delivery import ChatGone
from text.characters import collapse_to_single_line

Health = Callable[[], Awaitable[Mapping[str, bool]]]


class DashboardCommands(CommandGroup):
    """The handler of /dashboard. It sends the link to the private chat, because the link gives access to the memory."""

    heading = "recall"

    @Command("dashboard", who="admins", stands_alone=True)
    async def _send_dashboard_link(self, event: ChatEvent) -> HandlerReply:
        here, owner, url = event.chat, event.chat.scope.owner, self._dependencies.settings.dashboard_url
        if not url:
            may_run_it = here.is_private and self._operation.is_admin_or_bot_has_none(event.person)
            return tr("web-set", setting="DASHBOARD_URL") if may_run_it else tr("web-none")
        if here.scope.is_channel_direct_chat:
            return tr("memory-not-for-one-person")
        if not here.is_private and event.person.id == ANONYMOUS_ADMIN:
            return tr("web-anonymous")
        user, chat = event.update.effective_user, event.update.effective_chat
        token = await PageSessions(memory=self._services.memory, clock=self._now).make_link(
            event.person.id,
            owner,
            language=event.person.language,
            name=collapse_to_single_line(user.first_name) if user else "",
            group=collapse_to_single_line(chat.title or "") if chat else "",
        )
        page = f"{url}/?owner={owner}" + (f"&thread={here.scope.thread}" if here.thread else "")
        text = tr("web-link", minutes=int(LINK_LIFETIME.total_seconds()) // 60, link=f"{page}#link={token}")
        button = InlineKeyboardButton(tr("web-open"), web_app=WebAppInfo(page))
        keyboard = make_keyboard([button] if url.startswith("https://") else [])
        send = partial(self._delivery.send_text, text=text, keyboard=keyboard)
        return await self._send_to_private_chat(event, "/dashboard", send)


def make_dashboard_host(dependencies: Dependencies, health: Health) -> Host:
    async def may_configure(owner: int, person: int) -> bool:
        return await dependencies.may_configure(Chat(id=owner, is_private=False), Person(id=person, name=""))

    async def try_to_send_file_to_person(person: int, name: str, file: IO[bytes]) -> bool:
        try:
            await documents.send_file(dependencies.delivery, Chat(id=person), file, name, "")
        except ChatGone:
            return False
        return True

    return Host(
        operation=dependencies.operator,
        configures=may_configure,
        health=health,
        store_access=partial(set_access, dependencies),
        send_file=try_to_send_file_to_person,
    )
