"""What the model is asked about facts: the schema, and the answer read defensively. Pure.

Anything that is not a fact with words and a source is left out; an answer that is no list of facts is told apart from
an empty list. Does not know the instructions (llm/prompts.py), or whether a fact is true to its source.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, cast, get_args

from facts.fingerprint import topics
from records.facts import FactKind, NewFact
from records.messages import Message
from text.characters import well_formed

LONGEST_TEXT = 300
LONGEST_SUBJECT = 60
MOST_TAGS = 6
MOST_FACTS = 30
KINDS: tuple[FactKind, ...] = get_args(FactKind)

_DATE_OR_NULL = {"type": ["string", "null"], "description": "YYYY-MM-DD, YYYY-MM or YYYY; null when not said"}
_PROPERTIES: Mapping[str, object] = {
    "text": {"type": "string", "description": "one sentence, third person, dates absolute"},
    "type": {"type": "string", "enum": list(KINDS)},
    "subject": {"type": "string", "description": "what it is about: home, job, cat's name"},
    "importance": {"type": "integer", "description": "1 trivial to 5 vital"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "sources": {"type": "array", "items": {"type": "integer"}},
    "since": _DATE_OR_NULL,
    "until": _DATE_OR_NULL,
    "only_one": {"type": "boolean"},
    "relation": {"type": "string", "enum": ["new", "repeats", "replaces"]},
    "known": {"type": ["integer", "null"]},
}
_FACT = {"type": "object", "additionalProperties": False, "required": list(_PROPERTIES), "properties": _PROPERTIES}
FACTS_SCHEMA: Mapping[str, object] = {
    "name": "facts",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["facts"],
        "properties": {"facts": {"type": "array", "items": _FACT}},
    },
}
"""The answer's shape, as `response_format` of type json_schema takes it."""

_OPENING = re.compile(r"[{\[]")


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractedFact:
    """One fact as the model wrote it: the types are right, nothing else is checked."""

    text: str
    kind: FactKind
    subject: str
    importance: float
    tags: tuple[str, ...]
    sources: tuple[int, ...]
    since: str
    until: str
    only_one: bool
    relation: Literal["new", "repeats", "replaces"]
    known: int | None


def parse(answer: str) -> list[ExtractedFact] | None:
    """The facts of an answer; None where it is no list of facts."""
    items = _items(answer)
    if items is None:
        return None
    found = [fact for fact in map(_fact, items[:MOST_FACTS]) if fact is not None]
    # A list of things that are no facts at all is as unreadable as no list.
    return found if found or not items else None


def new_facts(
    extracted: Sequence[ExtractedFact], messages: Sequence[Message], *, known: Collection[int], zone: tzinfo
) -> list[NewFact]:
    """The extracted facts with their sources among these messages. A fact that has none is left out.

    `known`: the ids of the facts that the model was shown; `zone`: the owner's, in which dates are meant.
    """
    by_id = {message.id: message for message in messages}
    made = []
    for one in extracted:
        ids = tuple(dict.fromkeys(id_ for id_ in one.sources if id_ in by_id)) or _likely(one.text, messages)
        if not ids:
            continue
        observed_at = max(by_id[id_].created_at for id_ in ids)
        since, until = day_of(one.since, zone), day_of(one.until, zone, end=True)
        if until is not None and until > observed_at:
            until = None  # a plan's end is no end yet
        valid_from = since if since is not None and (until is None or since <= until) else observed_at
        made.append(
            NewFact(
                text=one.text,
                kind=one.kind,
                subject=one.subject,
                source_ids=ids,
                observed_at=observed_at,
                valid_from=min(valid_from, until) if until else valid_from,
                valid_to=until,
                importance=one.importance,
                tags=one.tags,
                only_one=one.only_one,
                relation=one.relation,
                known=one.known if one.known in known else None,
            )
        )
    return made


def day_of(text: str, zone: tzinfo, *, end: bool = False) -> datetime | None:
    """The first moment (`end`: of the last day) of a written date, in UTC; None where the text is no date."""
    match = re.match(r"\s*(\d{4})(?:-(\d\d?))?(?:-(\d\d?))?", text)
    if match is None:
        return None
    year, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        moment = datetime(year, month or (12 if end else 1), day or 1, tzinfo=zone)
        if end and not day:
            moment = moment.replace(day=_last_day(moment.year, moment.month))
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _last_day(year: int, month: int) -> int:
    return (datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - timedelta(days=1)).day


def _items(answer: str) -> list[object] | None:
    """The list in an answer, whatever is around it."""
    decoder = json.JSONDecoder()
    for opening in _OPENING.finditer(answer[:2000]):
        try:
            value, _ = decoder.raw_decode(answer, opening.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list):
            return cast("list[object]", value)
        if isinstance(value, dict):
            inside = value.get("facts")
            if isinstance(inside, list):
                return cast("list[object]", inside)
            return [value] if _text(value) else None
    return None


def _fact(item: object) -> ExtractedFact | None:
    if not isinstance(item, dict) or not _text(item):
        return None
    kind = str(item.get("type") or item.get("kind") or "").strip().lower()
    relation = str(item.get("relation") or "").strip().lower()
    return ExtractedFact(
        text=_text(item),
        kind=kind if kind in KINDS else "knowledge",
        subject=_line(item.get("subject"), LONGEST_SUBJECT).casefold(),
        importance=(min(5, max(1, _whole(item.get("importance")) or 3)) - 1) / 4,
        tags=tuple(dict.fromkeys(tag for tag in (_line(one, 30).casefold() for one in _list(item, "tags")) if tag))[
            :MOST_TAGS
        ],
        sources=tuple(number for number in (_whole(one) for one in _list(item, "sources")) if number is not None),
        since=_line(item.get("since"), 40),
        until=_line(item.get("until"), 40),
        only_one=item.get("only_one") is True,
        relation=cast(Literal["repeats", "replaces"], relation) if relation in ("repeats", "replaces") else "new",
        known=_whole(item.get("known")),
    )


def _text(item: Mapping[str, object]) -> str:
    for name in ("text", "fact", "content", "statement"):
        if isinstance(item.get(name), str):
            text = _line(item[name], LONGEST_TEXT + 1)
            return text if len(text) <= LONGEST_TEXT and any(character.isalnum() for character in text) else ""
    return ""


def _line(value: object, most: int) -> str:
    """A value as one line, at most so many characters."""
    return " ".join(well_formed(value).replace("\0", " ").split())[:most] if isinstance(value, str) else ""


def _list(item: Mapping[str, object], name: str) -> Iterator[object]:
    value = item.get(name)
    yield from value if isinstance(value, list) else () if value is None else (value,)


def _whole(value: object) -> int | None:
    """A whole number, also one written as a text ("#41", "#-7"); None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    match = re.fullmatch(r"\s*#?(-?\d{1,15})(?:\.0)?\s*", str(value))
    return int(match[1]) if match else None


def _likely(text: str, messages: Sequence[Message]) -> tuple[int, ...]:
    """The message that shares most words with a fact whose source the model did not give."""
    about = topics(text)
    shared = [(len(about & topics(message.content)), message.id) for message in messages]
    most, id_ = max(shared, default=(0, 0))
    return (id_,) if most else ()
