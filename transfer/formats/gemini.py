"""Read Gemini exports: MyActivity from Takeout in JSON or HTML, Workspace conversations, and AI Studio prompts."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any

from locales.catalog import tr
from records.errors import ImportRefused
from text.web_pages import Block, extract_text, iterate_blocks
from text.written_dates import detect_language, find_date, parse_written_date_and_time
from transfer.formats.conversations import HistoryBuilder, ImportedTurn, ImportFormat, hash_parts
from transfer.formats.history import SkipElement, SourceFile
from transfer.formats.members import collect_text
from transfer.formats.values import (
    InvalidElement,
    as_object,
    as_text,
    parse_json,
    read_list,
    require_moment,
    require_object,
    select_objects,
)

_PRODUCT = re.compile("gemini|bard", re.IGNORECASE)
_PROMPTED = re.compile(r"^(?:Prompted|Asked|Live Prompt|Eingegebener Prompt:|Prompt\s?:|Said)(?:\s+|$)", re.IGNORECASE)
_OTHER = re.compile(r"^(?:Used|Created|Gave|Selected|Viewed|Visited|Searched|Cleared|Turned)\b")
# The words before a prompt in the language of a file. Google sets them off by a colon or a space that does not break.
_TITLE = re.compile(r'"title":\s*("(?:[^"\\]|\\.)*+")')
_RARE_VERB = re.compile("^(?:Branched|Added chat from link:) ")  # ids are made with it
_CANVAS = re.compile("[^\u00a0:：\n]{1,60}\u00a0(?P<title>.*)\n(?P<text>(?s:.*\\S.*))")
_TITLE_PREFIX = re.compile("[^\u00a0:：\n]{1,40}(?:\u00a0: ?|[:：] ?|\u00a0)")
MAX_PREFIX_WORDS = 4
MIN_PREFIX_SHARE = 0.7  # the share of titles that must begin with the prefix. The others describe other actions.
_SAID = ("request", "response")
_UNSEEN = ("isThought", "executableCode", "errorMessage")
_SPACES = re.compile(r"[\u202f\u00a0]")
# A short line with a year and a clock with seconds, which Google writes and hardly any prompt has.
_FULL_DATE = re.compile(r"(?=.{8,80}$)(?=.*\d{4}).*\d(?:[:.]| h )\d\d(?:[:.]| min )\d\d(?!\d)")


def read_prompts(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    for file in files:
        if file.first_char == "<":
            _add_page_records(file, builder)
        else:
            titles = [as_text(parse_json(title)) for title in _TITLE.findall(file.text)]
            prefix = _find_title_prefix(titles)
            builder.read_files([file], partial(_add_record_or_chat, builder, file.name, prefix))


def _find_title_prefix(titles: Sequence[str]) -> str:
    """Return the prefix that Google adds to titles, or "" if too few titles share one."""
    prefixes = Counter(found[0] for title in titles if (found := _TITLE_PREFIX.match(title)))
    [(prefix, count)] = prefixes.most_common(1) or [("", 0)]
    if count > (1 if "\u00a0" in prefix else max(1, len(titles) // 2)):
        return prefix
    words = [title.split(" ") for title in titles if not _PROMPTED.match(title)]  # nothing sets off their prefix
    begun = Counter(
        " ".join(some[:end]) + " " for some in words for end in range(1, min(len(some), MAX_PREFIX_WORDS + 1))
    )
    common = [start for start, count in begun.items() if count > max(2, MIN_PREFIX_SHARE * len(titles))]
    return max(common, key=len, default="")


def _add_record_or_chat(builder: HistoryBuilder, file_name: str, title_prefix: str, raw: object) -> None:
    value = require_object(raw)
    if "chunkedPrompt" in value:
        chunks = read_list(require_object(value["chunkedPrompt"], ".chunkedPrompt"), "chunks", ".chunkedPrompt")
        shown = (chunk for chunk in chunks if not any(map(as_object(chunk).get, _UNSEEN)))
        builder.add_conversation({"title": file_name}, shown, _read_turn, file_name, ".chunkedPrompt.chunks")
    elif "conversation_turns" in value:
        turns = read_list(value, "conversation_turns")
        builder.add_conversation(value, turns, _read_turn, as_text(value.get("title")), ".conversation_turns")
    elif _PRODUCT.search(as_text(value.get("header"))):
        said_at = require_moment(value.get("time"), ".time", builder.reading.zone)
        answers = [extract_text(as_text(item.get("html"))) for item in select_objects(read_list(value, "safeHtmlItem"))]
        title, answer = as_text(value.get("title")), "\n\n".join(filter(None, answers))
        details = select_objects(value.get("details"))
        held = {as_text(part.get("name")).lower(): part.get("value") for part in details}
        for part in select_objects(value.get("userInteractions")):
            held |= as_object(part.get("userInteraction"))
        if "request" in held:  # where the title only says that Gemini was used
            request, answer = (collect_text(parse_json(text := as_text(held.get(name))) or text) for name in _SAID)
            title, title_prefix = f"Prompted\u00a0{request}", ""
        _add_prompt_and_answer(title, answer, said_at, title_prefix, builder)


def _add_prompt_and_answer(title: str, answer: str, said_at: datetime, prefix: str, builder: HistoryBuilder) -> None:
    """Add the prompt and the answer of a MyActivity record. Raise SkipElement if the record is not a prompt."""
    given, make = title, builder.make_message
    title, own = _SPACES.sub(" ", title).strip(), _SPACES.sub(" ", title.removeprefix(prefix)).strip()
    prompt = _PROMPTED.sub("", own)
    name = hash_parts(said_at.isoformat(), prompt)
    if prompt == title and (_OTHER.match(title) or not answer):
        if answer or not (canvas := _CANVAS.match(given)):
            raise SkipElement("service")
        builder.append_chat([make(name, "assistant", canvas["text"].strip(), said_at)], canvas["title"], kind="prompts")
        return
    builder.skipped["wordless"] += not prompt
    shown = _RARE_VERB.sub("", prompt) if prompt == title else prompt
    said = [make(name, "user", shown, said_at), make(name, "assistant", answer, said_at)]
    builder.append_chat([message for message in said if message.content], kind="prompts")


def _add_page_records(file: SourceFile, builder: HistoryBuilder) -> None:
    records = [
        _read_record_lines(cell)
        for block in iterate_blocks(file.text, "outer-cell")
        if _PRODUCT.search(block.find_text("header-cell")) and (cell := block.find("content-cell"))
    ]
    prefix = _find_title_prefix([lines[0] for lines in records if lines])
    dated = [line for lines in records for line in lines if _FULL_DATE.match(line)]
    language = detect_language(dated)
    written = [found[:2] for line in dated if (found := find_date(line)) and not found[1]]
    order = builder.choose_date_order(written) if written else ""
    dates = [_find_date_line(lines, language, order, builder.reading.zone) for lines in records]
    if records and not any(dates):
        raise ImportRefused(tr("import-gemini-date"))
    for number, (lines, date) in enumerate(zip(records, dates, strict=True)):
        with builder.skip_failures(f"{file.path}[{number}]"):
            if date is None:
                raise InvalidElement(".time")
            at, said_at = date
            _add_prompt_and_answer("\n".join(lines[:at]), "\n".join(lines[at + 1 :]).strip(), said_at, prefix, builder)


def _read_record_lines(cell: Block) -> list[str]:
    """Return the lines of a record, except its list of attached files and that list's heading."""
    lines = cell.get_text().splitlines()
    links = [part for part in cell.parts if isinstance(part, Block) and part.tag == "a"]
    names = {f"- {part.get_text()}" for part in links if ":" not in part.attributes.get("href", ":")}
    files = [number for number, line in enumerate(lines) if " ".join(line.split()) in names]
    return lines[: files[0] - 1] + lines[files[-1] + 1 :] if files and files[0] > 1 else lines


def _find_date_line(lines: Sequence[str], language: str, order: str, zone: tzinfo) -> tuple[int, datetime] | None:
    for number, line in enumerate(lines):
        with suppress(ValueError, OverflowError):
            if _FULL_DATE.match(line):
                moment = parse_written_date_and_time(_SPACES.sub(" ", line), language, order)
                return number, (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    return None


def _read_turn(turn: Mapping[str, Any], _: datetime) -> ImportedTurn:
    """Read a turn of AI Studio or of a Workspace conversation."""
    if isinstance(user := turn.get("user_turn"), dict):
        return ImportedTurn("user", as_text(user.get("prompt")))
    if "system_turn" in turn:
        parts = select_objects(as_object(turn["system_turn"]).get("text"))
        return ImportedTurn("model", "\n".join(as_text(part.get("data")) for part in parts))
    texts = [as_text(part.get("text")) for part in select_objects(turn.get("parts")) if not part.get("thought")]
    return ImportedTurn(turn.get("role"), as_text(turn.get("text")) or "".join(texts))


def _is_gemini_file(file: SourceFile) -> bool:
    is_page = file.first_char == "<" and "outer-cell" in file.sample and "header-cell" in file.sample
    return (is_page or {"header", "title", "time"} <= file.names) and bool(_PRODUCT.search(file.sample))


FORMAT = ImportFormat(
    name="gemini",
    product="Gemini",
    marks=("chunkedPrompt", "conversation_turns"),
    fits=_is_gemini_file,
    read=read_prompts,
    members=re.compile(r"\A[^/]*/(?:my ?activity\.(?:json|html)|conversation_[^/]*\.txt)"),
)
