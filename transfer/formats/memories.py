"""Read another assistant's memories of a person as facts. Instructions among them are not followed."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

from locales.catalog import tr
from records.errors import ImportRefused
from transfer.formats.conversations import HistoryBuilder, ImportFormat
from transfer.formats.history import ImportedFact, SourceFile
from transfer.formats.json_stream import NotJson
from transfer.formats.members import MAX_DEPTH
from transfer.formats.values import as_object, as_text, read_list

_LINE = re.compile(
    r"^\s{0,12}(?:[-*•–—]\s+|\d{1,4}[.)]\s+)?(?:\[([^\]\n]{0,40})\][\s.:–—-]*|(\d{4}-\d\d-\d\d)[\s:–—-]+)?(.*)$"
)
_ITEM = re.compile(
    r"^\s{0,12}(?:[-*•–—]\s+\S|\d{1,4}[.)]\s+\S|\[[^\]\n]{0,40}\]\s*[-–—:.]\s*\S|\d{4}-\d\d-\d\d\s*[-–—:])"
)
_HEADING = re.compile(r"\s*(?:#|---|```|\*\*[^*\n]*\*\*:?\s*$)")
_FENCED = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
SHARE = 0.5  # a text with this share of list items counts as a list of memories
_NAMES = ["memory", "fact"]
_TEXTS = [*_NAMES, "content", "text"]
_LISTS = frozenset({"memories", "memory", "facts"})


def parse_memories(text: str, *, is_list: bool | None = None) -> Iterator[ImportedFact]:
    """Yield a fact for each line, or for each list item if `is_list` (default: if the text has list items)."""
    lines = [line for line in text.splitlines() if line.strip() and not _HEADING.match(line)]
    is_list = any(map(_ITEM.match, lines)) if is_list is None else is_list
    found: list[tuple[str, datetime | None]] = []
    for line in lines:
        if is_list and not _ITEM.match(line):
            if found and line[:1].isspace():
                found[-1] = (f"{found[-1][0]} {line.strip()}", found[-1][1])
            continue
        [(bracket, day, words)] = _LINE.findall(line)
        said_at = _parse_date(bracket or day)
        words = words if said_at or not bracket or _ITEM.match(f"[{bracket}] - x") else line
        found.append((words.strip().strip("*_").strip(), said_at))
    for words, said_at in found:
        if len(words) > 2:
            yield ImportedFact(text=words, observed_at=said_at)


def read_memories(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    for file in files:
        if fenced := _FENCED.findall(file.text):  # the answer itself; around it are words about it
            file.text = "\n".join(fenced)
        listed = _read_json_facts(file) if file.text.lstrip()[:1] in ("[", "{") else None
        if listed == []:
            builder.read_files([file], partial(_add_observations, builder), "observations")
        builder.facts += parse_memories(file.text) if listed is None else listed
    if not builder.facts and files[0].text.lstrip()[:1] not in ("[", "{"):
        raise ImportRefused(tr("import-no-memories"))


def _read_json_facts(file: SourceFile) -> list[ImportedFact] | None:
    stream, values = file.open_json(), []
    try:
        for _, _, part in stream.iterate_names_offsets_and_streams():
            with suppress(*([NotJson] if part is not stream else [])):  # one line of many may be damaged
                values.append(part.read_value())
    except ImportRefused:
        return None
    return list(_iterate_facts(values, _TEXTS if file.text.lstrip()[0] == "[" else _NAMES))


def _iterate_facts(value: object, keys: Sequence[str], depth: int = 0) -> Iterator[ImportedFact]:
    """Yield the facts in the lists of a value. In a list of another name, "text" and texts alone may be anything."""
    if isinstance(value, list):
        for item in value:
            fact = _parse_fact(item, keys) if isinstance(item, dict) or keys is _TEXTS else None
            yield from [fact] if fact else _iterate_facts(item, keys, depth + 1)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        for name, member in value.items():
            yield from _iterate_facts(member, _TEXTS if name in _LISTS else _NAMES, depth + 1)


def _add_observations(builder: HistoryBuilder, raw: object) -> None:
    """Add the observations about one entity in a file of MCP's memory server, each as a fact."""
    entity = as_object(raw)
    name, texts = as_text(entity.get("name")), filter(None, map(as_text, read_list(entity, "observations")))
    builder.facts += (ImportedFact(text=f"{name}: {text}") for text in texts if name)


def _parse_fact(value: Any, keys: Sequence[str]) -> ImportedFact | None:
    held = value if isinstance(value, dict) else {"memory": value}
    text = next((held[name] for name in keys if isinstance(held.get(name), str)), "")
    said_at = next(
        (_parse_date(str(held[name])) for name in ("date", "created_at", "updated_at", "saved") if held.get(name)), None
    )
    return ImportedFact(text=text, observed_at=said_at) if text.strip() else None


def _parse_date(text: str) -> datetime | None:
    with suppress(ValueError, IndexError):
        return datetime.fromisoformat(_DATE.findall(text)[0]).replace(tzinfo=UTC)
    return None


def _is_memory_list(file: SourceFile) -> bool:
    lines = [line for line in file.sample.splitlines() if line.strip() and not line.startswith("```")]
    items = sum(bool(_ITEM.match(line)) for line in lines)
    return not file.is_json and items > 0 and items >= SHARE * len(lines)


FORMAT = ImportFormat(name="memories", fits=_is_memory_list, read=read_memories)
