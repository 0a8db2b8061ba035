"""Parses reminders in free text with the model or, failing that, the phrase parser, and formats their due times."""

import asyncio
import logging
from datetime import datetime, tzinfo

from attrs import define

from llm import prompts
from llm.chat_model import ChatModel
from llm.meant_json import parse_json_leniently
from llm.quota import Quota
from locales.catalog import comma_join, format_full_day, get_current_language, tr
from records.errors import ErrorText, KeepsakeError
from records.model_calls import PromptMessage
from records.reminders import MAX_DAYS_AHEAD, NewReminder
from reminders.arguments import MAX_TEXT_CHARS, parse_reminder
from text.time_zones import format_zone_name

log = logging.getLogger(__name__)

# The arguments of the tool `remind`, of which a strict schema needs all.
_ARGUMENTS = {
    name: value if name == "text" else {"anyOf": [value, {"type": "null"}]}
    for name, value in prompts.TOOLS["remind"]["properties"].items()
}
SCHEMA = prompts.make_answer_schema("remind", _ARGUMENTS)


@define(kw_only=True, eq=False)
class ReminderReader:
    """Parses reminder requests with a model or by grammar rules. Model calls count towards the person's quota."""

    _model: ChatModel
    _quota: Quota

    async def parse_reminder_or_explain_failure(
        self, person_id: int, text: str, now: datetime
    ) -> tuple[NewReminder, str | None] | ErrorText:
        """Return a reminder with its doubtful words, or a sentence that explains why there is no reminder.

        If the words are None, the reminder can be set at once. Otherwise the person must confirm it. If the model has
        parsed the reminder, the words are "". `now` must be aware and in the person's zone.
        """
        # Here: the locale data of seven languages are read for it, which a start can spend otherwise.
        from reminders.phrases import UncertainReminder, parse_reminder_phrase

        if (read := await self.parse_reminder_with_model(person_id, text, now)) is not None:
            return read, ""
        # In a thread: the first call reads locale data for a second.
        match await asyncio.to_thread(parse_reminder_phrase, text, now):
            case NewReminder() as reminder:
                return reminder, None
            case UncertainReminder(words=words, reminder=NewReminder() as reminder):
                return reminder, words
            case UncertainReminder(words=words):
                return tr("reminders-not-understood", words=words) if words else tr("reminders-how")
            case why:
                return tr(f"reminders-impossible-{why}", years=MAX_DAYS_AHEAD // 366)

    async def parse_reminder_with_model(self, person_id: int, request_text: str, now: datetime) -> NewReminder | None:
        """Return the reminder that the model finds in a request, or None if there is none or no model is available."""
        asked = PromptMessage(role="user", content=prompts.make_reminder_request(request_text[:MAX_TEXT_CHARS], now))
        try:
            answer = await self._quota.complete(person_id, self._model, [asked], schema=SCHEMA)
        except KeepsakeError as error:
            log.info("a reminder could not be read: %s", type(error).__name__)
            return None
        given = parse_json_leniently(answer.text)
        return parse_reminder(given, now) if isinstance(given, dict) else None


def format_due_time(reminder: NewReminder, zone: tzinfo) -> str:
    """Format a reminder's due time and repetition: "Monday, 30 November 2026, 9:00 (UTC), and then every week"."""
    from babel.dates import get_day_names

    local = reminder.due_at.astimezone(zone)
    when = tr("reminders-when", day=format_full_day(local), time=f"{local:%-H:%M}", zone=format_zone_name(str(zone)))
    names = get_day_names("wide", "stand-alone", get_current_language())
    days = f": {comma_join([names[day] for day in reminder.weekdays])}" if reminder.weekdays else ""
    return tr(f"reminders-each-{reminder.repeat}", when=when) + days if reminder.repeat else when
