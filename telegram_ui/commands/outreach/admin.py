"""/admin, for ADMIN_USER_IDS in private: who uses the bot, how it is, the latest errors; letting in and removing. A
stranger who would like to be let in is shown to the admins once, with two buttons.

Nothing else here shows what anybody said. Does not know who is served, or how often strangers may ask
(updates/access.py).
"""

import logging
from datetime import UTC, datetime
from functools import partial

from telegram import InlineKeyboardButton
from telegram.error import TelegramError

from chat.operation import backup_text, list_people, make_overview
from locales.catalog import choose_language, find_language, format_decimal, list_words, speak_in, tr
from locales.lists import join_list
from records.errors import KeepsakeError
from records.owners import KnownPerson, Standing
from records.scopes import Person
from runtime import logs
from telegram_ui.commands.buttons import make_keyboard, make_page_buttons
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.outreach import broadcast
from telegram_ui.commands.wording import format_local_minute, format_quote
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

KIND = "adm"
ALLOW, REFUSE = "a", "r"
MAX_QUOTE_CHARS = 200  # characters of what a stranger wrote that the admins see; it is kept nowhere
OVERVIEW, ERRORS, PEOPLE, REMOVE, GROUPS = "o", "e", "p", "x", "g"
SET_PRIVACY = "setMySettings"
PEOPLE_PER_PAGE = 8


class AdminCommands(Family):
    """Answers /admin. Whoever is no admin of the bot is told that there is no such command."""

    heading = "more"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._dependencies = dependencies
        self._operation = dependencies.operation

    @command("admin", where="admins")
    async def _show_admin(self, ask: Ask) -> str | None:
        """Return the overview; or, after the word "broadcast", what goes to everybody."""
        said = ask.argument.strip()
        word = (said.split(maxsplit=1) or [""])[0]
        if not said:
            await self._show_overview(ask)
        elif word.casefold() in list_words("broadcast-words"):
            await broadcast.ask_to_confirm_broadcast(self._dependencies, ask, said[len(word) :])
        else:
            return tr("admin-arguments")
        return None

    @press(KIND)
    async def _press(self, ask: Ask) -> str | None:
        """Return a view, or a decision about a person."""
        # Somebody who is an admin no longer may still have the button.
        if not self._operation.is_admin(ask.person, is_private=ask.chat.is_private):
            return tr("shared-dead-button")
        what, _, number = ask.argument.partition(".")
        if not number.isdecimal():
            return tr("shared-dead-button")
        if what in (ALLOW, REFUSE):
            return await self._decide_on_person(ask, int(number), what)
        if what == OVERVIEW:
            await self._show_overview(ask)
        elif what == ERRORS:
            await self._show_errors(ask)
        elif what == PEOPLE:
            await self._show_people(ask, int(number))
        elif what == REMOVE:
            return await self._remove_person(ask, int(number))
        elif what == GROUPS:
            return await self._set_privacy(ask, sees_all=number == "1")
        else:
            return tr("shared-dead-button")
        return None

    async def _decide_on_person(self, ask: Ask, number: int, what: str) -> str:
        """Return the answer to a stranger's request, or a removed person let in again; the first
        admin's press counts.
        """
        decided = self._services.memory.people.get(number)
        standing: Standing = "allowed" if what == ALLOW else "refused"
        if decided is None or decided.standing != standing:
            decided = await decide_on_person(self._dependencies, number, standing, by=ask.person.id)
        text = _format_known_person(decided)
        await self._show_text(ask, text, self._back_buttons(ask))
        return text[:200]

    async def _remove_person(self, ask: Ask, number: int) -> str:
        if number in self._operation.admin_ids:
            return tr("admin-not-an-admin")
        removed = await decide_on_person(self._dependencies, number, "removed", by=ask.person.id)
        await self._show_people(ask, 0)
        return _format_known_person(removed)[:200]

    async def _set_privacy(self, ask: Ask, *, sees_all: bool) -> str:
        """Turn Telegram's privacy mode off or on (Bot API 10.5)."""
        bot = self._delivery.bot
        post = partial(bot.do_api_request, SET_PRIVACY, {"can_read_all_group_messages": sees_all})
        try:
            is_changed = await self._delivery.newer_api.attempt(SET_PRIVACY, post)
            if is_changed:
                await bot.get_me()  # it is read from there
        except TelegramError as error:
            raise DeliveryError(tr("errors-telegram-unreachable")) from error
        await self._show_overview(ask)
        return tr("admin-groups-changed" if is_changed else "admin-groups-refused")

    # What is shown -------------------------------------------------------------------------------------------

    async def _show_overview(self, ask: Ask) -> None:
        operation, sees_all = self._operation, bool(self._delivery.bot.can_read_all_group_messages)
        found = await make_overview(self._services, operation)
        waiting = max(0, found.waiting - 1)  # without /admin itself
        lines = [
            tr("admin-memories", memories=found.memories, active=found.active),
            tr("admin-let-in-people", people=tr("admin-everyone") if operation.everyone else str(found.let_in)),
            tr("admin-requests", people=found.asked),
            _format_quota(found.used, operation.budget, operation.budget_per_person),
            tr("admin-waiting", updates=waiting),
            tr("admin-failed-folds", chats=found.failed),
            tr("admin-storage", size=format_decimal(found.size / 1_000_000, 1)),
            backup_text(self._services.backups, await self._read_zone(ask.chat.scope.owner)),
            tr("admin-models", models=join_list(operation.models)),
            tr("admin-errors-count", errors=len(logs.RECENT.lines)),
            tr("admin-groups-all" if sees_all else "admin-groups-addressed"),
        ]
        buttons = [
            self._make_button(ask, KIND, tr("admin-button-people"), f"{PEOPLE}.0"),
            self._make_button(ask, KIND, tr("admin-button-errors"), f"{ERRORS}.0"),
        ]
        write = self._make_button(ask, broadcast.KIND, tr("broadcast-write"), broadcast.WRITE)
        label = tr("admin-button-groups-addressed" if sees_all else "admin-button-groups-all")
        groups = [self._make_button(ask, KIND, label, f"{GROUPS}.{int(not sees_all)}")]
        is_offered = self._delivery.newer_api.may_use(SET_PRIVACY)
        await self._show_text(ask, "\n".join(lines), buttons, [write], groups if is_offered else [])

    async def _show_errors(self, ask: Ask) -> None:
        zone = await self._read_zone(ask.chat.scope.owner)
        lines = [
            f"{format_local_minute(datetime.fromtimestamp(at, UTC), zone)} {where}\n{template}".rstrip()
            for at, where, template in reversed(logs.RECENT.lines)
        ]
        text = "\n\n".join([tr("admin-errors"), *lines]) if lines else tr("admin-no-errors")
        await self._show_text(ask, text, self._back_buttons(ask))

    async def _show_people(self, ask: Ask, page: int) -> None:
        found = list_people(self._services, self._operation)
        pages = max(1, -(-len(found) // PEOPLE_PER_PAGE))
        page = min(page, pages - 1)
        lines, rows = [tr("admin-people")], []
        for one in found[page * PEOPLE_PER_PAGE : (page + 1) * PEOPLE_PER_PAGE]:
            lines.append(_format_known_person(one))
            is_in = one.standing == "allowed"
            label = f"{tr('admin-remove' if is_in else 'admin-allow')} {one.id}"
            rows.append([self._make_button(ask, KIND, label, f"{REMOVE if is_in else ALLOW}.{one.id}")])
        if not found:
            lines.append(tr("admin-nobody"))
        rows.append(
            make_page_buttons(page, pages, lambda label, at: self._make_button(ask, KIND, label, f"{PEOPLE}.{at}"))
        )
        await self._show_text(ask, "\n".join(lines), *rows, self._back_buttons(ask))

    def _back_buttons(self, ask: Ask) -> list[InlineKeyboardButton]:
        return [self._make_button(ask, KIND, tr("admin-button-back"), f"{OVERVIEW}.0")]


def _format_quota(used: int, budget: int, per_person: int) -> str:
    limits = [tr("admin-quota-all", tokens=budget)] if budget else []
    limits += [tr("admin-quota-each", tokens=per_person)] if per_person else []
    return " ".join([tr("admin-quota", tokens=used), *limits])


def _format_known_person(one: KnownPerson) -> str:
    shown = f"{one.name} ({one.id})" if one.name else str(one.id)
    return f"{shown} – {tr(f'admin-standing-{one.standing}')}"


async def ask_admins(dependencies: Dependencies, person: Person, words: str) -> None:
    """Ask each admin, in their language, whether this stranger is let in. Raises nothing of ours."""
    services, operation = dependencies.services, dependencies.operation
    stranger = KnownPerson(id=person.id, standing="asked", name=_format_person(person), language=person.language)
    try:
        if not await services.memory.people.ask(stranger, now=services.clock()):
            return
        for number in sorted(operation.admin_ids):
            chosen = await services.memory.language(number) or ""
            language = choose_language(chosen, "", is_shared=False, default=dependencies.default_language)
            with speak_in(language):
                await _ask_admin(dependencies, Chat(id=number), Person(id=number, name=""), stranger, words)
    except KeepsakeError as error:
        log.warning("the admins could not be asked about somebody: %s", type(error).__name__)


async def _ask_admin(dependencies: Dependencies, chat: Chat, admin: Person, stranger: KnownPerson, words: str) -> None:
    row = [
        dependencies.buttons.make_button(KIND, chat, admin, label, f"{what}.{stranger.id}")
        for label, what in ((tr("admin-allow"), ALLOW), (tr("admin-refuse"), REFUSE))
    ]
    text = tr("admin-request", name=stranger.name, id=str(stranger.id))
    if said := format_quote(words, MAX_QUOTE_CHARS):
        text += f"\n\n{tr('shared-quoted', text=said)}"
    try:
        await dependencies.delivery.say(chat, text, keyboard=make_keyboard(row))
    except DeliveryError as error:
        log.warning("an admin could not be asked about somebody: %s", type(error).__name__)


async def decide_on_person(dependencies: Dependencies, number: int, standing: Standing, *, by: int) -> KnownPerson:
    """Keep what an admin decided of a person, and tell whoever is let in."""
    people = dependencies.services.memory.people
    before = people.get(number)
    name, language = (before.name, before.language) if before else ("", "")
    decided = KnownPerson(id=number, standing=standing, name=name, language=language)
    await people.put(decided, by=by, now=dependencies.services.clock())
    if standing == "allowed" and before is not None and before.standing != "allowed":
        with speak_in(find_language(language) or dependencies.default_language):
            try:
                await dependencies.delivery.say(Chat(id=number), tr("admin-let-in"))
            except DeliveryError as error:
                log.info("somebody who was let in could not be told: %s", type(error).__name__)
    return decided


def _format_person(person: Person) -> str:
    return f"{person.name} (@{person.username})" if person.username else person.name
