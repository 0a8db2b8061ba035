"""Read plain-text chats. Infer the date order and the calendar from the whole file, and ask who the user is."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import MAXYEAR, UTC, date, datetime, time
from functools import partial
from itertools import takewhile
from typing import NamedTuple

from locales.catalog import tr
from records.errors import ImportRefused
from records.messages import Role
from text.written_dates import (
    FIRST_YEAR,
    TO_YEAR_MONTH_DAY,
    WrittenDate,
    find_date,
    find_date_conversion,
    parse_timestamp,
)
from transfer.formats.conversations import HistoryBuilder, ImportFormat, make_times_monotonic, make_unique_id
from transfer.formats.history import NO_DATE, SAMPLED, ImportedMessage, ImportQuestion, SkipElement, SourceFile
from transfer.formats.members import NAMES, ROLES
from transfer.formats.transcripts import is_transcript
from transfer.formats.values import InvalidElement

DateNumbers = tuple[int, int, int]  # year, month and day


class ChatLine(NamedTuple):
    """A message in a chat that was exported as plain text."""

    day: WrittenDate | None
    clock: time
    speaker: str | None  # None if unknown, "" for a line of the app
    words: str
    stamp: str = ""  # the date as written, if it distinguishes messages


def add_text_chats(chats: Sequence[Sequence[ChatLine]], builder: HistoryBuilder, first_year: int = FIRST_YEAR) -> None:
    """Add text chats to the import, with questions about open points. Raise ImportRefused if no calendar fits."""
    last_year = builder.reading.now.year if builder.reading.now != NO_DATE else MAXYEAR
    written_dates = [line.day for chat in chats for line in chat if line.day]
    order = builder.choose_date_order(written_dates, range(first_year, last_year + 2))
    for chat in chats:
        written = [TO_YEAR_MONTH_DAY[line.day[1] or order](line.day[0]) for line in chat if line.day]
        dates = _fill_in_missing_years(written, builder, last_year)
        if (make_date := find_date_conversion(dates, last_year + 1, first_year)) is None:
            raise ImportRefused(tr("import-impossible-year", year=str(max(year for year, _, _ in dates))))
        left = iter(dates)
        dated = ((line, line.day and next(left)) for line in chat)
        roles = {line.speaker: ROLES.get(line.speaker.casefold()) for line in chat if line.speaker}
        sides = roles if set(roles.values()) == {"user", "assistant"} else {}  # a talk with an assistant
        read_line = partial(_make_message_from_line, builder, make_date, sides, Counter[str]())
        builder.append_chat(make_times_monotonic(builder.read_messages(dated, read_line)))
    builder.ask_which_speaker_is_user()


def _make_message_from_line(
    builder: HistoryBuilder,
    make_date: Callable[[int, int, int], date],
    roles: Mapping[str, Role | None],
    id_counts: Counter[str],
    dated_line: tuple[ChatLine, DateNumbers | None],
) -> ImportedMessage:
    line, numbers = dated_line
    if line.speaker == "":
        raise SkipElement("service")
    if not line.words:
        raise SkipElement("wordless")
    try:
        day = make_date(*numbers) if numbers else builder.reading.now.date()
    except (ValueError, OverflowError):  # no such day
        raise InvalidElement(f" {line.stamp}".rstrip()) from None
    said_at = datetime.combine(day, line.clock, builder.reading.zone).astimezone(UTC)
    stamp = line.stamp or (said_at if numbers else line.clock).isoformat()
    name = make_unique_id(id_counts, stamp, line.speaker, line.words)
    role = roles.get(line.speaker or "") or "user"
    # Cut only after the id is made: earlier versions kept them, and it is a hash of speaker and words.
    speaker, words = _ISOLATE.sub("", line.speaker or "") or "?", _CAME_OR_LEFT.sub("", line.words)
    speaker = "" if roles and role == "user" else speaker
    return builder.make_message(name, role, words, said_at, speaker=speaker, is_undated=numbers is None)


def _fill_in_missing_years(dates: list[DateNumbers], builder: HistoryBuilder, last_year: int) -> list[DateNumbers]:
    """If no date has a year, ask the user for the year of the last date, and count back from it."""
    if not dates or any(year for year, _, _ in dates):
        return dates
    years = range(last_year, FIRST_YEAR - 1, -1)
    question = ImportQuestion(name="year", options=tuple(map(str, years)), chosen=(0,))
    year = years[next(iter(builder.ask(question)), 0)]
    found: list[DateNumbers] = []
    for month, day in ((month, day) for _, month, day in reversed(dates)):
        year -= bool(found) and (month, day) > found[-1][1:]
        found.append((year, month, day))
    return found[::-1]


_CLOCK = r"(?:[^\W\d_]{1,4} ?)?\d{1,2}:\d\d(?: ?[AaPp][Mm])?"
_ZOOM_CLOCK = r"\d\d?:\d\d:\d\d(?: ?[AP]M)?"
_DAY = re.compile(r"(?=[^\t\n:]{6,40}$)[^\t\n:]*\d[^\t\n:]*")
_LINE = re.compile(rf"(?P<stamp>{_CLOCK})\t(?P<speaker>[^\t\n]{{0,100}})\t(?P<words>.*)")
_KAKAO_DAY = r"[^\n:]{8,30}?,? "  # KakaoTalk on a phone, which may also put the day in a line between two rules
_KAKAO = re.compile(rf"(?P<stamp>(?:{_KAKAO_DAY})?{_CLOCK}), (?P<speaker>[^\n:]{{1,100}}?) : (?P<words>.*)")
_RULED_DAY = re.compile(r"^-{10,}\n(.*\d.*)\n-{10,}$", re.MULTILINE)
_BRACKET = rf"\[(?P<stamp>\d[^\]:\n]{{5,20}}?,? {_CLOCK})\]"  # Telegram and Discord
_LOG_STAMP = r"[\[(]?(?P<stamp>[^<>*:\n\t]{0,40}?\d\d:\d\d(?::\d\d)?(?:[+-]\d{4}| [AP]M)?)[\])]?"
_IRC = re.compile(rf"{_LOG_STAMP}\s{{1,3}}<[ ~&@%+]?(?P<speaker>[^<>\n]{{1,60}})>\s(?P<words>.*)")
_WEECHAT = re.compile(r"(?P<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\t[~&@%+]?(?P<speaker>[^\t\n]{1,60})\t(?P<words>.*)")
_PIDGIN = re.compile(r"\((?P<stamp>[^()\n]{0,40}?\d\d:\d\d:\d\d(?: [AP]M)?)\) (?P<speaker>[^:\n]{1,60}): (?P<words>.*)")
FIRST_LOG_YEAR = 1988  # the year of the first IRC logs
_LOGS = (_IRC, _WEECHAT, _PIDGIN)
_LOG_LINE = re.compile(rf"{_LOG_STAMP}:?\s(?P<speaker>)(?P<words>.*)")  # a line that the program itself wrote
_LOG_NOTE = re.compile(rf"{_LOG_STAMP}:?\s{{1,3}}(?:\*|-[-!>]|<-)")  # such a line in any format
_LOG_DAY = re.compile(r"(?:-{3}|\*{4}|Session|Conversation).*\d{4}")
_HEADS = (
    *(_LINE, _KAKAO),
    re.compile(rf"\[(?P<speaker>[^\]\n]{{1,100}})\] \[(?P<stamp>{_CLOCK})\] (?P<words>.*)"),  # KakaoTalk on a computer
    re.compile(rf"(?P<speaker>[^\[\]\n]{{1,100}}), {_BRACKET}(?P<words>)$"),
    re.compile(rf"{_BRACKET} (?P<speaker>[^:\n]{{1,100}})(?P<words>)$"),
    re.compile(rf"(?P<stamp>{_ZOOM_CLOCK})\t(?P<speaker>[^\t\n]{{1,100}}):\t(?P<words>.*)"),  # of a recording by Zoom
    re.compile(  # saved in Zoom, which also names who could read it
        rf"(?P<stamp>(?:\d{{4}}-\d\d-\d\d )?{_ZOOM_CLOCK})\s{{1,4}}From\s{{1,4}}(?P<speaker>[^\n:]{{1,100}}?)"
        r"(?:\s{1,4}[Tt]o\s{1,4}[^\n:]{1,200})?:[ \t]*(?P<words>.*)"
    ),
    re.compile(  # QQ and WeChat
        r"(?P<stamp>\d{4}-\d\d-\d\d \d{1,2}:\d\d:\d\d) (?!UTC$|\+0000 UTC,)(?P<speaker>[^\s:-][^:\n]{0,99})(?P<words>)$"
    ),
    re.compile(  # iMessage, where "Read by" may follow the date
        r"(?P<stamp>[^\W\d_]{3,12} \d{1,2}, \d{4} {1,3}\d{1,2}:\d\d:\d\d [AP]M)(?: \([^()\n]*\))?(?P<words>)$"
    ),
)
_APP_LINES = {
    _LINE: re.compile(rf"(?P<stamp>{_CLOCK})\t(?P<speaker>)(?P<words>[^\t\n]*)$"),
    _KAKAO: re.compile(rf"(?P<stamp>{_KAKAO_DAY}{_CLOCK})(?:, |: )(?P<speaker>)(?P<words>[^:\n]*)$"),
}  # lines without a speaker, in files with these heads
_SPACED = re.compile(rf"(?P<stamp>{_CLOCK}) (?P<speaker>)(?P<words>\S.*)")
"""LINE on a computer puts only spaces between time, speaker and words, below a line for the day."""
_STAND_IN = re.compile(
    r"\[[^\[\]\s]{1,20}\]|사진(?: \d{1,3}장)?|동영상|이모티콘|삭제된 메시지입니다\.|貼圖|圖片|影片|スタンプ|写真"
)  # what LINE and KakaoTalk write in place of a picture or sticker
_CAME_OR_LEFT = re.compile(r"(?m)\n.{1,99}님(?:이 (?:들어왔|나갔)|을 (?:내보냈|초대(?:했|하였)))습니다\.$")  # KakaoTalk
_FOOTER = re.compile(r"\n={40,}\nExported \d+ message\(s\)\n=+\s*\Z")  # of Discord
_DETAILS = re.compile(r"\n{1,3}(?:\{(?:Attachments|Embed|Stickers|Reactions)\}|Tapbacks:)\n")  # of Discord and iMessage
_LINE_DAY = re.compile(r"\d{4}\.\d\d\.\d\d \w+$", re.MULTILINE)


def read_chats(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    chats = []
    for file in files:
        lines = _parse_lines(_RULED_DAY.sub(r"\1", _FOOTER.sub("", file.text)), file.path)
        lines = _split_off_speakers(lines) if _LINE_DAY.match(file.text) else lines
        chats.append([_clean_chat_line(line) for line in lines])
    add_text_chats(chats, builder, FIRST_LOG_YEAR)


def _parse_lines(text: str, path: str) -> list[ChatLine]:
    is_log = _is_chat_log(text)
    named = find_date(path) if is_log else None  # ZNC has a file for each day
    day: WrittenDate | None = named[:2] if named and named[0][0] >= FIRST_LOG_YEAR else None
    said: list[ChatLine] = []
    first = text[:SAMPLED].splitlines()
    app_lines = [line for head, line in _APP_LINES.items() if any(map(head.match, first))]
    heads = [*_LOGS, _LOG_LINE] if is_log else [*_HEADS, *app_lines]
    heads += [_SPACED] if _LINE_DAY.match(text) else []
    for line in text.split("\n"):
        found = next((match for head in heads if (match := head.match(line))), None)
        if is_log and _LOG_DAY.match(line) and (new := find_date(line)):
            day = new[:2]
        elif found and (stamp := parse_timestamp(found["stamp"])):
            speaker = found.groupdict().get("speaker")
            if stamp.day and day and day[1] and not stamp.day[0][0]:
                stamp = stamp._replace(day=((day[0][0], *stamp.day[0][1:]), stamp.day[1]))
            is_arrow = is_log and not any(map(str.isalnum, speaker or ""))  # before what the program says
            speaker = "" if is_arrow else speaker and speaker.strip()
            said.append(ChatLine(stamp.day or day, stamp.clock, speaker, found["words"]))
        elif _DAY.fullmatch(line.strip("- ")) and (new := find_date(line)):
            day = new[:2]
        elif said and said[-1].speaker is None:
            said[-1] = said[-1]._replace(speaker=line)
        elif said:
            said[-1] = said[-1]._replace(words=f"{said[-1].words}\n{line}")
    return said


def _split_off_speakers(lines: Sequence[ChatLine]) -> list[ChatLine]:
    """Split lines into speaker and text. A speaker is the longest common prefix of lines with the same first word."""
    common: dict[str, list[str]] = {}
    for line in lines:
        words = line.words.split(" ")
        known = common.setdefault(words[0], words[:-1] or words)
        common[words[0]] = [a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(known, words, strict=False))]
    return [
        line._replace(speaker=(name := " ".join(common[line.words.split(" ")[0]])), words=line.words[len(name) :])
        for line in lines
    ]


def _clean_chat_line(line: ChatLine) -> ChatLine:
    words = _DETAILS.split(line.words, maxsplit=1)[0].strip()
    line = line._replace(speaker=line.speaker and line.speaker.removesuffix(" (pinned)"), words=words)
    if words.startswith("☎"):  # a call
        return line._replace(speaker="")
    if _STAND_IN.fullmatch(_CAME_OR_LEFT.sub("", words)):
        return line._replace(words="")
    is_quoted = "\n" in words and words[0] == words[-1] == '"'
    return line._replace(words=words[1:-1].replace('""', '"') if is_quoted else words)


def _is_text_chat(file: SourceFile) -> bool:
    text = file.sample
    is_chat = any(head.match(line) for head in _HEADS for line in text.splitlines()[:50])
    return is_chat or bool(_LINE_DAY.match(text)) or (_is_chat_log(text) and not is_transcript(text))


def _is_chat_log(text: str) -> bool:
    """Return True if most of the first lines look like messages in a chat log. Other texts may quote a few."""
    lines = [line for line in text[:SAMPLED].splitlines()[:50] if line.strip()]
    lines = [line for line in lines if not (_LOG_NOTE.match(line) or _LOG_DAY.match(line))]
    return 2 * sum(any(head.match(line) for head in _LOGS) for line in lines) > len(lines)


_MARKS = "[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]{0,4}"  # of direction, which may stand anywhere in a head
_CONTAINERS = (
    re.compile(rf"{_MARKS}\[(?P<stamp>[^\]\n]{{6,60}})\]{_MARKS} ?(?P<rest>.*)"),  # of iOS
    re.compile(rf"{_MARKS}(?P<stamp>[^\[\n][^\n]{{5,59}}?) {_MARKS}-{_MARKS} (?P<rest>.*)"),  # of Android
    re.compile(rf"{_MARKS}(?P<stamp>\d[^\n]{{8,50}}?):{_MARKS} (?P<rest>.*)"),  # of iOS until 2017
)
_SPEAKER = re.compile(r"([^\n]{0,100}?):[ \n](.*)", re.DOTALL)  # a longer beginning is a sentence of the system
_UNSPACED = re.compile(r"([^\n:]{1,100}):(?!/|\d\d)(.*)", re.DOTALL)  # in brackets, which only heads have
_OPEN_QUOTE = re.compile(r'^[^"]*"[^"]*$|[“„«][^”“»]*$')
"""Of a line of the system that names a group or a subject with a colon."""
_DELETED, _EDITED = (frozenset(NAMES["whatsapp"][name]) for name in ("deleted", "edited"))
_MEDIA = re.compile(r"<[^<>\n]{3,60}>")
_ATTACHED = re.compile(
    r"[^\n<>:\"/\\|?*]{1,200}\.\w{2,5} \([^()\n]{3,40}\)(?:\n|$)|<[^<>\n:]{3,30}: [^<>\n]{1,200}>(?:\n|$)"
)
_LAST_BRACKET = re.compile(r" [\u200e\u200f]{0,2}(<[^\W\d_][^<>\n]{6,60}>)$", re.MULTILINE)
_FIRST_BRACKET = re.compile(r"(<[^<>\n]{3,60}>)\n")
_TAIL = re.compile(r" ?[\u200e\u200f] ?<[^<>\n]{3,230}>$")  # what iOS adds to a message: that it was edited, or a file
_DOCUMENT = re.compile(r"[^\n]{1,200}\.\w{2,5} • [\u200e\u200f][^\n]{1,80}$")
"""A file that was left out of the export: its name, its pages, and the app's own words."""
_MARK = re.compile("[\u200e\u200f]")
_DIGITS = re.compile(r"\d+")
_NO_DAY: WrittenDate = ((0, 0, 0), "ymd")  # of a date that no calendar has: its message is left out as damaged
_LOGGED = re.compile(r"^.*\b(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL|TRACE)\b.*$", re.MULTILINE)
_ISOLATE = re.compile("[\u2068\u2069]")  # around the name of a person
_WORDY = re.compile(r"https?://|\n.*\S")  # in what the app says itself: a place has a link, a poll several lines


class MessageHead(NamedTuple):
    """The beginning of a message in a text chat, with its date and time."""

    day: WrittenDate
    clock: time
    stamp: str
    rest: str
    shape: tuple[int, bool]  # its container, 1 for Android, and if the clock is first; equal for all heads of one file


def parse_message_head(line: str) -> MessageHead | None:
    """Parse the date and time at the beginning of a line, or return None if there are none."""
    if not any(character.isdigit() for character in line[:16]):
        return None
    for number, container in enumerate(_CONTAINERS):
        if (found := container.match(line)) and (stamp := parse_timestamp(found["stamp"])) and stamp.day:
            return MessageHead(stamp.day, stamp.clock, _get_stamp(found), found["rest"], (number, stamp.is_clock_first))
    return None


def _get_stamp(head: re.Match[str]) -> str:
    return head.string[: head.start("rest")].strip(" -[]:\u200e\u200f\ufeff")


def split_into_heads_and_texts(text: str) -> list[tuple[MessageHead, str]]:
    """Split a chat into heads and message texts. Only lines with the most common shape of head count as heads.

    So does a line with an impossible date or time, which otherwise would become part of the message before it.
    """
    heads = [(line, parse_message_head(line)) for line in text.split("\n")]
    shapes = Counter(head.shape for _, head in heads if head)
    usual = next((shape for shape, _ in shapes.most_common(1)), None)
    known = {_DIGITS.sub("0", head.stamp) for _, head in heads if head and head.shape == usual}
    found: list[tuple[MessageHead, list[str]]] = []
    for line, head in heads:
        written = _CONTAINERS[usual[0]].match(line) if usual and not head else None
        is_message = written and _SPEAKER.match(written["rest"])  # else the words would be lost as the app's own
        if usual and written and is_message and _DIGITS.sub("0", stamp := _get_stamp(written)) in known:
            head = MessageHead(_NO_DAY, time(), stamp, written["rest"], usual)
        if head and head.shape == usual:
            found.append((head, [head.rest]))
        elif found:
            found[-1][1].append(line)
    return [(head, "\n".join(lines)) for head, lines in found]


def read_whatsapp_chats(files: Sequence[SourceFile], builder: HistoryBuilder) -> None:
    add_text_chats([_read_whatsapp_lines(file.text, builder.skipped) for file in files], builder)


def _read_whatsapp_lines(text: str, skipped_counts: Counter[str]) -> list[ChatLine]:
    said: list[ChatLine] = []
    # What the app writes in brackets at the end of messages, and in place of files, is repeated in a file.
    app_words = {words for words, count in Counter(_LAST_BRACKET.findall(text)).items() if count > 1}
    for head, line in split_into_heads_and_texts(text):
        said_by = _SPEAKER.match(line) or (None if head.shape[0] else _UNSPACED.match(line))
        if said_by is None or _OPEN_QUOTE.search(said_by[1]):
            continue
        speaker, words = said_by.groups()
        # iOS marks what the app says itself, and files, by the direction of its language.
        is_marked = head.shape[0] != 1 and words.startswith(("\u200e", "\u200f"))
        words = _ISOLATE.sub("", words).strip(" \u200e\u200f\n")
        # a file that was left out, and its caption
        if (first := _FIRST_BRACKET.match(words)) and first[1] in app_words:
            words = words[first.end() :]
        if (bracket := words[words.rfind("<") :]) in app_words or bracket.strip("<.>") in _EDITED:
            words = words.removesuffix(bracket).rstrip(" \u200e\u200f")
        attached = _ATTACHED.match(words)
        rest = words[attached.end() :].strip() if attached else _TAIL.sub("", words).strip()
        is_file = _DOCUMENT.fullmatch(rest) or words.endswith(f"-{rest}>")  # only its name
        is_silent = is_file or _MEDIA.fullmatch(rest) or rest.rstrip(".。।۔") in _DELETED
        if not rest or is_silent or (is_marked and not attached and not _WORDY.search(rest)):
            skipped_counts["wordless"] += 1
            continue
        rest = _MARK.sub("", rest) if is_marked else rest
        speaker = speaker.strip("~ \u200e\u200f\u202a\u202c\u202f\u00a0") or "?"
        said.append(ChatLine(head.day, head.clock, speaker, rest, head.stamp))
    return said


FORMATS = (
    ImportFormat(name="chat-texts", fits=_is_text_chat, read=read_chats),
    ImportFormat(
        name="whatsapp",
        product="WhatsApp",
        fits=lambda file: any(map(parse_message_head, _LOGGED.sub("", file.text[:SAMPLED]).splitlines()[:50])),
        read=read_whatsapp_chats,
        members=re.compile(r"\A[^/]*/(?:_chat|(?=[^/]*whatsapp)[^/]*)\.txt"),
    ),
)
