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
from locales.lists import listed
from locales.told import left_out, part_name, reason
from records.messages import Message, link
from records.summaries import Summary
from retrieval.explanation import Chosen, ExplanationRecord
from telegram_ui.commands.buttons import keyboard_of, turning
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.memory import KIND as CARD
from telegram_ui.commands.wording import QUOTED, day, minute, moment, quoted, said, span_of, speaker
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import MAX_UNITS, Marked, Piece, units

WHY, DETAILS, FACTS = "wy", "wd", "wf"
"""The kinds of the buttons: under an answer, under the three lines, and under the question what was wrong."""
CORRECTABLE = 6
"""The most facts of an answer with a button that opens their card."""
ON_A_PAGE = 5
"""The most items on a page of an explanation."""
WHOLE = 2_500
"""The most characters quoted of a message."""
TITLE = 300
"""The most UTF-16 units of the lines above the quotes of a page."""
LABEL = 40
"""The most characters of a fact on its button."""
Item = tuple[str, str]
"""A heading with its lines."""


class WhyCommands(Family):
    """Answers /why, and the button under an answer that asks the same."""

    heading = "recall"

    @command("why", is_ephemeral=True)
    async def _why(self, ask: Ask) -> None:
        await self._explain(ask, ask.replied_to)

    @press(WHY, is_ephemeral=True)
    async def _press(self, ask: Ask) -> None:
        await self._explain(ask, ask.message_id)

    @press(FACTS, is_ephemeral=True)
    async def _press_facts(self, ask: Ask) -> None:
        """Explain the answer that the payload names, with a button for each fact."""
        await self._explain(ask, int(ask.argument, 16), has_corrections=True)

    @press(DETAILS)
    async def _press_details(self, ask: Ask) -> str | None:
        telegram_id, _, rest = ask.argument.partition(".")
        at, _, page = rest.partition(".")
        explanation = await self._explanation(ask, int(telegram_id, 16) or None)
        if explanation is None or _moment_key(explanation) != at:  # forgotten, or the last answer is another by now
            return tr("shared-dead-button")
        zone = await self._zone(ask.chat.scope.owner)
        pages = why_pages(explanation, ask.chat, zone)
        number = min(int(page), len(pages) - 1)
        button = partial(self._details_button, ask, explanation, int(telegram_id, 16))
        await self._show(ask, pages[number], turning(number, len(pages), button))
        return None

    async def _explain(self, ask: Ask, telegram_id: int | None, *, has_corrections: bool = False) -> None:
        explanation = await self._explanation(ask, telegram_id)
        if explanation is None or not explanation.record.is_known:
            unknown = tr("why-nothing-known") if telegram_id is None else tr("why-not-this-one")
            await self._delivery.say(ask.chat, unknown if explanation is None else tr("why-lost"))
            return
        zone = await self._zone(ask.chat.scope.owner)
        shown, is_whole = why_message(explanation, ask.chat, zone)
        button = self._details_button(ask, explanation, telegram_id or 0, tr("why-details"), 0)
        facts = [fact for fact, _ in explanation.facts if fact is not None] if has_corrections else []
        corrections = [
            [self._button(ask, CARD, f"✏️ {quoted(fact.text, LABEL)}", f"f.{fact.id}.0")] for fact in facts[:CORRECTABLE]
        ]
        await self._delivery.say(ask.chat, shown, keyboard=keyboard_of([] if is_whole else [button], *corrections))

    async def _explanation(self, ask: Ask, telegram_id: int | None) -> Explanation | None:
        scope = ask.chat.scope
        if telegram_id is not None:
            scope = await self._services.memory.conversation_with(ask.chat.location, telegram_id=telegram_id)
        return await self._services.explanations.explain(scope, telegram_id)

    def _details_button(
        self, ask: Ask, explanation: Explanation, telegram_id: int, label: str, page: int
    ) -> InlineKeyboardButton:
        return self._button(ask, DETAILS, label, f"{telegram_id:x}.{_moment_key(explanation)}.{page}")


def _moment_key(explanation: Explanation) -> str:
    """Return a key that identifies the explanation of one answer."""
    return f"{int(explanation.record.at.timestamp()):x}"


def why_message(explanation: Explanation, chat: Chat, zone: tzinfo) -> tuple[Piece, bool]:
    """An explanation in three lines (a fourth where it is not stored) and a quote that unfolds, with as much of the
    rest as one message takes; whether that is all of it. The tokens of each part are there in any case.
    """
    record, shown = explanation.record, Marked()
    shown.bold(tr("why-title", date=moment(record.at, zone)))
    shown.add(f"\n{_sources(explanation)}\n{_size(record)}")
    if not explanation.is_stored:
        shown.add(f"\n{tr('why-not-stored')}")
    items = _items(explanation, chat, zone)
    room = MAX_UNITS - units(shown.piece().text) - 1
    rest = _sections(items)
    is_whole = units(rest.text) <= room
    if not is_whole:
        rest = _sections(_fitting(items, room))
    return shown.add("\n").folded_whole(rest).piece(), is_whole


def _fitting(items: Sequence[Item], room: int) -> list[Item]:
    """Return the first lines that fit, and always the last one with the tokens of each part."""
    *others, parts = items
    sizes = accumulate(map(_size_of, others), initial=_size_of(parts))
    return [item for item, up_to in zip(others, islice(sizes, 1, None), strict=True) if up_to <= room] + [parts]


def _size_of(item: Item) -> int:
    return units(item[0]) + units(item[1]) + len("\n\n\n")


def _sections(items: Sequence[Item]) -> Piece:
    """Group items under their headings."""
    shown = Marked()
    for number, (heading, of_this) in enumerate(groupby(items, key=itemgetter(0))):
        shown.add("\n\n" if number else "").bold(heading).add("\n").add("\n".join(item for _, item in of_this))
    return shown.piece()


def why_pages(explanation: Explanation, chat: Chat, zone: tzinfo) -> list[Piece]:
    """Format an explanation as pages of expandable quotes, at least one."""
    groups = list(_paged(_items(explanation, chat, zone)))
    pages = []
    for number, items in enumerate(groups, start=1):
        shown = Marked().bold(tr("why-title", date=moment(explanation.record.at, zone)))
        shown.add(f"\n{number}/{len(groups)}" if len(groups) > 1 else "")
        for heading, of_this in groupby(items, key=itemgetter(0)):
            shown.add("\n\n").bold(heading).add("\n").folded("\n".join(item for _, item in of_this))
        pages.append(shown.piece())
    return pages


def _paged(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Divide items into pages that fit a message with its title."""
    page: list[Item] = []
    size = 0
    for item in items:
        if page and (len(page) == ON_A_PAGE or size + _size_of(item) > MAX_UNITS - TITLE):
            yield page
            page, size = [], 0
        page.append(item)
        size += _size_of(item)
    yield page


def _items(explanation: Explanation, chat: Chat, zone: tzinfo) -> list[Item]:
    """Yield the items of an explanation with their headings, the tokens of each part last."""
    record = explanation.record
    recent = [f"· {quoted_line(message, zone, WHOLE)}" for message in explanation.recent]
    if record.here:
        recent.append(tr("why-here", messages=record.here))
    summaries = [_summary(one, zone) for one in explanation.summaries] + [_gone()] * explanation.gone_summaries
    return [
        (heading[:1].upper() + heading[1:], item)
        for heading, found in (
            (part_name("profile"), _profile(explanation, zone)),
            (part_name("facts"), _facts(explanation, zone)),
            (part_name("snippets"), _brought(explanation.snippets, chat, zone)),
            (tr("why-looked-up"), _looked_up(explanation.looked_up, chat, zone)),
            (part_name("summaries"), summaries),
            (part_name("recent"), recent),
            (tr("why-cut"), [f"· {one}" for one in left_out(record.cut, is_message_cut=record.message_was_cut)]),
            (tr("why-parts"), ["\n".join(_parts(record))]),
        )
        for item in found
    ]


def _sources(explanation: Explanation) -> str:
    """Format the sources of the answer in one line."""
    counts = {
        "recent": len(explanation.recent) + explanation.record.here,
        "summaries": len(explanation.summaries),
        "facts": len(explanation.facts),
        "snippets": len(explanation.snippets) + len(explanation.looked_up),
    }
    told = [f"{part_name(name)} ({count})" for name, count in counts.items() if count]
    if explanation.record.profile is not None:
        told.append(part_name("profile"))
    return tr("why-sources", what=listed(told)) if told else tr("why-sources-none")


def _size(record: ExplanationRecord) -> str:
    size = tr("why-size", model=record.model, tokens=record.tokens, most=record.ceiling)
    return f"{size} {tr('why-size-whole', tokens=record.whole)}" if record.saved else size


def _parts(record: ExplanationRecord) -> list[str]:
    return [
        tr("why-size-of", part=part_name(part.name), tokens=part.tokens, most=part.budget)
        if part.budget and part.name != "message"
        else tr("why-part", part=part_name(part.name), tokens=part.tokens)
        for part in record.parts
        if part.tokens
    ]


def _gone() -> str:
    return f"· {tr('why-gone')}"


def _summary(summary: Summary, zone: tzinfo) -> str:
    dates = span_of(summary.first_at.astimezone(zone).date(), summary.last_at.astimezone(zone).date(), zone)
    return tr("why-summary", dates=dates, messages=summary.message_count, text=quoted(summary.text))


def _profile(explanation: Explanation, zone: tzinfo) -> list[str]:
    if explanation.record.profile is None:
        return []
    profile = explanation.profile
    if profile is None:
        return [_gone()]
    return [tr("why-profile", date=moment(profile.created_at, zone), text=quoted(profile.text))]


def _facts(explanation: Explanation, zone: tzinfo) -> list[str]:
    items = []
    for fact, chosen in explanation.facts:
        if fact is None:
            items.append(_gone())
            continue
        count = len(fact.source_ids)
        told = {"text": quoted(fact.text), "day": day(fact.valid_from, zone)}
        lines = [tr("why-fact", messages=count, **told) if count else tr("why-fact-by-hand", **told)]
        earlier = explanation.earlier.get(fact.id)
        if earlier is not None and chosen.mark == "changed":
            lines.append(f"   {tr('why-until-then', text=quoted(earlier.text))}")
        lines += [f"   {tr('why-why', reason=reason(chosen.score, least=0))}"]
        items.append("\n".join(lines))
    return items


def _brought(brought: Sequence[tuple[Message | None, Chosen]], chat: Chat, zone: tzinfo) -> list[str]:
    items = []
    for number, (message, chosen) in enumerate(brought, start=1):
        if message is None:
            items.append(f"{number}. {tr('why-gone')}")
        else:
            why = f"   {tr('why-why', reason=reason(chosen.score))}"
            lines = [f"{number}. {quoted_line(message, zone, WHOLE)}", why]
            items.append("\n".join([*lines, *_address(message, chat)]))
    return items


def _looked_up(found: Sequence[Message | None], chat: Chat, zone: tzinfo) -> list[str]:
    return [
        _gone() if message is None else "\n".join([f"· {quoted_line(message, zone, WHOLE)}", *_address(message, chat)])
        for message in found
    ]


def _address(message: Message, chat: Chat) -> list[str]:
    address = link(chat.id, chat.thread, message.telegram_id)
    return [f"   {address}"] if address else []


def quoted_line(message: Message, zone: tzinfo, most: int = QUOTED) -> str:
    """Format a message on one line: date, speaker and beginning."""
    shown = minute(message.created_at, zone)
    return tr("why-said", date=shown, speaker=speaker(message), text=quoted(said(message, message.content), most))
