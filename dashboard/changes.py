"""Handle the page's requests that change data, with the same functions as the chat's commands."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time, timedelta, tzinfo
from functools import partial

from attrs import define

from chat.choices import Choice, MemoryIsOff, NotOffered, list_changeable_settings, save_settings
from chat.facts_by_hand import FACT_ACTIONS, add_fact, change_fact_and_report, edit_fact
from chat.services import Services
from dashboard.endpoints import JsonBody, PageHandler, PageRequest, RequestRefused
from dashboard.forms import serialize_fields
from dashboard.parameters import MAX_BODY_BYTES, BadRequest, Parameters
from dashboard.views import MAX_NAME_CHARS, ViewHandlers
from locales.catalog import tr
from locales.page_texts import remove_commands
from locales.sentences import format_erasures, format_forget_receipt, format_quote_counts, format_summary_outcome
from records.forgetting import ForgetRequest, ForgetResult
from records.owners import get_memory_mode
from records.reminders import MAX_REMINDERS, NewReminder
from records.scopes import FIRST_NUMBER, MAX_TITLE_CHARS, Scope
from reminders.arguments import WEEKDAYS, parse_reminder
from reminders.reading import format_due_time
from text.characters import remove_invisible_characters

MAX_TEXT_CHARS = 4_000  # of a request's text; each use has a smaller limit with its own sentence
MAX_RULE_CHARS = len("mo tu we th fr sa su")  # of the parts of a reminder's time
MAX_LISTED = 30  # later answers that a preview lists
MAX_LISTED_CHARS = 200  # of each text in a preview


@define(kw_only=True, eq=False)
class ChangeHandlers:
    """Handlers of requests that change an owner's data."""

    _services: Services
    _views: ViewHandlers

    @property
    def handlers_by_path(self) -> Mapping[str, PageHandler]:
        return {
            "facts/add": self.add_fact,
            "facts/edit": partial(self._replace_fact_text, keeps_old_fact=False),
            "facts/supersede": partial(self._replace_fact_text, keeps_old_fact=True),
            **{f"facts/{action}": partial(self._apply_fact_action, action) for action in FACT_ACTIONS},
            "profile/refresh": self.refresh_profile,
            "profile/forget": self.forget_profile,
            "forget/preview": self.preview_forgetting,
            "forget": self.forget_items,
            "settings": self.change_settings,
            "summaries/fold": self.summarize_now,
            "summaries/rebuild": self.rebuild_summaries,
            "summaries/correct": self.correct_summary,
            "conversations/begin": self.begin_conversation,
            "conversations/open": self.open_conversation,
            "conversations/name": self.rename_conversation,
            "reminders/add": self.add_reminder,
            "reminders/remove": self.remove_reminder,
        }

    async def add_fact(self, request: PageRequest) -> JsonBody:
        added = await add_fact(self._services, request.owner, request.parameters.read_text("text", MAX_TEXT_CHARS))
        if isinstance(added, str):
            raise RequestRefused(400, added)
        return {"said": tr("memory-added", text=added.text), **await self._views.list_facts(request)}

    async def _replace_fact_text(self, request: PageRequest, *, keeps_old_fact: bool) -> JsonBody:
        number, text = request.parameters.read_integer("id"), request.parameters.read_text("text", MAX_TEXT_CHARS)
        async with self._services.memory.open_store(request.owner) as store:
            fact = await store.facts.find_fact(request.owner, number)
        _require_unchanged(request, fact.text if fact else None)
        refusal = await edit_fact(self._services, request.owner, number, text, keeps_old_fact=keeps_old_fact)
        if refusal is not None:
            raise RequestRefused(400, refusal)
        return {"said": tr("web-saved"), **await self._views.list_facts(request)}

    async def _apply_fact_action(self, action: str, request: PageRequest) -> JsonBody:
        number = request.parameters.read_integer("id")
        said = await change_fact_and_report(self._services, request.owner, action, number)
        return {"said": said, **await self._views.list_facts(request)}

    async def refresh_profile(self, request: PageRequest) -> JsonBody:
        if await self._services.distiller.distil_now(request.owner) is None:
            raise RequestRefused(409, tr("memory-not-enough"))
        return await self._views.list_profiles(request)

    async def forget_profile(self, request: PageRequest) -> JsonBody:
        what = ForgetRequest(what="profiles", ids=(request.parameters.read_integer("id"),))
        gone = await self._services.corrections.forget(request.owner, what)
        return {"said": format_forget_receipt(gone), **await self._views.list_profiles(request)}

    async def preview_forgetting(self, request: PageRequest) -> JsonBody:
        """Return the items that would be erased, and the later answers that repeat their words."""
        what = await self._parse_forget_request(request)
        counts_quotes = request.parameters.read_flag("with_repeats", default=True)
        found = ForgetResult()
        if not _erases_nothing(what):
            found = await self._services.memory.preview_forgetting(request.owner, what, counts_quotes=counts_quotes)
        quotes = tr("forget-quotes", what=format_quote_counts(found.quotes)) if found.quotes.has_quotes else ""
        is_importing = what.what == "everything" and self._services.importer.is_running(request.owner)
        erases = tr("forget-gone") if found.is_empty else tr("forget-erases", what=format_erasures(found))
        erases = " ".join([erases, tr("forget-import-stops")]) if is_importing else erases
        async with self._services.memory.open_store(request.owner) as store:
            repeating = await store.read_messages(request.scope, found.quotes.answers[:MAX_LISTED])
        return {
            "erases": erases,
            "quotes": quotes,
            "counts": serialize_fields(found, "messages", "summaries", "facts"),
            "is_nothing": found.is_empty and not is_importing,
            "messages": [_truncate_with_ellipsis(message.content) for message in found.listing.messages],
            "facts": [_truncate_with_ellipsis(text) for text in found.listing.facts],
            "summaries": [_truncate_with_ellipsis(text) for text in found.listing.summaries],
            "repeating": [_truncate_with_ellipsis(message.content) for message in repeating],
        }

    async def forget_items(self, request: PageRequest) -> JsonBody:
        what = await self._parse_forget_request(request)
        gone = ForgetResult() if _erases_nothing(what) else await self._services.corrections.forget(request.owner, what)
        return {"receipt": remove_commands(format_forget_receipt(gone))}

    async def _parse_forget_request(self, request: PageRequest) -> ForgetRequest:
        parameters, ids = request.parameters, request.parameters.read_ids("ids")
        with_quotes = parameters.read_flag("with_quotes", default=False)
        match parameters.read_text("what", MAX_NAME_CHARS):
            case "messages" | "turn" as kind:
                async with self._services.memory.open_store(request.owner) as store:
                    found = await store.read_messages(request.scope, ids)
                    if kind == "turn" and found:
                        found = await store.read_turn(request.scope, found[0].turn)
                chosen = tuple(message.id for message in found)
                return ForgetRequest(what="messages", ids=chosen, with_quotes=with_quotes)
            case "facts":
                return ForgetRequest(what="facts", ids=ids, with_quotes=with_quotes)
            case "days":
                first, last = parameters.read_day("first"), parameters.read_day("last")
                if first is None or last is None or last < first:
                    raise BadRequest("first and last are days.")
                since = datetime.combine(first, time(), request.zone)
                until = datetime.combine(last + timedelta(days=1), time(), request.zone)
                return ForgetRequest(what="dates", since=since, until=until, with_quotes=with_quotes)
            case "conversation":
                await self._find_chat_of_conversation(request)
                return ForgetRequest(what="conversations", ids=(request.scope.thread,), with_quotes=with_quotes)
            case "everything":
                return ForgetRequest(what="everything")
        raise BadRequest("what is messages, turn, facts, days, conversation or everything.")

    async def change_settings(self, request: PageRequest) -> JsonBody:
        parameters = request.parameters.read_object("change")
        choices = [choice for choice in list_changeable_settings(self._services) if choice.name in parameters.values]
        wanted = {choice.name: _read_setting_value(parameters, choice) for choice in choices}
        try:
            config = await save_settings(self._services, request.owner, wanted)
        except NotOffered as error:
            raise RequestRefused(409 if isinstance(error, MemoryIsOff) else 400, str(error)) from error
        return {"said": tr("web-saved"), "settings": await self._views.get_settings(replace(request, config=config))}

    async def summarize_now(self, request: PageRequest) -> JsonBody:
        _require_memory_on(request)
        outcome = await self._services.summaries.fold(request.scope, "now")
        if outcome.state in ("failed", "busy"):
            raise RequestRefused(409, format_summary_outcome(outcome))
        return {"said": format_summary_outcome(outcome)}

    async def rebuild_summaries(self, request: PageRequest) -> JsonBody:
        _require_memory_on(request)
        self._services.rebuilder.start_rebuild(request.scope)  # the page polls the progress
        return {"said": tr("dashboard-rebuilding")}

    async def correct_summary(self, request: PageRequest) -> JsonBody:
        number, text = request.parameters.read_integer("id"), request.parameters.read_text("text", MAX_TEXT_CHARS)
        if not (text := remove_invisible_characters(text).strip()):
            raise RequestRefused(400, tr("dashboard-summary-empty"))
        async with self._services.memory.open_store(request.owner) as store:
            known = await store.list_summaries(request.scope, active_only=False, ids=[number])
        _require_unchanged(request, known[0].text if known else None)
        match await self._services.rebuilder.correct_summary(request.scope, number, text):
            case "busy":
                raise RequestRefused(409, tr("summaries-busy"))
            case "gone":
                raise RequestRefused(404, tr("forget-gone"))
        return {"said": tr("dashboard-summary-corrected")}

    async def begin_conversation(self, request: PageRequest) -> JsonBody:
        chat, title = await self._find_chat_of_conversation(request), _parse_conversation_title(request)
        if get_memory_mode(request.config) == "off":
            raise RequestRefused(409, tr("chats-off"))
        current = await self._services.memory.find_open_conversation_or_chat_scope(chat)
        await self._services.memory.begin_conversation(chat, title)
        self._services.titles.start_generating_titles(chat, [current])
        return {"scopes": await self._views.list_conversations_as_json(request.owner)}

    async def open_conversation(self, request: PageRequest) -> JsonBody:
        chat = await self._find_chat_of_conversation(request)
        current = await self._services.memory.find_open_conversation_or_chat_scope(chat)
        if not await self._services.memory.open_conversation_if_exists(chat, request.scope):
            raise RequestRefused(404, tr("chats-gone"))
        self._services.titles.start_generating_titles(chat, [current])
        return {"scopes": await self._views.list_conversations_as_json(request.owner)}

    async def rename_conversation(self, request: PageRequest) -> JsonBody:
        chat, title = await self._find_chat_of_conversation(request), _parse_conversation_title(request)
        async with self._services.memory.open_store(request.owner) as store:
            is_done = await store.conversations.rename_if_exists(chat, request.scope, title, now=self._services.clock())
        if not is_done:
            raise RequestRefused(404, tr("chats-gone"))
        return {"scopes": await self._views.list_conversations_as_json(request.owner)}

    async def _find_chat_of_conversation(self, request: PageRequest) -> Scope:
        for scope in await self._views.list_conversations_as_json(request.owner):
            if scope["thread"] == request.scope.thread:
                return Scope(owner=request.owner, thread=int(str(scope["place"])))
        raise RequestRefused(404, tr("chats-gone"))

    async def add_reminder(self, request: PageRequest) -> JsonBody:
        services, owner, person = self._services, request.owner, request.session.person
        now, text = services.clock().astimezone(request.zone), request.parameters.read_text("text", MAX_TEXT_CHARS)
        if "at" in request.parameters:  # the person has confirmed what the model read
            names = ("at", "repeat", "weekdays")
            given = {name: request.parameters.read_text(name, MAX_RULE_CHARS) for name in names}
            if (reminder := parse_reminder({**given, "text": text}, now)) is None:
                raise RequestRefused(400, tr("reminders-impossible-passed"))
        else:
            reading = await services.reminder_reader.parse_reminder_or_explain_failure(person, text, now)
            if isinstance(reading, str):
                raise RequestRefused(400, reading)
            reminder, ambiguity = reading
            if ambiguity is not None:
                return {"proposed": _serialize_proposed_reminder(reminder, request.zone, ambiguity)}
        thread = request.scope.thread
        if thread >= FIRST_NUMBER:
            thread = (await self._find_chat_of_conversation(request)).thread
        added = await services.reminders.add(owner, reminder, thread=thread, person=person, language=request.language)
        if added is None:
            raise RequestRefused(409, tr("reminders-full", reminders=MAX_REMINDERS))
        return {"said": tr("web-saved"), **await self._views.list_reminders(request)}

    async def remove_reminder(self, request: PageRequest) -> JsonBody:
        await self._services.reminders.remove(request.owner, request.parameters.read_integer("id"))
        return await self._views.list_reminders(request)


def _require_memory_on(request: PageRequest) -> None:
    if request.config is None or not request.config.enabled:
        raise RequestRefused(409, tr("summaries-is-off"))


def _parse_conversation_title(request: PageRequest) -> str:
    title = " ".join(request.parameters.read_text("title", MAX_TEXT_CHARS).split())
    if len(title) > MAX_TITLE_CHARS:
        raise RequestRefused(400, tr("chats-too-long", most=str(MAX_TITLE_CHARS)))
    return title


def _serialize_proposed_reminder(reminder: NewReminder, zone: tzinfo, ambiguous_words: str) -> dict[str, str]:
    local, when = reminder.due_at.astimezone(zone), format_due_time(reminder, zone)
    asked = tr("reminders-offer-unsure" if ambiguous_words else "reminders-offer", words=ambiguous_words, when=when)
    rule = {"repeat": reminder.repeat, "weekdays": " ".join(WEEKDAYS[day] for day in reminder.weekdays)}
    return {"asked": asked, "text": reminder.text, "at": f"{local:%Y-%m-%dT%H:%M}", **rule}


def _require_unchanged(request: PageRequest, text: str | None) -> None:
    """Raise RequestRefused if the text that the page showed `before` is no longer the current text."""
    if text and request.parameters.read_text("before", MAX_BODY_BYTES) not in ("", text):
        raise RequestRefused(412, tr("dashboard-changed", text=_truncate_with_ellipsis(text)))


def _truncate_with_ellipsis(text: str) -> str:
    return text if len(text) <= MAX_LISTED_CHARS else f"{text[:MAX_LISTED_CHARS]}…"


def _erases_nothing(request: ForgetRequest) -> bool:
    return request.what in ("messages", "facts") and not request.ids


def _read_setting_value(parameters: Parameters, choice: Choice) -> object:
    match choice.kind:
        case "switch":
            return parameters.read_flag(choice.name)
        case "number":
            return parameters.read_integer(choice.name)
    return parameters.read_text(choice.name, MAX_TEXT_CHARS)
