"""/admin: shows admins the bot's users and state, and lets them decide about strangers."""

import logging
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from telegram import InlineKeyboardButton
from telegram.error import TelegramError

from chat.operation import describe_latest_backup, list_people, make_operator_overview
from locales.catalog import comma_join, format_decimal, list_words, tr, use_language
from records.errors import KeepsakeError
from records.owners import AccessStatus, KnownPerson
from records.scopes import Person
from runtime import logs
from telegram_ui.commands import broadcast
from telegram_ui.commands.buttons import make_keyboard, make_page_buttons, select_page_and_count
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, Dependencies, HandlerReply
from telegram_ui.commands.wording import format_day_and_time, format_quote
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

KIND = "adm"
ALLOW, REFUSE = "a", "r"
MAX_QUOTE_CHARS = 200  # characters of a stranger's message that the admins see; it is stored nowhere
OVERVIEW, ERRORS, PEOPLE, REMOVE, GROUPS = "o", "e", "p", "x", "g"
SET_PRIVACY = "setMySettings"
PEOPLE_PER_PAGE = 8


class AdminCommands(CommandGroup):
    """Handlers of /admin, which is available only to admins."""

    @Command("admin", where="admins")
    async def _show_overview_or_draft_broadcast(self, event: ChatEvent) -> HandlerReply:
        text = event.argument.strip()
        word = (text.split(maxsplit=1) or [""])[0]
        if not text:
            return await self._show_operator_overview(event)
        if word.casefold() not in list_words("broadcast-words"):
            return tr("admin-arguments")
        await broadcast.ask_to_confirm_broadcast(self._dependencies, event, text[len(word) :])
        return None

    @Action(KIND, where="admins")
    async def _show_page_or_change_access(self, event: ChatEvent) -> HandlerReply:
        what, _, number = event.argument.partition(".")
        if not number.isdecimal():
            return tr("shared-dead-button")
        if what in (ALLOW, REFUSE):
            return await self._allow_or_refuse_person(event, int(number), what)
        if what == OVERVIEW:
            return await self._show_operator_overview(event)
        if what == ERRORS:
            return await self._show_recent_errors(event)
        if what == PEOPLE:
            return await self._show_page_of_people(event, int(number))
        if what == GROUPS:
            return await self._set_group_privacy(event, reads_all_messages=number == "1")
        return await self._remove_person(event, int(number)) if what == REMOVE else tr("shared-dead-button")

    async def _allow_or_refuse_person(self, event: ChatEvent, person_id: int, action: str) -> HandlerReply:
        decided = self._services.memory.people.find_person(person_id)
        standing: AccessStatus = "allowed" if action == ALLOW else "refused"
        if decided is None or decided.standing != standing:
            decided = await set_access(self._dependencies, person_id, standing, event.person.id)
        text = _format_person_with_access_status(decided)
        await self._show_text(event, text, self._make_row_back_to_overview(event))
        return text[:200]

    async def _remove_person(self, event: ChatEvent, person_id: int) -> HandlerReply:
        if person_id in self._operation.admin_ids:
            return tr("admin-not-an-admin")
        removed = await set_access(self._dependencies, person_id, "removed", event.person.id)
        await self._show_page_of_people(event, 0)
        return _format_person_with_access_status(removed)[:200]

    async def _set_group_privacy(self, event: ChatEvent, *, reads_all_messages: bool) -> HandlerReply:
        bot = self._delivery.bot
        post = partial(bot.do_api_request, SET_PRIVACY, {"can_read_all_group_messages": reads_all_messages})
        try:
            is_changed = await self._delivery.newer_api.try_feature(SET_PRIVACY, post)
            if is_changed:
                await bot.get_me()  # refreshes bot.can_read_all_group_messages
        except TelegramError as error:
            raise DeliveryError(tr("errors-telegram-unreachable")) from error
        await self._show_operator_overview(event)
        return tr("admin-groups-changed" if is_changed else "admin-groups-refused")

    async def _show_operator_overview(self, event: ChatEvent) -> HandlerReply:
        settings, reads_all_messages = self._operation.settings, bool(self._delivery.bot.can_read_all_group_messages)
        found = await make_operator_overview(self._services, self._operation)
        waiting = max(0, found.waiting - 1)  # not counting /admin itself
        limits = [tr("admin-quota-all", tokens=budget)] if (budget := settings.daily_token_budget) else []
        limits += [tr("admin-quota-each", tokens=each)] if (each := settings.daily_token_budget_per_user) else []
        lines = [
            tr("admin-memories", memories=found.memories, active=found.active),
            tr("admin-let-in-people", people=tr("admin-everyone") if settings.everyone_allowed else str(found.let_in)),
            tr("admin-requests", people=found.asked),
            " ".join([tr("admin-quota", tokens=sum(found.used_by_person.values())), *limits]),
            tr("admin-waiting", updates=waiting),
            tr("admin-failed-folds", chats=found.failed),
            tr("admin-storage", size=format_decimal(found.size / 1_000_000, 1)),
            describe_latest_backup(self._services.backups, await self._read_zone(event.chat.scope.owner)),
            tr("admin-models", models=comma_join(self._operation.model_names)),
            tr("admin-errors-count", errors=len(logs.RECENT.lines)),
            tr("admin-groups-all" if reads_all_messages else "admin-groups-addressed"),
        ]
        people = self._make_button(event, KIND, tr("admin-button-people"), f"{PEOPLE}.0")
        errors = self._make_button(event, KIND, tr("admin-button-errors"), f"{ERRORS}.0")
        write = self._make_button(event, broadcast.KIND, tr("broadcast-write"), broadcast.WRITE)
        label = tr("admin-button-groups-addressed" if reads_all_messages else "admin-button-groups-all")
        groups = self._make_button(event, KIND, label, f"{GROUPS}.{int(not reads_all_messages)}")
        is_offered = self._delivery.newer_api.can_use(SET_PRIVACY)
        return await self._show_text(event, "\n".join(lines), [people, errors], [write], [groups] if is_offered else [])

    async def _show_recent_errors(self, event: ChatEvent) -> HandlerReply:
        zone = await self._read_zone(event.chat.scope.owner)
        lines = [
            f"{format_day_and_time(datetime.fromtimestamp(at, UTC), zone)} {where}\n{template}".rstrip()
            for at, where, template in reversed(logs.RECENT.lines)
        ]
        text = "\n\n".join([tr("admin-errors"), *lines]) if lines else tr("admin-no-errors")
        return await self._show_text(event, text, self._make_row_back_to_overview(event))

    async def _show_page_of_people(self, event: ChatEvent, page: int) -> HandlerReply:
        shown, page, pages = select_page_and_count(list_people(self._services, self._operation), page, PEOPLE_PER_PAGE)
        lines, rows = [tr("admin-people")], []
        for person in shown:
            lines.append(_format_person_with_access_status(person))
            is_in = person.standing == "allowed"
            label = f"{tr('admin-remove' if is_in else 'admin-allow')} {person.id}"
            rows.append([self._make_button(event, KIND, label, f"{REMOVE if is_in else ALLOW}.{person.id}")])
        lines += [tr("admin-nobody")] if not shown else []
        turn = make_page_buttons(page, pages, lambda label, to: self._make_button(event, KIND, label, f"{PEOPLE}.{to}"))
        return await self._show_text(event, "\n".join(lines), *rows, turn, self._make_row_back_to_overview(event))

    def _make_row_back_to_overview(self, event: ChatEvent) -> list[InlineKeyboardButton]:
        return [self._make_button(event, KIND, tr("admin-button-back"), f"{OVERVIEW}.0")]


def _format_person_with_access_status(person: KnownPerson) -> str:
    name = f"{person.name} ({person.id})" if person.name else str(person.id)
    return f"{name} – {tr(f'admin-standing-{person.standing}')}"


async def ask_admins_to_admit_stranger(dependencies: Dependencies, person: Person, message_text: str) -> None:
    """Ask all admins whether a stranger may use the bot. Log errors instead of raising them."""
    services, operation = dependencies.services, dependencies.operator
    name = f"{person.name} (@{person.username})" if person.username else person.name
    stranger = KnownPerson(id=person.id, standing="asked", name=name, language=person.language)
    try:
        if not await services.memory.people.record_applicant_if_unknown(stranger, now=services.clock()):
            return
        for number in sorted(operation.admin_ids):
            language = await services.memory.get_language(number) or ""
            with use_language(dependencies.choose_language(language)):
                await _ask_admin_to_admit_stranger(dependencies, number, stranger, message_text)
    except KeepsakeError as error:
        log.warning("the admins could not be asked about somebody: %s", type(error).__name__)


async def _ask_admin_to_admit_stranger(
    dependencies: Dependencies, admin_id: int, stranger: KnownPerson, message_text: str
) -> None:
    chat, admin = Chat(id=admin_id), Person(id=admin_id, name="")
    row = [
        dependencies.buttons.make_button(KIND, chat, admin, label, f"{what}.{stranger.id}")
        for label, what in ((tr("admin-allow"), ALLOW), (tr("admin-refuse"), REFUSE))
    ]
    text = tr("admin-request", name=stranger.name, id=str(stranger.id))
    if said := format_quote(message_text, MAX_QUOTE_CHARS):
        text += f"\n\n{tr('shared-quoted', text=said)}"
    try:
        await dependencies.delivery.send_text(chat, text, keyboard=make_keyboard(row))
    except DeliveryError as error:
        log.warning("an admin could not be asked about somebody: %s", type(error).__name__)


async def set_access(dependencies: Dependencies, person_id: int, status: AccessStatus, admin_id: int) -> KnownPerson:
    """Store an admin's decision about a person. If the person is newly allowed, tell them."""
    people = dependencies.services.memory.people
    before = people.find_person(person_id)
    name, language = (before.name, before.language) if before else ("", "")
    decided = KnownPerson(id=person_id, standing=status, name=name, language=language)
    await people.try_to_set_status(decided, admin_id=admin_id, now=dependencies.services.clock())
    if status == "allowed" and before is not None and before.standing != "allowed":
        with use_language(dependencies.choose_language(language)), suppress(DeliveryError):
            await dependencies.delivery.send_text(Chat(id=person_id), tr("admin-let-in"))
    return decided
