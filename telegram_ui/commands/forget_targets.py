"""Targets of /forget, parsed from words and encoded in the payload of a button."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal, get_args

from locales.catalog import list_words
from records.forgetting import ForgetRequest
from retrieval.date_expressions import parse_text_as_period

BUTTON_LIFETIME = timedelta(minutes=10)  # so that nobody erases anything by touching an old message

_FIGURES = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}")
_BETWEEN = re.compile(r"\W*\w{0,5}\W*")  # between two dates: "to", "bis", "–"
_TO = re.compile(r"[–—]|\s-\s")  # between two dates in words
_DAYS = re.compile(  # "1-5 May", "1 al 5 de mayo", but not "1 y 5 de mayo", which leaves the days between
    r"^(\D*)(\d\d?)(?:[\s.]*[-–—][\s.]*|\.?\s(?:to|al?|ao|à|au|bis|по|до)\s)(\d\d?)(?!\d)(.*)"
)
_NUMBER = re.compile(r"#\s*(-?\d{1,15})")
_FACT = re.compile(r"(?:fact|fakt|факт|dato|fato|事实|معلومة)\s*#?\s*(\d{1,15})", re.IGNORECASE)
_CODE = re.compile(r"(?:([mtfc])(-?\d+)(?:r(\d+))?|d(\d{8})-(\d{8})|([lL])([\w-]{8})|e)(q)?")
MAX_CODE_CHARS = 19  # characters of a target within a button

TargetKind = Literal["message", "turn", "fact", "conversation", "days", "found", "found turns", "everything"]
_KINDS: Mapping[str, TargetKind] = dict(zip("mtfcdlLe", get_args(TargetKind), strict=True))  # by their code's letter


@dataclass(frozen=True, kw_only=True, slots=True)
class ForgetTarget:
    """The messages, facts or conversation that a /forget request refers to."""

    kind: TargetKind
    number: int = 0  # the id of a fact or message (any message of a turn), or the thread of a conversation
    first: date = date.min  # of the days, both included
    last: date = date.min
    key: str = ""  # names a list of found messages
    with_quotes: bool = False  # also forget texts that repeat the forgotten words
    request: int = 0  # the turn that asked to forget

    @property
    def short_code(self) -> str:
        """The target as at most 19 ASCII characters without colons. The field `request` is omitted if too long."""
        letter = next(letter for letter, kind in _KINDS.items() if kind == self.kind)
        content = self.key or (str(self.number) if letter in "mtfc" else "")
        if self.kind == "days":
            content = f"{self.first:%Y%m%d}-{self.last:%Y%m%d}"
        quotes = "q" if self.with_quotes else ""
        whole = letter + content + (f"r{self.request}" if self.request else "") + quotes
        return whole if len(whole) <= MAX_CODE_CHARS else letter + content + quotes

    def make_button_payload(self, now: datetime) -> str:
        """Return the payload of a button for this target. It is valid for BUTTON_LIFETIME."""
        return f"{self.short_code}.{int(now.timestamp()) // 60:x}"

    @classmethod
    def parse_button_payload(cls, payload: str, now: datetime) -> "ForgetTarget | None":
        """Return the target of a pressed button, or None if the button is too old or its payload is invalid."""
        code, _, minute = payload.partition(".")
        try:
            age = now - datetime.fromtimestamp(int(minute, 16) * 60, now.tzinfo)
        except (ValueError, OverflowError, OSError):  # an earlier version's button
            return None
        match = _CODE.fullmatch(code)
        if match is None or age >= BUTTON_LIFETIME + timedelta(minutes=1):
            return None
        with_quotes = match[8] is not None
        if match[1]:
            number, request = int(match[2]), int(match[3] or 0)
            return cls(kind=_KINDS[match[1]], number=number, with_quotes=with_quotes, request=request)
        if match[4]:
            first, last = date.fromisoformat(match[4]), date.fromisoformat(match[5])
            return cls(kind="days", first=first, last=last, with_quotes=with_quotes)
        return cls(kind=_KINDS[match[6] or "e"], key=match[7] or "", with_quotes=with_quotes)

    def make_request_to_forget_days(self, zone: tzinfo) -> ForgetRequest:
        """Return a request to forget these days, which begin at midnight in the owner's time zone."""
        since = datetime(self.first.year, self.first.month, self.first.day, tzinfo=zone)
        after = self.last + timedelta(days=1) if self.last < date.max else self.last
        return ForgetRequest(what="dates", since=since, until=datetime(after.year, after.month, after.day, tzinfo=zone))


def parse_forget_argument(argument: str, local_now: datetime) -> ForgetTarget | None:
    """Parse the argument of /forget. Return None for a search query. Raise ValueError for an impossible date."""
    words = argument.strip()
    if words.casefold() in list_words("forget-words-everything"):
        return ForgetTarget(kind="everything")
    if match := _NUMBER.fullmatch(words):
        return ForgetTarget(kind="turn", number=int(match[1]))
    if match := _FACT.fullmatch(words):
        return ForgetTarget(kind="fact", number=int(match[1]))
    before, *between, after = _FIGURES.split(words) if _FIGURES.search(words) else ("", "", "", words)
    if not before and not after and len(between) < 2 and all(map(_BETWEEN.fullmatch, between)):
        found = sorted(map(_parse_day, _FIGURES.findall(words)))
        return ForgetTarget(kind="days", first=found[0], last=found[-1])
    words = _DAYS.sub(r"\1\2\4 – \1\3\4", words)
    spans = [parse_text_as_period(part.strip(), local_now) for part in _TO.split(words, maxsplit=1)]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans) or known[0][0] > known[-1][1]:
        return None
    return ForgetTarget(kind="days", first=known[0][0], last=known[-1][1])


def _parse_day(text: str) -> date:
    year, month, day = text.split("-") if "-" in text else reversed(text.split("."))
    found = date(int(year), int(month), int(day))
    if not date(1970, 1, 1) <= found <= date(9000, 1, 1):
        raise ValueError(text)
    return found
