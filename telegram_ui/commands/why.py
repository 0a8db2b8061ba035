"""/why: shows the sources of an answer page by page, with the details in an expandable quote."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo
from functools import partial

from telegram import InlineKeyboardButton, MessageEntity

from chat.explanations import Explanation
from locales.catalog import comma_join, tr
from locales.sentences import format_match_reason, format_prompt_part, list_kinds_of_cut_content
from records.messages import Message, make_message_link
from records.summaries import Summary
from retrieval.explanation import ChosenSource, ExplanationRecord
from telegram_ui.commands import wording
from telegram_ui.commands.buttons import make_page_buttons
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply
from telegram_ui.commands.memory import KIND as CARD
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import (
    MAX_UNITS,
    Piece,
    count_utf16_units,
    format_whole_text,
    join_texts,
    split_text,
)

WHY, DETAILS, FACTS = "wy", "wd", "wf"  # buttons under an answer, under /why, and under "What was wrong?"
MAX_CORRECTABLE = 6  # facts of an answer with a button that opens their card
MAX_MESSAGE_CHARS = 2_500  # characters quoted of a message
MAX_LABEL_CHARS = 40  # characters of a fact on its button


class WhyCommands(CommandGroup):
    heading = "recall"

    @Command("why", is_ephemeral=True)
    async def _explain_answer(self, event: ChatEvent) -> HandlerReply:
        return await self._show_explanation(event, event.replied_message_id)

    @Action(WHY, is_ephemeral=True)
    async def _explain_answer_above_button(self, event: ChatEvent) -> HandlerReply:
        return await self._show_explanation(event, event.message_id)

    @Action(FACTS, is_ephemeral=True)
    async def _offer_fact_corrections(self, event: ChatEvent) -> HandlerReply:
        return await self._show_explanation(event, int(event.argument, 16), can_correct=True)

    @Action(DETAILS)
    async def _show_explanation_page(self, event: ChatEvent) -> HandlerReply:
        telegram_id, _, rest = event.argument.partition(".")
        at, _, page = rest.partition(".")
        explanation = await self._find_explanation(event, int(telegram_id, 16) or None)
        # It was forgotten, or the last answer is another one by now.
        if explanation is None or _encode_answer_time(explanation) != at:
            return tr("shared-dead-button")
        pages = make_explanation_pages(explanation, event.chat, await self._read_zone(event.chat.scope.owner))
        number = min(int(page), len(pages) - 1)
        button = partial(self._make_details_button, event, explanation, int(telegram_id, 16))
        return await self._show_text(event, pages[number], make_page_buttons(number, len(pages), button))

    async def _show_explanation(
        self, event: ChatEvent, message_id: int | None, *, can_correct: bool = False
    ) -> HandlerReply:
        explanation = await self._find_explanation(event, message_id)
        if explanation is None or not explanation.record.has_sources:
            unknown = tr("why-nothing-known") if message_id is None else tr("why-not-this-one")
            return await self._send_new(event, unknown if explanation is None else tr("why-lost"))
        pages = make_explanation_pages(explanation, event.chat, await self._read_zone(event.chat.scope.owner))
        details = self._make_details_button(event, explanation, message_id or 0, tr("why-details"), 1)
        facts = [fact for fact, _ in explanation.facts if fact is not None] if can_correct else []
        corrections = [
            [self._make_button(event, CARD, f"✏️ {wording.format_quote(fact.text, MAX_LABEL_CHARS)}", f"f.{fact.id}.0")]
            for fact in facts[:MAX_CORRECTABLE]
        ]
        return await self._send_new(event, pages[0], [details] if len(pages) > 1 else [], *corrections)

    async def _find_explanation(self, event: ChatEvent, message_id: int | None) -> Explanation | None:
        scope = event.chat.scope
        if message_id is not None:
            scope = await self._services.memory.find_conversation_of_message(
                event.chat.chat_scope, telegram_id=message_id
            )
        return await self._services.explanations.explain_answer(scope, message_id)

    def _make_details_button(
        self, event: ChatEvent, explanation: Explanation, message_id: int, label: str, page: int
    ) -> InlineKeyboardButton:
        return self._make_button(event, DETAILS, label, f"{message_id:x}.{_encode_answer_time(explanation)}.{page}")


def _encode_answer_time(explanation: Explanation) -> str:
    return f"{int(explanation.record.at.timestamp()):x}"


def make_explanation_pages(explanation: Explanation, chat: Chat, zone: tzinfo) -> list[Piece]:
    """Format an explanation as pages, each with one expandable quote."""
    title = tr("why-title", date=wording.format_moment(explanation.record.at, zone))
    record = explanation.record
    size = tr("why-size", model=wording.format_quote(record.model), tokens=record.tokens, most=record.ceiling)
    size += f" {tr('why-size-whole', tokens=record.whole)}" if record.saved else ""
    note = [] if explanation.is_stored else [tr("why-not-stored")]
    head = "\n".join([_format_source_counts(explanation), size, *note])
    details: list[str | Piece] = []
    for heading, items in _list_explanation_sections(explanation, chat, zone):
        bold = format_whole_text(heading[:1].upper() + heading[1:], MessageEntity.BOLD)
        details += ["\n\n" if details else "", bold, "\n" + "\n".join(items)]
    whole, room = join_texts(*details), MAX_UNITS - count_utf16_units(f"{title}\n{head}\n")
    parts = list(split_text(whole.text, whole.entities, max_units=room))
    heads = [head, *(f"{number}/{len(parts)}" for number in range(2, len(parts) + 1))]
    return [
        join_texts(
            format_whole_text(title, MessageEntity.BOLD),
            f"\n{line}\n",
            format_whole_text(replace(part, text=part.text.rstrip()), MessageEntity.EXPANDABLE_BLOCKQUOTE),
        )
        for line, part in zip(heads, parts, strict=True)
    ]


def _list_explanation_sections(explanation: Explanation, chat: Chat, zone: tzinfo) -> list[tuple[str, Sequence[str]]]:
    """Return the headings and items of an explanation, with the tokens of each part first."""
    record, gone = explanation.record, f"· {tr('why-gone')}"
    recent = [f"· {_format_quoted_message(message, zone)}" for message in explanation.recent]
    recent += [tr("why-here", messages=record.here)] if record.here else []
    summaries = [_format_summary(summary, zone) for summary in explanation.summaries]
    summaries += [gone] * explanation.gone_summaries
    looked_up = [_format_message("· ", message, chat, zone) if message else gone for message in explanation.looked_up]
    cut = list_kinds_of_cut_content(record.cut, is_message_cut=record.message_was_cut)
    sections: list[tuple[str, Sequence[str]]] = [
        (tr("why-parts"), _format_prompt_part_sizes(record)),
        (format_prompt_part("profile"), _format_profile_in_prompt(explanation, zone)),
        (format_prompt_part("facts"), _format_facts_in_prompt(explanation, zone)),
        (format_prompt_part("snippets"), _format_snippets(explanation.snippets, chat, zone)),
        (tr("why-looked-up"), looked_up),
        (format_prompt_part("summaries"), summaries),
        (format_prompt_part("recent"), recent),
        (tr("why-cut"), [f"· {kind}" for kind in cut]),
    ]
    return [(heading, items) for heading, items in sections if items]


def _format_source_counts(explanation: Explanation) -> str:
    counts = {
        "recent": len(explanation.recent) + explanation.record.here,
        "summaries": len(explanation.summaries),
        "facts": len(explanation.facts),
        "snippets": len(explanation.snippets) + len(explanation.looked_up),
    }
    sources = [f"{format_prompt_part(name)} ({count})" for name, count in counts.items() if count]
    sources += [format_prompt_part("profile")] if explanation.record.profile is not None else []
    return tr("why-sources", what=comma_join(sources)) if sources else tr("why-sources-none")


def _format_prompt_part_sizes(record: ExplanationRecord) -> list[str]:
    return [
        tr("why-size-of", part=format_prompt_part(part.name), tokens=part.tokens, most=part.budget)
        if part.budget and part.name != "message"
        else tr("why-part", part=format_prompt_part(part.name), tokens=part.tokens)
        for part in record.parts
        if part.tokens
    ]


def _format_summary(summary: Summary, zone: tzinfo) -> str:
    dates = wording.format_date_range(
        summary.first_at.astimezone(zone).date(), summary.last_at.astimezone(zone).date(), zone
    )
    return tr("why-summary", dates=dates, messages=summary.visible_count, text=wording.format_quote(summary.text))


def _format_profile_in_prompt(explanation: Explanation, zone: tzinfo) -> list[str]:
    if explanation.record.profile is None:
        return []
    if (profile := explanation.profile) is None:
        return [f"· {tr('why-gone')}"]
    return [
        tr("why-profile", date=wording.format_moment(profile.created_at, zone), text=wording.format_quote(profile.text))
    ]


def _format_facts_in_prompt(explanation: Explanation, zone: tzinfo) -> list[str]:
    items = []
    for fact, chosen in explanation.facts:
        if fact is None:
            items.append(f"· {tr('why-gone')}")
            continue
        count = 0 if fact.origin == "owner" else len(fact.source_ids)
        values = {"text": wording.format_quote(fact.text), "day": wording.format_local_day(fact.observed_at, zone)}
        lines = [tr("why-fact", messages=count, **values) if count else tr("why-fact-by-hand", **values)]
        earlier = explanation.earlier.get(fact.id)
        if earlier is not None and chosen.mark == "changed":
            lines.append(f"   {tr('why-until-then', text=wording.format_quote(earlier.text))}")
        lines += [f"   {tr('why-why', reason=format_match_reason(chosen.score, min_score=0))}"]
        items.append("\n".join(lines))
    return items


def _format_snippets(snippets: Sequence[tuple[Message | None, ChosenSource]], chat: Chat, zone: tzinfo) -> list[str]:
    items = []
    for number, (message, chosen) in enumerate(snippets, start=1):
        if message is None:
            items.append(f"{number}. {tr('why-gone')}")
        else:
            reason = f"   {tr('why-why', reason=format_match_reason(chosen.score))}"
            items.append(_format_message(f"{number}. ", message, chat, zone, reason))
    return items


def _format_message(bullet: str, message: Message, chat: Chat, zone: tzinfo, *details: str) -> str:
    address = make_message_link(chat.id, chat.thread, message.telegram_id)
    lines = [bullet + _format_quoted_message(message, zone), *details, f"   {address}" if address else ""]
    return "\n".join(filter(None, lines))


def _format_quoted_message(message: Message, zone: tzinfo) -> str:
    text = wording.format_quote(wording.localize_message_notes(message, message.content), MAX_MESSAGE_CHARS)
    date = wording.format_day_and_time(message.created_at, zone)
    mark = f" ({tr('dashboard-edited')})" if message.is_user and message.edited_at else ""
    return tr("why-said", date=date, speaker=wording.format_speaker(message) + mark, text=text)
