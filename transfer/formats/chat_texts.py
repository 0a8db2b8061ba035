"""Chats of LINE and KakaoTalk as text → messages. Each has a line for the day, and heads with the time of day alone.

Who of the speakers the person is has to be asked.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time
from functools import partial
from typing import NamedTuple

from runtime.cooperative import yielding_gil
from transfer.formats.chat_heads import find_date, find_half
from transfer.formats.conversations import Conversations, hash_parts, number_name, order_by_file
from transfer.formats.history import FileReading, ImportedHistory, ImportedMessage, ImportFormat, SourceFile
from transfer.formats.values import WrongElement

_HALF = r"(?:(?P<half>[^\W\d_]{1,4}) ?)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?: ?(?P<late_half>[AaPp][Mm]))?"
_DAY = re.compile(r"(?=[^\t\n:]{6,40}$)[^\t\n:]*\d[^\t\n:]*")
_HEADS = (
    re.compile(rf"{_HALF}\t(?P<speaker>[^\t\n]{{1,100}})\t(?P<words>.*)"),  # LINE: 21:25, tab, Anna, tab, words
    re.compile(rf"\[(?P<speaker>[^\]\n]{{1,100}})\] \[{_HALF}\] (?P<words>.*)"),  # KakaoTalk on a computer
    re.compile(rf"(?P<day>[^,\n:]{{8,30}}?),? {_HALF}, (?P<speaker>[^\n:]{{1,100}}?) : (?P<words>.*)"),  # on a phone
)


class _ChatLine(NamedTuple):
    day: date | None
    clock: time
    speaker: str
    words: str


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("chat-texts", reading)
    for file in files:
        seen: Counter[str] = Counter()
        each = ((f"[{number}]", -1, said) for number, said in enumerate(_parse_lines(file.text)))
        talks.add(order_by_file(talks.messages(each, partial(_read_message, reading, seen))))
    talks.ask_own()
    return talks.history()


def _parse_lines(text: str) -> Iterator[_ChatLine]:
    """Yield each message with its day; a line without a head goes on with the message before."""
    day: date | None = None
    said: _ChatLine | None = None
    for line in yielding_gil(text.replace("\r\n", "\n").split("\n")):
        found = next((match for head in _HEADS if (match := head.match(line))), None)
        if found is not None:
            if said:
                yield said
            groups = found.groupdict()
            own_day = find_date(groups.get("day") or "")
            hour, half = int(found["hour"]), find_half((found["half"] or found["late_half"] or "",))
            hour = hour % 12 + (12 if half else 0) if half is not None else hour
            clock = time(hour % 24, min(int(found["minute"]), 59))
            said = _ChatLine(own_day or day, clock, found["speaker"].strip(), found["words"])
        elif _DAY.fullmatch(line.strip("- ")) and (new := find_date(line)):
            day = new
        elif said:
            said = said._replace(words=f"{said.words}\n{line}")
    if said:
        yield said


def _read_message(reading: FileReading, seen: Counter[str], said: _ChatLine) -> ImportedMessage:
    words = said.words.strip()
    words = words[1:-1].replace('""', '"') if "\n" in words and words[0] == words[-1] == '"' else words
    if said.day is None or not words:
        raise WrongElement
    said_at = datetime.combine(said.day, said.clock, reading.zone).astimezone(UTC)
    name = number_name(hash_parts(said_at.isoformat(), said.speaker, words), seen)
    source = f"import:chat-texts:{name}"
    return ImportedMessage(source=source, role="user", content=words, created_at=said_at, speaker=said.speaker)


FORMAT = ImportFormat(
    name="chat-texts",
    product="LINE, KakaoTalk",
    fits=lambda sample: any(head.match(line) for head in _HEADS for line in sample.text.splitlines()[:50]),
    read=read,
)
