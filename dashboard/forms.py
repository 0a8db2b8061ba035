"""Convert records to JSON for the page."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from chat.choices import Choice
from chat.explanations import Explanation
from chat.search import Hit
from locales.catalog import tr
from locales.sentences import format_importance, format_match_reason, format_prompt_part, list_kinds_of_cut_content
from records.facts import Fact
from records.messages import Message, make_message_link
from records.scopes import FIRST_NUMBER
from records.summaries import Summary
from text.characters import split_sentences
from text.markup import parse_markdown_if_marked_up

Json = dict[str, Any]

MAX_TITLE_CHARS = 80
MAX_SHOWN_CHARS = 4_000  # of a message in a list; the whole text is fetched on demand
MAX_RECENT = 100  # messages just before an explained answer


def serialize_fields(record: object, *names: str) -> Json:
    """Return the named attributes of a record as a dictionary, with dates in ISO 8601 format."""
    values = {name: getattr(record, name) for name in names}
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()}


def serialize_message(message: Message, *, excerpt: str | None = None, with_full_text: bool = False) -> Json:
    """Return a message as JSON. `excerpt` is a passage to show in place of the message's beginning."""
    shown = message.content if excerpt is None else excerpt
    cut = shown if with_full_text else shown[:MAX_SHOWN_CHARS]
    topic = message.scope.thread if message.scope.thread < FIRST_NUMBER else 0
    return {
        **serialize_fields(message, "id", "turn", "role", "speaker", "origin", "edited_at"),
        "text": cut,
        "body": parse_markdown_if_marked_up(cut) if message.role == "assistant" else None,
        "is_cut": not with_full_text and (len(shown) > MAX_SHOWN_CHARS or shown != message.content),
        "at": message.created_at.isoformat(),
        "chunk": message.chunk_id,
        "link": make_message_link(message.scope.owner, topic, message.telegram_id) or None,
    }


def serialize_hit(hit: Hit) -> Json:
    form = serialize_message(hit.message, excerpt=hit.text)
    return {**form, "thread": hit.message.scope.thread, "has_words": hit.has_words}


def serialize_summary_metadata(summary: Summary) -> Json:
    """Return a summary as JSON without its text and title."""
    return {
        **serialize_fields(summary, "id", "level", "first_at", "last_at", "is_active", "source_ids"),
        "messages": summary.visible_count,
    }


def extract_first_sentence_as_title(text: str) -> str:
    """Return the first sentence of a text, shortened if it is too long."""
    shown = next(split_sentences(text), "")
    return shown if len(shown) <= MAX_TITLE_CHARS else f"{shown[:MAX_TITLE_CHARS].rsplit(' ', 1)[0]}…"


def serialize_summary(summary: Summary) -> Json:
    """Return a summary as JSON, with its text and the model, time and tokens used to make it."""
    return {
        **serialize_summary_metadata(summary),
        **serialize_fields(summary, "base_id", "score", "model", "milliseconds", "tokens_in", "tokens_out"),
        "title": extract_first_sentence_as_title(summary.text),
        "text": summary.text,
        "is_corrected": bool(summary.correction),
    }


def serialize_fact(fact: Fact) -> Json:
    return {
        **serialize_fields(fact, "id", "text", "kind", "subject", "superseded_by", "is_pinned", "is_uncertain"),
        **serialize_fields(fact, "origin", "source_ids", "quote"),
        "since": fact.valid_from.isoformat(),
        "until": fact.valid_to.isoformat() if fact.valid_to else None,
        "is_deleted": fact.deleted_at is not None,
        "worth": format_importance(fact),
        "said": fact.observed_at.isoformat(),
    }


def serialize_setting(choice: Choice, value: object, *, hint: str = "") -> Json:
    return {
        **serialize_fields(choice, "name", "kind", "longest"),
        "label": tr(choice.text),
        "hint": hint or (tr(choice.hint) if choice.hint else ""),
        "value": value,
        "values": [(offered, choice.label(offered)) for offered in choice.values],
    }


def serialize_explanation(answer_id: int | None, explanation: Explanation, turn_messages: Sequence[Message]) -> Json:
    record = explanation.record
    question = "\n".join(message.content for message in turn_messages if message.is_user)
    answer = "".join(message.content for message in turn_messages if message.id == answer_id)
    return {
        **serialize_fields(record, "at", "model", "ceiling", "tokens", "whole", "saved"),
        "id": answer_id,
        "question": question[:MAX_SHOWN_CHARS] or None,
        "answer": answer[:MAX_SHOWN_CHARS] or None,
        "lost": "" if record.has_sources else tr("why-lost"),
        "parts": [
            {
                "name": part.name,
                "label": format_prompt_part(part.name),
                "tokens": part.tokens,
                "budget": part.budget if part.budget and part.name != "message" else None,
            }
            for part in record.parts
            if part.tokens
        ],
        "profile": explanation.profile.text if explanation.profile else None,
        "facts": [
            {
                "text": fact.text if fact else None,
                "since": fact.valid_from.isoformat() if fact else None,
                "why": format_match_reason(chosen.score, min_score=0),
                "replaced": earlier.text
                if fact and chosen.mark == "changed" and (earlier := explanation.earlier.get(fact.id))
                else None,
            }
            for fact, chosen in explanation.facts
        ],
        "snippets": [
            {"message": serialize_message(message) if message else None, "why": format_match_reason(chosen.score)}
            for message, chosen in explanation.snippets
        ],
        "looked_up": [serialize_message(message) if message else None for message in explanation.looked_up],
        "summaries": [serialize_summary(summary) for summary in explanation.summaries],
        "recent": [serialize_message(message) for message in explanation.recent[-MAX_RECENT:]],
        "cut": list_kinds_of_cut_content(record.cut, is_message_cut=record.message_was_cut),
    }
