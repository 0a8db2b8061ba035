"""/why: what an answer was made from, in plain words.

Owns the words. Does not know where explanations are kept (chat/explanations.py) or how a prompt is built.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

from chat.explanations import Explanation
from records.context import Cut
from records.messages import Message
from records.summaries import Summary
from retrieval.explanation import Chosen, ExplanationRecord, Mark
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.wording import QUOTED, counted_list, day, messages, minute, moment, quoted, speaker
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.formatting import Piece
from telegram_ui.sending.links import link
from telegram_ui.sending.marked import Marked
from text.plurals import counted

WHY = "wy"
"""The kind of the button under an answer."""
RECENT_QUOTED = 60
"""Characters that are quoted of a recent message; of everything else, QUOTED."""
NOTHING_KNOWN = "I have not answered anything here that I could explain yet."
NOT_THIS_ONE = (
    "I do not know what that message was made from. I can explain only my answers, and only the newest 100 of them. "
    "Reply to one with /why, or send /why alone for the last one."
)
PARTS = {
    "system": "my instructions",
    "profile": "your profile",
    "summaries": "summaries",
    "recent": "recent talk, word for word",
    "tools": "tools and what they found",
    "instructions": "what you asked me to keep to",
    "facts": "facts about you",
    "snippets": "earlier messages brought back",
    "clock": "date and time, and what you replied to",
    "message": "your message",
    "overhead": "overhead of the request",
}
REASONS = {
    "words": ("it holds words of your question", ""),
    "words nearby": ("messages next to it hold them", ""),
    "words before": ("it holds words of the turns before yours", ""),
    "words before nearby": ("messages next to it hold those", ""),
    "meaning": ("it means nearly the same", "its meaning is further off"),
    "meaning nearby": ("messages next to it mean nearly the same", "those next to it are further off"),
    "fact": ("a fact that matters was learned from it", ""),
    "importance": ("it is important", "it is less important"),
    "pinned": ("you pinned it", ""),
    "instruction": ("you asked me to keep to it", ""),
    "preference": ("it is what you prefer", ""),
    "speaker": ("you named who said it", ""),
    "reply": ("you replied to it, or to what stands next to it", ""),
    "time": ("it was said at the time that is asked about", ""),
    "standing": ("you said what always holds, or what you prefer", ""),
    "assistant": ("", "a long answer of mine counts less"),
    "newer": ("you said it later than a message like it", ""),
}
"""A part of the score in words: if it counts for a message, and if it counts against it."""

MARKS: Mapping[Mark, str] = {
    "outdated": "But you have said something newer about it, as I told the model.",
    "ended": "Something in it is out of date, as I told the model.",
    "denial": "Other words of yours may contradict it: I told the model to name both, and to ask.",
}
"""What the model was told about a message or a fact."""


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
        explanation = await self._services.explanations.explain(ask.chat.scope, telegram_id)
        if explanation is None:
            await self._delivery.say(ask.chat, NOTHING_KNOWN if telegram_id is None else NOT_THIS_ONE)
            return
        zone = await self._zone(ask.chat.scope.owner)
        await self._delivery.say(ask.chat, why_shown(explanation, ask.chat, zone))


def why_shown(explanation: Explanation, chat: Chat, zone: tzinfo) -> Piece:
    """An explanation: three lines, then everything in it, in quotes that unfold. Empty parts are left out."""
    record, shown = explanation.record, Marked()
    shown.bold(f"What my answer of {moment(record.at, zone)} was made from")
    shown.add(f"\n{_sources(explanation)}\n{_size(record)}")
    if not explanation.is_stored:
        shown.add("\nThis explanation is not stored: I forget it when I restart.")
    for heading, lines in (
        ("What the model was given", _parts(record)),
        ("Summaries of earlier talk", _summaries(explanation.summaries, explanation.gone_summaries, zone)),
        ("Your profile", _profile(explanation, zone)),
        ("Facts about you that match your question, best first", _facts(explanation, zone)),
        ("Earlier messages brought back for your question, best first", _brought(explanation.snippets, chat, zone)),
        ("Earlier messages that the model looked up by itself", _looked_up(explanation.looked_up, chat, zone)),
        *_recent(explanation.recent, record.here, zone),
        ("Left out, but still found when it matters", _cut(record.cut, is_message_cut=record.message_was_cut)),
    ):
        if lines:
            shown.add("\n\n").bold(heading).add("\n").folded("\n".join(lines))
    return shown.piece()


def _sources(explanation: Explanation) -> str:
    """How much of what, in one line."""
    record = explanation.record
    found = len(explanation.snippets) + len(explanation.looked_up)
    kinds = (
        (len(explanation.recent) + record.here, "recent message", "recent messages"),
        (len(explanation.summaries), "summary", "summaries"),
        (len(explanation.facts), "fact about you", "facts about you"),
        (found, "earlier message that was found", "earlier messages that were found"),
    )
    told = [counted(*kind) for kind in kinds if kind[0]]
    if record.profile is not None:
        told.append("your profile")
    return f"Your question, and {counted_list(told)}." if told else "Your question alone: nothing else was known."


def _size(record: ExplanationRecord) -> str:
    whole = f" The whole history would have been about {record.whole:,}." if record.saved else ""
    return f"The model {record.model} got {record.tokens:,} of at most {record.ceiling:,} tokens.{whole}"


def _parts(record: ExplanationRecord) -> list[str]:
    lines = []
    for part in record.parts:
        if part.tokens:
            most = part.budget if part.name != "message" else 0
            size = counted(part.tokens, "token", "tokens")
            if most:
                size = f"{part.tokens:,} of {counted(most, 'token', 'tokens')}"
            lines.append(f"· {PARTS.get(part.name, part.name)}: {size}")
    return lines


def _recent(recent: Sequence[Message], here: int, zone: tzinfo) -> list[tuple[str, list[str]]]:
    sections = []
    if recent:
        lines = [f"· {quoted_line(message, zone, RECENT_QUOTED)}" for message in recent]
        sections.append(("Recent talk, word for word", lines))
    if here:
        sections.append(("Recent talk that is not stored", [f"{messages(here)}, which I know until I restart"]))
    return sections


def _summaries(summaries: Sequence[Summary], gone: int, zone: tzinfo) -> list[str]:
    lines = [
        f"· {_span(summary.first_at, summary.last_at, zone)}, {messages(summary.message_count)}: "
        f"“{quoted(summary.text)}”"
        for summary in summaries
    ]
    if gone:
        lines.append(f"· {gone} more that have since been forgotten or rebuilt")
    return lines


def _profile(explanation: Explanation, zone: tzinfo) -> list[str]:
    if explanation.record.profile is None:
        return []
    profile = explanation.profile
    if profile is None:
        return ["It has since been erased."]
    return [f"As of {moment(profile.created_at, zone)} (always included): “{quoted(profile.text)}”"]


def _facts(explanation: Explanation, zone: tzinfo) -> list[str]:
    lines = []
    for fact, chosen in explanation.facts:
        if fact is None:
            lines.append("· forgotten since")
            continue
        count = len(fact.source_ids)
        origin = f"learned from {counted(count, 'message', 'messages')} of yours" if count else "added by hand"
        lines.append(f"· “{quoted(fact.text)}” Since {day(fact.valid_from, zone)}, {origin}.")
        earlier = explanation.earlier.get(fact.id)
        if earlier is not None and chosen.mark == "changed":
            lines.append(f"   Until then: “{quoted(earlier.text)}”")
        lines += [f"   Why: {reasons(chosen.score)}", *_marked(chosen)]
    return lines


def _marked(chosen: Chosen) -> list[str]:
    """What the model was told about this message or fact."""
    return [f"   {MARKS[chosen.mark]}"] if chosen.mark in MARKS else []


def _brought(brought: Sequence[tuple[Message | None, Chosen]], chat: Chat, zone: tzinfo) -> list[str]:
    lines = []
    for number, (message, chosen) in enumerate(brought, start=1):
        if message is None:
            lines.append(f"{number}. forgotten since")
        else:
            why = f"   Why: {reasons(chosen.score)}"
            lines += [f"{number}. {quoted_line(message, zone)}", why, *_marked(chosen)]
            if address := link(chat.id, chat.thread, message.telegram_id):
                lines.append(f"   {address}")
    return lines


def _looked_up(found: Sequence[Message | None], chat: Chat, zone: tzinfo) -> list[str]:
    lines = []
    for message in found:
        lines.append("· forgotten since" if message is None else f"· {quoted_line(message, zone)}")
        if message is not None and (address := link(chat.id, chat.thread, message.telegram_id)):
            lines.append(f"   {address}")
    return lines


def _cut(cut: Sequence[Cut], *, is_message_cut: bool) -> list[str]:
    lines = ["Your message was too long and was cut in its middle."] if is_message_cut else []
    for one in cut:
        what = "the summary of messages" if one.what == "summary" else "messages"
        lines.append(f"· {what} {one.first_id} to {one.last_id} ({one.why})")
    return lines


def quoted_line(message: Message, zone: tzinfo, most: int = QUOTED) -> str:
    """A message on one line: when, who, and how it begins."""
    return f"{minute(message.created_at, zone)} {speaker(message)}: “{quoted(message.content, most)}”"


def reasons(score: Mapping[str, float]) -> str:
    """The parts of a score in words, the strongest first."""
    told = []
    for name, value in sorted(score.items(), key=lambda part: -abs(part[1])):
        for_it, against = REASONS.get(name, (name, name))
        if words := for_it if value > 0 else against:
            told.append(words)
    return "; ".join(told) or "nothing matched better, and it fitted"


def _span(first: datetime, last: datetime, zone: tzinfo) -> str:
    days = day(first, zone), day(last, zone)
    return days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"
