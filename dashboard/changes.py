"""Handle the page's requests that change data, with the same functions as the chat's commands."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, time, timedelta, tzinfo
from functools import partial

from attrs import define

from chat.choices import Choice, MemoryIsOff, NotOffered, apply_choices, list_choices
from chat.facts_by_hand import VERBS, add_fact, change_fact, edit_fact
from chat.services import Services
from dashboard.forms import pick_fields
from dashboard.parameters import BadRequest, Parameters
from dashboard.views import MAX_NAME_CHARS, Views
from dashboard.visits import Answer, Handler, Visit, VisitRefused
from locales.catalog import format_full_day, tr
from locales.page_texts import remove_commands
from locales.told import format_counts, format_outcome, format_quote_counts, format_receipt
from records.conversations import FIRST_NUMBER, MAX_TITLE_CHARS
from records.forgetting import Forgetting, Forgotten
from records.owners import get_memory_mode
from records.reminders import MAX_REMINDERS, ReminderWish
from records.scopes import Scope
from reminders.wishes import parse_reminder
from text.characters import remove_invisible_characters
from text.time_zones import format_zone

MAX_TEXT_CHARS = 4_000  # of a request's text; each use has a smaller limit with its own sentence
MAX_LISTED = 30  # later answers that a preview lists
MAX_LISTED_CHARS = 200  # of each text in a preview


@define(kw_only=True, eq=False)
class Changes:
    """Handlers of requests that change an owner's data."""

    _services: Services
    _views: Views

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {
            "facts/add": self.add_fact,
            "facts/edit": partial(self._replace_fact_text, is_change=False),
            "facts/supersede": partial(self._replace_fact_text, is_change=True),
            **{f"facts/{verb}": partial(self._apply_fact_verb, verb) for verb in VERBS},
            "profile/refresh": self.refresh_profile,
            "profile/forget": self.forget_profile,
            "forget/preview": self.preview_forgetting,
            "forget": self.forget_items,
            "settings": self.change_settings,
            "summaries/fold": self.fold_messages,
            "summaries/rebuild": self.rebuild_summaries,
            "summaries/correct": self.correct_summary,
            "conversations/begin": self.begin_conversation,
            "conversations/open": self.open_conversation,
            "conversations/name": self.name_conversation,
            "reminders/add": self.add_reminder,
            "reminders/remove": self.remove_reminder,
        }

    async def add_fact(self, visit: Visit) -> Answer:
        added = await add_fact(self._services, visit.owner, visit.parameters.read_text("text", MAX_TEXT_CHARS))
        said = added if isinstance(added, str) else tr("memory-added", text=added.text)
        return {"said": said, **await self._views.list_facts(visit)}

    async def _replace_fact_text(self, visit: Visit, *, is_change: bool) -> Answer:
        number, text = visit.parameters.read_integer("id"), visit.parameters.read_text("text", MAX_TEXT_CHARS)
        refusal = await edit_fact(self._services, visit.owner, number, text, is_change=is_change)
        if refusal is not None:
            raise VisitRefused(400, refusal)
        return {"said": tr("web-saved"), **await self._views.list_facts(visit)}

    async def _apply_fact_verb(self, verb: str, visit: Visit) -> Answer:
        said = await change_fact(self._services, visit.owner, verb, visit.parameters.read_integer("id"))
        return {"said": said, **await self._views.list_facts(visit)}

    async def refresh_profile(self, visit: Visit) -> Answer:
        if await self._services.distiller.distil_now(visit.owner) is None:
            raise VisitRefused(409, tr("memory-not-enough"))
        return await self._views.list_profiles(visit)

    async def forget_profile(self, visit: Visit) -> Answer:
        what = Forgetting(what="profiles", ids=(visit.parameters.read_integer("id"),))
        gone = await self._services.corrections.forget(visit.owner, what)
        said = tr("forget-gone") if gone.is_empty else format_receipt(gone)
        return {"said": said, **await self._views.list_profiles(visit)}

    async def preview_forgetting(self, visit: Visit) -> Answer:
        """Return the items that a request would erase, and later messages that repeat them."""
        what = await self._parse_forgetting(visit)
        with_remainder = visit.parameters.read_flag("with_repeats", default=True)
        found = Forgotten()
        if not _erases_nothing(what):
            found = await self._services.memory.preview_forgetting(visit.owner, what, with_remainder=with_remainder)
        quotes = tr("forget-quotes", what=format_quote_counts(found.remainder)) if found.remainder.has_quotes else ""
        is_importing = what.what == "everything" and self._services.importer.is_running(visit.owner)
        erases = tr("forget-gone") if found.is_empty else tr("forget-erases", what=format_counts(found))
        erases = " ".join([erases, tr("forget-import-stops")]) if is_importing else erases
        async with self._services.memory.open_store(visit.owner) as store:
            repeating = await store.read_messages(visit.scope, found.remainder.answers[:MAX_LISTED])
        return {
            "erases": erases,
            "quotes": quotes,
            "counts": pick_fields(found, "messages", "summaries", "facts"),
            "is_nothing": found.is_empty and not is_importing,
            "messages": [_shorten_text(message.content) for message in found.listing.messages],
            "facts": [_shorten_text(text) for text in found.listing.facts],
            "summaries": [_shorten_text(text) for text in found.listing.summaries],
            "repeating": [_shorten_text(message.content) for message in repeating],
        }

    async def forget_items(self, visit: Visit) -> Answer:
        what = await self._parse_forgetting(visit)
        gone = Forgotten() if _erases_nothing(what) else await self._services.corrections.forget(visit.owner, what)
        return {
            "receipt": tr("forget-gone") if gone.is_empty else remove_commands(format_receipt(gone)),
            "counts": pick_fields(gone, "messages", "summaries", "facts"),
        }

    async def _parse_forgetting(self, visit: Visit) -> Forgetting:
        parameters, ids = visit.parameters, visit.parameters.read_ids("ids")
        with_quotes = parameters.read_flag("with_quotes", default=False)
        match parameters.read_text("what", MAX_NAME_CHARS):
            case "messages" | "turn" as kind:
                async with self._services.memory.open_store(visit.owner) as store:
                    found = await store.read_messages(visit.scope, ids)
                    if kind == "turn" and found:
                        found = await store.read_turn(visit.scope, found[0].turn)
                chosen = tuple(message.id for message in found)
                return Forgetting(what="messages", ids=chosen, with_quotes=with_quotes)
            case "facts":
                return Forgetting(what="facts", ids=ids, with_quotes=with_quotes)
            case "days":
                first, last = parameters.read_day("first"), parameters.read_day("last")
                if first is None or last is None or last < first:
                    raise BadRequest("first and last are days.")
                since = datetime.combine(first, time(), visit.zone)
                until = datetime.combine(last + timedelta(days=1), time(), visit.zone)
                return Forgetting(what="dates", since=since, until=until, with_quotes=with_quotes)
            case "conversation":
                await self._find_topic(visit)
                return Forgetting(what="conversations", ids=(visit.scope.thread,), with_quotes=with_quotes)
            case "everything":
                return Forgetting(what="everything")
        raise BadRequest("what is messages, turn, facts, days, conversation or everything.")

    async def change_settings(self, visit: Visit) -> Answer:
        parameters = visit.parameters.read_object("change")
        choices = [choice for choice in list_choices(self._services) if parameters.is_present(choice.name)]
        wanted = {choice.name: _read_chosen_value(parameters, choice) for choice in choices}
        try:
            config = await apply_choices(self._services, visit.owner, wanted)
        except NotOffered as error:
            raise VisitRefused(409 if isinstance(error, MemoryIsOff) else 400, str(error)) from error
        return {"said": tr("web-saved"), "settings": await self._views.get_settings(replace(visit, config=config))}

    async def fold_messages(self, visit: Visit) -> Answer:
        _require_memory_on(visit)
        outcome = await self._services.summaries.fold_now(visit.scope)
        if outcome.state in ("failed", "busy"):
            raise VisitRefused(409, format_outcome(outcome))
        return {"said": format_outcome(outcome)}

    async def rebuild_summaries(self, visit: Visit) -> Answer:
        _require_memory_on(visit)
        self._services.rebuilder.start_rebuild(visit.scope)  # the page polls the progress
        return {"said": tr("dashboard-rebuilding")}

    async def correct_summary(self, visit: Visit) -> Answer:
        number, text = visit.parameters.read_integer("id"), visit.parameters.read_text("text", MAX_TEXT_CHARS)
        text = remove_invisible_characters(text).strip()
        if not text:
            raise VisitRefused(400, tr("dashboard-summary-empty"))
        match await self._services.rebuilder.correct_summary(visit.scope, number, text):
            case "busy":
                raise VisitRefused(409, tr("summaries-busy"))
            case "gone":
                raise VisitRefused(404, tr("forget-gone"))
        return {"said": tr("dashboard-summary-corrected")}

    async def begin_conversation(self, visit: Visit) -> Answer:
        location, title = await self._find_topic(visit), _parse_title(visit)
        if get_memory_mode(visit.config) == "off":
            raise VisitRefused(409, tr("chats-off"))
        current = await self._services.memory.find_open_conversation(location)
        await self._services.memory.begin_conversation(location, title)
        self._services.titles.start_generating(location, [current])
        return {"scopes": await self._views.list_scopes(visit.owner)}

    async def open_conversation(self, visit: Visit) -> Answer:
        location = await self._find_topic(visit)
        current = await self._services.memory.find_open_conversation(location)
        if not await self._services.memory.open_conversation(location, visit.scope):
            raise VisitRefused(404, tr("chats-gone"))
        self._services.titles.start_generating(location, [current])
        return {"scopes": await self._views.list_scopes(visit.owner)}

    async def name_conversation(self, visit: Visit) -> Answer:
        location, title = await self._find_topic(visit), _parse_title(visit)
        async with self._services.memory.open_store(visit.owner) as store:
            is_done = await store.conversations.set_title(location, visit.scope, title, now=self._services.clock())
        if not is_done:
            raise VisitRefused(404, tr("chats-gone"))
        return {"scopes": await self._views.list_scopes(visit.owner)}

    async def _find_topic(self, visit: Visit) -> Scope:
        for scope in await self._views.list_scopes(visit.owner):
            if scope["thread"] == visit.scope.thread:
                return Scope(owner=visit.owner, thread=int(str(scope["place"])))
        raise VisitRefused(404, tr("chats-gone"))

    async def add_reminder(self, visit: Visit) -> Answer:
        services, person = self._services, visit.session.person
        now, text = services.clock().astimezone(visit.zone), visit.parameters.read_text("text", MAX_TEXT_CHARS)
        if "at" in visit.parameters:  # the person has confirmed what the model read
            given = {name: visit.parameters.read_text(name, len("2026-12-03T09:00")) for name in ("at", "repeat")}
            if (wish := parse_reminder({**given, "text": text}, now)) is None:
                raise VisitRefused(400, tr("reminders-impossible-passed"))
        else:
            wished = await services.wish_reader.read_or_explain(person, text, now)
            if isinstance(wished, str):
                raise VisitRefused(400, wished)
            wish, doubt = wished
            if doubt is not None:
                return {"proposed": _format_proposal(wish, visit.zone, doubt)}
        thread = visit.scope.thread
        if thread >= FIRST_NUMBER:
            thread = (await self._find_topic(visit)).thread
        kept = await services.reminders.add(visit.owner, wish, thread=thread, person=person, language=visit.language)
        if kept is None:
            raise VisitRefused(409, tr("reminders-full", reminders=MAX_REMINDERS))
        return {"said": tr("web-saved"), **await self._views.list_reminders(visit)}

    async def remove_reminder(self, visit: Visit) -> Answer:
        await self._services.reminders.remove(visit.owner, visit.parameters.read_integer("id"))
        return await self._views.list_reminders(visit)


def _require_memory_on(visit: Visit) -> None:
    if visit.config is None or not visit.config.enabled:
        raise VisitRefused(409, tr("summaries-is-off"))


def _parse_title(visit: Visit) -> str:
    title = " ".join(visit.parameters.read_text("title", MAX_TEXT_CHARS).split())
    if len(title) > MAX_TITLE_CHARS:
        raise VisitRefused(400, tr("chats-too-long", most=str(MAX_TITLE_CHARS)))
    return title


def _format_proposal(wish: ReminderWish, zone: tzinfo, doubt: str) -> dict[str, str]:
    local = wish.due_at.astimezone(zone).replace(tzinfo=None)
    when = f"{format_full_day(local.date())}, {local:%H:%M} ({format_zone(str(zone))})"
    when = tr(f"reminders-each-{wish.repeat}", when=when) if wish.repeat else when
    question = tr("reminders-offer-unsure", words=doubt, when=when) if doubt else tr("reminders-offer", when=when)
    return {"asked": question, "text": wish.text, "at": local.isoformat(timespec="minutes"), "repeat": wish.repeat}


def _shorten_text(text: str) -> str:
    return text if len(text) <= MAX_LISTED_CHARS else f"{text[:MAX_LISTED_CHARS]}…"


def _erases_nothing(request: Forgetting) -> bool:
    return request.what in ("messages", "facts") and not request.ids


def _read_chosen_value(parameters: Parameters, choice: Choice) -> object:
    match choice.kind:
        case "switch":
            return parameters.read_flag(choice.name)
        case "number":
            return parameters.read_integer(choice.name)
    return parameters.read_text(choice.name, MAX_TEXT_CHARS)
