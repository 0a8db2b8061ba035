"""Texts that several groups of commands share: dates, quotes, labels and the names of things."""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, date, datetime, tzinfo
from functools import cache

from locales.catalog import ENGLISH, format_day, tr, translate
from records.messages import Message
from records.owners import OFFERED_THRESHOLDS, OwnerConfig, Policy
from records.scopes import ListedConversation
from summaries.policies import POLICIES

MAX_LABEL_CHARS = 40  # characters of the beginning of a conversation that serve as its title
MAX_QUOTE_CHARS = 200
SENT_KINDS = (
    *("photo", "voice", "audio", "video", "video_note", "animation", "sticker", "document", "contact", "location"),
    *("venue", "poll", "dice", "story", "new"),
)  # Kinds of attachments, by the field of a Telegram message that holds them. The texts files-kind-NAME name them.


def get_zone_or_utc(config: OwnerConfig | None) -> tzinfo:
    return config.zone if config else UTC


def format_policy_name(policy: Policy) -> str:
    """Return the translated name of a policy, or the policy itself if it is unknown."""
    return tr(f"policy-name-{policy}") if policy in POLICIES else policy


_now: ContextVar[datetime | None] = ContextVar("now", default=None)


def set_current_time_for_formatting(now: datetime) -> None:
    """Set the current time of this task. Dates are formatted relative to it, as "today" or without the year."""
    _now.set(now)


def format_day_and_time(moment: datetime, zone: tzinfo = UTC) -> str:
    """Format a moment to the minute in a time zone, as in "today 14:28" or "3 June 9:00"."""
    now, day = _now.get(), format_local_day(moment, zone)
    if now is not None:
        distance = (moment.astimezone(zone).date() - now.astimezone(zone).date()).days
        near = {-1: tr("shared-yesterday"), 0: tr("shared-today"), 1: tr("shared-tomorrow")}
        day = near.get(distance, day)
    return f"{day} {format_time(moment, zone)}"


def format_time(moment: datetime, zone: tzinfo) -> str:
    local = moment.astimezone(zone)
    return f"{local.hour}:{local.minute:02}"


def format_moment(moment: datetime, zone: tzinfo) -> str:
    """Format a moment to the minute, with "UTC" if the time zone is unknown."""
    return format_time_span(moment, moment, zone)


def format_time_span(first: datetime, last: datetime, zone: tzinfo) -> str:
    """Format a span of time, as in "today 14:28–14:35" or "3 June 9:00 – today 14:35"."""
    start, end = format_day_and_time(first, zone), format_day_and_time(last, zone)
    if start == end:
        dates = end
    elif first.astimezone(zone).date() == last.astimezone(zone).date():
        dates = f"{start}–{format_time(last, zone)}"
    else:
        dates = f"{start} – {end}"
    return tr("summaries-utc", date=dates) if zone is UTC else dates


def format_local_day(moment: datetime, zone: tzinfo = UTC) -> str:
    """Format the date of a moment in a time zone, without the year if it is the current year."""
    return format_date_with_year_if_not_current(moment.astimezone(zone).date(), zone)


def format_date_with_year_if_not_current(day: date, zone: tzinfo = UTC) -> str:
    now = _now.get()
    return format_day(day, with_year=now is None or now.astimezone(zone).year != day.year)


def format_date_range(first: date, last: date, zone: tzinfo = UTC) -> str:
    """Format an inclusive range of days, as in "3 June to 5 June"."""
    days = format_date_with_year_if_not_current(first, zone), format_date_with_year_if_not_current(last, zone)
    return days[0] if first == last else tr("shared-span", first=days[0], last=days[1])


def format_speaker(message: Message) -> str:
    if message.origin == "tool":
        return tr("shared-tool")
    return message.speaker or tr("shared-bot" if message.role == "assistant" else "shared-you")


def format_quote(text: str, max_chars: int = MAX_QUOTE_CHARS) -> str:
    """Return the beginning of a text on one line, cut at the end of a word."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else line[:max_chars].rsplit(" ", 1)[0].rstrip() + " …"


_PICTURE = re.compile(r"\[(?:Photo|Picture ([^\]\n]{1,100}?))(?=: )")
_SENT = re.compile(r"\[Sent (with )?([^\]\n]{1,200}?)(, which was not read)?\]")
_FORWARDED = re.compile(r"\[Forwarded from ([^\]\n]{1,200})\]")


def localize_message_notes(message: Message, text: str) -> str:
    """Return the text of a message, with notes such as "[Sent a photo]" in the reader's language."""
    if message.origin == "picture":
        return _PICTURE.sub(
            lambda found: f"[{tr('files-picture', name=found[1]) if found[1] else tr('files-photo')}", text, count=1
        )
    head, bracket, rest = text.partition("]")
    if message.origin != "document" or not text.startswith("[") or not bracket or "\n" in head:
        return translate_attachment_notes(text)
    name, *places = head.split(", ")
    return ", ".join([name, *map(_translate_document_location, places)]) + bracket + rest


def _translate_document_location(location: str) -> str:
    noun, _, number = location.partition(" ")
    noun = noun.removesuffix("s")
    is_numbered = noun in ("page", "line", "row", "part", "chapter") and number.replace("–", "").isdecimal()
    return tr(f"files-place-{noun}", at=number) if is_numbered or (noun == "sheet" and number) else location


def translate_attachment_notes(text: str) -> str:
    """Translate the notes about attachments and forwards in a text into the reader's language."""
    if "[" not in text:
        return text
    forwarded = _FORWARDED.sub(lambda found: f"[{tr('files-forwarded', name=found[1])}]", text, count=1)
    return _SENT.sub(_translate_attachment_note, forwarded)


def _translate_attachment_note(match: re.Match[str]) -> str:
    name, kinds = match[2], _map_attachment_names_to_kinds()
    kind = name if name in kinds else ""
    if not kind and name.startswith(f"{(sticker := translate(ENGLISH, 'files-kind-sticker'))} "):
        kind = sticker  # its emoji follows
    if name.startswith("the file "):
        what = tr("files-named", name=name.removeprefix("the file "))
    elif kind:
        what = tr(f"files-kind-{kinds[kind]}") + name.removeprefix(kind)
    else:  # a person's own words in brackets
        return match[0]
    if match[3]:
        return f"[{tr('files-sent-unread', what=what)}]"
    return f"[{tr('files-sent-with' if match[1] else 'files-sent', what=what)}]"


@cache
def _map_attachment_names_to_kinds() -> Mapping[str, str]:
    return {translate(ENGLISH, f"files-kind-{kind}"): kind for kind in SENT_KINDS}


def format_option(label: str, *, is_chosen: bool) -> str:
    return f"✓ {label}" if is_chosen else label


def format_switch(label: str, *, is_on: bool) -> str:
    return f"{'☑' if is_on else '☐'} {label}"


def list_offered_thresholds(current_threshold: int | None) -> list[int]:
    """Return the thresholds that have buttons, including the current one, in ascending order."""
    return sorted({*OFFERED_THRESHOLDS, *([current_threshold] if current_threshold is not None else [])})


def format_conversation_title(conversation: ListedConversation) -> str:
    label = conversation.label
    if not conversation.is_titled:
        label = format_quote(translate_attachment_notes(label), MAX_LABEL_CHARS)
    return label or tr("chats-untitled")
