"""/reminders: what is to be told when; listed, added in words, cancelled by a button. Also the offer under an answer.

The reminder that is offered stands in the question itself, so that its button works after a restart although nothing is
kept. Does not know how a request is read, nor when a reminder is due again (reminders/).
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

from telegram import InlineKeyboardButton
from telegram.error import BadRequest

from locales.catalog import current_language, find_language, format_full_day, list_words, speak_in, tr
from records.owners import OwnerConfig
from records.reminders import MAX_REMINDER_CHARS, Reminder, ReminderWish, Repeat
from records.scopes import Person, Scope
from records.turns import Proposal
from reminders.sending import Told
from telegram_ui.commands.buttons import ALONE, SETTINGS, Buttons, make_keyboard, make_page_buttons, split_rows
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.wording import format_clock, format_quote, set_reference_time, zone_of
from telegram_ui.sending.chat import Chat, submit_work_for
from telegram_ui.sending.delivery import ChatGone, DeliveryError, DeliveryUnknown
from text.time_zones import format_zone, to_utc

log = logging.getLogger(__name__)

OFFERED, LISTED = "rmy", "rml"
NO = "no"
PAGE, CANCEL = "p", "x"
REMINDERS_PER_PAGE = 8
MAX_QUOTE_CHARS = 120  # characters of a reminder in the list
_REPEATS: dict[str, Repeat] = {"o": "", "d": "daily", "w": "weekly", "m": "monthly"}
_LETTERS = {repeat: letter for letter, repeat in _REPEATS.items()}


class ReminderCommands(Family):
    """Answers /reminders and the offer of one. In a group everybody may add; who asked, or an admin, cancels."""

    heading = "recall"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._dependencies = dependencies

    @command("reminders")
    async def _show_reminders(self, ask: Ask) -> str | None:
        said = ask.argument.strip()
        first, _, rest = said.partition(" ")
        if first.casefold() in list_words("reminders-add-words"):
            said = rest.strip()
        elif not said:
            await self._show_list(ask, 0)
            return None
        config = await self._services.memory.config(ask.chat.scope.owner)
        zone = zone_of(config)
        # From when it was sent: after a kill the same update gives the same reminder, which is kept once.
        now = self._now()
        sent_at = min(ask.update.message.date, now) if ask.update.message is not None else now
        async with self._delivery.typing(ask.chat):
            asked = await self._services.wish_reader.wished(ask.person.id, said, sent_at.astimezone(zone))
        if isinstance(asked, str):
            return asked
        wish, is_to_confirm = asked
        if wish.due_at <= now:
            return tr("reminders-passed")
        if is_to_confirm:
            await offer_reminder(
                self._dependencies, ask.chat, ask.person, Proposal(kind="remind", text=wish.text, wish=wish)
            )
        else:
            await self._set_reminder(ask, wish, None, config)
        return None

    @press(OFFERED)
    async def _press_offered(self, ask: Ask) -> str | None:
        """Return the answer to an offer: what is to be remembered stands in the question."""
        if ask.argument == NO:
            await self._show_text(ask, tr("proposals-declined"))
            return None
        config = await self._services.memory.config(ask.chat.scope.owner)
        read = parse_offer(ask.argument, ask.message_text, zone_of(config))
        if read is None:
            return tr("shared-dead-button")  # or it was pressed twice: the message says already what came of it
        asked, source = read
        if asked.due_at <= self._now():
            await self._show_text(ask, tr("reminders-passed"))
            return None
        await self._set_reminder(ask, asked, source, config)
        return None

    @press(LISTED)
    async def _press_listed(self, ask: Ask) -> str | None:
        """Return a page of the list, or a reminder to cancel: from the list, or from the message that
        said it is set.
        """
        action, _, rest = ask.argument.partition(".")
        number, _, page = rest.partition(".")
        if not number.isdecimal() or action not in (PAGE, CANCEL):
            return tr("shared-dead-button")
        if action == PAGE:
            await self._show_list(ask, int(number))
            return None
        found = next(
            (reminder for reminder in await self._list_reminders(ask.chat.location) if reminder.id == int(number)), None
        )
        is_others = found is not None and found.person != ask.person.id
        if is_others and not await self._may_configure(ask.chat, ask.person):
            return tr("reminders-not-yours")
        if found is not None:
            await self._services.reminders.remove(found.owner, found.id)
        gone = (
            tr("reminders-gone")
            if found is None
            else tr("reminders-cancelled", text=format_quote(found.text, MAX_QUOTE_CHARS))
        )
        if page.isdecimal():
            await self._show_list(ask, int(page))
        else:
            await self._show_text(ask, gone)
        return gone[:200]

    async def _set_reminder(
        self, ask: Ask, asked: ReminderWish, source: int | None, config: OwnerConfig | None
    ) -> None:
        """Keep a reminder, and say so. `source`: the message that asked for it, where that was offered: the offer says
        whose time it is.
        """
        kept = await self._services.reminders.add(
            ask.chat.scope.owner,
            asked,
            thread=ask.chat.thread,
            person=ask.person.id,
            language=current_language(),
            source=source,
        )
        if kept is None:
            await self._show_text(ask, tr("reminders-full"))
            return
        text = tr("reminders-set", when=format_when(kept, zone_of(config)), text=kept.text)
        hint = [] if ask.update.callback_query is not None else _make_zone_hint(config)
        cancel = self._make_button(ask, LISTED, tr("reminders-cancel"), f"{CANCEL}.{kept.id}.")
        zones = _make_zone_buttons(self._buttons, ask.chat, ask.person, config)
        await self._show_text(ask, "\n".join([text, *hint]), [cancel], zones)

    async def _list_reminders(self, scope: Scope) -> Sequence[Reminder]:
        """Return an owner's reminders; of a channel only those of the person whose direct messages these are."""
        found = await self._services.reminders.all(scope.owner)
        return [one for one in found if one.thread == scope.thread] if scope.is_direct_messages else found

    async def _show_list(self, ask: Ask, page: int) -> None:
        config = await self._services.memory.config(ask.chat.scope.owner)
        zone = zone_of(config)
        found = await self._list_reminders(ask.chat.location)
        if not found:
            await self._show_text(ask, f"{tr('reminders-none')}\n\n{tr('reminders-how')}")
            return
        pages = -(-len(found) // REMINDERS_PER_PAGE)
        page = min(page, pages - 1)
        shown = found[page * REMINDERS_PER_PAGE : (page + 1) * REMINDERS_PER_PAGE]
        lines = [tr("forget-reminders", reminders=len(found)), ""]
        buttons = []
        for number, one in enumerate(shown, start=page * REMINDERS_PER_PAGE + 1):
            lines.append(f"{number}. {format_when(one, zone)} – {format_quote(one.text, MAX_QUOTE_CHARS)}")
            buttons.append(self._make_button(ask, LISTED, f"✕ {number}", f"{CANCEL}.{one.id}.{page}"))
        turn = make_page_buttons(page, pages, lambda label, at: self._make_button(ask, LISTED, label, f"{PAGE}.{at}"))
        zones = _make_zone_buttons(self._buttons, ask.chat, ask.person, config)
        lines += ["", tr("reminders-press"), *_make_zone_hint(config)]
        await self._show_text(ask, "\n".join(lines), *split_rows(buttons, 4), turn, zones)


async def offer_reminder(dependencies: Dependencies, chat: Chat, person: Person, proposal: Proposal) -> None:
    """Ask this person and nobody else whether to be reminded."""
    asked = proposal.wish
    if asked is None:
        return
    config = await dependencies.services.memory.config(chat.scope.owner)
    heading = tr("reminders-offer", when=format_when(asked, zone_of(config)))
    text = "\n\n".join(["\n".join([heading, *_make_zone_hint(config)]), asked.text])
    row = [
        dependencies.buttons.make_button(OFFERED, chat, person, label, payload)
        for label, payload in (
            (tr("reminders-yes"), make_offer_payload(asked, proposal.source, knows_zone=_has_zone(config))),
            (tr("shared-no"), NO),
        )
    ]
    keyboard = make_keyboard(row, _make_zone_buttons(dependencies.buttons, chat, person, config))
    await dependencies.delivery.say(chat, text, keyboard=keyboard)


def make_offer_payload(asked: ReminderWish, source: int | None, *, knows_zone: bool = True) -> str:
    """Return the button's payload, without the text: moment, repetition, whether the clock counts (and is said in UTC,
    where no zone is known), day, source.
    """
    clock = "i" if asked.local is None else "c" if knows_zone else "u"
    return f"{int(asked.due_at.timestamp()):x}{_LETTERS[asked.repeat]}{clock}{asked.month_day:02d}.{source or 0:x}"


def parse_offer(payload: str, message: str, zone: tzinfo) -> tuple[ReminderWish, int | None] | None:
    """Return the reminder of a pressed button, and the message that asked for it; None for none of ours."""
    text = message.partition("\n\n")[2].strip()[:MAX_REMINDER_CHARS]
    head, _, source = payload.partition(".")
    moment, letter, clock, day = head[:-4], head[-4:-3], head[-3:-2], head[-2:]
    try:
        due_at = datetime.fromtimestamp(int(moment, 16), UTC)
        repeat, month_day, number = _REPEATS[letter], int(day), int(source, 16)
    except (ValueError, KeyError, OverflowError, OSError):
        return None
    if not text:
        return None
    local = due_at.astimezone(zone).replace(tzinfo=None) if clock == "c" else None
    if clock == "u":  # "at 9" is at 9 where they live, if they have said that meanwhile
        local = due_at.replace(tzinfo=None)
        due_at = to_utc(local, zone)
    return ReminderWish(text=text, due_at=due_at, local=local, repeat=repeat, month_day=month_day), number or None


def format_when(one: Reminder | ReminderWish, zone: tzinfo) -> str:
    """When a reminder is due, and how often: "Friday, 27 November 2026, 9:00 (Europe/Berlin)"."""
    day = format_full_day(one.due_at.astimezone(zone).date())
    when = f"{day}, {format_clock(one.due_at, zone)} ({format_zone(str(zone))})"
    return tr(f"reminders-each-{one.repeat}", when=when) if one.repeat else when


def _has_zone(config: OwnerConfig | None) -> bool:
    return bool(config and config.timezone)


def _make_zone_hint(config: OwnerConfig | None) -> list[str]:
    """Said to who has chosen no time zone: "at 9" may be another time for them."""
    return [] if _has_zone(config) else [tr("reminders-utc")]


def _make_zone_buttons(
    buttons: Buttons, chat: Chat, person: Person, config: OwnerConfig | None
) -> list[InlineKeyboardButton]:
    """Return the row with the button that asks for a city, where that is not known. In a group its admins choose."""
    if _has_zone(config) or not chat.is_private:
        return []
    return [buttons.make_button(SETTINGS, chat, person, tr("reminders-zone"), ALONE)]


class ReminderTeller:
    """Tells people what they asked to be reminded of, in the language that they chose, or in which they asked."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._delivery = dependencies.delivery
        self._memory = dependencies.services.memory

    async def send_reminder(self, one: Reminder, now: datetime) -> Told:
        """Send a reminder; see reminders/sending.py."""
        config = await self._memory.config(one.owner)
        submit_work_for(self._memory.shared_work, one.owner)
        chat = Chat(id=one.owner, thread=one.thread, is_private=one.owner > 0)
        if not self._memory.serves(one.person):
            log.info("a reminder of %d is not sent: who asked for it was removed", one.owner)
            return "lost"
        if self._delivery.is_paused(chat):
            return "later"
        set_reference_time(now)
        with speak_in(
            find_language(config.language if config else "") or find_language(one.language) or current_language()
        ):
            text = tr("reminders-due", text=one.text)
            if now - one.due_at >= timedelta(minutes=2):
                text += f"\n\n{tr('reminders-late', when=format_when(replace(one, repeat=''), zone_of(config)))}"
        try:
            await self._delivery.say(chat, text)
        except DeliveryUnknown:
            return "unknown"
        except ChatGone:
            log.warning("a reminder of %d is dropped: the chat is gone", one.owner)
            return "lost"
        except DeliveryError as error:
            return "lost" if isinstance(error.__cause__, BadRequest) else "later"
        return "arrived"
