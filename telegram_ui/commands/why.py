"""/why: what an answer was made from, in plain words.

Owns the words. Does not know where explanations are kept (chat/explanations.py) or how a prompt is built.
"""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from chat.explanations import Explanation
from locales.catalog import tr
from locales.reasons import reasons
from records.context import Cut
from records.messages import Message
from records.summaries import Summary
from retrieval.explanation import Chosen, ExplanationRecord, Mark
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.wording import QUOTED, counted_list, day, minute, moment, quoted, speaker
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import Piece
from telegram_ui.sending.links import link
from telegram_ui.sending.marked import Marked

WHY = "wy"
"""The kind of the button under an answer."""
RECENT_QUOTED = 60
"""Characters that are quoted of a recent message; of everything else, QUOTED."""
PARTS = frozenset(
    {
        "system",
        "profile",
        "summaries",
        "recent",
        "tools",
        "instructions",
        "facts",
        "snippets",
        "clock",
        "message",
        "overhead",
    }
)
"""The parts of a prompt that have a name: the texts why-part-NAME."""
MARKS: frozenset[Mark] = frozenset({"outdated", "ended", "denial"})
"""What the model was told about a message or a fact: the texts why-mark-NAME."""


class WhyCommands(Family):
    """Answers /why, and the button under an answer that asks the same."""

    heading = "recall"

    @command("why")
    async def _why(self, ask: Ask) -> None:
        await self._explain(ask, ask.replied_to)

    @press(WHY)
    async def _press(self, ask: Ask) -> None:
        await self._explain(ask, ask.message_id)

    async def _explain(self, ask: Ask, telegram_id: int | None) -> None:
        scope = ask.chat.scope
        if telegram_id is not None:
            scope = await self._services.memory.conversation_with(ask.chat.place, telegram_id=telegram_id)
        explanation = await self._services.explanations.explain(scope, telegram_id)
        if explanation is None:
            await self._delivery.say(
                ask.chat, tr("why-nothing-known") if telegram_id is None else tr("why-not-this-one")
            )
            return
        zone = await self._zone(ask.chat.scope.owner)
        await self._delivery.say(ask.chat, why_shown(explanation, ask.chat, zone))


def why_shown(explanation: Explanation, chat: Chat, zone: tzinfo) -> Piece:
    """An explanation: three lines, then everything in it, in quotes that unfold. Empty parts are left out."""
    record, shown = explanation.record, Marked()
    shown.bold(tr("why-title", date=moment(record.at, zone)))
    shown.add(f"\n{_sources(explanation)}\n{_size(record)}")
    if not explanation.is_stored:
        shown.add(f"\n{tr('why-not-stored')}")
    for heading, lines in (
        (tr("why-heading-parts"), _parts(record)),
        (tr("why-heading-summaries"), _summaries(explanation.summaries, explanation.gone_summaries, zone)),
        (tr("why-heading-profile"), _profile(explanation, zone)),
        (tr("why-heading-facts"), _facts(explanation, zone)),
        (tr("why-heading-snippets"), _brought(explanation.snippets, chat, zone)),
        (tr("why-heading-looked-up"), _looked_up(explanation.looked_up, chat, zone)),
        *_recent(explanation.recent, record.here, zone),
        (tr("why-heading-cut"), _cut(record.cut, is_message_cut=record.message_was_cut)),
    ):
        if lines:
            shown.add("\n\n").bold(heading).add("\n").folded("\n".join(lines))
    return shown.piece()


def _sources(explanation: Explanation) -> str:
    """How much of what, in one line."""
    record = explanation.record
    found = len(explanation.snippets) + len(explanation.looked_up)
    recent, summaries, facts = len(explanation.recent) + record.here, len(explanation.summaries), len(explanation.facts)
    parts = (
        recent and tr("why-count-recent", number=recent),
        summaries and tr("shared-summaries", summaries=summaries),
        facts and tr("why-count-facts", number=facts),
        found and tr("why-count-found", number=found),
        record.profile is not None and tr("why-count-profile"),
    )
    told = [part for part in parts if part]
    return tr("why-sources", what=counted_list(told)) if told else tr("why-sources-none")


def _size(record: ExplanationRecord) -> str:
    size = tr("why-size", model=record.model, tokens=record.tokens, most=record.ceiling)
    return f"{size} {tr('why-size-whole', tokens=record.whole)}" if record.saved else size


def _parts(record: ExplanationRecord) -> list[str]:
    lines = []
    for part in record.parts:
        if part.tokens:
            most = part.budget if part.name != "message" else 0
            size = tr("why-tokens", tokens=part.tokens)
            if most:
                size = tr("why-tokens-of", tokens=part.tokens, most=most)
            name = tr(f"why-part-{part.name}") if part.name in PARTS else part.name
            lines.append(tr("why-part", part=name, size=size))
    return lines


def _recent(recent: Sequence[Message], here: int, zone: tzinfo) -> list[tuple[str, list[str]]]:
    sections = []
    if recent:
        lines = [f"· {quoted_line(message, zone, RECENT_QUOTED)}" for message in recent]
        sections.append((tr("why-heading-recent"), lines))
    if here:
        sections.append((tr("why-heading-here"), [tr("why-here", messages=here)]))
    return sections


def _summaries(summaries: Sequence[Summary], gone: int, zone: tzinfo) -> list[str]:
    lines = [
        tr(
            "why-summary",
            dates=_span(summary.first_at, summary.last_at, zone),
            messages=summary.message_count,
            text=quoted(summary.text),
        )
        for summary in summaries
    ]
    if gone:
        lines.append(tr("why-gone", number=str(gone)))
    return lines


def _profile(explanation: Explanation, zone: tzinfo) -> list[str]:
    if explanation.record.profile is None:
        return []
    profile = explanation.profile
    if profile is None:
        return [tr("why-profile-gone")]
    return [tr("why-profile", date=moment(profile.created_at, zone), text=quoted(profile.text))]


def _facts(explanation: Explanation, zone: tzinfo) -> list[str]:
    lines = []
    for fact, chosen in explanation.facts:
        if fact is None:
            lines.append(f"· {tr('why-forgotten')}")
            continue
        count = len(fact.source_ids)
        told = {"text": quoted(fact.text), "day": day(fact.valid_from, zone)}
        lines.append(tr("why-fact", messages=count, **told) if count else tr("why-fact-by-hand", **told))
        earlier = explanation.earlier.get(fact.id)
        if earlier is not None and chosen.mark == "changed":
            lines.append(f"   {tr('why-until-then', text=quoted(earlier.text))}")
        lines += [f"   {tr('why-why', reasons=reasons(chosen.score))}", *_marked(chosen)]
    return lines


def _marked(chosen: Chosen) -> list[str]:
    """What the model was told about this message or fact."""
    return [f"   {tr(f'why-mark-{chosen.mark}')}"] if chosen.mark in MARKS else []


def _brought(brought: Sequence[tuple[Message | None, Chosen]], chat: Chat, zone: tzinfo) -> list[str]:
    lines = []
    for number, (message, chosen) in enumerate(brought, start=1):
        if message is None:
            lines.append(f"{number}. {tr('why-forgotten')}")
        else:
            why = f"   {tr('why-why', reasons=reasons(chosen.score))}"
            lines += [f"{number}. {quoted_line(message, zone)}", why, *_marked(chosen)]
            if address := link(chat.id, chat.thread, message.telegram_id):
                lines.append(f"   {address}")
    return lines


def _looked_up(found: Sequence[Message | None], chat: Chat, zone: tzinfo) -> list[str]:
    lines = []
    for message in found:
        lines.append(f"· {tr('why-forgotten')}" if message is None else f"· {quoted_line(message, zone)}")
        if message is not None and (address := link(chat.id, chat.thread, message.telegram_id)):
            lines.append(f"   {address}")
    return lines


def _cut(cut: Sequence[Cut], *, is_message_cut: bool) -> list[str]:
    lines = [tr("why-message-cut")] if is_message_cut else []
    for one in cut:
        key = "why-cut-summary" if one.what == "summary" else "why-cut-messages"
        lines.append(tr(key, first=str(one.first_id), last=str(one.last_id), why=one.why))
    return lines


def quoted_line(message: Message, zone: tzinfo, most: int = QUOTED) -> str:
    """A message on one line: when, who, and how it begins."""
    shown = minute(message.created_at, zone)
    return tr("why-said", date=shown, speaker=speaker(message), text=quoted(message.content, most))


def _span(first: datetime, last: datetime, zone: tzinfo) -> str:
    days = day(first, zone), day(last, zone)
    return days[0] if days[0] == days[1] else tr("why-span", first=days[0], last=days[1])
