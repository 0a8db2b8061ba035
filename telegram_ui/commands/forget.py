"""/forget: says what would go, asks once more, erases, and gives a receipt of counts.

Owns its words and its buttons. Does not know how anything is erased, nor what is built on a message.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cachetools import LRUCache
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from external_memory import ExternalMemory
from records.forgetting import Forgetting, Forgotten
from records.messages import Message
from records.owners import OwnerConfig
from records.scopes import Scope
from telegram_ui.commands.buttons import Buttons, nonce
from telegram_ui.commands.family import Ask, Handler, MayConfigure, Press
from telegram_ui.commands.forget_targets import NoSuchDateError, Target, days, named, payload, read
from telegram_ui.commands.wizard import messages
from telegram_ui.sending.delivery import Delivery
from text import analyzer

SHOW, GO, KEEP = "fs", "fg", "fk"
MATCHES = 10
LISTS = 200
"""Lists of matches that are kept for the button that means all of them; the oldest go first."""
QUOTED = 80
"""Characters of a message that are quoted, so that its owner knows which it is."""

ADMINS_ONLY = "Only the admins of this group can make me forget what was said here."
USAGE = (
    "What shall I forget?\n\n"
    "• one message: reply to it with /forget, or /forget #12\n"
    "• a fact: /forget fact 12\n"
    "• a day or several: /forget 2026-01-31, /forget 2026-01-01 2026-02-01\n"
    "• what you search for: /forget WORDS\n"
    "• all of it: /forget everything\n\n"
    "Before anything goes I say what it is, and ask."
)
FINAL = "This cannot be undone."
TRACES = "Traces may be left in my files for now, for they are in use or the disk is full. I go on cleaning them."
EXPIRED = "This question is more than 10 minutes old and does nothing any more. Send /forget again."
KEPT = "Nothing was forgotten."
GONE = "That is not in my memory (any more)."
NOT_STORED = "I do not have the message that you replied to in my memory."
NO_SUCH_DATE = "There is no such date. Write dates as 2026-01-31."
NOT_IN_MY_POWER = (
    "Not in my power: what stands in this chat (Telegram lets you delete it), what the model's provider has kept of "
    "earlier requests, and backups that were made before."
)


class Forgetful(Protocol):
    """What is needed of amending.Amending."""

    async def forget(self, owner: int, what: Forgetting) -> Forgotten: ...


class ForgetCommands:
    """The family of /forget."""

    def __init__(
        self,
        memory: ExternalMemory,
        corrections: Forgetful,
        delivery: Delivery,
        buttons: Buttons,
        *,
        may_configure: MayConfigure,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._memory = memory
        self._corrections = corrections
        self._delivery = delivery
        self._buttons = buttons
        self._may_configure = may_configure
        self._now = now
        self._found = LRUCache[str, tuple[int, ...]](LISTS)

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {"forget": self._forget}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {SHOW: self._show, GO: self._go, KEEP: self._keep}

    async def _forget(self, ask: Ask) -> None:
        if not await self._may_configure(ask.chat, ask.person):
            await self._delivery.say(ask.chat, ADMINS_ONLY)
        elif ask.argument:
            await self._named(ask)
        elif ask.replied_to is not None:
            await self._replied(ask, ask.replied_to)
        else:
            today = self._now().astimezone(await self._zone(ask.chat.scope.owner)).date()
            choices = [("Today", Target(kind="days", first=today, last=today)), ("Everything", _EVERYTHING)]
            rows = [[self._button(ask, SHOW, label, target)] for label, target in choices]
            await self._delivery.say(ask.chat, USAGE, keyboard=InlineKeyboardMarkup(rows))

    async def _named(self, ask: Ask) -> None:
        try:
            target = named(ask.argument)
        except NoSuchDateError:
            await self._delivery.say(ask.chat, NO_SUCH_DATE)
            return
        if target is None:
            await self._search(ask)
        else:
            await self._confirm(ask, target)

    async def _replied(self, ask: Ask, telegram_id: int) -> None:
        scope = ask.chat.scope
        async with self._memory.home(scope.owner) as store:
            message = await store.forgetting.said_as(scope, telegram_id)
        if message is None:
            await self._delivery.say(ask.chat, NOT_STORED)
        else:
            await self._confirm(ask, Target(kind="turn", number=message.id))

    async def _search(self, ask: Ask) -> None:
        scope = ask.chat.scope
        async with self._memory.home(scope.owner) as store:
            asked = analyzer.content_terms(ask.argument)
            matched = await store.matching(scope, asked, limit=0, readings=analyzer.readings_of(asked, ask.argument))
            hits = await store.search(scope, matched.held(asked), limit=MATCHES)
        if not hits:
            await self._delivery.say(ask.chat, "I found no message with these words. Nothing was forgotten.")
            return
        lines = ["Which of these shall I forget? I ask once more before it goes.", ""]
        lines += [_line(hit.message) for hit in hits]
        buttons = [
            self._button(ask, SHOW, f"#{hit.message.id}", Target(kind="turn", number=hit.message.id)) for hit in hits
        ]
        rows = [buttons[start : start + 5] for start in range(0, len(buttons), 5)]
        if len(hits) > 1:
            key = nonce()
            self._found[key] = tuple(hit.message.id for hit in hits)
            rows.append([self._button(ask, SHOW, f"All {len(hits)}", Target(kind="found", key=key))])
        if len(hits) == MATCHES:
            lines += ["", "There may be more: search again after these."]
        rows.append([self._button(ask, KEEP, "None of them", _EVERYTHING)])
        await self._delivery.say(ask.chat, "\n".join(lines), keyboard=InlineKeyboardMarkup(rows))

    # The question, and its buttons ---------------------------------------------------------------------------

    async def _confirm(self, ask: Ask, target: Target, *, instead_of: int | None = None) -> None:
        text, choices = await self._question(ask.chat.scope, target)
        keyboard: InlineKeyboardMarkup | None = None
        if choices:
            rows = [[self._button(ask, GO, label, choice)] for label, choice in choices]
            keyboard = InlineKeyboardMarkup([*rows, [self._button(ask, KEEP, "Keep it", target)]])
        await self._delivery.replace(ask.chat, instead_of, text, keyboard=keyboard)

    async def _question(self, scope: Scope, target: Target) -> tuple[str, Sequence[tuple[str, Target]]]:
        """What would go, and what may be chosen; no choice where there is nothing."""
        owner = scope.owner
        if target.kind in ("message", "turn"):
            return await self._message_question(scope, target.number)
        if target.kind == "found":
            return await self._found_question(scope, target)
        what = await self._what(scope, target)
        taken = await self._memory.preview(owner, what)
        if taken.is_nothing:
            return (GONE if target.kind == "fact" else "There is nothing to forget there."), ()
        match target.kind:
            case "fact":
                head, label = f"Shall I forget fact {target.number}?", "Forget it"
            case "days":
                span = f"{target.first}" if target.first == target.last else f"{target.first} to {target.last}"
                head, label = f"Shall I forget what was said on {span}?", f"Forget {messages(taken.messages)}"
            case _:
                head, label = "Shall I forget everything?", "Forget everything"
                if owner < 0:
                    head += " That is all of this group's memory, of every topic."
        lines = [head, "", f"With it go: {counts(taken)}."]
        if taken.unfolded:
            lines.append(_anew(taken.unfolded))
        if target.kind == "everything":
            lines.append("Storage, threshold and whether memory is on stay as they are.")
        return "\n".join([*lines, FINAL]), [(label, target)]

    async def _message_question(self, scope: Scope, number: int) -> tuple[str, Sequence[tuple[str, Target]]]:
        turn = await self._turn(scope, number)
        message = next((one for one in turn if one.id == number), None)
        if message is None:
            return GONE, ()
        whole = await self._memory.preview(scope.owner, _ids(turn))
        lines = ["Shall I forget this?", "", _line(message), ""]
        if len(turn) > 1:
            lines.append(f"With the rest of its turn that is: {counts(whole)}.")
            lines += [f"  {_line(one)}" for one in turn if one is not message][:3]
            choices = [
                ("Forget question and answer", Target(kind="turn", number=number)),
                ("Only this message", Target(kind="message", number=number)),
            ]
        else:
            lines.append(f"With it go: {counts(whole)}.")
            choices = [("Forget it", Target(kind="message", number=number))]
        if whole.unfolded:
            lines.append(_anew(whole.unfolded))
        return "\n".join([*lines, FINAL]), choices

    async def _found_question(self, scope: Scope, target: Target) -> tuple[str, Sequence[tuple[str, Target]]]:
        alone = await self._what(scope, target)
        if not alone.ids:
            return EXPIRED, ()
        turns = Target(kind="found turns", key=target.key)
        whole = await self._memory.preview(scope.owner, await self._what(scope, turns))
        those = await self._memory.preview(scope.owner, alone)
        lines = [
            f"Shall I forget these {messages(those.messages)}?",
            "",
            f"With them go: {counts(those)}.",
            f"With all that was asked and answered there: {counts(whole)}.",
            FINAL,
        ]
        return "\n".join(lines), [("Forget questions and answers", turns), ("Only these messages", target)]

    async def _show(self, ask: Ask) -> str | None:
        target = read(ask.argument, self._now())
        if target is None:
            return EXPIRED
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        await self._confirm(ask, target, instead_of=ask.message_id)
        return None

    async def _keep(self, ask: Ask) -> str | None:
        await self._delivery.replace(ask.chat, ask.message_id, KEPT)
        return None

    async def _go(self, ask: Ask) -> str | None:
        target = read(ask.argument, self._now())
        if target is None:
            return EXPIRED
        if not await self._may_configure(ask.chat, ask.person):
            return ADMINS_ONLY
        scope = ask.chat.scope
        async with self._delivery.typing(ask.chat):
            what = await self._what(scope, target)
            is_gone = what.what == "messages" and not what.ids
            taken = Forgotten() if is_gone else await self._corrections.forget(scope.owner, what)
        # In place of the question, which quoted what is forgotten now.
        text = GONE if taken.is_nothing else receipt(taken)
        await self._delivery.replace(ask.chat, ask.message_id, text)
        return "Forgotten."

    # What is meant -------------------------------------------------------------------------------------------

    async def _what(self, scope: Scope, target: Target) -> Forgetting:
        match target.kind:
            case "message":
                return await self._own(scope, [target.number])
            case "turn":
                return _ids(await self._turn(scope, target.number))
            case "fact":
                return Forgetting(what="facts", ids=(target.number,))
            case "found":
                return await self._own(scope, self._found.get(target.key, ()))
            case "found turns":
                found = (await self._own(scope, self._found.get(target.key, ()))).ids
                turns = [one for number in found for one in await self._turn(scope, number)]
                return _ids(list({one.id: one for one in turns}.values()))
            case "days":
                return days(target, await self._zone(scope.owner))
        return Forgetting(what="everything")

    async def _own(self, scope: Scope, ids: Sequence[int]) -> Forgetting:
        """Messages of this scope alone: a button or a number reaches no other topic's."""
        async with self._memory.home(scope.owner) as store:
            return _ids(await store.messages(scope, ids))

    async def _turn(self, scope: Scope, number: int) -> Sequence[Message]:
        """A message with what belongs to its turn; nothing where there is none."""
        async with self._memory.home(scope.owner) as store:
            found = await store.messages(scope, [number])
            return await store.last_turns(scope, 1, before=found[0].turn + 1) if found else []

    async def _zone(self, owner: int) -> tzinfo:
        config: OwnerConfig | None = await self._memory.config(owner)
        try:
            return ZoneInfo(config.timezone) if config and config.timezone else UTC
        except (ZoneInfoNotFoundError, ValueError):
            return UTC

    def _button(self, ask: Ask, kind: str, label: str, target: Target) -> InlineKeyboardButton:
        data = self._buttons.data(kind, ask.chat, ask.person, payload(target, self._now()))
        return InlineKeyboardButton(label, callback_data=data)


_EVERYTHING = Target(kind="everything")


def _ids(found: Sequence[Message]) -> Forgetting:
    return Forgetting(what="messages", ids=tuple(one.id for one in found))


def _line(message: Message) -> str:
    analyzer = " ".join(message.content.split())
    quoted = analyzer if len(analyzer) <= QUOTED else analyzer[:QUOTED].rstrip() + "…"
    who = "me" if message.role == "assistant" else message.speaker or "you"
    return f"#{message.id} · {message.created_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC · {who}: “{quoted}”"


def _anew(number: int) -> str:
    return f"{messages(number).capitalize()} beside it stay; their summary is made anew without it."


def counts(taken: Forgotten) -> str:
    """What goes, in words: "2 messages, 1 summary"."""
    parts = [
        (taken.messages, "message"),
        (taken.summaries, "summary"),
        (taken.facts, "fact"),
        (taken.profiles, "version of your profile"),
        (taken.versions, "earlier text"),
    ]
    return ", ".join(f"{number} {name if number == 1 else _plural(name)}" for number, name in parts if number)


def _plural(name: str) -> str:
    if name == "summary":
        return "summaries"
    return name.replace("version", "versions") if name.startswith("version") else name + "s"


def receipt(taken: Forgotten) -> str:
    """What went, and what may still hold it."""
    rest = "Nothing of it is left in my files."
    if not taken.is_clean:
        rest = TRACES
    lines = [f"Forgotten: {counts(taken)}. {rest}"]
    if taken.unfolded:
        lines.append(_anew(taken.unfolded))
    lines.append(NOT_IN_MY_POWER)
    if taken.kept_aside:
        named = ", ".join(taken.kept_aside)
        lines.append(f"My operator also keeps files that were damaged or replaced, which may hold it: {named}.")
    return "\n".join(lines)
