"""Words that several families share: counts, dates, quotations, labels. Pure; does not know any command."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

from telegram import InlineKeyboardButton

from locales.catalog import tr
from records.messages import Message
from records.owners import Policy, StorageType
from summaries.policies import POLICIES

STORAGE_NAMES = {StorageType.SQLITE: "SQLite", StorageType.JSON: "JSON", StorageType.POSTGRES: "PostgreSQL"}
QUOTED = 200
"""Characters of a text that are quoted."""
OFFERED = (5, 10, 20, 50)
"""Turns after which a summary can be chosen by a button."""


def messages(number: int) -> str:
    return tr("shared-messages", messages=number)


def turns(number: int) -> str:
    return tr("shared-turns", turns=number)


def facts(number: int) -> str:
    return tr("shared-facts", facts=number)


def summaries(number: int) -> str:
    return tr("shared-summaries", summaries=number)


def policy_name(policy: Policy) -> str:
    """A policy as it is called within a sentence; one that this program does not know (of an import) as it is."""
    return tr(f"policy-name-{policy}") if policy in POLICIES else policy


def minute(at: datetime, zone: tzinfo = UTC) -> str:
    """A moment to the minute in a time zone."""
    return at.astimezone(zone).strftime(tr("shared-minute"))


def moment(at: datetime, zone: tzinfo) -> str:
    """The same, saying so where it is not the reader's own time."""
    return tr("summaries-utc", date=minute(at, zone)) if zone is UTC else minute(at, zone)


def day(at: datetime, zone: tzinfo = UTC) -> str:
    """The date of a moment in a time zone."""
    return at.astimezone(zone).strftime(tr("shared-day"))


def speaker(message: Message) -> str:
    if message.origin == "tool":
        return tr("shared-tool")
    return tr("shared-me") if message.role == "assistant" else message.speaker or tr("shared-you")


def quoted(text: str, most: int = QUOTED) -> str:
    """The beginning of a text on one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return line[:most].rsplit(" ", 1)[0].rstrip() + " …"


_HEAD = re.compile(r"\[[^\]\n]{1,300}\]")
_PLACE = re.compile(r"(?<=, )(pages?|lines?|rows?|part|chapter) (\d{1,9}(?:–\d{1,9})?)(?=[,\]])")
_SHEET = re.compile(r"(?<=, )sheet ([^,\]]{1,40})(?=[,\]])")


def said(message: Message, text: str) -> str:
    """The words of a message. Where a passage of a document stands in it is told in the reader's language; memory holds
    "[lease.pdf, pages 1–2]", as the model reads it.
    """
    head = _HEAD.match(text) if message.origin == "document" else None
    if head is None:
        return text
    place = _PLACE.sub(lambda found: tr(f"files-place-{found[1]}", at=found[2]), head[0])
    place = _SHEET.sub(lambda found: tr("files-place-sheet", at=found[1]), place)
    return place + text[head.end() :]


def ticked(label: str, *, is_chosen: bool) -> str:
    """A button's label, marked if it is the current choice."""
    return f"✓ {label}" if is_chosen else label


def thresholds(chosen: int | None, button: Callable[[str, int], InlineKeyboardButton]) -> list[InlineKeyboardButton]:
    """A row of numbers of turns with the current one among them, marked. `button` makes one of label and number."""
    numbers = sorted({*OFFERED, *([chosen] if chosen is not None else [])})
    return [button(ticked(str(number), is_chosen=number == chosen), number) for number in numbers]
