"""Export a memory for people to read: a zip of Markdown with YAML front matter, and an HTML page that works offline."""

import json
import re
import tempfile
import zipfile
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template
from typing import IO

from locales.catalog import RIGHT_TO_LEFT, get_current_language, tr
from text.characters import collapse_to_single_line

ExportRow = Mapping[str, object]
_MessageFields = tuple[datetime, str, str, str, str]  # when, role, speaker, title of what begins, words
_PAGE = Path(__file__).with_name("page.html")
_FENCE = re.compile(r"(?m)^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})[ \t]*(.*)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportPart:
    """The messages of one file of a readable export."""

    number: int  # from 1
    messages: "array[int]"  # offsets in the spool


def close_open_blocks(text: str) -> str:
    """Close an open code fence or comment in a message, so that it does not swallow the following messages."""
    fence = ""
    for found in _FENCE.finditer(text):
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence) and not found[2]:
            fence = ""
    closing = f"\n{fence}" if fence else " -->" if text.rfind("<!--") > text.rfind("-->") else ""
    return f"{text}{closing}"


class ReadableExport:
    """An export for people to read. Add all rows, then write each part. A temporary file holds the messages."""

    def __init__(self, zone: tzinfo) -> None:
        self.counts: Counter[str] = Counter()
        self._zone = zone
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        # The time and the offset of each message: a million take 16 MB.
        self._moments = array("d")
        self._places = array("q")
        self._rows: dict[str, list[ExportRow]] = {}

    def close(self) -> None:
        self._spool.close()

    def add_rows(self, rows: Iterable[ExportRow]) -> None:
        """Add portable rows, each of which names its table under the key "table"."""
        for row in rows:
            table = str(row["table"])
            if table == "messages":
                kept = [row["created_at"], row["role"], row["speaker"], row["title"], row["content"]]
                self._moments.append(self._to_local_time(row["created_at"]).timestamp())
                self._places.append(self._spool.tell())
                self._spool.write(json.dumps(kept).encode() + b"\n")
            elif _is_shown(row):
                self._rows.setdefault(table, []).append(row)
            else:
                continue
            self.counts[table] += 1

    def split_into_parts(self, max_bytes: int) -> Sequence[ExportPart]:
        """Split the messages by time into parts of at most `max_bytes` bytes."""
        ends = [*self._places[1:], self._spool.tell()]
        made, size = [ExportPart(number=1, messages=array("q"))], 0
        for index in sorted(range(len(self._places)), key=self._moments.__getitem__):
            size += ends[index] - self._places[index]
            if size > max_bytes and made[-1].messages:
                made.append(ExportPart(number=len(made) + 1, messages=array("q")))
                size = ends[index] - self._places[index]
            made[-1].messages.append(self._places[index])
        return made

    def write_zip(self, file: IO[bytes], part: ExportPart) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            # A month that two parts share has two names, so that both can be unpacked into one folder.
            number = f"-{part.number}" if part.number > 1 else ""
            for month, said in self._group_messages_by_month(part):
                with archive.open(f"talk/{month}{number}.md", "w", force_zip64=True) as entry:
                    entry.write(_make_yaml_head("conversation", month).encode())
                    for at, _, speaker, title, content in said:
                        speaker, title = map(collapse_to_single_line, (speaker, title))
                        about = f"**{speaker}**", f"{at:%Y-%m-%d %H:%M}", title
                        written = f"{' · '.join(filter(None, about))}\n\n{close_open_blocks(content)}\n\n"
                        entry.write(written.encode("utf-8", "replace"))
            for table, lines in self._format_lines_by_table(part):
                text = "\n".join(line if table == "profile" else f"- {collapse_to_single_line(line)}" for line in lines)
                archive.writestr(f"{table}.md", f"{_make_yaml_head(table, table)}{text}\n".encode("utf-8", "replace"))

    def write_page(self, file: IO[bytes], part: ExportPart) -> None:
        title, search = escape(tr("transfer-page-title")), escape(tr("transfer-page-search"))

        def write_text(text: str) -> None:
            file.write(text.encode("utf-8", "replace"))

        direction = "rtl" if get_current_language() in RIGHT_TO_LEFT else "ltr"
        head, script = _PAGE.read_text(encoding="utf-8").split("<!-- sections -->\n")
        write_text(
            Template(head).substitute(language=get_current_language(), direction=direction, title=title, search=search)
        )
        for table, lines in self._format_lines_by_table(part):
            write_text(f"<section><h2>{escape(tr(f'transfer-page-{table}'))}</h2>\n")
            write_text("".join(f'<p dir="auto">{escape(line)}</p>\n' for line in lines) + "</section>\n")
        for month, said in self._group_messages_by_month(part):
            write_text(f"<section><h2>{month}</h2>\n")
            for at, role, speaker, title, content in said:
                kind = "assistant" if role == "assistant" else "user"
                about = " · ".join(filter(None, (f"{at:%Y-%m-%d %H:%M}", speaker, title)))
                # The head has a direction of its own, so that it does not decide the direction of the words.
                head = f'<small dir="auto">{escape(about)}</small>'
                write_text(f'<p class="{kind}" dir="auto">{head}\n{escape(content)}</p>\n')
            write_text("</section>\n")
        write_text(script)

    def _group_messages_by_month(self, part: ExportPart) -> Iterator[tuple[str, Iterator[_MessageFields]]]:
        return groupby(self._read_messages(part.messages), key=lambda said: f"{said[0]:%Y-%m}")

    def _read_messages(self, positions: Sequence[int]) -> Iterator[_MessageFields]:
        for position in positions:
            self._spool.seek(position)
            at, *said = json.loads(self._spool.readline())
            role, speaker, title, content = map(str, said)
            speaker = speaker or (tr("transfer-page-me") if role == "user" else "Keepsake")
            yield self._to_local_time(at), role, speaker, title, content

    def _format_lines_by_table(self, part: ExportPart) -> Iterator[tuple[str, list[str]]]:
        rows = self._rows if part.number == 1 else {}
        told = sorted(rows.get("summaries", ()), key=lambda row: str(row["first_at"]))
        yield from (("profile", [str(row["text"])]) for row in rows.get("profiles", ())[-1:])
        facts = [f"{row['text']} ({self._to_local_time(row['observed_at']):%Y-%m-%d})" for row in rows.get("facts", ())]
        summaries = [
            f"{self._to_local_time(row['first_at']):%Y-%m-%d} – {self._to_local_time(row['last_at']):%Y-%m-%d}: "
            f"{row['summary_text']}"
            for row in told
        ]
        yield from ((name, lines) for name, lines in (("facts", facts), ("summaries", summaries)) if lines)

    def _to_local_time(self, value: object) -> datetime:
        made = datetime.fromisoformat(str(value))
        try:
            return (made.replace(tzinfo=UTC) if made.tzinfo is None else made).astimezone(self._zone)
        except OverflowError:
            return made


def _is_shown(row: ExportRow) -> bool:
    match row["table"]:
        case "facts":
            return row["valid_to"] is None and row["deleted_at"] is None
        case "summaries":
            return bool(row["is_active"]) and row["first_at"] is not None
        case "profiles":
            return True
    return False


def _make_yaml_head(kind: str, title: str) -> str:
    return f"---\ntype: {kind}\ntitle: {json.dumps(title)}\n---\n\n"
