"""Detect the format of a file by its content and read it. Archives are unpacked within limits."""

import gzip
import io
import json
import re
import tarfile
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import IO

from locales.catalog import comma_join, tr
from records.errors import ImportRefused
from transfer.formats import (
    chat_pages,
    chat_texts,
    chatgpt,
    claude,
    discord,
    gemini,
    generic,
    keepsake,
    memories,
    telegram_desktop,
)
from transfer.formats.chat_lists import read_column_names
from transfer.formats.conversations import HistoryBuilder, ImportFormat, merge_duplicates, split_long_messages
from transfer.formats.history import MAX_MESSAGE_CHARS, SAMPLED, ImportedHistory, ReadContext, SourceFile
from transfer.formats.json_stream import JsonStream, NotJson, starts_like_json
from transfer.formats.members import NAMES

MAX_UNPACKED_BYTES = 200_000_000  # bytes of JSON that are read. For more, the process would need gigabytes.
MAX_ENTRIES = 20_000  # files in an archive. Listing more would take longer than reading an export.
_ASSIGNMENT = re.compile(r"\A\s*window\.[\w.]{1,80} = (?=[\[{])")  # before the JSON in an archive of X
_SCRIPT = re.compile(r"<script[^<>]{0,99}>[^<=]{0,300}=\s*(?=\[\s*\{\s*\")")  # in the page of ChatGPT's archive
_CHARSET = re.compile(rb"<meta[^<>]{0,99}charset=[\"']?([\w-]{3,20})")
MARKED_CHARS = 200_000  # characters at the beginning of a file that are searched for a product's mark
_MODULES = (keepsake, telegram_desktop, chatgpt, claude, gemini)
_CHATS = (*chat_texts.FORMATS, discord.FORMAT, *chat_pages.FORMATS)
_FALLBACKS = (generic.FORMAT, memories.FORMAT)  # tried if the detected format finds nothing
FORMATS: Mapping[str, ImportFormat] = {
    form.name: form for form in (*(module.FORMAT for module in _MODULES), *_CHATS, *generic.PRODUCTS, *_FALLBACKS)
}  # The formats that can be imported, by name. The first that fits a file counts.
# An archive may grow 32-fold and by 16 MB: an export shrinks to a tenth, but a bomb to a thousandth.
MIN_UNPACKED_BYTES = 16_000_000
UNPACKED_PER_BYTE = 32
# JSON values that are read of everything sent, so that they take less than 200 MB. Files share them by length.
MIN_VALUES = 1_300_000
MIN_VALUES_A_FILE = 2_000
MIN_MESSAGES = 200_000  # messages accepted from any file
BYTES_PER_MESSAGE = 20  # one more message is accepted for each 20 bytes of the file
MAX_FACT_CHARS = 4_096  # characters
MAX_FILES = 5_000  # files of an archive that are read together. Discord has one for each channel.
MAX_SEARCHED = 200  # files of an archive in which other chats are looked for, beside those that are read
_OBJECTS_SAMPLED = 3
_LETTER = re.compile(r"[^\W\d_]")
_WORDS = re.compile(r'"(?:content|text|message|body)"\s*:\s*"[^"]')
_CHAT_ENDS = (".json", ".jsonl", ".txt", ".md", ".csv")  # a page next to them repeats what they have
_READABLE = (*_CHAT_ENDS, ".html", "")
_Entry = tuple[str, Callable[[], IO[bytes]]]  # a path, and a function that opens the file
_UNPACK_ERRORS = (zipfile.BadZipFile, tarfile.TarError, zlib.error, OSError, EOFError, RuntimeError, ValueError)
_ARCHIVE_ENDS = (".zip", ".tgz", ".tar", ".gz")
_UNREAD = re.compile(r"\._|\.[^.]*\Z")  # names that macOS adds, and those of other hidden files, as .nomedia
_LOG_ENDS = (".xml", ".log", ".weechatlog")  # of what other exports may have beside them


def parse_file(data: bytes, context: ReadContext, *, max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> ImportedHistory:
    limit = min(max_unpacked_bytes, compute_max_unpacked_bytes(len(data)))
    unpacked, hidden = _unpack_files(data, context.name, limit)
    is_packed = data.startswith((b"PK\x03\x04", b"\x1f\x8b"))
    values = (MIN_VALUES + len(data)) / (sum(len(content) for _, content in unpacked) or 1)
    files = []
    while unpacked:  # one by one: freeing 100,000 files together would hold every thread for about 100 ms
        path, content = unpacked.popleft()
        with suppress(*(() if PurePosixPath(path).suffix or not is_packed else (ImportRefused,))):  # a picture, perhaps
            text = _extract_json_of_script(_decode_text(content))
            files.append(SourceFile(path, text, MIN_VALUES_A_FILE + int(values * len(content))))
    if len(files) == 1 and not files[0].text[:SAMPLED].strip():
        raise ImportRefused(tr("import-empty"))
    form, group = _choose_format_and_files(files, context.name, is_packed=is_packed)
    if not group or (history := _read_history_in_format(form, group, context)) is None:
        raise _make_unknown_format_error(files, is_packed=is_packed, product=form.product)
    if hidden:
        note = tr("import-not-read", count=len(hidden), first=hidden[0])
        history = replace(history, notes=(note, *history.notes))
    is_own_export = history.rows is not None
    assistant = FORMATS[history.format].product or "Assistant"
    messages = history.messages if is_own_export else merge_duplicates(history.messages, assistant)
    most = keepsake.MAX_MESSAGE_CHARS if is_own_export else MAX_MESSAGE_CHARS
    history = replace(history, messages=split_long_messages(messages, most))
    _raise_if_history_too_large(history, len(data))
    return history


def _choose_format_and_files(
    files: Sequence[SourceFile], name: str, *, is_packed: bool
) -> tuple[ImportFormat, list[SourceFile]]:
    """Return the format in which to read the file `name`, and those files in it to read. Refuse several exports."""
    found: dict[str, list[SourceFile]] = {}
    for file in files:
        if (form := _detect_format(file)) is not None:
            found.setdefault(form.name, []).append(file)
    if "slack" in found:  # which names people in a file of its own
        found["slack"] += (file for file in files if file.name == "users.json")
    if found.keys() <= {generic.FORMAT.name}:  # conversations in JSON are not recognised: they are tried
        is_pasted = not (found or name or is_packed or files[0].is_json)
        known = found.get(generic.FORMAT.name, files if is_pasted else [])
        group = [file for file in files if file in known or file.first_char != "<"]
        found = {memories.FORMAT.name if is_pasted else generic.FORMAT.name: group}
    form = FORMATS[min(found, key=list(FORMATS).index)]
    group = found[form.name]
    # A file that is damaged from its beginning is recognised by its name, and counted.
    group = [file for file in files if file in group or form.members.fullmatch(_join_folder_and_name(file.path))]
    # One product may write the same chats in two formats.
    if len({FORMATS[name].product or name for name in found}) > 1 or (form is keepsake.FORMAT and len(group) > 1):
        raise ImportRefused(tr("import-kinds-differ"))
    return form, group


def _read_history_in_format(
    import_format: ImportFormat, files: list[SourceFile], context: ReadContext
) -> ImportedHistory | None:
    """Read files in `import_format` or, failing that, in a general format. Return None if no format fits."""
    refused: ImportRefused | None = None
    wordless: ImportedHistory | None = None
    is_json = all(file.is_json for file in files)
    is_text = not is_json and not any(file.first_char == "<" for file in files)
    for tried in dict.fromkeys((import_format, *_FALLBACKS)):
        # Heads of one format may stand in a transcript, but any text could be a list of memories.
        is_transcript = is_text and tried is generic.FORMAT and not (refused or wordless)
        if tried is not import_format and (import_format is keepsake.FORMAT or not (is_json or is_transcript)):
            break
        try:
            history = _read_files(tried, files, context)
        except NotJson:
            raise
        except ImportRefused as error:
            refused = error if tried is import_format else refused
            continue
        # What one format calls damaged may be another's: a talk of two is no chance.
        roles = {message.role for message in history.messages}
        found = history.messages or history.questions or history.facts or history.rows is not None
        if len(roles) == 2 or (found and wordless is None and (refused is None or not import_format.product)):
            return history
        if tried is import_format and history.notes:
            wordless = history
    if refused:
        raise refused
    if wordless:
        return wordless
    is_blank = not any(_LETTER.search(file.text, 0, SAMPLED) for file in files)
    may_say_nothing = (not _WORDS.search(file.sample) if is_json else "\n" not in file.text.strip() for file in files)
    is_empty = is_blank or (import_format.product and all(may_say_nothing))
    return ImportedHistory(format=import_format.name, messages=()) if is_empty else None


def _read_files(import_format: ImportFormat, files: Sequence[SourceFile], context: ReadContext) -> ImportedHistory:
    if import_format.read is None:
        return keepsake.read_export(files[0])
    builder = HistoryBuilder(import_format.name, context)
    import_format.read(files, builder)
    if dates := builder.written_dates:  # read again, with the order of day and month that all dates together have
        order, questions = builder.choose_date_order(dates), builder.questions[-1:]
        builder = HistoryBuilder(import_format.name, replace(context, date_order=order))
        import_format.read(files, builder)
        builder.questions[:0] = [question for question in questions if question.name == "order"]
    return builder.make_history()


def compute_max_unpacked_bytes(file_size: int) -> int:
    """Return the number of bytes to which a file of `file_size` bytes may be unpacked."""
    return min(MAX_UNPACKED_BYTES, MIN_UNPACKED_BYTES + UNPACKED_PER_BYTE * file_size)


def _raise_if_history_too_large(history: ImportedHistory, file_size: int) -> None:
    most = MIN_MESSAGES + file_size // BYTES_PER_MESSAGE
    if len(history.messages) > most:
        raise _make_limit_error(tr("shared-messages", messages=most))
    for number, fact in enumerate((history.rows or {}).get("facts", ()), start=1):
        if len(str(fact.get("text", ""))) > MAX_FACT_CHARS:
            raise ImportRefused(tr("import-fact-too-long", number=str(number), most=MAX_FACT_CHARS))


def _detect_format(file: SourceFile) -> ImportFormat | None:
    if file.is_json:
        with suppress(ImportRefused):  # a damaged file is read as far as it goes
            for name in _iterate_json_keys(file.open_json()):
                file.names.add(name)
                if (found := _find_fitting_format(file)) is not None:
                    return found
    else:
        file.names |= read_column_names(file.text[:SAMPLED])
    return _find_fitting_format(file) if file.text[:SAMPLED].strip() else None


def _find_fitting_format(file: SourceFile) -> ImportFormat | None:
    for form in FORMATS.values():
        if any(file.names.issuperset(mark.split("+")) for mark in form.marks) or form.fits(file):
            return form
    return None


def _iterate_json_keys(stream: JsonStream) -> Iterator[str]:
    objects = (part for _, _, part in stream.iterate_names_offsets_and_streams() if part.peek_next_character() == "{")
    for part in islice(objects, _OBJECTS_SAMPLED):
        with suppress(*([NotJson] if part is not stream else [])):  # one line of many may be damaged
            yield from part.iterate_keys()


def _make_unknown_format_error(files: Sequence[SourceFile], *, is_packed: bool, product: str = "") -> ImportRefused:
    start = files[0].text[:SAMPLED].lstrip() if files else ""
    commas = [line.count(",") for line in start.splitlines()[:5]]
    is_table = len(commas) > 1 and commas[0] > 1 and len(set(commas)) == 1
    is_page = start[:1] == "<" and not start.startswith("<?xml")
    kind = "html" if is_page else "json" if starts_like_json(start) else "csv" if is_table else "text"
    seems = product if product and kind == "json" else tr(f"import-seems-{'archive' if is_packed else kind}")
    known = comma_join(dict.fromkeys(form.product or get_format_title(name) for name, form in FORMATS.items()))
    products = (name for file in files for mark, name in NAMES["unread"].items() if mark in file.text[:MARKED_CHARS])
    if unread := next(products, ""):
        what = "page" if kind == "html" else "product"
        return ImportRefused(tr(f"import-unread-{what}", product=unread, known=known))
    return ImportRefused(tr("import-unknown-format", seems=seems, known=known))


def _make_limit_error(limit: str) -> ImportRefused:
    return ImportRefused(tr("import-more-than", what=limit))


def get_format_title(name: str) -> str:
    product = FORMATS[name].product
    return tr("import-title", name=product) if product else tr(f"import-title-{name}")


def _decode_text(data: bytes) -> str:
    try:
        text = data.decode(json.detect_encoding(data)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        if error.start and error.end == len(data):  # cut inside a letter
            return _decode_text(data[: error.start])
        with suppress(LookupError, UnicodeError):  # as for charset="undefined"
            if stated := _CHARSET.search(data, 0, SAMPLED):
                return data.decode(stated[1].decode())
        line = data.count(b"\n", 0, error.start) + 1
        raise ImportRefused(tr("import-not-utf8", line=str(line))) from None
    if "\0" in text[:SAMPLED]:
        raise ImportRefused(tr("import-not-utf8", line="1"))
    return text.replace("\r\n", "\n")


def _extract_json_of_script(text: str) -> str:
    is_page = text[:99].lstrip().lower().startswith(("<!doctype", "<html"))
    if (found := (_SCRIPT if is_page else _ASSIGNMENT).search(text, 0, MARKED_CHARS)) is None:
        return text
    stream = JsonStream(text[found.end() :], max_values=1)
    stream.skip_value()
    return text[found.end() :][: stream.at]


def _unpack_files(data: bytes, name: str, max_bytes: int) -> tuple[deque[tuple[str, bytes]], list[str]]:
    """Return the files of an archive and of archives inside it, or the file itself, and the paths of other chats."""
    try:
        data = _decompress_gzip(data, max_bytes, max_bytes)
        if (files := _list_entries(data)) is not None:
            left, readable = max_bytes, (*_READABLE, *_LOG_ENDS)
            has_readable = any(PurePosixPath(path.lower()).suffix in readable for path, _ in files)
            nested = [file for file in files if file[0].lower().endswith(_ARCHIVE_ENDS)]
            for path, entry in nested if not any(_is_known_file_name(path) for path, _ in files) else ():
                # One that is damaged, locked or too large may be attached to a chat.
                with suppress(*((ImportRefused, *_UNPACK_ERRORS) if has_readable else ())), entry() as opened:
                    inner = _decompress_gzip(_read_with_limit(opened, left, total_limit=max_bytes), left, max_bytes)
                    left -= len(inner)
                    held = _list_entries(inner) or [("", partial(io.BytesIO, inner))]
                    held[0][1]().close()
                    files += ((f"{path.removesuffix('.gz')}/{name}".rstrip("/"), opener) for name, opener in held)
            return _unpack_wanted_files(files, left)
    except _UNPACK_ERRORS:
        raise ImportRefused(tr("import-damaged-archive")) from None
    if data.startswith((b"Rar!", b"7z\xbc\xaf", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")):
        raise ImportRefused(tr("import-other-packing"))
    if len(data) > max_bytes:
        raise _make_limit_error(f"{max_bytes // 1_000_000} MB")
    return deque([(name, data)]), []


def _decompress_gzip(data: bytes, limit: int, total_limit: int) -> bytes:
    packed = gzip.GzipFile(fileobj=io.BytesIO(data))
    return _read_with_limit(packed, limit, total_limit=total_limit) if data.startswith(b"\x1f\x8b") else data


def _unpack_wanted_files(files: Sequence[_Entry], max_bytes: int) -> tuple[deque[tuple[str, bytes]], list[str]]:
    wanted = [entry for entry in files if _is_known_file_name(entry[0])]
    for ends in (_READABLE, _LOG_ENDS):
        wanted = wanted or [entry for entry in files if PurePosixPath(entry[0].lower()).suffix in ends]
    if not wanted:
        raise _make_unknown_format_error((), is_packed=True) if files else ImportRefused(tr("import-empty"))
    if len(wanted) > MAX_FILES:
        raise _make_limit_error(tr("import-files", count=MAX_FILES))
    unpacked: deque[tuple[str, bytes]] = deque()
    paths = {path for path, _ in wanted}
    left = max_bytes
    for path, open_entry in sorted(wanted, key=lambda entry: entry[0]):
        with open_entry() as packed:
            unpacked.append((path, _read_with_limit(packed, left, total_limit=max_bytes)))
        left -= len(unpacked[-1][1])
    others = (entry for entry in files if entry[0] not in paths and entry[0].lower().endswith(_CHAT_ENDS))
    return unpacked, [path for path, open_entry in islice(others, MAX_SEARCHED) if _has_chat(path, open_entry)]


def _has_chat(path: str, open_entry: Callable[[], IO[bytes]]) -> bool:
    """Return True if a file that is not read begins like an export of some program, whatever its name is."""
    with suppress(ImportRefused, *_UNPACK_ERRORS), open_entry() as packed:
        return _detect_format(SourceFile(path, _decode_text(packed.read(SAMPLED)), MIN_VALUES_A_FILE)) is not None
    return False


def _list_entries(data: bytes) -> list[_Entry] | None:
    """Return the files of a zip or tar archive, or None for anything else."""
    files: list[_Entry] | None = None
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # the second begins an archive without files
        if data.count(b"PK\x01\x02") > MAX_ENTRIES:  # entries that the list would have
            raise _make_limit_error(tr("import-files", count=MAX_ENTRIES))
        packed = zipfile.ZipFile(io.BytesIO(data))
        files = [(info.filename, partial(packed.open, info)) for info in packed.infolist() if not info.is_dir()]
    elif data[257:262] == b"ustar" or (data and not data.strip(b"\0")):  # where a tar archive says that it is one
        archive = tarfile.TarFile(fileobj=io.BytesIO(data))
        members = list(islice(archive, MAX_ENTRIES + 1))
        if len(members) > MAX_ENTRIES:
            raise _make_limit_error(tr("import-files", count=MAX_ENTRIES))
        files = [(info.name, partial(tarfile.ExFileObject, archive, info)) for info in members if info.isfile()]
    return files and [file for file in files if not _UNREAD.match(PurePosixPath(file[0]).name)]


def _read_with_limit(entry: IO[bytes] | gzip.GzipFile, limit: int, *, total_limit: int) -> bytes:
    """Return an entry's content. If it exceeds `limit` bytes, raise an ImportRefused whose text gives `total_limit`."""
    taken = entry.read(limit + 1)
    if len(taken) > limit:
        raise _make_limit_error(f"{total_limit // 1_000_000} MB")
    return taken


def _join_folder_and_name(path: str) -> str:
    place = PurePosixPath(path.replace("\\", "/").lower())
    return f"{place.parent.name}/{place.name}"


def _is_known_file_name(path: str) -> bool:
    return any(form.members.fullmatch(_join_folder_and_name(path)) for form in FORMATS.values())
