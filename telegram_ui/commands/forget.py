"""/forget: says what would be erased, asks once more, erases, and gives a receipt of counts.

Owns its words and its buttons. Does not know how anything is erased, nor what is derived from a message.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo

from cachetools import LRUCache
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import tr
from records.forgetting import Forgetting, Forgotten, Remainder
from records.messages import Message
from records.scopes import Scope
from telegram_ui.commands.buttons import nonce
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.forget_targets import NoSuchDateError, Target, days, named, payload, read
from telegram_ui.commands.wording import messages, moment, quoted, speaker
from text import analyzer
from text.plurals import counted

CHOOSE, ERASE, ERASE_OWN, KEEP = "fs", "fg", "fo", "fk"
MATCHES = 10
LISTS = 200
"""Lists of matches that are kept for the button that means all of them."""
SHOWN = 3
"""Answers that are shown of those that quote what is to be forgotten."""
QUOTED = 80
"""Characters of a message that are quoted, so that its owner recognises it."""

USAGE = (
    "What should I forget?\n\n"
    "• one message: reply to it with /forget, or /forget #12\n"
    "• a fact: /forget fact 12\n"
    "• a day or several: /forget 2026-01-31, /forget 2026-01-01 2026-02-01\n"
    "• what you search for: /forget WORDS\n"
    "• all of it: /forget everything\n\n"
    "Before I erase anything, I say what it is and ask."
)
FINAL = "This cannot be undone."
CLEAN = "Nothing of it is left in my files."
TRACES = "Traces may be left in my files for now, because they are in use or the disk is full. I keep cleaning them."
EXPIRED = "This question is more than 10 minutes old and does nothing any more. Send /forget again."
KEPT = "Nothing was forgotten."
GONE = "That is not in my memory (any more)."
NOT_STORED = "I do not have the message that you replied to in my memory."
NO_SUCH_DATE = "There is no such date. Write dates as 2026-01-31."
NOT_IN_MY_POWER = (
    "Not in my power: what is written in this chat (Telegram lets you delete it), what the model's provider has kept "
    "of earlier requests, and backups that were made before."
)


class ForgetCommands(Family):
    """The family of /forget."""

    heading = "data"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._found = LRUCache[str, tuple[int, ...]](LISTS)

    @command("forget", refusal="forget-admins-only")
    async def _forget(self, ask: Ask) -> str | None:
        if not await self._may_configure(ask.chat, ask.person):
            return await self._take_back(ask)
        if ask.argument:
            try:
                target = named(ask.argument)
            except NoSuchDateError:
                return NO_SUCH_DATE
            if target is None:
                return await self._search(ask)
            await self._confirm(ask, target)
            return None
        if ask.replied_to is not None:
            message = await self._replied_to(ask)
            if message is None:
                return NOT_STORED
            await self._confirm(ask, Target(kind="turn", number=message.id))
            return None
        today = self._now().astimezone(await self._zone(ask.chat.scope.owner)).date()
        choices = [("Today", Target(kind="days", first=today, last=today)), ("Everything", _EVERYTHING)]
        rows = [[self._target_button(ask, CHOOSE, label, target)] for label, target in choices]
        await self._delivery.say(ask.chat, USAGE, keyboard=InlineKeyboardMarkup(rows))
        return None

    async def _take_back(self, ask: Ask) -> str | None:
        """A member of a group forgets their own words. Whose they are is known from the reply, and then from the
        buttons, which are made for this person and this message alone.
        """
        if ask.argument or not ask.answers_themselves:
            return tr("forget-members")
        message = await self._replied_to(ask)
        if message is None or not message.is_user:
            return NOT_STORED
        await self._confirm(ask, Target(kind="turn", number=message.id), press=ERASE_OWN)
        return None

    async def _replied_to(self, ask: Ask) -> Message | None:
        if ask.replied_to is None:
            return None
        async with self._services.memory.home(ask.chat.scope.owner) as store:
            return await store.forgetting.said_as(ask.chat.scope, ask.replied_to)

    async def _search(self, ask: Ask) -> str | None:
        scope = ask.chat.scope
        async with self._services.memory.home(scope.owner) as store:
            asked = analyzer.content_terms(ask.argument)
            matched = await store.matching(scope, asked, limit=0, readings=analyzer.readings_of(asked, ask.argument))
            hits = await store.search(scope, matched.held(asked), limit=MATCHES)
        if not hits:
            return "I found no message with these words. Nothing was forgotten."
        zone = await self._zone(scope.owner)
        lines = ["Which of these should I forget? I ask once more before I erase it.", ""]
        lines += [_line(hit.message, zone) for hit in hits]
        numbers = tuple(hit.message.id for hit in hits)
        buttons = [
            self._target_button(ask, CHOOSE, f"#{number}", Target(kind="turn", number=number)) for number in numbers
        ]
        rows = [buttons[start : start + 5] for start in range(0, len(buttons), 5)]
        if len(hits) > 1:
            key = nonce()
            self._found[key] = numbers
            rows.append([self._target_button(ask, CHOOSE, f"All {len(hits)}", Target(kind="found", key=key))])
        if len(hits) == MATCHES:
            lines += ["", "There may be more: search again when these are done."]
        rows.append([self._target_button(ask, KEEP, "None of them", _EVERYTHING)])
        await self._delivery.say(ask.chat, "\n".join(lines), keyboard=InlineKeyboardMarkup(rows))
        return None

    # The question, and its buttons ---------------------------------------------------------------------------

    async def _confirm(self, ask: Ask, target: Target, *, instead_of: int | None = None, press: str = ERASE) -> None:
        text, choices = await self._question(ask.chat.scope, target)
        keyboard: InlineKeyboardMarkup | None = None
        if choices:
            rows = [[self._target_button(ask, press, label, choice)] for label, choice in choices]
            keyboard = InlineKeyboardMarkup([*rows, [self._target_button(ask, KEEP, "Keep it", target)]])
        await self._delivery.replace(ask.chat, instead_of, text, keyboard=keyboard)

    async def _question(self, scope: Scope, target: Target) -> tuple[str, Sequence[tuple[str, Target]]]:
        """What would be erased, and the choices; no choice if there is nothing to erase."""
        owner = scope.owner
        if target.kind in ("message", "turn"):
            return await self._message_question(scope, target.number)
        if target.kind == "found":
            return await self._found_question(scope, target)
        what = await self._what(scope, target)
        forgotten = await self._services.memory.preview(owner, what)
        if forgotten.is_nothing:
            return (GONE if target.kind == "fact" else "There is nothing to forget there."), ()
        match target.kind:
            case "fact":
                head, label = f"Shall I forget fact {target.number}?", "Forget it"
            case "days":
                span = f"{target.first}" if target.first == target.last else f"{target.first} to {target.last}"
                head, label = f"Shall I forget what was said on {span}?", f"Forget {messages(forgotten.messages)}"
            case _:
                head, label = "Shall I forget everything?", "Forget everything"
                if owner < 0:
                    head += " That is all of this group's memory, of every topic."
        lines = [head, "", f"This erases: {counts(forgotten)}."]
        if forgotten.reactivated:
            lines.append(_still_unsummarised(forgotten.reactivated))
        if target.kind == "everything":
            lines.append("Storage, threshold and whether memory is on stay as they are.")
        quotes, choices = await self._quotes(scope, target, label, forgotten)
        return "\n".join([*lines, *quotes, FINAL]), choices

    async def _quotes(
        self, scope: Scope, target: Target, label: str, forgotten: Forgotten
    ) -> tuple[Sequence[str], Sequence[tuple[str, Target]]]:
        """What quotes a target that would erase this much, and the choices: with it or without.

        Where nothing quotes it yet, what may be written meanwhile goes too.
        """
        with_quotes = replace(target, with_quotes=True)
        if target.kind == "everything":
            return (), [(label, target)]
        if not forgotten.remainder.has_quotes:
            return (), [(label, with_quotes)]
        all_of_it = await self._services.memory.preview(scope.owner, await self._what(scope, with_quotes))
        async with self._services.memory.home(scope.owner) as store:
            shown = await store.messages(scope, forgotten.remainder.answers[:SHOWN])
        lines = ["", f"{quoting(forgotten.remainder, 'quote', 'quotes')} this."]
        zone = await self._zone(scope.owner)
        lines += [f"  {_line(one, zone)}" for one in shown]
        lines.append(f"With them, this erases: {counts(all_of_it)}.")
        return lines, [("Forget them too", with_quotes), (label, target)]

    async def _message_question(self, scope: Scope, number: int) -> tuple[str, Sequence[tuple[str, Target]]]:
        turn = await self._turn(scope, number)
        message = next((one for one in turn if one.id == number), None)
        if message is None:
            return GONE, ()
        whole = await self._services.memory.preview(scope.owner, _ids(turn))
        zone = await self._zone(scope.owner)
        lines = ["Shall I forget this?", "", _line(message, zone), ""]
        if len(turn) > 1:
            lines.append(f"With the rest of its turn, this erases: {counts(whole)}.")
            lines += [f"  {_line(one, zone)}" for one in turn if one is not message][:3]
            label, target = "Forget question and answer", Target(kind="turn", number=number)
            alone = [("Only this message", Target(kind="message", number=number))]
        else:
            lines.append(f"This erases: {counts(whole)}.")
            label, target, alone = "Forget it", Target(kind="message", number=number), []
        if whole.reactivated:
            lines.append(_still_unsummarised(whole.reactivated))
        quotes, choices = await self._quotes(scope, target, label, whole)
        return "\n".join([*lines, *quotes, FINAL]), [*choices, *alone]

    async def _found_question(self, scope: Scope, target: Target) -> tuple[str, Sequence[tuple[str, Target]]]:
        alone = await self._what(scope, target)
        if not alone.ids:
            return EXPIRED, ()
        turns = Target(kind="found turns", key=target.key)
        whole = await self._services.memory.preview(scope.owner, await self._what(scope, turns))
        those = await self._services.memory.preview(scope.owner, alone)
        lines = [
            f"Shall I forget these {messages(those.messages)}?",
            "",
            f"This erases: {counts(those)}.",
            f"With the questions and answers that belong to them: {counts(whole)}.",
        ]
        quotes, choices = await self._quotes(scope, turns, "Forget questions and answers", whole)
        return "\n".join([*lines, *quotes, FINAL]), [*choices, ("Only these messages", target)]

    @press(CHOOSE, who="admins", refusal="forget-admins-only")
    async def _choose(self, ask: Ask) -> str | None:
        target = read(ask.argument, self._now())
        if target is None:
            return EXPIRED
        await self._confirm(ask, target, instead_of=ask.message_id)
        return None

    @press(KEEP)
    async def _keep(self, ask: Ask) -> None:
        await self._show(ask, KEPT)

    @press(ERASE, who="admins", refusal="forget-admins-only")
    async def _erase_chosen(self, ask: Ask) -> str:
        return await self._erase(ask)

    @press(ERASE_OWN)
    async def _erase_own(self, ask: Ask) -> str:
        return await self._erase(ask)

    async def _erase(self, ask: Ask) -> str:
        target = read(ask.argument, self._now())
        if target is None:
            return EXPIRED
        scope = ask.chat.scope
        async with self._delivery.typing(ask.chat):
            what = await self._what(scope, target)
            is_gone = what.what == "messages" and not what.ids
            forgotten = Forgotten() if is_gone else await self._services.corrections.forget(scope.owner, what)
        # In place of the question, which quoted what is now forgotten.
        await self._show(ask, GONE if forgotten.is_nothing else receipt(forgotten))
        return "Forgotten."

    # What a target means -------------------------------------------------------------------------------------

    async def _what(self, scope: Scope, target: Target) -> Forgetting:
        return replace(await self._alone(scope, target), with_quotes=target.with_quotes)

    async def _alone(self, scope: Scope, target: Target) -> Forgetting:
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
        """Messages of this scope alone: neither a button nor a number reaches another topic."""
        async with self._services.memory.home(scope.owner) as store:
            return _ids(await store.messages(scope, ids))

    async def _turn(self, scope: Scope, number: int) -> Sequence[Message]:
        """The messages of a turn, found by any of them; empty if there is none."""
        async with self._services.memory.home(scope.owner) as store:
            found = await store.messages(scope, [number])
            return await store.turn(scope, found[0].turn) if found else []

    def _target_button(self, ask: Ask, kind: str, label: str, target: Target) -> InlineKeyboardButton:
        return self._button(ask, kind, label, payload(target, self._now()))


_EVERYTHING = Target(kind="everything")


def _ids(found: Sequence[Message]) -> Forgetting:
    return Forgetting(what="messages", ids=tuple(one.id for one in found))


def _line(message: Message, zone: tzinfo) -> str:
    quote = quoted(message.content, QUOTED)
    return f"#{message.id} · {moment(message.created_at, zone)} · {speaker(message)}: “{quote}”"


def _still_unsummarised(number: int) -> str:
    return f"{messages(number).capitalize()} next to it stay, and will be summarised again without it."


def counts(forgotten: Forgotten) -> str:
    """What is erased, in words: "2 messages, 1 summary"."""
    parts = [
        (forgotten.messages, "message", "messages"),
        (forgotten.summaries, "summary", "summaries"),
        (forgotten.facts, "fact", "facts"),
        (forgotten.profiles, "version of your profile", "versions of your profile"),
        (forgotten.versions, "earlier text", "earlier texts"),
    ]
    return ", ".join(counted(number, one, many) for number, one, many in parts if number)


def quoting(remainder: Remainder, several: str, one: str) -> str:
    """What quotes, with the verb that goes with it: "3 later answers, 1 fact quote"."""
    parts = [
        (len(remainder.answers), "later answer", "later answers"),
        (remainder.facts, "fact", "facts"),
        (remainder.summaries, "summary", "summaries"),
        (remainder.profiles, "version of your profile", "versions of your profile"),
    ]
    named = ", ".join(counted(number, singular, plural) for number, singular, plural in parts if number)
    return f"{named} {one if sum(number for number, _, _ in parts) == 1 else several}"


def left(remainder: Remainder) -> list[str]:
    """Where words of what was forgotten still stand."""
    lines = [f"{quoting(remainder, 'quote it and stay', 'quotes it and stays')}."] if remainder.has_quotes else []
    if remainder.others:
        verb = "stays" if remainder.others == 1 else "stay"
        lines.append(f"Some of its words also stand in {messages(remainder.others)} that {verb}; /search finds them.")
    elif not remainder.is_complete:
        lines.append("Messages that stay may hold some of the same words; /search finds them.")
    return lines


def receipt(forgotten: Forgotten) -> str:
    """What was erased, and what may still hold it."""
    stays = left(forgotten.remainder)
    rest = [*stays, *([] if forgotten.is_clean else [TRACES])] or [CLEAN]
    lines = [f"Forgotten: {counts(forgotten)}. {' '.join(rest)}"]
    if forgotten.reactivated:
        lines.append(_still_unsummarised(forgotten.reactivated))
    lines.append(NOT_IN_MY_POWER)
    if forgotten.kept_aside:
        names = ", ".join(forgotten.kept_aside)
        lines.append(f"My operator also keeps files that were damaged or replaced, which may hold it: {names}.")
    return "\n".join(lines)
