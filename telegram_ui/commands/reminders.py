"""/reminders, the offers of reminders under answers, and the delivery of due reminders."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

from telegram import InlineKeyboardButton

from locales.catalog import get_current_language, list_words, match_language, tr, use_language
from records.owners import OwnerConfig
from records.reminders import MAX_REMINDER_CHARS, NewReminder, Reminder, Repeat
from records.scopes import Person, Scope
from records.turns import Proposal
from reminders.reading import format_due_time
from reminders.sending import SendOutcome
from telegram_ui.commands import buttons
from telegram_ui.commands.buttons import make_keyboard, make_page_buttons, select_page_and_count, split_into_rows
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, Dependencies, HandlerReply
from telegram_ui.commands.wording import format_quote, get_zone_or_utc, set_current_time_for_formatting
from telegram_ui.sending.chat import Chat, require_lease_for_sending
from text.time_zones import to_utc

log = logging.getLogger(__name__)

OFFERED, LISTED = "rmy", "rml"
NO = "no"
PAGE, CANCEL = "p", "x"
REMINDERS_PER_PAGE = 8
MAX_QUOTE_CHARS = 120  # characters of a reminder in the list
_REPEATS: dict[str, Repeat] = {"o": "", "d": "daily", "w": "weekly", "m": "monthly"}  # by their letter in a payload
_OFFER = re.compile(r"([0-9a-f]{1,9})([odwm])([icu])([0-9a-f]{2})\.([0-9a-f]{1,14})")


class ReminderCommands(CommandGroup):
    """The handlers of /reminders. In groups, everybody may add reminders, and admins may cancel anybody's."""

    heading = "recall"

    @Command("reminders")
    async def _add_or_list_reminders(self, event: ChatEvent) -> HandlerReply:
        text = event.argument.strip()
        first, _, rest = text.partition(" ")
        if first.casefold() in list_words("reminders-add-words"):
            text = rest.strip()
        elif not text:
            return await self._show_reminder_page(event, 0)
        config, now = await self._read_config(event), self._now()
        # Relative to the time of the message, so that a replay after a crash gives the same reminder.
        sent_at = min(event.update.message.date, now) if event.update.message is not None else now
        local = sent_at.astimezone(get_zone_or_utc(config))
        async with self._delivery.show_typing(event.chat):
            found = await self._services.reminder_reader.parse_reminder_or_explain_failure(event.person.id, text, local)
        if isinstance(found, str):
            return found
        reminder, ambiguity = found
        if reminder.due_at <= now:
            return tr("reminders-impossible-passed")
        if ambiguity is None:
            return await self._set_reminder(event, reminder, None, config)
        proposal = Proposal(kind="remind", text=reminder.text, reminder=reminder)
        await offer_reminder(self._dependencies, event.chat, event.person, proposal, ambiguity)
        return None

    @Action(OFFERED)
    async def _accept_or_decline_offer(self, event: ChatEvent) -> HandlerReply:
        if event.argument == NO:
            return await self._show_text(event, tr("proposals-declined"))
        config = await self._read_config(event)
        offer = parse_offer_and_source_id(event.argument, event.message_text, get_zone_or_utc(config))
        if offer is None:
            return tr("shared-dead-button")  # after a second press, the message already shows the outcome
        if offer[0].due_at <= self._now():
            return await self._show_text(event, tr("reminders-impossible-passed"))
        return await self._set_reminder(event, *offer, config)

    @Action(LISTED)
    async def _turn_page_or_cancel_reminder(self, event: ChatEvent) -> HandlerReply:
        action, _, rest = event.argument.partition(".")
        number, _, page = rest.partition(".")
        if not number.isdecimal() or action not in (PAGE, CANCEL):
            return tr("shared-dead-button")
        if action == PAGE:
            return await self._show_reminder_page(event, int(number))
        reminders = {reminder.id: reminder for reminder in await self._list_reminders(event.chat.chat_scope)}
        reminder = reminders.get(int(number))
        if reminder is None:
            outcome = tr("reminders-gone")
        elif reminder.person != event.person.id and not await self._may_configure(event.chat, event.person):
            return tr("reminders-not-yours")
        else:
            await self._services.reminders.remove(reminder.owner, reminder.id)
            outcome = tr("reminders-cancelled", text=format_quote(reminder.text, MAX_QUOTE_CHARS))
        if page.isdecimal():
            await self._show_reminder_page(event, int(page))
        else:
            await self._show_text(event, outcome)
        return outcome[:200]

    async def _set_reminder(
        self, event: ChatEvent, reminder: NewReminder, source_message_id: int | None, config: OwnerConfig | None
    ) -> HandlerReply:
        scope, person, language = event.chat.scope, event.person.id, get_current_language()
        stored = await self._services.reminders.add(
            scope.owner, reminder, thread=event.chat.thread, person=person, language=language, source=source_message_id
        )
        if stored is None:
            return await self._show_text(event, tr("reminders-full"))
        text = tr("reminders-set", when=format_due_time(stored, get_zone_or_utc(config)), text=stored.text)
        cancel = self._make_button(event, LISTED, tr("reminders-cancel"), f"{CANCEL}.{stored.id}.")
        hint, zones = _make_utc_note_and_zone_button(self._dependencies, event.chat, event.person, config)
        lines = [text] if event.update.callback_query is not None else [text, *hint]
        return await self._show_text(event, "\n".join(lines), [cancel], zones)

    async def _list_reminders(self, scope: Scope) -> Sequence[Reminder]:
        """Return the owner's reminders. In a channel's direct messages, return only those of this chat."""
        listed = await self._services.reminders.list_reminders(scope.owner)
        return [reminder for reminder in listed if not scope.is_channel_direct_chat or reminder.thread == scope.thread]

    async def _show_reminder_page(self, event: ChatEvent, page: int) -> HandlerReply:
        config = await self._read_config(event)
        reminders = await self._list_reminders(event.chat.chat_scope)
        if not reminders:
            return await self._show_text(event, f"{tr('reminders-none')}\n\n{tr('reminders-how')}")
        shown, page, pages = select_page_and_count(reminders, page, REMINDERS_PER_PAGE)
        lines, row = [tr("forget-reminders", reminders=len(reminders)), ""], []
        for number, reminder in enumerate(shown, start=page * REMINDERS_PER_PAGE + 1):
            text = format_quote(reminder.text, MAX_QUOTE_CHARS)
            lines.append(f"{number}. {format_due_time(reminder, get_zone_or_utc(config))} – {text}")
            row.append(self._make_button(event, LISTED, f"✕ {number}", f"{CANCEL}.{reminder.id}.{page}"))
        turn = make_page_buttons(page, pages, lambda label, to: self._make_button(event, LISTED, label, f"{PAGE}.{to}"))
        hint, zones = _make_utc_note_and_zone_button(self._dependencies, event.chat, event.person, config)
        lines += ["", tr("reminders-press"), *hint]
        return await self._show_text(event, "\n".join(lines), *split_into_rows(row, 4), turn, zones)


async def offer_reminder(
    dependencies: Dependencies, chat: Chat, person: Person, proposal: Proposal, ambiguous_words: str = ""
) -> None:
    """Ask a person whether to set the proposed reminder. Quote any words that leave its time in doubt."""
    reminder, make_button = proposal.reminder, dependencies.buttons.make_button
    if reminder is None:
        return
    config = await dependencies.services.memory.get_config(chat.scope.owner)
    when = format_due_time(reminder, get_zone_or_utc(config))
    heading = tr("reminders-offer-unsure" if ambiguous_words else "reminders-offer", words=ambiguous_words, when=when)
    hint, zones = _make_utc_note_and_zone_button(dependencies, chat, person, config)
    text = "\n\n".join(["\n".join([heading, *hint]), reminder.text])
    payload = make_reminder_payload(reminder, proposal.source, knows_zone=not hint)
    yes = make_button(OFFERED, chat, person, tr("reminders-yes"), payload)
    no = make_button(OFFERED, chat, person, tr("shared-no"), NO)
    keyboard = make_keyboard([yes, no], zones)
    await dependencies.delivery.send_text(chat, text, keyboard=keyboard)


def make_reminder_payload(reminder: NewReminder, source_message_id: int | None, *, knows_zone: bool = True) -> str:
    """Return a button payload from which parse_offer_and_source_id() can restore the offer, even after a restart."""
    letter = next(letter for letter, repeat in _REPEATS.items() if repeat == reminder.repeat)
    clock = "i" if reminder.local is None else "c" if knows_zone else "u"
    days = f"{sum(1 << day for day in reminder.weekdays):02x}" if letter == "w" else f"{reminder.month_day:02d}"
    return f"{int(reminder.due_at.timestamp()):x}{letter}{clock}{days}.{source_message_id or 0:x}"


def parse_offer_and_source_id(payload: str, message_text: str, zone: tzinfo) -> tuple[NewReminder, int | None] | None:
    """Restore an offered reminder and the id of the message that asked for it. Return None if the button is invalid."""
    text, found = message_text.partition("\n\n")[2].strip()[:MAX_REMINDER_CHARS], _OFFER.fullmatch(payload)
    if not text or found is None:
        return None
    moment, letter, clock, days, source_id = found.groups()
    due_at, number = datetime.fromtimestamp(int(moment, 16), UTC), int(source_id, 16)
    local = due_at.astimezone(zone).replace(tzinfo=None) if clock == "c" else None
    if clock == "u":  # "at 9" means 9 where they live, which they may have set by now
        local = due_at.replace(tzinfo=None)
        due_at = to_utc(local, zone)
    month_day = int(days) if letter == "m" and days.isdecimal() else 0
    weekdays = tuple(day for day in range(7) if letter == "w" and int(days, 16) >> day & 1)
    reminder = NewReminder(
        text=text, due_at=due_at, local=local, repeat=_REPEATS[letter], month_day=month_day, weekdays=weekdays
    )
    return reminder, number or None


def _make_utc_note_and_zone_button(
    dependencies: Dependencies, chat: Chat, person: Person, config: OwnerConfig | None
) -> tuple[list[str], list[InlineKeyboardButton]]:
    """Return a note that times are in UTC and, in private, a button to set the zone. Both are [] if a zone is set."""
    if config and config.timezone:
        return [], []
    button = dependencies.buttons.make_button(buttons.SETTINGS, chat, person, tr("reminders-zone"), buttons.ALONE)
    return ([tr("reminders-utc")], [button]) if chat.is_private else ([tr("reminders-utc-group")], [])


async def send_reminder(dependencies: Dependencies, reminder: Reminder, now: datetime) -> SendOutcome:
    """Send a due reminder in the owner's chosen language, or else in the language in which it was requested."""
    memory, delivery = dependencies.services.memory, dependencies.delivery
    config = await memory.get_config(reminder.owner)
    require_lease_for_sending(memory.shared_inbox, reminder.owner)
    chat = Chat(id=reminder.owner, thread=reminder.thread, is_private=reminder.owner > 0)
    if not memory.serves(reminder.person):
        log.info("a reminder of %d is not sent: the person who asked for it was removed", reminder.owner)
        return "gone"
    if delivery.is_paused(chat):
        return "later"
    set_current_time_for_formatting(now)
    chosen = match_language(config.language if config else "") or match_language(reminder.language)
    with use_language(chosen or get_current_language()):
        text = tr("reminders-due", text=reminder.text)
        if now - reminder.due_at >= timedelta(minutes=2):
            when = format_due_time(replace(reminder, repeat=""), get_zone_or_utc(config))
            text += f"\n\n{tr('reminders-late', when=when)}"
    outcome = await delivery.try_to_send_text(chat, text)
    return "refused" if outcome == "gone" else outcome  # a person who has blocked the bot may come back
