"""Messages, summaries and facts as the page gets them: values → JSON. Dates are ISO 8601 with a zone."""

import re
from typing import Any

from chat.choices import Choice
from locales.catalog import tr
from locales.told import format_worth
from records.conversations import FIRST_NUMBER
from records.facts import Fact
from records.messages import Message, make_message_link
from records.reminders import Reminder
from records.summaries import Summary
from text.markup import parse_markdown

Json = dict[str, Any]

TITLE_CHARS = 80  # the most characters of a summary's title
_SENTENCE_END = re.compile(r"[。！？]|[.!?؟](?=\s|$)")
TEXT_SHOWN = 4_000  # the most characters of a message in a list. The whole text is fetched on demand.


def format_message(one: Message, *, text: str | None = None, is_whole: bool = False) -> Json:
    """Return a message as JSON, with `text` as the shown passage instead of its beginning."""
    shown = one.content if text is None else text
    cut = shown if is_whole else shown[:TEXT_SHOWN]
    topic = one.scope.thread if one.scope.thread < FIRST_NUMBER else 0
    return {
        "id": one.id,
        "turn": one.turn,
        "role": one.role,
        "speaker": one.speaker,
        "text": cut,
        "body": parse_markdown(cut) if one.role == "assistant" else None,
        "is_cut": not is_whole and (len(shown) > TEXT_SHOWN or shown != one.content),
        "at": one.created_at.isoformat(),
        "chunk": one.chunk_id,
        "origin": one.origin,
        "edited_at": one.edited_at.isoformat() if one.edited_at else None,
        "link": make_message_link(one.scope.owner, topic, one.telegram_id) or None,
    }


def format_summary_head(one: Summary) -> Json:
    """Return a summary as JSON with its title, without its text."""
    return {
        "id": one.id,
        "level": one.level,
        "title": find_title(one.text),
        "first_at": one.first_at.isoformat(),
        "last_at": one.last_at.isoformat(),
        "messages": one.message_count,
        "is_active": one.is_active,
        "source_ids": list(one.source_ids),
    }


def find_title(text: str) -> str:
    """Return the first sentence of a text, or its beginning."""
    line = next((bare for line in text.splitlines() if (bare := line.strip(" #*-•>\t"))), "")
    end = _SENTENCE_END.search(line)
    shown = line[: end.end()] if end else line
    return shown if len(shown) <= TITLE_CHARS else f"{shown[:TITLE_CHARS].rsplit(' ', 1)[0]}…"


def format_summary(one: Summary) -> Json:
    return {
        **format_summary_head(one),
        "text": one.text,
        "first_id": one.first_id,
        "last_id": one.last_id,
        "base_id": one.base_id,
        "is_corrected": bool(one.correction),
        "score": one.score,
        "model": one.model,
        "milliseconds": one.milliseconds,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
    }


def format_fact(one: Fact) -> Json:
    return {
        "id": one.id,
        "text": one.text,
        "kind": one.kind,
        "subject": one.subject,
        "since": one.valid_from.isoformat(),
        "until": one.valid_to.isoformat() if one.valid_to else None,
        "superseded_by": one.superseded_by,
        "is_pinned": one.is_pinned,
        "is_deleted": one.deleted_at is not None,
        "origin": one.origin,
        "worth": format_worth(one),
        "source_ids": list(one.source_ids),
        "said": one.observed_at.isoformat(),
        "quote": one.quote,
        "is_uncertain": one.is_uncertain,
        "decided_at": one.decided_at.isoformat() if one.decided_at else None,
    }


def format_reminder(one: Reminder) -> Json:
    return {"id": one.id, "text": one.text, "due_at": one.due_at.isoformat(), "repeat": one.repeat}


def choice(one: Choice, value: object, *, hint: str = "") -> Json:
    """Return something to choose, with its current value."""
    return {
        "name": one.name,
        "kind": one.kind,
        "label": tr(one.text),
        "hint": hint or (tr(one.hint) if one.hint else ""),
        "value": value,
        "values": [(offered, one.label(offered)) for offered in one.values],
        "longest": one.longest,
    }
