"""Handle the page's requests that read data: messages, facts, profile, summaries, statistics, settings."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta, tzinfo
from datetime import time as clock_time

from attrs import define

from chat.choices import list_changeable_settings
from chat.services import Services
from dashboard import forms
from dashboard.endpoints import JsonBody, PageRequest, RequestRefused
from dashboard.parameters import BadRequest
from locales.catalog import tr
from locales.page_texts import remove_commands
from locales.sentences import STORAGE_NAMES, format_privacy_text
from records.facts import MAX_FACT_CHARS
from records.messages import TIMELINE_KINDS, Message, TimelineKind, matches_filter
from records.owners import DEFAULT_EVERY_N, MAX_EVERY_N, OFFERED_THRESHOLDS, OwnerConfig
from records.scopes import FIRST_NUMBER, Scope
from records.status import Status
from records.summaries import Summary
from reminders.reading import format_due_time
from retrieval.explanation import parse_explanation_record
from settings import Settings

MAX_ROWS = 200  # messages in one response
MAX_SUMMARIES = 5_000  # of one conversation, newest last
PAGE_SIZE = 20  # messages on one page of search results
MAX_NEAR = 10  # messages that are only close in meaning
MAX_QUERY_CHARS = 400
MAX_EXPLANATIONS = 10  # in one response
MAX_PLACES = 50  # topics of a group, and conversations in each topic
MAX_FACTS_SENT = 10_000
MAX_NAME_CHARS = 100
DAYS_OF_USE = 30


@define(kw_only=True, eq=False)
class ViewHandlers:
    """Handlers of requests that read an owner's data."""

    _services: Services
    _settings: Settings

    async def get_memory_state(self, request: PageRequest) -> JsonBody:
        """Return the state of an owner's memory. The page calls this at intervals."""
        config, status = request.config, await self._services.summaries.read_status(request.scope)
        async with self._services.memory.open_store(request.owner) as store:
            facts = await store.facts.read_revision(request.owner)
        return {
            "owner": request.owner,
            "thread": request.scope.thread,
            "is_group": request.is_group,
            "zone": _get_zone_name_or_utc(config),
            "language": request.language,
            "scopes": await self.list_conversations_as_json(request.owner),
            "memory": {
                "configured": config is not None,
                "enabled": bool(config and config.enabled),
                "incognito": bool(config and config.incognito),
                "storage": STORAGE_NAMES[config.storage] if config else "",
                "every_n": config.every_n if config else DEFAULT_EVERY_N,
                "auto_fold": config.auto_fold if config else True,
            },
            "counts": {**_serialize_message_and_summary_counts(status), "facts": facts},
            "folding": _serialize_summarizing_state(status),
            "rebuilding": status.rebuilding,
            "learning": status.history_extraction,
        }

    async def get_start_page(self, request: PageRequest) -> JsonBody:
        """Return what the page shows first: the state of a memory, and its newest messages if a limit is given."""
        newest = {"timeline": await self.get_timeline(request)} if request.parameters.read_integer("limit", 0) else {}
        return {"home": await self.get_memory_state(request), **newest}

    async def list_conversations_as_json(self, owner: int) -> list[dict[str, object]]:
        """Return an owner's conversations, grouped by topic. In each topic, `is_open` is True for the open one."""
        async with self._services.memory.open_store(owner) as store:
            threads = [scope.thread for scope in await store.list_scopes(owner) if 0 < scope.thread < FIRST_NUMBER]
            places = [Scope(owner=owner, thread=thread) for thread in (0, *threads[:MAX_PLACES])]
            return [
                {
                    **forms.serialize_fields(conversation, "label", "messages", "last_at", "is_open"),
                    "thread": conversation.scope.thread,
                    "place": place.thread,
                }
                for place in places
                for conversation in (await store.conversations.list_with_total(place, offset=0, limit=MAX_PLACES))[0]
            ]

    async def get_timeline(self, request: PageRequest) -> JsonBody:
        parameters, limit = request.parameters, request.parameters.read_integer("limit", 100)
        if not 1 <= limit <= MAX_ROWS:
            raise BadRequest(f"limit is 1 to {MAX_ROWS}.")
        before, after = parameters.read_optional_integer("before"), parameters.read_optional_integer("after")
        since = _find_start_of_local_day(request, parameters.read_day("day"))
        async with self._services.memory.open_store(request.owner) as store:
            found = await store.timeline.read_page(
                request.scope,
                before_id=before,
                after_id=after,
                since=since,
                speaker=parameters.read_text("speaker", MAX_NAME_CHARS),
                kind=_parse_timeline_kind(request),
                limit=limit + 1,  # the one beyond tells whether there are more
            )
            is_forwards = before is None and (after is not None or since is not None)
            has_more = len(found) > limit
            shown = (found[:limit] if is_forwards else found[-limit:]) if has_more else found
            chunks = sorted({message.chunk_id for message in shown if message.chunk_id is not None})
            summaries = await store.list_summaries(request.scope, active_only=False, ids=chunks) if chunks else []
        return {
            "messages": await asyncio.to_thread(lambda: [forms.serialize_message(message) for message in shown]),
            "summaries": [forms.serialize_summary(summary) for summary in summaries],
            "has_older": has_more if not is_forwards else True,
            "has_newer": has_more if is_forwards else before is not None,
        }

    async def list_speakers(self, request: PageRequest) -> JsonBody:
        async with self._services.memory.open_store(request.owner) as store:
            return {"speakers": list(await store.timeline.count_messages_by_speaker(request.scope))}

    async def get_message(self, request: PageRequest) -> JsonBody:
        async with self._services.memory.open_store(request.owner) as store:
            found = await store.read_messages(request.scope, [request.parameters.read_integer("id")])
            turn = await store.read_turn(request.scope, found[0].turn) if found else []
        if not found:
            raise RequestRefused(404, tr("forget-gone"))
        return {
            "message": forms.serialize_message(found[0], with_full_text=True),
            "turn": [forms.serialize_message(message) for message in turn[:MAX_ROWS]],
        }

    async def search_messages(self, request: PageRequest) -> JsonBody:
        parameters, kind = request.parameters, _parse_timeline_kind(request)
        query = " ".join(parameters.read_text("q", MAX_QUERY_CHARS).split())
        first = max(0, parameters.read_integer("first", 0))
        if not query:
            return {"found": [], "total": 0, "next": None, "before": None}
        speaker, until = parameters.read_text("speaker", MAX_NAME_CHARS), parameters.read_day("until")
        among: Sequence[Scope] = ()
        if parameters.read_flag("all", default=False):
            async with self._services.memory.open_store(request.owner) as store:
                among = [scope for scope in await store.list_scopes(request.owner) if scope.thread >= 0][:MAX_PLACES]
        page = await self._services.search.find_hit_page(
            request.scope,
            query,
            offset=first,
            limit=PAGE_SIZE,
            since=_find_start_of_local_day(request, parameters.read_day("since")),
            before=_find_start_of_local_day(request, until + timedelta(days=1) if until else None),
            other_scopes=among,
            max_near=MAX_NEAR,
            is_wanted=lambda message: matches_filter(message, kind) and (not speaker or message.speaker == speaker),
        )
        shown = page.found if page.next_offset is not None else (*page.found, *page.near)
        return {
            "found": await asyncio.to_thread(lambda: [forms.serialize_hit(hit) for hit in shown]),
            "total": page.total,
            "next": page.next_offset,
            "before": max(0, first - PAGE_SIZE),
        }

    async def list_facts(self, request: PageRequest) -> JsonBody:
        newest = (await self._services.facts.list_all(request.owner))[::-1][:MAX_FACTS_SENT]
        facts = await asyncio.to_thread(lambda: [*map(forms.serialize_fact, newest)])  # thousands would block the loop
        return {"longest": MAX_FACT_CHARS, "facts": facts}

    async def list_profiles(self, request: PageRequest) -> JsonBody:
        versions = (await self._services.distiller.list_versions(request.owner))[:MAX_ROWS]
        return {
            "versions": [forms.serialize_fields(version, "id", "text", "created_at", "model") for version in versions]
        }

    async def list_summaries(self, request: PageRequest) -> JsonBody:
        """Return all summaries without their texts. If the request has ids in `titled`, return only their titles."""
        ids = request.parameters.read_ids("titled")
        async with self._services.memory.open_store(request.owner) as store:
            found = (await store.list_summaries(request.scope, active_only=False, ids=ids or None))[-MAX_SUMMARIES:]
        if ids:
            return {"titles": {summary.id: forms.extract_first_sentence_as_title(summary.text) for summary in found}}
        return {"summaries": await asyncio.to_thread(lambda: [*map(forms.serialize_summary_metadata, found)])}

    async def get_summary(self, request: PageRequest) -> JsonBody:
        number = request.parameters.read_integer("id")
        async with self._services.memory.open_store(request.owner) as store:
            known = {summary.id: summary for summary in await store.list_summaries(request.scope, active_only=False)}
            if number not in known:
                raise RequestRefused(404, tr("forget-gone"))
            chosen = known[number]
            messages = await store.timeline.read_summary_messages(request.scope, number, limit=MAX_ROWS)
        parents = [other for other in known.values() if number in other.source_ids]
        sources = [known[source] for source in chosen.source_ids[:MAX_ROWS] if source in known]
        return {
            "summary": forms.serialize_summary(chosen),
            "sources": [forms.serialize_summary(summary) for summary in sources],
            "messages": [forms.serialize_message(message) for message in messages],
            "above": [forms.serialize_summary(parent) for parent in parents[:MAX_ROWS]],
        }

    async def list_explanations(self, request: PageRequest) -> JsonBody:
        """Return a page of explanations of the latest answers, newest first."""
        before = request.parameters.read_optional_integer("before")
        explained = self._services.explanations.explain_latest_answers_with_ids
        found = await explained(request.scope, before_id=before, limit=MAX_EXPLANATIONS + 1)
        turns: dict[int | None, Sequence[Message]] = {}
        async with self._services.memory.open_store(request.owner) as store:
            ids = [number for number, _ in found if number is not None]
            for answer in await store.read_messages(request.scope, ids):
                turns[answer.id] = await store.read_turn(request.scope, answer.turn)
        shown = found[:MAX_EXPLANATIONS]
        return {
            "answers": [forms.serialize_explanation(number, made, turns.get(number, ())) for number, made in shown],
            "next": shown[-1][0] if len(found) > MAX_EXPLANATIONS else None,
        }

    async def get_statistics(self, request: PageRequest) -> JsonBody:
        services = self._services
        status = await services.summaries.read_status(request.scope)
        used = await services.quota.list_daily_usage(request.owner, DAYS_OF_USE)
        priced = [usage for usage in used if usage.model in services.prices]
        cost = sum(services.prices[usage.model].calculate_cost(usage.used) for usage in priced)
        async with services.memory.open_store(request.owner) as store:
            made = await store.list_summaries(request.scope, active_only=False)
            texts = await store.explanations.list_latest_explanations(request.scope, limit=100)
        records = [record for _, text in texts if (record := parse_explanation_record(text)) is not None]
        return {
            **await self.count_messages_per_day(request),
            "usage": [
                {
                    **forms.serialize_fields(usage, "day", "model"),
                    **forms.serialize_fields(usage.used, "prompt", "completion", "answers"),
                }
                for usage in used
            ],
            "cost": {str(DAYS_OF_USE): cost or None},
            "room": await services.quota.count_tokens_left_if_limited(request.owner),
            "tokens_saved": status.tokens_saved,
            "answers": {
                "explained": len(records),
                "with_earlier": sum(bool(record.snippets or record.looked_up) for record in records),
                "with_facts": sum(bool(record.facts) for record in records),
            },
            "folds": _count_new_summaries_per_day(made, request.zone),
            "counts": _serialize_message_and_summary_counts(status),
        }

    async def count_messages_per_day(self, request: PageRequest) -> JsonBody:
        """Return the number of messages on each day that has any, in the owner's time zone."""
        async with self._services.memory.open_store(request.owner) as store:
            hours = await store.timeline.count_messages_by_hour(request.scope)
        messages = Counter[str]()
        for hour, count in hours:
            messages[hour.astimezone(request.zone).date().isoformat()] += count
        return {"days": sorted(messages.items())}

    async def get_settings(self, request: PageRequest) -> JsonBody:
        config, every_n = request.config, request.config.every_n if request.config else DEFAULT_EVERY_N
        offered = [choice for choice in list_changeable_settings(self._services) if choice.is_offered(config)]
        rows: dict[str, list[dict[str, object]]] = {choice.group: [] for choice in offered}
        for choice in offered:
            value = _get_zone_name_or_utc(config) if choice.name == "timezone" else choice.get_value_or_default(config)
            about = tr(f"policy-about-{value}", turns=every_n) if choice.name == "policy" else ""
            rows[choice.group].append(forms.serialize_setting(choice, value, hint=about))
        is_private, days = not request.is_group, self._settings.retention_days
        return {
            "groups": [(tr(group), listed) for group, listed in rows.items()],
            "thresholds": OFFERED_THRESHOLDS,
            "most_every_n": MAX_EVERY_N,
            "privacy": remove_commands(format_privacy_text(config, is_private=is_private, retention_days=days)),
        }

    async def list_reminders(self, request: PageRequest) -> JsonBody:
        reminders = await self._services.reminders.list_reminders(request.owner)
        listed = [(reminder.id, reminder.text, format_due_time(reminder, request.zone)) for reminder in reminders]
        return {"reminders": [{"id": number, "text": text, "when": when} for number, text, when in listed]}


def _parse_timeline_kind(request: PageRequest) -> TimelineKind:
    given = request.parameters.read_text("kind", MAX_NAME_CHARS)
    if given not in TIMELINE_KINDS:
        raise BadRequest(f"kind is one of {', '.join(filter(None, TIMELINE_KINDS))}.")
    return given


def _find_start_of_local_day(request: PageRequest, day: date | None) -> datetime | None:
    return datetime.combine(day, clock_time(), request.zone) if day else None


def _get_zone_name_or_utc(config: OwnerConfig | None) -> str:
    return (config.timezone if config else "") or "UTC"


def _serialize_message_and_summary_counts(status: Status) -> dict[str, int]:
    figures = forms.serialize_fields(status.counts, "total", "archived", "active_turns", "characters")
    return {**figures, "summaries": sum(status.counts.active_by_level.values())}


def _serialize_summarizing_state(status: Status) -> dict[str, object] | None:
    if status.is_folding:
        return {"state": "processing", "error": None}
    if status.failure:
        return {"state": "failed", "error": status.failure.error}
    return None


def _count_new_summaries_per_day(summaries: Sequence[Summary], zone: tzinfo) -> list[dict[str, object]]:
    groups: dict[tuple[str, int], list[Summary]] = {}
    for summary in summaries:
        day = summary.created_at.astimezone(zone).date().isoformat()
        groups.setdefault((day, summary.level), []).append(summary)
    return [
        {
            "day": day,
            "level": level,
            "count": len(summaries),
            "milliseconds": sum(summary.milliseconds for summary in summaries),
            "tokens_in": sum(summary.tokens_in for summary in summaries),
            "tokens_out": sum(summary.tokens_out for summary in summaries),
        }
        for (day, level), summaries in sorted(groups.items())
    ]
