"""/forget: shows what would be erased, asks for confirmation, erases it and sends a receipt."""

import sys
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import tzinfo

from cachetools import LRUCache
from telegram import InlineKeyboardButton

from locales.catalog import tr
from locales.sentences import format_erasures, format_forget_receipt, format_quote_counts
from records.facts import Fact
from records.forgetting import ForgetRequest, ForgetResult
from records.messages import Message
from records.scopes import Scope
from telegram_ui.commands import wording
from telegram_ui.commands.buttons import make_nonce, split_into_rows
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, Dependencies, HandlerReply
from telegram_ui.commands.forget_targets import ForgetTarget, parse_forget_argument
from text import analyzer

CHOOSE, ERASE, ERASE_OWN, KEEP = "fs", "fg", "fo", "fk"
CONVERSATION = "fc"  # the kind of the button that asks whether to forget a conversation
MAX_MATCHES = 10
MAX_REQUEST_MESSAGES = 3  # further matches that are read, since the turn that asks to forget contains the words too
MAX_REMEMBERED = 200  # lists of matches that are kept for their buttons
MAX_SHOWN = 3  # texts of each kind that a preview quotes
MAX_QUOTE_CHARS = 80
ForgetQuestion = tuple[str, Sequence[tuple[str, ForgetTarget]]]  # a text and its choices


class ForgetCommands(CommandGroup):
    """The handlers of /forget. In groups, admins may forget anything, and members only their own messages."""

    heading = "data"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._found = LRUCache[str, tuple[int, ...]](MAX_REMEMBERED)

    @Command("forget")
    async def _ask_what_to_forget(self, event: ChatEvent) -> HandlerReply:
        if event.replies_to_message_before_upgrade and not event.argument:
            return tr("forget-former")
        if not await self._may_configure(event.chat, event.person):
            return await self._ask_to_forget_own_message(event)
        now = self._now().astimezone(await self._read_zone(event.chat.scope.owner))
        if event.argument:
            try:
                target = parse_forget_argument(event.argument, now)
            except ValueError:
                return tr("forget-no-such-date")
            if target is None:
                return await self._show_matches_to_forget(event)
            if (
                target.kind == "days"
                and (await self._preview_erasure(event.chat.scope, target, counts_quotes=False)).is_empty
            ):
                return await self._show_matches_to_forget(event, is_empty_day=True)
            return await self._ask_to_confirm(event, target)
        if event.replied_message_id is not None:
            if (message := await self._find_message_replied_to(event)) is None:
                return tr("forget-gone")
            return await self._ask_to_confirm(event, ForgetTarget(kind="turn", number=message.id))
        today = ForgetTarget(kind="days", first=now.date(), last=now.date())
        choices = {tr("forget-today"): today, tr("forget-everything"): _EVERYTHING}
        rows = [[self._make_target_button(event, CHOOSE, label, target)] for label, target in choices.items()]
        return await self._show_text(event, tr("forget-usage"), *rows)

    async def _ask_to_forget_own_message(self, event: ChatEvent) -> HandlerReply:
        if event.argument or not event.replies_to_same_author:
            return f"{tr('shared-admins-only')} {tr('forget-members')}"
        message = await self._find_message_replied_to(event)
        if message is None or not message.is_user:
            return tr("forget-gone")
        return await self._ask_to_confirm(event, ForgetTarget(kind="turn", number=message.id), kind=ERASE_OWN)

    async def _find_message_replied_to(self, event: ChatEvent) -> Message | None:
        if (telegram_id := event.replied_message_id) is None:
            return None
        scope = await self._services.memory.find_conversation_of_message(event.chat.chat_scope, telegram_id=telegram_id)
        async with self._services.memory.open_store(scope.owner) as store:
            return await store.explanations.find_message(scope, telegram_id)

    async def _find_scope_containing_target(self, event: ChatEvent, target: ForgetTarget) -> Scope:
        """Return the scope that contains the target. A message may be in any conversation of the chat."""
        if target.kind not in ("message", "turn"):
            return event.chat.scope
        return await self._services.memory.find_conversation_of_message(event.chat.chat_scope, message_id=target.number)

    async def _show_matches_to_forget(self, event: ChatEvent, *, is_empty_day: bool = False) -> HandlerReply:
        scope, query = event.chat.scope, event.argument
        # The name of a day without messages may be what a message of another day says: "12 December".
        terms = [] if is_empty_day else analyzer.list_query_terms(query)
        query = f'"{query}"' if is_empty_day else query
        async with self._services.memory.open_store(scope.owner) as store:
            found = await store.search_messages(scope, terms, limit=MAX_MATCHES + MAX_REQUEST_MESSAGES)
            earlier = await store.search_previous_versions(scope, terms)
            facts = _find_facts_with_any_term(set(terms), await store.facts.list_all_facts(scope.owner))
            request = await store.read_turn(scope, event.requested_in) if event.requested_in else []
            _, conversations = await store.conversations.list_with_total(event.chat.chat_scope, offset=0, limit=1)
        # An edited message can still be found by its old words.
        ids = {message.id for message in found}
        found += {message.id: message for message in earlier if message.id not in ids}.values()
        if not found:  # the index lacks emoji, function words and a name written otherwise
            page = await self._services.search.find_hit_page(scope, query, limit=MAX_MATCHES + MAX_REQUEST_MESSAGES)
            found = [hit.message for hit in page.found if hit.has_words]
        # The request to forget is no match itself, but it is forgotten together with the matches.
        others = [message for message in found if message.turn != event.requested_in]
        matches = others[:MAX_MATCHES] or found[:MAX_MATCHES]
        elsewhere = ["", tr("forget-elsewhere")] if conversations > 1 else []
        if not matches and not facts:
            return "\n".join([tr("forget-gone" if is_empty_day else "forget-none-found"), *elsewhere])
        zone = await self._read_zone(scope.owner)
        # A question and its answer share one button. Without the question, the answer may go and leave its words.
        best: dict[int | None, Message] = {}
        for match in matches:
            if match.turn not in best or best[match.turn].is_user < match.is_user:
                best[match.turn] = match
        turns = list(best.values())
        lines = [tr("forget-which"), "", *(_format_message(turn, zone) for turn in turns)]
        lines += map(_format_fact, facts[:MAX_MATCHES])
        targets = [ForgetTarget(kind="turn", number=turn.id, request=event.requested_in or 0) for turn in turns]
        buttons = [self._make_target_button(event, CHOOSE, f"#{target.number}", target) for target in targets]
        rows = split_into_rows(buttons, 5)
        if len(turns) > 1:
            key = make_nonce()
            self._found[key] = tuple(dict.fromkeys(match.id for match in (*matches, *request)))
            label, target = tr("forget-all", number=str(len(turns))), ForgetTarget(kind="found", key=key)
            if facts:  # the button does not include the facts
                label += f" ({', '.join(button.text for button in buttons)})"
            rows.append([self._make_target_button(event, CHOOSE, label, target)])
        for fact in facts[:MAX_MATCHES]:
            target = ForgetTarget(kind="fact", number=fact.id)
            rows.append([self._make_target_button(event, CHOOSE, _format_fact(fact), target)])
        if len(matches) == MAX_MATCHES or len(facts) > MAX_MATCHES:
            lines += ["", tr("forget-maybe-more")]
        lines += elsewhere
        keep = self._make_target_button(event, KEEP, tr("forget-none-of-them"), _EVERYTHING)
        return await self._show_text(event, "\n".join(lines), *rows, [keep])

    async def _ask_to_confirm(self, event: ChatEvent, target: ForgetTarget, *, kind: str = ERASE) -> HandlerReply:
        text, choices = await self._make_question(
            event.chat.chat_scope, await self._find_scope_containing_target(event, target), target
        )
        rows = [[self._make_target_button(event, kind, label, choice)] for label, choice in choices]
        keep = [self._make_target_button(event, KEEP, tr("forget-keep-it"), target)] if choices else []
        return await self._show_text(event, text, *rows, keep)

    async def _make_question(self, chat_scope: Scope, conversation: Scope, target: ForgetTarget) -> ForgetQuestion:
        """Return the question and its choices. There are no choices if there is nothing to erase."""
        if target.kind in ("message", "turn"):
            return await self._make_message_question(conversation, target)
        if target.kind == "found":
            return await self._make_found_messages_question(conversation, target)
        # Asked first: an import may end while the memory is read.
        is_importing = target.kind == "everything" and self._services.importer.is_running(conversation.owner)
        forgotten = await self._preview_erasure(conversation, target)
        if forgotten.is_empty and not is_importing:
            return tr("forget-gone"), ()
        lines = [tr("forget-ask-this"), "", await self._format_target(chat_scope, target), ""]
        if not forgotten.is_empty:
            lines += [tr("forget-erases", what=format_erasures(forgotten)), *_quote_texts_to_forget(forgotten)]
        lines += [tr("forget-import-stops")] if is_importing else []
        if target.kind != "everything":
            return await self._make_question_with_quote_choice(lines, conversation, target, tr("forget-it"), forgotten)
        text = "\n".join([*lines, tr("forget-choices-stay"), tr("forget-final")])
        return text, [(tr("forget-all-of-it"), target)]

    async def _format_target(self, chat_scope: Scope, target: ForgetTarget) -> str:
        async with self._services.memory.open_store(chat_scope.owner) as store:
            match target.kind:
                case "fact":
                    facts = await store.facts.list_all_facts(chat_scope.owner)
                    return next((tr("shared-quoted", text=fact.text) for fact in facts if fact.id == target.number), "")
                case "conversation":
                    found, _ = await store.conversations.list_with_total(chat_scope, offset=0, limit=sys.maxsize)
                    matches = [listed for listed in found if listed.scope.thread == target.number]
                    titles = map(wording.format_conversation_title, matches)
                    return tr("shared-quoted", text=next(titles, tr("chats-untitled")))
                case "days":
                    return wording.format_date_range(target.first, target.last)
        return tr("forget-group" if chat_scope.owner < 0 else "forget-everything")

    async def _make_question_with_quote_choice(
        self, lines: Sequence[str], scope: Scope, target: ForgetTarget, label: str, forget_result: ForgetResult
    ) -> ForgetQuestion:
        with_quotes = replace(target, with_quotes=True)
        if not forget_result.quotes.has_quotes:  # but some may be written before the button is pressed
            return "\n".join([*lines, tr("forget-final")]), [(label, with_quotes)]
        whole = await self._preview_erasure(scope, with_quotes)
        async with self._services.memory.open_store(scope.owner) as store:
            answers = await store.read_messages(scope, forget_result.quotes.answers[:MAX_SHOWN])
        zone, too = await self._read_zone(scope.owner), tr("forget-them-too")
        quotes = [
            "",
            tr("forget-quotes", what=format_quote_counts(forget_result.quotes)),
            *(f"  {_format_message(answer, zone)}" for answer in answers),
            *_quote_texts_to_forget(whole, already_quoted=forget_result, with_messages=False),
        ]
        text = "\n".join([*lines, *quotes, f"{too}: {format_erasures(whole)}", tr("forget-final")])
        return text, [(label, target), (too, with_quotes)]  # the button that takes more is never the first

    async def _make_message_question(self, scope: Scope, target: ForgetTarget) -> ForgetQuestion:
        number = target.number
        turn = await self._read_turns(scope, number, target.request)
        message = next((message for message in turn if message.id == number), None)
        if message is None:
            return tr("forget-gone"), ()
        whole = await self._services.memory.preview_forgetting(scope.owner, _make_request_to_forget_messages(turn))
        zone = await self._read_zone(scope.owner)
        lines = [tr("forget-ask-this"), "", _format_message(message, zone), ""]
        lines.append(tr("forget-erases", what=format_erasures(whole)))
        alone, both = ForgetTarget(kind="message", number=number), replace(target, kind="turn")
        if len(turn) == 1:
            lines += _quote_texts_to_forget(whole, with_messages=False)
            return await self._make_question_with_quote_choice(lines, scope, alone, tr("forget-it"), whole)
        others = [other for other in turn if other is not message and other.origin != "tool"]
        lines += [f"  {_format_message(other, zone)}" for other in others[:MAX_SHOWN]]
        lines += _quote_texts_to_forget(whole, with_messages=False)
        text, choices = await self._make_question_with_quote_choice(lines, scope, both, tr("forget-turn"), whole)
        return text, [(tr("forget-only-message"), alone), *choices]  # least first

    async def _make_found_messages_question(self, scope: Scope, target: ForgetTarget) -> ForgetQuestion:
        alone = await self._make_forget_request(scope, target)
        if not alone.ids:
            return tr("shared-dead-button"), ()
        turns = ForgetTarget(kind="found turns", key=target.key)
        whole = await self._preview_erasure(scope, turns)
        messages = await self._services.memory.preview_forgetting(scope.owner, alone)
        label, only = tr("forget-turns"), tr("forget-only-messages")
        counts = (f"{only}: {format_erasures(messages)}", f"{label}: {format_erasures(whole)}")
        lines = [tr("forget-ask-this"), "", *counts, *_quote_texts_to_forget(whole)]
        text, choices = await self._make_question_with_quote_choice(lines, scope, turns, label, whole)
        return text, [(only, target), *choices]

    @Action(CHOOSE, who="admins")
    async def _ask_to_confirm_choice(self, event: ChatEvent) -> HandlerReply:
        target = ForgetTarget.parse_button_payload(event.argument, self._now())
        return await self._ask_to_confirm(event, target) if target is not None else tr("shared-dead-button")

    @Action(CONVERSATION, who="admins")
    async def _ask_to_erase_conversation(self, event: ChatEvent) -> HandlerReply:
        scope = Scope(owner=event.chat.id, thread=int(event.argument))
        if not await self._services.memory.has_conversation(event.chat.chat_scope, scope):
            return tr("chats-gone")
        return await self._ask_to_confirm(event, ForgetTarget(kind="conversation", number=scope.thread))

    @Action(KEEP)
    async def _cancel_erasure(self, event: ChatEvent) -> None:
        await self._show_text(event, tr("forget-kept"))

    async def _forget_chosen_target(self, event: ChatEvent) -> HandlerReply:
        if (target := ForgetTarget.parse_button_payload(event.argument, self._now())) is None:
            return tr("shared-dead-button")
        scope = await self._find_scope_containing_target(event, target)
        async with self._delivery.show_typing(event.chat):
            request = await self._make_forget_request(scope, target)
            was_importing = target.kind == "everything" and self._services.importer.is_running(scope.owner)
            is_gone = request.what == "messages" and not request.ids
            forgotten = ForgetResult() if is_gone else await self._services.corrections.forget(scope.owner, request)
        # This replaces the question, which quotes the forgotten text.
        is_only_import = was_importing and forgotten.is_empty
        await self._show_text(event, tr("transfer-left") if is_only_import else format_forget_receipt(forgotten))
        return tr("forget-done")

    _erase_chosen = Action(ERASE, who="admins", runs_once="by message")(_forget_chosen_target)
    _erase_own = Action(ERASE_OWN, runs_once="by message")(_forget_chosen_target)

    async def _preview_erasure(self, scope: Scope, target: ForgetTarget, *, counts_quotes: bool = True) -> ForgetResult:
        request = await self._make_forget_request(scope, target)
        return await self._services.memory.preview_forgetting(scope.owner, request, counts_quotes=counts_quotes)

    async def _make_forget_request(self, scope: Scope, target: ForgetTarget) -> ForgetRequest:
        match target.kind:
            case "message":
                request = await self._make_request_to_forget_message_ids(scope, [target.number])
            case "turn":
                request = _make_request_to_forget_messages(await self._read_turns(scope, target.number, target.request))
            case "fact":
                request = ForgetRequest(what="facts", ids=(target.number,))
            case "conversation":
                request = ForgetRequest(what="conversations", ids=(target.number,))
            case "found":
                request = await self._make_request_to_forget_message_ids(scope, self._found.get(target.key, ()))
            case "found turns":
                found = (await self._make_request_to_forget_message_ids(scope, self._found.get(target.key, ()))).ids
                messages = [message for number in found for message in await self._read_turns(scope, number)]
                request = _make_request_to_forget_messages(list({message.id: message for message in messages}.values()))
            case "days":
                request = target.make_request_to_forget_days(await self._read_zone(scope.owner))
            case "everything":
                request = ForgetRequest(what="everything")
        return replace(request, with_quotes=target.with_quotes)

    async def _make_request_to_forget_message_ids(self, scope: Scope, message_ids: Sequence[int]) -> ForgetRequest:
        async with self._services.memory.open_store(scope.owner) as store:
            return _make_request_to_forget_messages(await store.read_messages(scope, message_ids))

    async def _read_turns(self, scope: Scope, message_id: int, request_turn: int = 0) -> Sequence[Message]:
        """Return the turn that contains `message_id`, followed by the turn that asked to forget it (if not 0)."""
        async with self._services.memory.open_store(scope.owner) as store:
            found = await store.read_messages(scope, [message_id])
            if not found:
                return []
            asked = await store.read_turn(scope, request_turn) if request_turn not in (0, found[0].turn) else []
            return [*await store.read_turn(scope, found[0].turn), *asked]

    def _make_target_button(
        self, event: ChatEvent, kind: str, label: str, target: ForgetTarget
    ) -> InlineKeyboardButton:
        erases = kind in (ERASE, ERASE_OWN)
        return self._make_button(event, kind, label, target.make_button_payload(self._now()), erases=erases)


_EVERYTHING = ForgetTarget(kind="everything")


def _make_request_to_forget_messages(messages: Sequence[Message]) -> ForgetRequest:
    return ForgetRequest(what="messages", ids=tuple(message.id for message in messages))


def _quote_texts_to_forget(
    forget_result: ForgetResult, *, already_quoted: ForgetResult | None = None, with_messages: bool = True
) -> list[str]:
    less, listing = already_quoted or ForgetResult(), forget_result.listing
    quoted = listing.messages if with_messages else ()
    messages = [wording.localize_message_notes(message, message.content) for message in quoted]
    facts = [text for text in listing.facts if text not in less.listing.facts]
    summaries = [text for text in listing.summaries if text not in less.listing.summaries]
    lines = []
    for texts, count in (
        (messages, forget_result.messages - less.messages),
        (facts, forget_result.facts - less.facts),
        (summaries, forget_result.summaries - less.summaries),
    ):
        shown = [wording.format_quote(text, MAX_QUOTE_CHARS) for text in texts[:MAX_SHOWN]]
        lines += [f"  {tr('shared-quoted', text=text)}" for text in shown]
        lines += [f"  {tr('import-more', more=str(count - MAX_SHOWN))}"] if texts and count > MAX_SHOWN else []
    return lines


def _find_facts_with_any_term(terms: Set[str], facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts whose current or earlier text contains any of the terms, best match first."""
    found: dict[int, int] = {}
    for fact in facts:
        number = fact.superseded_by if fact.origin == "earlier" and fact.superseded_by else fact.id
        found[number] = max(found.get(number, 0), len(terms & set(analyzer.list_search_terms(fact.text))))
    return sorted((fact for fact in facts if found.get(fact.id)), key=lambda fact: -found[fact.id])


def _format_fact(fact: Fact) -> str:
    return f"{fact.id} · {tr('shared-quoted', text=wording.format_quote(fact.text, MAX_QUOTE_CHARS))}"


def _format_message(message: Message, zone: tzinfo) -> str:
    text = wording.format_quote(wording.localize_message_notes(message, message.content), MAX_QUOTE_CHARS)
    date = wording.format_moment(message.created_at, zone)
    return tr("forget-line", id=str(message.id), date=date, speaker=wording.format_speaker(message), text=text)
