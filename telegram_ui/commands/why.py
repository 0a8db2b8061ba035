"""/why: what an answer was made from, in plain words: three lines, and everything else in a quote under them that
unfolds; where that does not fit, the button turns to all of it, page by page.

Owns the words but those of reasons (locales/told.py). Does not know where explanations are kept (chat/explanations.py)
or how a prompt is built.
"""

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from functools import partial
from itertools import accumulate, groupby, islice
from operator import itemgetter

from telegram import InlineKeyboardButton

from chat.explanations import Explanation
from locales.catalog import tr
from locales.lists import join_list
from locales.told import format_left_out, format_reason, name_part
from records.messages import Message, make_message_link
from records.summaries import Summary
from retrieval.explanation import Chosen, ExplanationRecord
from telegram_ui.commands.buttons import make_keyboard, make_page_buttons
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.memory import KIND as CARD
from telegram_ui.commands.wording import (
    MAX_QUOTE_CHARS,
    format_local_day,
    format_local_minute,
    format_message_text,
    format_moment,
    format_quote,
    format_span_of_days,
    format_speaker,
)
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import MAX_UNITS, Marked, Piece, count_units

WHY, DETAILS, FACTS = "wy", "wd", "wf"
"""The kinds of the buttons: under an answer, under the three lines, and under the question what was wrong."""
MAX_CORRECTABLE = 6  # the most facts of an answer with a button that opens their card
ITEMS_PER_PAGE = 5  # the most items on a page of an explanation
MAX_MESSAGE_CHARS = 2_500  # the most characters quoted of a message
MAX_TITLE_UNITS = 300  # the most UTF-16 units of the lines above the quotes of a page
MAX_LABEL_CHARS = 40  # the most characters of a fact on its button
Item = tuple[str, str]  # A heading with its lines


class WhyCommands(Family):
    """Answers /why, and the button under an answer that asks the same."""

    heading = "recall"

    @command("why", is_ephemeral=True)
    async def _show_why(self, ask: Ask) -> None:
        await self._show_explanation(ask, ask.replied_to)

    @press(WHY, is_ephemeral=True)
    async def _press(self, ask: Ask) -> None:
        await self._show_explanation(ask, ask.message_id)

    @press(FACTS, is_ephemeral=True)
    async def _press_facts(self, ask: Ask) -> None:
        """Explain the answer that the payload names, with a button for each fact."""
        await self._show_explanation(ask, int(ask.argument, 16), has_corrections=True)

    @press(DETAILS)
    async def _press_details(self, ask: Ask) -> str | None:
        telegram_id, _, rest = ask.argument.partition(".")
        at, _, page = rest.partition(".")
        explanation = await self._find_explanation(ask, int(telegram_id, 16) or None)
        if (
            explanation is None or _choose_moment_key(explanation) != at
        ):  # forgotten, or the last answer is another by now
            return tr("shared-dead-button")
        zone = await self._read_zone(ask.chat.scope.owner)
        pages = make_why_pages(explanation, ask.chat, zone)
        number = min(int(page), len(pages) - 1)
        button = partial(self._make_details_button, ask, explanation, int(telegram_id, 16))
        await self._show_text(ask, pages[number], make_page_buttons(number, len(pages), button))
        return None

    async def _show_explanation(self, ask: Ask, telegram_id: int | None, *, has_corrections: bool = False) -> None:
        explanation = await self._find_explanation(ask, telegram_id)
        if explanation is None or not explanation.record.is_known:
            unknown = tr("why-nothing-known") if telegram_id is None else tr("why-not-this-one")
            await self._delivery.say(ask.chat, unknown if explanation is None else tr("why-lost"))
            return
        zone = await self._read_zone(ask.chat.scope.owner)
        shown, is_whole = make_why_message(explanation, ask.chat, zone)
        button = self._make_details_button(ask, explanation, telegram_id or 0, tr("why-details"), 0)
        facts = [fact for fact, _ in explanation.facts if fact is not None] if has_corrections else []
        corrections = [
            [self._make_button(ask, CARD, f"✏️ {format_quote(fact.text, MAX_LABEL_CHARS)}", f"f.{fact.id}.0")]
            for fact in facts[:MAX_CORRECTABLE]
        ]
        await self._delivery.say(ask.chat, shown, keyboard=make_keyboard([] if is_whole else [button], *corrections))

    async def _find_explanation(self, ask: Ask, telegram_id: int | None) -> Explanation | None:
        scope = ask.chat.scope
        if telegram_id is not None:
            scope = await self._services.memory.conversation_with(ask.chat.location, telegram_id=telegram_id)
        return await self._services.explanations.explain(scope, telegram_id)

    def _make_details_button(
        self, ask: Ask, explanation: Explanation, telegram_id: int, label: str, page: int
    ) -> InlineKeyboardButton:
        return self._make_button(ask, DETAILS, label, f"{telegram_id:x}.{_choose_moment_key(explanation)}.{page}")


def _choose_moment_key(explanation: Explanation) -> str:
    """Return a key that identifies the explanation of one answer."""
    return f"{int(explanation.record.at.timestamp()):x}"


def make_why_message(explanation: Explanation, chat: Chat, zone: tzinfo) -> tuple[Piece, bool]:
    """Return an explanation in three lines (a fourth where it is not stored) and a quote that unfolds, with as much of
    the rest as one message takes; whether that is all of it. The tokens of each part are there in any case.
    """
    record, shown = explanation.record, Marked()
    shown.bold(tr("why-title", date=format_moment(record.at, zone)))
    shown.add(f"\n{_format_sources(explanation)}\n{_format_size(record)}")
    if not explanation.is_stored:
        shown.add(f"\n{tr('why-not-stored')}")
    items = _list_items(explanation, chat, zone)
    room = MAX_UNITS - count_units(shown.piece().text) - 1
    rest = _format_sections(items)
    is_whole = count_units(rest.text) <= room
    if not is_whole:
        rest = _format_sections(_fit_items(items, room))
    return shown.add("\n").folded_whole(rest).piece(), is_whole


def _fit_items(items: Sequence[Item], room: int) -> list[Item]:
    """Return the first lines that fit, and always the last one with the tokens of each part."""
    *others, parts = items
    sizes = accumulate(map(_measure_item, others), initial=_measure_item(parts))
    return [item for item, up_to in zip(others, islice(sizes, 1, None), strict=True) if up_to <= room] + [parts]


def _measure_item(item: Item) -> int:
    return count_units(item[0]) + count_units(item[1]) + len("\n\n\n")


def _format_sections(items: Sequence[Item]) -> Piece:
    """Group items under their headings."""
    shown = Marked()
    for number, (heading, of_this) in enumerate(groupby(items, key=itemgetter(0))):
        shown.add("\n\n" if number else "").bold(heading).add("\n").add("\n".join(item for _, item in of_this))
    return shown.piece()


def make_why_pages(explanation: Explanation, chat: Chat, zone: tzinfo) -> list[Piece]:
    """Format an explanation as pages of expandable quotes, at least one."""
    groups = list(_split_pages(_list_items(explanation, chat, zone)))
    pages = []
    for number, items in enumerate(groups, start=1):
        shown = Marked().bold(tr("why-title", date=format_moment(explanation.record.at, zone)))
        shown.add(f"\n{number}/{len(groups)}" if len(groups) > 1 else "")
        for heading, of_this in groupby(items, key=itemgetter(0)):
            shown.add("\n\n").bold(heading).add("\n").folded("\n".join(item for _, item in of_this))
        pages.append(shown.piece())
    return pages


def _split_pages(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Divide items into pages that fit a message with its title."""
    page: list[Item] = []
    size = 0
    for item in items:
        if page and (len(page) == ITEMS_PER_PAGE or size + _measure_item(item) > MAX_UNITS - MAX_TITLE_UNITS):
            yield page
            page, size = [], 0
        page.append(item)
        size += _measure_item(item)
    yield page


def _list_items(explanation: Explanation, chat: Chat, zone: tzinfo) -> list[Item]:
    """Yield the items of an explanation with their headings, the tokens of each part last."""
    record = explanation.record
    recent = [f"· {format_quoted(message, zone, MAX_MESSAGE_CHARS)}" for message in explanation.recent]
    if record.here:
        recent.append(tr("why-here", messages=record.here))
    summaries = [_format_summary(summary, zone) for summary in explanation.summaries] + [
        _format_gone()
    ] * explanation.gone_summaries
    return [
        (heading[:1].upper() + heading[1:], item)
        for heading, found in (
            (name_part("profile"), _format_profile(explanation, zone)),
            (name_part("facts"), _format_facts(explanation, zone)),
            (name_part("snippets"), _format_snippets(explanation.snippets, chat, zone)),
            (tr("why-looked-up"), _format_looked_up(explanation.looked_up, chat, zone)),
            (name_part("summaries"), summaries),
            (name_part("recent"), recent),
            (tr("why-cut"), [f"· {one}" for one in format_left_out(record.cut, is_message_cut=record.message_was_cut)]),
            (tr("why-parts"), ["\n".join(_format_parts(record))]),
        )
        for item in found
    ]


def _format_sources(explanation: Explanation) -> str:
    """Format the sources of the answer in one line."""
    counts = {
        "recent": len(explanation.recent) + explanation.record.here,
        "summaries": len(explanation.summaries),
        "facts": len(explanation.facts),
        "snippets": len(explanation.snippets) + len(explanation.looked_up),
    }
    told = [f"{name_part(name)} ({count})" for name, count in counts.items() if count]
    if explanation.record.profile is not None:
        told.append(name_part("profile"))
    return tr("why-sources", what=join_list(told)) if told else tr("why-sources-none")


def _format_size(record: ExplanationRecord) -> str:
    size = tr("why-size", model=record.model, tokens=record.tokens, most=record.ceiling)
    return f"{size} {tr('why-size-whole', tokens=record.whole)}" if record.saved else size


def _format_parts(record: ExplanationRecord) -> list[str]:
    return [
        tr("why-size-of", part=name_part(part.name), tokens=part.tokens, most=part.budget)
        if part.budget and part.name != "message"
        else tr("why-part", part=name_part(part.name), tokens=part.tokens)
        for part in record.parts
        if part.tokens
    ]


def _format_gone() -> str:
    return f"· {tr('why-gone')}"


def _format_summary(summary: Summary, zone: tzinfo) -> str:
    dates = format_span_of_days(summary.first_at.astimezone(zone).date(), summary.last_at.astimezone(zone).date(), zone)
    return tr("why-summary", dates=dates, messages=summary.message_count, text=format_quote(summary.text))


def _format_profile(explanation: Explanation, zone: tzinfo) -> list[str]:
    if explanation.record.profile is None:
        return []
    profile = explanation.profile
    if profile is None:
        return [_format_gone()]
    return [tr("why-profile", date=format_moment(profile.created_at, zone), text=format_quote(profile.text))]


def _format_facts(explanation: Explanation, zone: tzinfo) -> list[str]:
    items = []
    for fact, chosen in explanation.facts:
        if fact is None:
            items.append(_format_gone())
            continue
        count = len(fact.source_ids)
        told = {"text": format_quote(fact.text), "day": format_local_day(fact.valid_from, zone)}
        lines = [tr("why-fact", messages=count, **told) if count else tr("why-fact-by-hand", **told)]
        earlier = explanation.earlier.get(fact.id)
        if earlier is not None and chosen.mark == "changed":
            lines.append(f"   {tr('why-until-then', text=format_quote(earlier.text))}")
        lines += [f"   {tr('why-why', reason=format_reason(chosen.score, least=0))}"]
        items.append("\n".join(lines))
    return items


def _format_snippets(brought: Sequence[tuple[Message | None, Chosen]], chat: Chat, zone: tzinfo) -> list[str]:
    items = []
    for number, (message, chosen) in enumerate(brought, start=1):
        if message is None:
            items.append(f"{number}. {tr('why-gone')}")
        else:
            why = f"   {tr('why-why', reason=format_reason(chosen.score))}"
            lines = [f"{number}. {format_quoted(message, zone, MAX_MESSAGE_CHARS)}", why]
            items.append("\n".join([*lines, *_format_address(message, chat)]))
    return items


def _format_looked_up(found: Sequence[Message | None], chat: Chat, zone: tzinfo) -> list[str]:
    return [
        _format_gone()
        if message is None
        else "\n".join([f"· {format_quoted(message, zone, MAX_MESSAGE_CHARS)}", *_format_address(message, chat)])
        for message in found
    ]


def _format_address(message: Message, chat: Chat) -> list[str]:
    address = make_message_link(chat.id, chat.thread, message.telegram_id)
    return [f"   {address}"] if address else []


def format_quoted(message: Message, zone: tzinfo, most: int = MAX_QUOTE_CHARS) -> str:
    """Format a message on one line: date, speaker and beginning."""
    shown = format_local_minute(message.created_at, zone)
    return tr(
        "why-said",
        date=shown,
        speaker=format_speaker(message),
        text=format_quote(format_message_text(message, message.content), most),
    )
