"""/why: what an answer was made from, in plain words.

Owns the words. Does not know where explanations are kept (chat/explanations.py) or how a prompt is built.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from chat.explanations import Explanation
from records.context import Cut
from records.facts import Fact
from records.messages import Message
from records.summaries import Summary
from retrieval.explanation import Chosen, ExplanationRecord
from telegram_ui.commands.family import Ask, Family, command, press
from telegram_ui.commands.wording import QUOTED, day, messages, minute, quoted, speaker
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.links import link

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
    "clock": "date and time",
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
    "time": ("it was said at the time that is asked about", ""),
    "standing": ("you said what always holds, or what you prefer", ""),
    "assistant": ("", "a long answer of mine counts less"),
}
"""A part of the score in words: if it counts for a message, and if it counts against it."""


class WhyCommands(Family):
    """Answers /why, and the button under an answer that asks the same."""

    @command("why", "what my last answer was made from, or the one you reply to")
    async def _why(self, ask: Ask) -> str:
        return await self._explain(ask, ask.replied_to)

    @press(WHY)
    async def _press(self, ask: Ask) -> None:
        await self._delivery.say(ask.chat, await self._explain(ask, ask.message_id))

    async def _explain(self, ask: Ask, telegram_id: int | None) -> str:
        explanation = await self._services.explanations.explain(ask.chat.scope, telegram_id)
        if explanation is None:
            return NOTHING_KNOWN if telegram_id is None else NOT_THIS_ONE
        return why_text(explanation, ask.chat)


def why_text(explanation: Explanation, chat: Chat) -> str:
    """An explanation, section by section; empty sections are left out."""
    record = explanation.record
    sections = [
        _sizes(record, is_stored=explanation.is_stored),
        _recent(explanation.recent, record.here),
        _summaries(explanation.summaries, explanation.gone_summaries),
        _profile(explanation),
        _facts(explanation.facts),
        _brought(explanation.snippets, chat),
        _looked_up(explanation.looked_up, chat),
        _cut(record.cut, is_message_cut=record.message_was_cut),
    ]
    return "\n\n".join(section for section in sections if section)


def _sizes(record: ExplanationRecord, *, is_stored: bool) -> str:
    lines = [
        f"What my answer of {minute(record.at)} UTC was made from",
        "",
        f"The model {record.model} got {record.tokens:,} of at most {record.ceiling:,} tokens:",
    ]
    for part in record.parts:
        if part.tokens:
            most = f" of {part.budget:,}" if part.budget and part.name != "message" else ""
            lines.append(f"· {PARTS.get(part.name, part.name)}: {part.tokens:,}{most}")
    if record.saved:
        lines.append(f"The whole history would have been about {record.whole:,} tokens.")
    if not is_stored:
        lines.append("This explanation is not stored: I forget it when I restart.")
    return "\n".join(lines)


def _recent(recent: Sequence[Message], here: int) -> str:
    lines = []
    if recent:
        lines.append("Recent talk, word for word (what is not summarised yet, and always the newest turns):")
        lines += [f"· {said(message, RECENT_QUOTED)}" for message in recent]
    if here:
        lines.append(f"Recent talk that is not stored: {messages(here)}, which I know until I restart.")
    return "\n".join(lines)


def _summaries(summaries: Sequence[Summary], gone: int) -> str:
    if not summaries and not gone:
        return ""
    lines = ["Summaries of earlier talk (all active ones, as far as they fit):"]
    lines += [
        f"· level {summary.level}, {_span(summary.first_at, summary.last_at)}, {messages(summary.message_count)}: "
        f"“{quoted(summary.text)}”"
        for summary in summaries
    ]
    if gone:
        lines.append(f"· {gone} more that have since been forgotten or rebuilt")
    return "\n".join(lines)


def _profile(explanation: Explanation) -> str:
    if explanation.record.profile is None:
        return ""
    if explanation.profile is None:
        return f"Your profile, version {explanation.record.profile}, which has since been erased."
    profile = explanation.profile
    version = f"version {profile.id} of {minute(profile.created_at)}"
    return f"Your profile, {version} (always included): “{quoted(profile.text)}”"


def _facts(told: Sequence[tuple[Fact | None, Chosen]]) -> str:
    if not told:
        return ""
    lines = ["Facts about you: what you asked me to keep to, then what matches your question, best first:"]
    for fact, chosen in told:
        if fact is None:
            lines.append("· forgotten since")
            continue
        sources = ", ".join(f"#{id_}" for id_ in fact.source_ids[:5])
        since = day(fact.valid_from)
        origin = f"learned from {sources}" if sources else "added by hand"
        lines += [f"· fact {fact.id}, since {since}, {origin}: “{quoted(fact.text)}”"]
        lines.append(f"   Why: {reasons(chosen.score)}")
    return "\n".join(lines)


def _brought(brought: Sequence[tuple[Message | None, Chosen]], chat: Chat) -> str:
    if not brought:
        return ""
    lines = ["Earlier messages brought back for your question, best first:"]
    for number, (message, chosen) in enumerate(brought, start=1):
        if message is None:
            lines.append(f"{number}. forgotten since")
        else:
            lines += [f"{number}. {said(message)}", f"   Why: {reasons(chosen.score)}"]
            if address := link(chat.id, chat.thread, message.telegram_id):
                lines.append(f"   {address}")
    return "\n".join(lines)


def _looked_up(found: Sequence[Message | None], chat: Chat) -> str:
    if not found:
        return ""
    lines = ["Earlier messages that the model looked up by itself:"]
    for message in found:
        lines.append("· forgotten since" if message is None else f"· {said(message)}")
        if message is not None and (address := link(chat.id, chat.thread, message.telegram_id)):
            lines.append(f"   {address}")
    return "\n".join(lines)


def _cut(cut: Sequence[Cut], *, is_message_cut: bool) -> str:
    lines = ["Your message was too long and was cut in its middle."] if is_message_cut else []
    for one in cut:
        what = "the summary of messages" if one.what == "summary" else "messages"
        lines.append(f"· {what} {one.first_id} to {one.last_id} ({one.why})")
    return "\n".join(["Left out, but still found when it matters:", *lines]) if cut else "\n".join(lines)


def said(message: Message, most: int = QUOTED) -> str:
    """A message on one line: when, who, and how it begins."""
    return f"{minute(message.created_at)} {speaker(message)}: “{quoted(message.content, most)}”"


def reasons(score: Mapping[str, float]) -> str:
    """The parts of a score in words with their figures, the strongest first."""
    told = []
    for name, value in sorted(score.items(), key=lambda part: -abs(part[1])):
        for_it, against = REASONS.get(name, (name, name))
        if words := for_it if value > 0 else against:
            told.append(f"{words} ({value:+.2f})")
    return "; ".join(told) or "nothing matched better, and it fitted"


def _span(first: datetime, last: datetime) -> str:
    days = day(first), day(last)
    return days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"
