"""Write and read the files of /export, with every row of an owner's memory, table by table (see docs/export.md)."""

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import IO, Any, Literal, TypeGuard

from locales.catalog import tr
from records.errors import ImportRefused
from records.messages import Origin
from transfer.formats.conversations import ImportFormat
from transfer.formats.history import ImportedHistory, ImportedMessage, SourceFile, add_import_prefix
from transfer.formats.values import InvalidElement, as_text, make_element_error, require_moment, require_object

MARK = "keepsake-export"
VERSION = 1
MAX_PARTS = 10_000  # files of one export; each has some 48 MB
MAX_NAME_CHARS = 64  # characters of the name that all files of an export share
MAX_ID = 2**52  # the largest id. Telegram's have at most 52 significant bits, and ours are smaller.
MAX_MESSAGE_CHARS = 120_000  # characters. The longest message that this bot stores is a text pasted in 25 pieces.
_encode_json = partial(json.dumps, ensure_ascii=False)
_END = re.compile(rb',\n  "signature": "([0-9a-f]{8}):([0-9a-f]{64})"\n\}\s*$')
MAX_END_BYTES = 200  # bytes at the end of a file that contain its signature

Signer = Literal["here", "altered", "elsewhere"]  # "altered": signed by this bot, and changed since
_KEPT_ORIGINS: tuple[Origin, ...] = ("forwarded", "document", "picture", "tool")  # others become "imported"


class ExportFile:
    """A file of an export. Add rows table by table, then finish it. All files of an export share `name`."""

    def __init__(self, file: IO[bytes], *, owner: int, exported_at: datetime, name: str, part: int = 1) -> None:
        self.size = 0
        self.counts: Counter[str] = Counter()
        self.file = file
        self._digest = hashlib.sha256()
        self._table: str | None = None
        moment = exported_at.astimezone(UTC).isoformat(timespec="seconds")
        head = {"format": MARK, "version": VERSION, "owner": owner, "exported_at": moment, "export": name, "part": part}
        self._write_text("{\n" + ",\n".join(f'  "{name}": {_encode_json(value)}' for name, value in head.items()))

    def add_rows(self, rows: Iterable[Mapping[str, object]]) -> None:
        """Write rows, each of which names its table under the key "table"."""
        for row in rows:
            table = str(row["table"])
            begins = f'\n  ],\n  "{table}": [\n' if self._table else f',\n  "{table}": [\n'
            between = ",\n" if table == self._table else begins
            self._table = table
            kept = {name: value for name, value in row.items() if name not in ("table", "user_id")}
            self._write_text(f"{between}    {_encode_json(kept)}")
            self.counts[table] += 1

    def finish_and_sign(self, *, has_next_file: bool, key: bytes) -> None:
        """Finish the file and sign it with `key`. `has_next_file` is True if another file follows."""
        self._write_text(("\n  ]" if self._table else "") + f',\n  "more": {_encode_json(has_next_file)}')
        self._write_text(f',\n  "signature": "{make_signature(key, self._digest.hexdigest())}"\n}}\n')

    def _write_text(self, text: str) -> None:
        written = text.encode("utf-8", "replace")
        self._digest.update(written)
        self.size += self.file.write(written)


def read_export(file: SourceFile) -> ImportedHistory:
    """Read an export. Raise ImportRefused if a row is invalid or the version is unknown."""
    stream = file.open_json()
    tables: dict[str, list[dict[str, object]]] = {}
    facts: dict[str, object] = {"version": None, "owner": None, "part": 1, "more": False, "export": None}
    messages: list[ImportedMessage] = []
    for name in stream.iterate_keys():
        if stream.peek_next_character() != "[":
            facts[name] = stream.read_value()
            if name == "version" and facts[name] != VERSION:
                raise ImportRefused(tr("import-version", version=str(facts[name])[:20], known=str(VERSION)))
            continue
        rows = tables.setdefault(name, [])
        for number in stream.iterate_element_indexes():
            at, value = stream.at, stream.read_value()
            try:
                rows.append(require_object(value))
                if name == "messages":
                    messages.append(_parse_message(rows[-1], facts["owner"]))
            except InvalidElement as wrong:
                place = wrong.describe_place(f"{name}[{number}]", stream.find_line_number(at))
                raise make_element_error(place) from None
    stream.expect_end()
    if not isinstance(facts["owner"], int) or isinstance(facts["owner"], bool):
        raise make_element_error("owner")
    part, called = facts["part"], facts["export"]
    if not _is_id(part) or not 0 < part <= MAX_PARTS:
        raise make_element_error("part")
    is_named = isinstance(called, str) and 0 < len(called) <= MAX_NAME_CHARS and called.isascii()
    return ImportedHistory(
        format="keepsake",
        messages=messages,
        rows=tables,
        owner=facts["owner"],
        export=str(called) if is_named else None,
        part=part,
        is_last=facts["more"] is False,
        signature=_read_digest_and_signature(file.text.encode()),
    )


def _parse_message(values: Any, owner: object) -> ImportedMessage:
    number, role, content, source = map(values.get, ("id", "role", "content", "source"))
    thread, turn = values.get("thread_id", 0), values.get("turn_id")
    checks = {
        ".id": _is_id(number),
        ".role": role in ("user", "assistant", "system"),
        ".content": isinstance(content, str),
        ".thread_id": _is_id(thread),
        ".turn_id": turn is None or _is_id(turn),
    }
    for location in (location for location, is_right in checks.items() if not is_right):
        raise InvalidElement(location)
    name = source if isinstance(source, str) and source else f"{owner}/{number}"
    stored = add_import_prefix(name)
    return ImportedMessage(
        source=stored,
        also=None if stored == name or not source else name,
        role=role,
        content=content,
        created_at=require_moment(values.get("created_at"), ".created_at"),
        speaker=as_text(values.get("speaker")),
        is_own=values.get("origin") != "overheard" and not (isinstance(owner, int) and owner < 0),
        origin=next((origin for origin in _KEPT_ORIGINS if origin == values.get("origin")), "imported"),
        turn=turn,
        thread=thread,
        number=number,
        title=as_text(values.get("title")),
    )


def _is_id(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_ID


def make_signature(key: bytes, digest: str) -> str:
    """Sign a SHA-256 digest. The signature begins with an id of the key."""
    return f"{_make_key_id(key)}:{hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()}"


def _read_digest_and_signature(data: bytes) -> tuple[str, str]:
    """Return the digest of a file's signed content and its signature, or two empty strings if it is unsigned."""
    tail = data[-MAX_END_BYTES:]
    if (end := _END.search(tail)) is None:
        return "", ""
    covered = memoryview(data)[: len(data) - len(tail) + end.start()]
    return hashlib.sha256(covered).hexdigest(), f"{end[1].decode()}:{end[2].decode()}"


def identify_signer(key: bytes, digest_and_signature: tuple[str, str]) -> Signer:
    """Return "here" if this bot signed the digest, "altered" if the file was changed since, or else "elsewhere"."""
    digest, given = digest_and_signature
    if not given.startswith(_make_key_id(key)):
        return "elsewhere"
    return "here" if hmac.compare_digest(given, make_signature(key, digest)) else "altered"


def _make_key_id(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()[:8]


FORMAT = ImportFormat(
    name="keepsake",
    fits=lambda file: file.first_char == "{" and "format" in file.names and MARK in file.sample,
    read=None,
    members=re.compile(r"\A[^/]*/keepsake[^/]*\.json"),
)
