"""Read text exports of LINE, KakaoTalk, iMessage, Telegram and Discord, and ask which speaker is the person."""

import re
from collections.abc import Iterator, Sequence
from datetime import time
from itertools import takewhile

from runtime.cooperative import iterate_with_pauses
from transfer.formats.chat_dates import ChatLine, read_chats
from transfer.formats.chat_heads import WrittenDate, find_date, is_afternoon
from transfer.formats.conversations import Conversations
from transfer.formats.history import SAMPLED, FileReading, ImportedHistory, ImportFormat, Sample, SourceFile

_CLOCK = r"(?:(?P<half>[^\W\d_]{1,4}) ?)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?: ?(?P<late_half>[AaPp][Mm]))?"
_DAY = re.compile(r"(?=[^\t\n:]{6,40}$)[^\t\n:]*\d[^\t\n:]*")
_LINE = re.compile(rf"{_CLOCK}\t(?P<speaker>[^\t\n]{{0,100}})\t(?P<words>.*)")  # 21:25, tab, Anna, tab, words
_KAKAO = re.compile(
    rf"(?P<day>[^\n:]{{8,30}}?),? {_CLOCK}, (?P<speaker>[^\n:]{{1,100}}?) : (?P<words>.*)"
)  # on a phone
_HEADS = (
    *(_LINE, _KAKAO),
    re.compile(rf"\[(?P<speaker>[^\]\n]{{1,100}})\] \[{_CLOCK}\] (?P<words>.*)"),  # KakaoTalk on a computer
    re.compile(  # Telegram, and Discord below
        rf"(?P<speaker>[^\[\]\n]{{1,100}}), \[(?P<day>\d[^\]:\n]{{5,20}}?),? {_CLOCK}\](?P<words>)$"
    ),
    re.compile(rf"\[(?P<day>\d[^\]:\n]{{5,20}}?),? {_CLOCK}\] (?P<speaker>[^:\n]{{1,100}})(?P<words>)$"),
    re.compile(  # QQ and WeChat
        r"(?P<day>\d{4}-\d\d-\d\d) (?P<late_half>)(?P<hour>\d{1,2}):(?P<minute>\d\d):\d\d "
        r"(?P<speaker>[^\s:-][^:\n]{0,99})(?P<words>)$"
    ),
    re.compile(  # iMessage, where "Read by" may follow the date
        r"(?P<day>[^\W\d_]{3,12} \d{1,2}, \d{4}) {1,3}(?P<hour>\d{1,2}):(?P<minute>\d\d):\d\d (?P<late_half>[AP]M)"
        r"(?: \([^()\n]*\))?(?P<words>)$"
    ),
)
_APP_LINES = {
    _LINE: re.compile(rf"{_CLOCK}\t(?P<speaker>)(?P<words>[^\t\n]*)$"),
    _KAKAO: re.compile(rf"(?P<day>[^\n:]{{8,30}}?),? {_CLOCK}(?:, |: )(?P<speaker>)(?P<words>[^:\n]*)$"),
}  # lines without a speaker, in files with these heads
_SPACED = re.compile(rf"{_CLOCK} (?P<speaker>)(?P<words>\S.*)")
"""LINE on a computer puts only spaces between time, speaker and words, below a line for the day."""
_STAND_IN = re.compile(
    r"\[[^\[\]\s]{1,20}\]|사진(?: \d{1,3}장)?|동영상|이모티콘|삭제된 메시지입니다\.|貼圖|圖片|影片|スタンプ|写真"
)  # what LINE and KakaoTalk write in place of a picture or sticker
_FOOTER = re.compile(r"\n={40,}\nExported \d+ message\(s\)\n=+\s*\Z")  # of Discord
_PINNED = " (pinned)"  # after a speaker in Discord
_DETAILS = re.compile(r"\n{1,3}(?:\{(?:Attachments|Embed|Stickers|Reactions)\}|Tapbacks:)\n")  # of Discord and iMessage
_LINE_DAY = re.compile(r"\d{4}\.\d\d\.\d\d \w+$", re.MULTILINE)


def read_history(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    chats = []
    for file in files:
        lines = list(_parse_lines(_FOOTER.sub("", file.text)))
        lines = _split_speakers(lines) if _LINE_DAY.match(file.text) else lines
        chats.append([_clean_line(line) for line in lines])
    return read_chats(chats, Conversations("chat-texts", reading))


def _parse_lines(text: str) -> Iterator[ChatLine]:
    day: WrittenDate | None = None
    said: ChatLine | None = None
    first = text[:SAMPLED].splitlines()
    heads = [*_HEADS, *(line for head, line in _APP_LINES.items() if any(map(head.match, first)))]
    heads += [_SPACED] if _LINE_DAY.match(text) else []
    for line in iterate_with_pauses(text.replace("\r\n", "\n").split("\n")):
        found = next((match for head in heads if (match := head.match(line))), None)
        if found is not None:
            if said:
                yield said
            groups = found.groupdict()
            own_day = find_date(groups.get("day") or "")
            hour, half = int(found["hour"]), is_afternoon((groups.get("half") or found["late_half"] or "",))
            hour = hour % 12 + (12 if half else 0) if half is not None else hour
            clock = time(hour % 24, min(int(found["minute"]), 59))
            speaker = groups.get("speaker")
            said = ChatLine(own_day or day, clock, speaker and speaker.strip(), found["words"])
        elif _DAY.fullmatch(line.strip("- ")) and (new := find_date(line)):
            day = new
        elif said and said.speaker is None:
            said = said._replace(speaker=line)
        elif said:
            said = said._replace(words=f"{said.words}\n{line}")
    if said:
        yield said


def _split_speakers(lines: Sequence[ChatLine]) -> list[ChatLine]:
    """Split speakers off lines. A speaker is the longest common prefix of lines with the same first word."""
    common: dict[str, list[str]] = {}
    for line in lines:
        words = line.words.split(" ")
        known = common.setdefault(words[0], words[:-1] or words)
        common[words[0]] = [a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(known, words, strict=False))]
    return [
        line._replace(speaker=(name := " ".join(common[line.words.split(" ")[0]])), words=line.words[len(name) :])
        for line in lines
    ]


def _clean_line(line: ChatLine) -> ChatLine:
    words = _DETAILS.split(line.words, maxsplit=1)[0].strip()
    line = line._replace(speaker=line.speaker and line.speaker.removesuffix(_PINNED), words=words)
    if words.startswith("☎"):  # a call
        return line._replace(speaker="")
    if _STAND_IN.fullmatch(words):
        return line._replace(words="")
    is_quoted = "\n" in words and words[0] == words[-1] == '"'
    return line._replace(words=words[1:-1].replace('""', '"') if is_quoted else words)


def _fits_format(sample: Sample) -> bool:
    return bool(_LINE_DAY.match(sample.text)) or any(
        head.match(line) for head in _HEADS for line in sample.text.splitlines()[:50]
    )


FORMAT = ImportFormat(name="chat-texts", fits=_fits_format, read=read_history)
