"""/forget: says what would be erased, asks once more, erases, and gives a receipt of counts.

Owns its words and its buttons.
"""

import sys
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import tzinfo

from cachetools import LRUCache
from telegram import InlineKeyboardButton

from locales.catalog import tr
from locales.receipts import format_counts, format_quoting, format_receipt
from records.facts import Fact
from records.forgetting import Forgetting, Forgotten
from records.messages import Message
from records.scopes import Scope
from telegram_ui.commands.buttons import make_nonce, split_rows
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.forget_targets import Target, make_date_range, make_payload, parse_payload, parse_target
from telegram_ui.commands.wording import (
    format_conversation,
    format_message_text,
    format_moment,
    format_quote,
    format_span_of_days,
    format_speaker,
)
from text import analyzer

CHOOSE, ERASE, ERASE_OWN, KEEP = "fs", "fg", "fo", "fk"
CONVERSATION = "fc"  # asks whether to forget a conversation, whose thread the button carries
MAX_MATCHES = 10
MAX_REQUEST_MESSAGES = 3
"""Messages of a turn that asks in words for something to be forgotten, as many as are looked for in addition."""
MAX_REMEMBERED = (
    200  # lists of matches that are kept for the button that means all of them, and questions that were answered
)
MAX_SHOWN = 3  # answers that are shown of those that quote what is to be forgotten
MAX_QUOTE_CHARS = 80  # characters of a message that are quoted, so that its owner recognises it


class ForgetCommands(Family):
    """The family of /forget."""

    heading = "data"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._found = LRUCache[str, tuple[int, ...]](MAX_REMEMBERED)
        self._erased = LRUCache[tuple[int, int], None](MAX_REMEMBERED)

    @command("forget")
    async def _ask_what_to_forget(self, ask: Ask) -> str | None:
        if ask.replies_to_former and not ask.argument:
            return tr("forget-former")
        if not await self._may_configure(ask.chat, ask.person):
            return await self._ask_about_own_message(ask)
        now = self._now().astimezone(await self._read_zone(ask.chat.scope.owner))
        if ask.argument:
            try:
                target = parse_target(
                    ask.argument, now, [one.casefold() for one in tr("forget-words-everything").split("/")]
                )
            except ValueError:
                return tr("forget-no-such-date")
            if target is None:
                return await self._search_messages(ask)
            await self._ask_to_confirm(ask, target)
            return None
        if ask.replied_to is not None:
            message = await self._find_replied(ask)
            if message is None:
                return tr("forget-gone")
            await self._ask_to_confirm(ask, Target(kind="turn", number=message.id))
            return None
        days_ = Target(kind="days", first=now.date(), last=now.date())
        choices = {tr("forget-today"): days_, tr("forget-everything"): _EVERYTHING}
        rows = [[self._make_target_button(ask, CHOOSE, label, target)] for label, target in choices.items()]
        await self._show_text(ask, tr("forget-usage"), *rows)
        return None

    async def _ask_about_own_message(self, ask: Ask) -> str | None:
        """Return a member of a group forgets their own words. Whose they are is known from the reply, and then from the
        buttons, which are made for this person and this message alone.
        """
        if ask.argument or not ask.answers_themselves:
            return f"{tr('shared-admins-only')} {tr('forget-members')}"
        message = await self._find_replied(ask)
        if message is None or not message.is_user:
            return tr("forget-gone")
        await self._ask_to_confirm(ask, Target(kind="turn", number=message.id), press=ERASE_OWN)
        return None

    async def _find_replied(self, ask: Ask) -> Message | None:
        if ask.replied_to is None:
            return None
        scope = await self._services.memory.conversation_with(ask.chat.location, telegram_id=ask.replied_to)
        async with self._services.memory.home(scope.owner) as store:
            return await store.explanations.said_as(scope, ask.replied_to)

    async def _find_scope(self, ask: Ask, target: Target) -> Scope:
        """Return the scope of a target: a message may be in any conversation of its topic."""
        if target.kind not in ("message", "turn"):
            return ask.chat.scope
        return await self._services.memory.conversation_with(ask.chat.location, number=target.number)

    async def _search_messages(self, ask: Ask) -> str | None:
        scope = ask.chat.scope
        async with self._services.memory.home(scope.owner) as store:
            asked = analyzer.list_content_terms(ask.argument)
            stems = analyzer.find_other_stems(asked, ask.argument, alone=True)
            terms = dict.fromkeys([*asked, *(one for term in asked for one in stems.get(term, ()))])
            hits = await store.search(scope, list(terms), limit=MAX_MATCHES + MAX_REQUEST_MESSAGES)
            is_indexed = await store.indexed(scope.owner, within=0)
            earlier = await store.earlier(scope, list(terms))
            facts = _find_facts(set(terms), await store.facts.all(scope.owner))
            request = await store.turn(scope, ask.requested_in) if ask.requested_in else []
            _, conversations = await store.conversations.listed(ask.chat.location, first=0, limit=1)
        found = [hit.message for hit in hits]
        # An edited message holds its old words until it is forgotten; each is listed once.
        found += {one.id: one for one in earlier if one.id not in {hit.id for hit in found}}.values()
        if not terms:  # emoji are no words of the index
            page = await self._services.search.page(scope, ask.argument, size=MAX_MATCHES + MAX_REQUEST_MESSAGES)
            found = [one.message for one in page.found]
        # What asks in words for something to be forgotten is not what is meant, but it goes with it.
        matches = [one for one in found if one.turn != ask.requested_in][:MAX_MATCHES] or found[:MAX_MATCHES]
        if not matches and not facts:
            nothing = tr("forget-none-found" if is_indexed else "notices-indexing")
            return f"{nothing}\n{tr('forget-elsewhere')}" if conversations > 1 else nothing
        zone = await self._read_zone(scope.owner)
        # A question and its answer go by the same button.
        best: dict[int | None, Message] = {}
        for match in matches:
            best.setdefault(match.turn, match)
        turns = list(best.values())
        lines = [
            tr("forget-which"),
            "",
            *(_format_line(turn, zone) for turn in turns),
            *(_format_fact(one) for one in facts[:MAX_MATCHES]),
        ]
        targets = [Target(kind="turn", number=turn.id, request=ask.requested_in or 0) for turn in turns]
        buttons = [self._make_target_button(ask, CHOOSE, f"#{one.number}", one) for one in targets]
        rows = split_rows(buttons, 5)
        if len(turns) > 1:
            key = make_nonce()
            self._found[key] = tuple(dict.fromkeys(match.id for match in (*matches, *request)))
            label, target = tr("forget-all", number=str(len(turns))), Target(kind="found", key=key)
            if facts:  # the button is for messages alone
                label += f" ({', '.join(button.text for button in buttons)})"
            rows.append([self._make_target_button(ask, CHOOSE, label, target)])
        for fact in facts[:MAX_MATCHES]:
            rows.append(
                [self._make_target_button(ask, CHOOSE, _format_fact(fact), Target(kind="fact", number=fact.id))]
            )
        if len(matches) == MAX_MATCHES or len(facts) > MAX_MATCHES:
            lines += ["", tr("forget-maybe-more")]
        keep = self._make_target_button(ask, KEEP, tr("forget-none-of-them"), _EVERYTHING)
        await self._show_text(ask, "\n".join(lines), *rows, [keep])
        return None

    # The question, and its buttons ---------------------------------------------------------------------------

    async def _ask_to_confirm(self, ask: Ask, target: Target, *, press: str = ERASE) -> None:
        text, choices = await self._make_question(ask.chat.location, await self._find_scope(ask, target), target)
        rows = [[self._make_target_button(ask, press, label, choice)] for label, choice in choices]
        keep = [self._make_target_button(ask, KEEP, tr("forget-keep-it"), target)] if choices else []
        await self._show_text(ask, text, *rows, keep)

    async def _make_question(
        self, place: Scope, scope: Scope, target: Target
    ) -> tuple[str, Sequence[tuple[str, Target]]]:
        """Return the question with its choices; no choice if there is nothing to erase."""
        owner = scope.owner
        if target.kind in ("message", "turn"):
            return await self._make_message_question(scope, target)
        if target.kind == "found":
            return await self._make_found_question(scope, target)
        forgotten = await self._services.memory.preview(owner, await self._to_request(scope, target))
        is_importing = target.kind == "everything" and self._services.importer.is_running(owner)
        if forgotten.is_nothing and not is_importing:
            return tr("forget-gone"), ()
        lines = [tr("forget-ask-this"), "", await self._name_target(place, target), ""]
        lines += (
            []
            if forgotten.is_nothing
            else [tr("forget-erases", what=format_counts(forgotten)), *_quote_first(forgotten)]
        )
        lines += [tr("forget-import-stops")] if is_importing else []
        label = tr("forget-it")
        if target.kind == "everything":
            lines.append(tr("forget-choices-stay"))
            label = tr("forget-all-of-it")
        return await self._add_quotes(lines, scope, target, label, forgotten)

    async def _name_target(self, place: Scope, target: Target) -> str:
        """Name a target as its owner knows it."""
        async with self._services.memory.home(place.owner) as store:
            match target.kind:
                case "fact":
                    facts = await store.facts.all(place.owner)
                    return next((tr("shared-quoted", text=fact.text) for fact in facts if fact.id == target.number), "")
                case "conversation":
                    found, _ = await store.conversations.listed(place, first=0, limit=sys.maxsize)
                    title = next((format_conversation(one) for one in found if one.scope.thread == target.number), "")
                    return tr("shared-quoted", text=title or tr("chats-untitled"))
                case "days":
                    return format_span_of_days(target.first, target.last)
        return tr("forget-group" if place.owner < 0 else "forget-everything")

    async def _add_quotes(
        self, lines: Sequence[str], scope: Scope, target: Target, label: str, forgotten: Forgotten
    ) -> tuple[str, Sequence[tuple[str, Target]]]:
        """Return the question of these lines, with those about later answers and facts that quote a target, and the
        choices: with them or without. Where nothing quotes it yet, what may be written meanwhile goes too.
        """
        with_quotes = replace(target, with_quotes=True)
        if target.kind == "everything" or not forgotten.remainder.has_quotes:
            chosen = target if target.kind == "everything" else with_quotes
            return "\n".join([*lines, tr("forget-final")]), [(label, chosen)]
        all_of_it = await self._services.memory.preview(scope.owner, await self._to_request(scope, with_quotes))
        async with self._services.memory.home(scope.owner) as store:
            shown = await store.messages(scope, forgotten.remainder.answers[:MAX_SHOWN])
        zone, too = await self._read_zone(scope.owner), tr("forget-them-too")
        quotes = [
            "",
            tr("forget-quotes", what=format_quoting(forgotten.remainder)),
            *(f"  {_format_line(one, zone)}" for one in shown),
            *_quote_first(all_of_it, besides=forgotten, with_messages=False),
        ]
        text = "\n".join([*lines, *quotes, f"{too}: {format_counts(all_of_it)}", tr("forget-final")])
        return text, [(label, target), (too, with_quotes)]  # the button that takes more is never the first

    async def _make_message_question(self, scope: Scope, target: Target) -> tuple[str, Sequence[tuple[str, Target]]]:
        number = target.number
        turn = await self._read_turn(scope, number, target.request)
        message = next((one for one in turn if one.id == number), None)
        if message is None:
            return tr("forget-gone"), ()
        whole = await self._services.memory.preview(scope.owner, _forget_messages(turn))
        zone = await self._read_zone(scope.owner)
        lines = [
            tr("forget-ask-this"),
            "",
            _format_line(message, zone),
            "",
            tr("forget-erases", what=format_counts(whole)),
        ]
        if len(turn) > 1:
            lines += [f"  {_format_line(one, zone)}" for one in turn if one is not message and one.origin != "tool"][:3]
            label, target = tr("forget-turn"), replace(target, kind="turn")
            alone = [(tr("forget-only-message"), Target(kind="message", number=number))]
        else:
            label, target, alone = tr("forget-it"), Target(kind="message", number=number), []
        lines += _quote_first(whole, with_messages=False)
        text, choices = await self._add_quotes(lines, scope, target, label, whole)
        return text, [*alone, *choices]  # least first

    async def _make_found_question(self, scope: Scope, target: Target) -> tuple[str, Sequence[tuple[str, Target]]]:
        alone = await self._to_request(scope, target)
        if not alone.ids:
            return tr("shared-dead-button"), ()
        turns = Target(kind="found turns", key=target.key)
        whole = await self._services.memory.preview(scope.owner, await self._to_request(scope, turns))
        those = await self._services.memory.preview(scope.owner, alone)
        label, only = tr("forget-turns"), tr("forget-only-messages")
        lines = [
            tr("forget-ask-this"),
            "",
            f"{only}: {format_counts(those)}",
            f"{label}: {format_counts(whole)}",
            *_quote_first(whole),
        ]
        text, choices = await self._add_quotes(lines, scope, turns, label, whole)
        return text, [(only, target), *choices]

    @press(CHOOSE, who="admins")
    async def _choose_target(self, ask: Ask) -> str | None:
        target = parse_payload(ask.argument, self._now())
        if target is None:
            return tr("shared-dead-button")
        await self._ask_to_confirm(ask, target)
        return None

    @press(CONVERSATION, who="admins")
    async def _choose_conversation(self, ask: Ask) -> str | None:
        scope = Scope(owner=ask.chat.id, thread=int(ask.argument))
        if not await self._services.memory.has_conversation(ask.chat.location, scope):
            return tr("chats-gone")
        await self._ask_to_confirm(ask, Target(kind="conversation", number=scope.thread))
        return None

    @press(KEEP)
    async def _keep_all(self, ask: Ask) -> None:
        await self._show_text(ask, tr("forget-kept"))

    async def _erase_target(self, ask: Ask) -> str:
        target = parse_payload(ask.argument, self._now())
        if target is None:
            return tr("shared-dead-button")
        question = ask.chat.id, ask.message_id or 0
        if question in self._erased:  # its receipt stands there by now, or will
            return tr("answers-pressed-already")
        self._erased[question] = None
        try:
            return await self._erase_once(ask, target)
        except BaseException:
            self._erased.pop(question, None)  # it may be asked for again
            raise

    _erase_chosen = press(ERASE, who="admins")(_erase_target)
    _erase_own = press(ERASE_OWN)(_erase_target)

    async def _erase_once(self, ask: Ask, target: Target) -> str:
        scope = await self._find_scope(ask, target)
        async with self._delivery.typing(ask.chat):
            what = await self._to_request(scope, target)
            is_gone = what.what == "messages" and not what.ids
            forgotten = Forgotten() if is_gone else await self._services.corrections.forget(scope.owner, what)
        # In place of the question, which quoted what is now forgotten.
        text = tr("forget-gone") if forgotten.is_nothing else format_receipt(forgotten)
        await self._show_text(ask, text)
        return tr("forget-done")

    # What a target means -------------------------------------------------------------------------------------

    async def _to_request(self, scope: Scope, target: Target) -> Forgetting:
        return replace(await self._forgetting_of(scope, target), with_quotes=target.with_quotes)

    async def _forgetting_of(self, scope: Scope, target: Target) -> Forgetting:
        match target.kind:
            case "message":
                return await self._select_own(scope, [target.number])
            case "turn":
                return _forget_messages(await self._read_turn(scope, target.number, target.request))
            case "fact":
                return Forgetting(what="facts", ids=(target.number,))
            case "conversation":
                return Forgetting(what="conversations", ids=(target.number,))
            case "found":
                return await self._select_own(scope, self._found.get(target.key, ()))
            case "found turns":
                found = (await self._select_own(scope, self._found.get(target.key, ()))).ids
                turns = [one for number in found for one in await self._read_turn(scope, number)]
                return _forget_messages(list({turn.id: turn for turn in turns}.values()))
            case "days":
                return make_date_range(target, await self._read_zone(scope.owner))
        return Forgetting(what="everything")

    async def _select_own(self, scope: Scope, ids: Sequence[int]) -> Forgetting:
        """Return the messages of this scope alone: neither a button nor a number reaches another topic."""
        async with self._services.memory.home(scope.owner) as store:
            return _forget_messages(await store.messages(scope, ids))

    async def _read_turn(self, scope: Scope, number: int, request: int = 0) -> Sequence[Message]:
        """Return the messages of a turn, found by any of them, and those of a request; empty if there
        is no such turn.
        """
        async with self._services.memory.home(scope.owner) as store:
            found = await store.messages(scope, [number])
            if not found:
                return []
            asked = await store.turn(scope, request) if request not in (0, found[0].turn) else []
            return [*await store.turn(scope, found[0].turn), *asked]

    def _make_target_button(self, ask: Ask, kind: str, label: str, target: Target) -> InlineKeyboardButton:
        erases = kind in (ERASE, ERASE_OWN)
        return self._make_button(ask, kind, label, make_payload(target, self._now()), erases=erases)


_EVERYTHING = Target(kind="everything")


def _forget_messages(found: Sequence[Message]) -> Forgetting:
    return Forgetting(what="messages", ids=tuple(one.id for one in found))


def _quote_first(forgotten: Forgotten, *, besides: Forgotten | None = None, with_messages: bool = True) -> list[str]:
    """Quote the first texts of each kind that go, without those that go `besides`, and say how many more there are."""
    less, listing = besides or Forgotten(), forgotten.listing
    messages = [format_message_text(message, message.content) for message in listing.messages] if with_messages else []
    facts = [text for text in listing.facts if text not in less.listing.facts]
    summaries = [text for text in listing.summaries if text not in less.listing.summaries]
    lines = []
    for texts, count in (
        (messages, forgotten.messages - less.messages),
        (facts, forgotten.facts - less.facts),
        (summaries, forgotten.summaries - less.summaries),
    ):
        lines += [f"  {tr('shared-quoted', text=format_quote(text, MAX_QUOTE_CHARS))}" for text in texts[:MAX_SHOWN]]
        lines += [f"  {tr('import-more', more=str(count - MAX_SHOWN))}"] if texts and count > MAX_SHOWN else []
    return lines


def _find_facts(terms: Set[str], facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that hold one of these words, or held it before an edit; those with the most words first."""
    found: dict[int, int] = {}
    for fact in facts:
        number = fact.superseded_by if fact.origin == "earlier" and fact.superseded_by else fact.id
        found[number] = max(found.get(number, 0), len(terms & set(analyzer.analyse_text(fact.text))))
    return sorted((fact for fact in facts if found.get(fact.id)), key=lambda fact: -found[fact.id])


def _format_fact(fact: Fact) -> str:
    return tr("shared-quoted", text=format_quote(fact.text, MAX_QUOTE_CHARS))


def _format_line(message: Message, zone: tzinfo) -> str:
    return tr(
        "forget-line",
        id=str(message.id),
        date=format_moment(message.created_at, zone),
        speaker=format_speaker(message),
        text=format_quote(format_message_text(message, message.content), MAX_QUOTE_CHARS),
    )
