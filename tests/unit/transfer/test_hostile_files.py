"""Hostile import files cost the bot little: sizes are limited, and a child process with limits reads them."""

import asyncio
import gzip
import io
import json
import resource
import sys
import tarfile
import zipfile
from datetime import UTC, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from records.errors import ImportRefused
from tests.paths import ROOT
from tests.support.loop_watch import watch_loop
from text.web_pages import iterate_blocks
from transfer import reading
from transfer.formats import detection
from transfer.formats.history import ImportedHistory, ReadContext
from transfer.formats.json_stream import MAX_DEPTH, JsonStream
from transfer.reading import READ_HERE, FileReader

ANNA = 11
FILES = Path(__file__).parent.parent.parent / "files"
TINY = {
    "unknown member": lambda n: b'{"about": [' + b"[]," * n + b'[]], "type": "saved_messages", "messages": []}',
    "elements of a message": lambda n: (
        b'{"type": "saved_messages", "id": 1, "messages": [{"x": [' + b"[]," * n + b"1]}]}"
    ),
    "pieces of a text": lambda n: (
        b'{"type": "a", "id": 1, "messages": [{"id": 1, "date": "2020-01-01", "text": [' + b'"",' * n + b'""]}]}'
    ),
    "messages": lambda n: b'{"type": "a", "id": 1, "messages": [' + b"{}," * n + b"{}]}",
    "unknown table": lambda n: b'{"format": "keepsake-export", "version": 1, "x": [' + b"{}," * n + b"{}]}",
    "facts": lambda n: b'{"format": "keepsake-export", "version": 1, "owner": 11, "facts": [' + b"{}," * n + b"{}]}",
    "conversations": lambda n: b"[" + b"{}," * n + b"{}]",
    "nodes": lambda n: b'[{"mapping": {' + b'"a":{},' * n + b'"b":{}}}]',
}
MANY = {"elements of a message": 1_600_000, "pieces of a text": 1_600_000, "messages": 210_000}
"""Numbers of elements for the kinds of file in which the parser limits them. All other kinds have 60,000.

Without the limit, all elements of the first two kinds would be created before they are checked.
"""


async def read_file(data: bytes) -> ImportedHistory:
    return await FileReader().read(data, ReadContext(person=ANNA, zone=UTC))


def make_telegram_export(messages: int, text: str = "A walnut, дом, 😀.") -> bytes:
    said = [
        {
            "id": number,
            "type": "message",
            "date": "2024-01-01T10:00:00",
            "from": "Anna",
            "from_id": "user11",
            "text": text,
        }
        for number in range(1, messages + 1)
    ]
    return json.dumps({"type": "saved_messages", "id": 11, "messages": said}).encode()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5)), ZoneInfo("Europe/Berlin")])
async def test_child_process_reads_same_history_as_direct_parse(packed: bool, zone: ZoneInfo) -> None:
    data = make_telegram_export(1_200)
    assert len(data) > READ_HERE
    sent = gzip.compress(data) if packed else data
    assert await FileReader().read(sent, ReadContext(person=ANNA, zone=zone)) == detection.parse_file(
        data, ReadContext(person=ANNA, zone=zone)
    )


async def test_child_process_returns_export_rows_unchanged() -> None:
    rows = [
        {"id": n, "role": "user", "content": "a" * 40, "created_at": "2026-11-21T09:00:00"} for n in range(1, 2_000)
    ]
    given = {"format": "keepsake-export", "version": 1, "owner": 11, "part": 1, "more": False, "messages": rows}
    data = json.dumps(given).encode()
    apart = await read_file(data)
    assert apart == detection.parse_file(data, ReadContext(person=ANNA))
    assert apart.rows is not None
    assert len(apart.rows["messages"]) == len(rows)


@pytest.mark.parametrize("kind", TINY)
async def test_many_tiny_elements_do_not_grow_bot_memory(kind: str) -> None:
    """A compressed file of less than 50 kB can contain over a million elements."""
    sent = gzip.compress(TINY[kind](MANY.get(kind, 60_000)), 9)
    assert len(sent) < 50_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        held = (await read_file(sent)).messages
    except ImportRefused:
        held = ()
    assert not held
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 50, "the process of the bot holds nothing of it"


async def test_rejects_decompression_bomb() -> None:
    with pytest.raises(ImportRefused, match="MB"):
        await read_file(gzip.compress(b" " * 30_000_000))


async def test_rejects_archive_with_too_many_files() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(detection.MAX_FILES + 1):
            archive.writestr(f"conversations-{number}.json", "[]")
    with pytest.raises(ImportRefused, match="files"):
        await read_file(file.getvalue())


@pytest.mark.parametrize("module", ["transfer.reading_child", "attachments.documents_child"])
async def test_child_process_does_not_import_heavy_modules(module: str) -> None:
    """Starting the child process takes most of the time of reading a small file."""
    told = f"import {module}, json, sys; print(json.dumps(sorted(sys.modules)))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", told, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert {"asyncio", "numpy", "telegram", "openpyxl", "pypdf", "babel"}.isdisjoint(json.loads(out))


async def test_killed_child_process_raises_import_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHILD", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(ImportRefused, match="more memory or time"):
        await read_file(make_telegram_export(1_200))


async def test_child_process_has_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    child = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from transfer import reading_child\n"
        "from transfer.formats import detection\n"
        "detection.parse_file = lambda data, reading: bytearray(10**10)\n"
        "reading_child.answer_requests_from_parent_process()"
    )
    monkeypatch.setattr(reading, "CHILD", child)
    with pytest.raises(ImportRefused, match="more memory or time"):
        await read_file(make_telegram_export(1_200))


async def test_child_memory_limit_alone_stops_decompression_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if no parser limit applied, the operating system would limit the memory of the child process."""
    most = 200_000_000
    child = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from transfer import reading_child\n"
        "from transfer.formats import detection\n"
        "detection.MIN_VALUES = detection.MIN_MESSAGES = 10**12\n"
        f"reading_child.MEMORY_ANYWAY, reading_child.MEMORY_EACH = {most}, 0\n"
        "def told(out, kind, value, write=reading_child.write_child_answer):\n"
        "    peak = open('/proc/self/status').read().split('VmHWM:')[1].split()[0]\n"
        "    write(out, kind, f'{value} {int(peak) * 1024}')\n"
        "reading_child.write_child_answer = told\n"
        "reading_child.answer_requests_from_parent_process()"
    )
    monkeypatch.setattr(reading, "CHILD", child)
    data = gzip.compress(b'{"type": "a", "id": 1, "messages": [{"id": 1, "x": [' + b'{"":0},' * 1_000_000 + b"0]}]}")
    with pytest.raises(ImportRefused, match="more memory or time") as refused:
        await read_file(data)
    taken = int(refused.value.sentence.split()[-1])
    assert most / 2 < taken <= most


async def test_child_process_environment_contains_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "12:secret")
    child = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from runtime.subprocess_child import write_child_answer\n"
        "write_child_answer(sys.stdout.buffer, 'refused', ' '.join(sorted(os.environ)))"
    )
    monkeypatch.setattr(reading, "CHILD", child)
    with pytest.raises(ImportRefused) as refused:
        await read_file(make_telegram_export(1_200))
    assert "OPENBLAS_NUM_THREADS" in refused.value.sentence, "the child has answered"
    assert "TOKEN" not in refused.value.sentence


async def test_reads_one_file_per_person_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files one person sends, the file of another person is read next."""
    begun: list[int] = []
    first, gate = asyncio.Event(), asyncio.Event()

    async def held(data: bytes, given: ReadContext) -> ImportedHistory:
        begun.append(given.person)
        first.set()
        if given.person == ANNA:
            await gate.wait()
        return ImportedHistory(format="telegram", messages=())

    monkeypatch.setattr(reading, "read_history_in_child", held)
    reader, data = FileReader(), make_telegram_export(1_200)
    flood = [asyncio.create_task(reader.read(data, ReadContext(person=ANNA, zone=UTC))) for _ in range(20)]
    await first.wait()
    await reader.read(data, ReadContext(person=12, zone=UTC))
    assert begun == [ANNA, 12]
    gate.set()
    await asyncio.gather(*flood)


async def test_reading_large_file_does_not_block_event_loop() -> None:
    async with watch_loop() as held:
        history = await read_file(make_telegram_export(4_000))
    assert len(history.messages) == 4_000
    assert held.units < 250


def test_json_stream_skips_unread_members_and_limits_values() -> None:
    stream = JsonStream('{"a": [[], {}, "]"], "b": 1}', max_values=3)
    assert list(stream.iterate_keys()) == ["a", "b"]
    stream = JsonStream('{"a": [1, 2, 3, 4]}', max_values=4)
    with pytest.raises(ImportRefused, match="more memory or time"):
        [stream.read_value() for _ in stream.iterate_keys()]


def test_rejects_json_nested_too_deeply() -> None:
    with pytest.raises(ImportRefused, match="not valid JSON"):
        JsonStream("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), max_values=1_000).read_value()
    assert JsonStream("[" * MAX_DEPTH + "]" * MAX_DEPTH, max_values=1_000).read_value()


def test_rejects_too_long_facts() -> None:
    facts = [{"id": 1, "text": "x" * 4_097}]
    data = json.dumps({"format": "keepsake-export", "version": 1, "owner": 11, "facts": facts}).encode()
    with pytest.raises(ImportRefused, match="characters"):
        detection.parse_file(data, ReadContext(person=ANNA))


@pytest.mark.parametrize("begun", ["<!--", "<?", "<script>", "</", "</p", "<a b='"])
def test_reads_page_with_many_unclosed_tags(begun: str) -> None:
    """200 kB once took a minute of CPU time. A page of a Telegram export can be 20 times larger."""
    page = '<div class="message"><p>seen</p><!-- not --></div>' + begun * (600_000 // len(begun))
    assert [block.get_text() for block in iterate_blocks(page, "message")] == ["seen"]


async def test_reads_small_tar_archive_in_a_child_process() -> None:
    """It may hold archives that grow when they are unpacked."""
    packed = gzip.compress(b'[{"role": "user", "content": "' + b"x" * 1_000_000 + b'"}]')
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        entry = tarfile.TarInfo("chat.json.gz")
        entry.size = len(packed)
        archive.addfile(entry, io.BytesIO(packed))
    assert len(made.getvalue()) < READ_HERE
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    history = await FileReader().read(made.getvalue(), ReadContext(person=ANNA))
    assert history.messages
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > before
