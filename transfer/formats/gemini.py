"""Gemini: Takeout's MyActivity (JSON, HTML), conversations of Workspace, and AI Studio's prompts → messages.

Takeout knows no conversations: each record is a prompt, mostly with its answer. Records of other products are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from locales.catalog import LANGUAGES, tr
from records.errors import ImportRefused
from records.messages import Role
from transfer.formats.conversations import (
    ROLES,
    Conversations,
    demand_list,
    demand_moment,
    demand_object,
    moment,
    text_of,
    turn,
    unhashable_free,
)
from transfer.formats.history import (
    ImportedHistory,
    ImportedMessage,
    ImportFormat,
    Reading,
    Sample,
    SourceFile,
    fingerprint,
    titled,
)
from transfer.formats.html_blocks import Block, blocks, text_in
from transfer.formats.written_dates import WrittenDate, moment_of, months_of, written

_PRODUCTS = ("gemini", "bard")
_PROMPTED = re.compile(r"^(?:Prompted|Asked|Live Prompt|Prompt\s?:|Said)(?:[\s\u00a0]+|$)", re.IGNORECASE)
_OTHER = re.compile(r"^(?:Used|Created|Gave|Selected|Viewed|Visited|Searched|Cleared|Turned)\b")
_VERB = re.compile(r'"title":\s*"([^"\\\u00a0]{1,40})(?:\u00a0|\\u00a0)')
"""What stands before a prompt in the language of a file: Google sets it off by a space that does not break."""
_SPACES = re.compile(r"[\u202f\u00a0]")


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    talks = Conversations("gemini")
    for file in files:
        if file.text.lstrip()[:1] == "<":
            for pair in _page(file, reading.zone, talks):
                talks.add(pair)
        else:
            verb = _most(_VERB.findall(file.text))
            talks.read([file], partial(_object, PurePosixPath(file.path).name, reading, verb, talks))
    return talks.history(reading)


def _most(verbs: Sequence[str]) -> str:
    """The one that is there more than once, and most often; else none: a prompt may have such a space itself."""
    return next((verb for verb, count in Counter(verbs).most_common(1) if count > 1), "")


def _object(name: str, reading: Reading, verb: str, talks: Conversations, raw: object) -> list[ImportedMessage]:
    value = demand_object(raw)
    if "chunkedPrompt" in value:
        return _studio(value, name, reading)
    if "conversation_turns" in value:
        return _workspace(value, reading)
    return _record(value, reading.zone, verb, talks)


def _record(raw: dict[str, Any], zone: tzinfo, verb: str, talks: Conversations) -> list[ImportedMessage]:
    """One record of MyActivity.json. Verbs are localised: without a known one it is a prompt where it has an answer."""
    if not any(name in text_of(raw.get("header")).lower() for name in _PRODUCTS):
        return []
    said_at = demand_moment(raw.get("time"), ".time", zone)
    answers = [
        text_in(text_of(one.get("html")))
        for one in demand_list(raw.get("safeHtmlItem"), ".safeHtmlItem")
        if isinstance(one, dict)
    ]
    return _pair(text_of(raw.get("title")), "\n\n".join(filter(None, answers)), said_at, verb, talks)


def _pair(title: str, answer: str, said_at: datetime, verb: str, talks: Conversations) -> list[ImportedMessage]:
    own = title.removeprefix(f"{verb}\u00a0") if verb else title
    title, own = _SPACES.sub(" ", title).strip(), _SPACES.sub(" ", own).strip().removeprefix(": ")
    prompt = _PROMPTED.sub("", own)
    if prompt == title and (_OTHER.match(title) or not answer):
        talks.skipped["service"] += 1
        return []
    talks.skipped["wordless"] += not prompt
    name = f"import:gemini:{fingerprint(said_at.isoformat(), prompt)}"
    said: Sequence[tuple[Role, str]] = (("user", prompt), ("assistant", answer))
    return [turn(name, role, words, said_at) for role, words in said if words]


def _page(file: SourceFile, zone: tzinfo, talks: Conversations) -> Iterator[list[ImportedMessage]]:
    """The records of MyActivity.html: each a prompt, a line with the date, and mostly an answer. Raises ImportRefused
    where a date is in no language that is known.
    """
    cells = [_cell(block) for block in blocks(file.text, "outer-cell")]
    verb = _most(
        [lines[0].partition("\u00a0")[0] for lines, _ in filter(None, cells) if lines and "\u00a0" in lines[0]]
    )
    months = months_of([date for cell in cells if cell for date in cell[1]], LANGUAGES)
    for cell in filter(None, cells):
        lines, dates = cell
        for date, at in dates.items():
            if said_at := moment_of(date, months, zone):
                yield _pair("\n".join(lines[:at]), "\n".join(lines[at + 1 :]).strip(), said_at, verb, talks)
                break
        else:
            raise ImportRefused(tr("import-gemini-date"))


def _cell(block: Block) -> tuple[list[str], dict[WrittenDate, int]] | None:
    """The lines of a record of Gemini, and those among them that may be its date."""
    if not any(name in block.text_of("header-cell").lower() for name in _PRODUCTS):
        return None
    lines = block.text_of("content-cell").splitlines()
    dates: dict[WrittenDate, int] = {}
    for number, line in enumerate(lines):
        if date := written(_SPACES.sub(" ", line)):
            dates.setdefault(date, number)
    return lines, dates


def _studio(raw: dict[str, Any], name: str, reading: Reading) -> list[ImportedMessage]:
    chunks = demand_list(demand_object(raw["chunkedPrompt"], ".chunkedPrompt").get("chunks"), ".chunkedPrompt.chunks")
    turns: list[tuple[object, str, datetime | None]] = []
    for number, one in enumerate(chunks):
        chunk = demand_object(one, f".chunkedPrompt.chunks[{number}]")
        if chunk.get("isThought") or "executableCode" in chunk or "errorMessage" in chunk:
            continue
        parts = chunk.get("parts")
        inner = (
            [one.get("text") for one in parts if isinstance(one, dict) and not one.get("thought")]
            if isinstance(parts, list)
            else []
        )
        words = text_of(chunk.get("text")) or "".join(map(text_of, inner))
        turns.append((chunk.get("role"), words, moment(chunk.get("createTime"), ".createTime", reading.zone)))
    return titled(_turns(name, turns, reading.now), name)


def _workspace(raw: dict[str, Any], reading: Reading) -> list[ImportedMessage]:
    began = moment(raw.get("creation_time"), ".creation_time", reading.zone) or reading.now
    turns: list[tuple[object, str, datetime | None]] = []
    for number, one in enumerate(demand_list(raw["conversation_turns"], ".conversation_turns")):
        turn = demand_object(one, f".conversation_turns[{number}]")
        user, system = turn.get("user_turn"), turn.get("system_turn")
        if isinstance(user, dict):
            turns.append(("user", text_of(user.get("prompt")), began))
        if isinstance(system, dict):
            parts = system.get("text")
            words = (
                [text_of(one.get("data")) for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []
            )
            turns.append(("model", "\n".join(words), began))
    title = text_of(raw.get("title"))
    return titled(_turns(title, turns, began), title)


def _turns(title: str, turns: Sequence[tuple[object, str, datetime | None]], began: datetime) -> list[ImportedMessage]:
    made: list[ImportedMessage] = []
    last = began
    for number, (given, words, said_at) in enumerate(turns):
        role = ROLES.get(unhashable_free(given))
        last = said_at or last
        if role is None or not words.strip():
            continue
        source = f"import:gemini:{fingerprint(title, number, role, words)}"
        made.append(turn(source, role, words.strip(), last))
    return made


def _fits(sample: Sample) -> bool:
    if sample.opening:
        is_activity = {"header", "title", "time"} <= sample.names
        return is_activity or bool(sample.names & {"chunkedPrompt", "conversation_turns"})
    return sample.text.lstrip()[:1] == "<" and "outer-cell" in sample.text and "header-cell" in sample.text


FORMAT = ImportFormat(
    name="gemini",
    product="Gemini",
    fits=_fits,
    read=read,
    members=lambda _, name: (
        name.replace(" ", "") in ("myactivity.json", "myactivity.html")
        or (name.startswith("conversation_") and name.endswith(".txt"))
    ),
)
