"""Parsers for the values of settings, one for each type."""

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

MAX_NUMBER = 10**12  # a larger whole number is a mistake, and could overflow later
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

T = TypeVar("T")
Option = TypeVar("Option", bound=str)
Number = TypeVar("Number", int, float)
ParseText = Callable[[str], T]  # raises ValueError with the rest of a sentence that begins with the variable's name


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret setting whose repr hides the value."""

    value: str = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.value)


def parse_api_key(text: str) -> Secret:
    """Parse an API key. Raise ValueError unless it is visible ASCII, as headers and paths require."""
    if not all("!" <= letter <= "~" for letter in text):
        raise ValueError("may hold visible ASCII characters only; perhaps a space or a curly quote was copied with it.")
    return Secret(text)


_HOST = re.compile(r"[^\W_]([\w-]*[^\W_])?(\.[^\W_]([\w-]*[^\W_])?)*\.?")


def normalize_url(text: str) -> str:
    """Parse an http or https URL, and remove trailing slashes."""
    text = text.rstrip("/")
    with contextlib.suppress(ValueError):
        parts = urlsplit(text)
        host = parts.hostname or ""
        # The codec refuses empty and overlong labels, and the pattern other invalid hosts.
        is_host = ":" in host or (host.encode("idna") and _HOST.fullmatch(host))
        if parts.scheme in ("http", "https") and is_host and parts.port != 0 and len(text.split()) == 1:
            return text
    raise ValueError("must be a URL that begins with http:// or https://, followed by a host's name.")


def parse_public_url(text: str) -> str:
    """Parse the URL of a page for people. It must use https unless it is on this machine."""
    text = normalize_url(text)
    parts = urlsplit(text)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise ValueError("must begin with https://, since Telegram takes nothing else.")
    return text


def parse_postgres_url(text: str) -> Secret:
    """Parse the address of a PostgreSQL database. Errors do not quote it, because it may contain a password."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(text)
        if parts.scheme in ("postgresql", "postgres") and parts.port != 0 and len(text.split()) == 1:
            return Secret(text)
    raise ValueError("must be the address of a PostgreSQL database: postgresql://user:password@host:port/database.")


def make_number_parser(
    minimum: Number, maximum: Number, description: str, convert: Callable[[str], Number]
) -> ParseText[Number]:
    """Return a parser for numbers in a range. Error messages describe the allowed numbers with `description`."""

    def parse_number(text: str) -> Number:
        with contextlib.suppress(ValueError):
            if minimum <= (number := convert(text)) <= maximum:
                return number
        raise ValueError(f"must be {description}.")

    return parse_number


def make_integer_parser(minimum: int, maximum: int = MAX_NUMBER) -> ParseText[int]:
    return make_number_parser(minimum, maximum, f"a whole number from {minimum} to {maximum:,}", int)


def make_choice_parser(*choices: Option) -> ParseText[Option]:
    def parse_choice(text: str) -> Option:
        if choice := {choice.lower(): choice for choice in choices}.get(text.lower()):
            return choice
        raise ValueError(f"must be one of {', '.join(choices)}.")

    return parse_choice


def parse_list(text: str) -> list[str]:
    return [word for item in text.replace(";", ",").split(",") if (word := item.strip())]


def parse_ids(text: str) -> frozenset[int]:
    """Parse Telegram ids separated by commas. Ignore `*`."""
    listed = [item for item in parse_list(text) if item != "*"]
    if not all(re.fullmatch(r"-?\d{1,16}", item, re.ASCII) for item in listed):
        raise ValueError("must be numeric Telegram ids separated by commas, such as 123456,789012.")
    return frozenset(map(int, listed))


def parse_admin_ids(text: str) -> frozenset[int]:
    if "*" in parse_list(text):
        raise ValueError("'*' would make everyone an admin; list numeric ids instead.")
    return parse_ids(text)


def parse_address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65_536:
        raise ValueError("must be an address and a port, such as 127.0.0.1:8443.")
    return host, int(port)


def parse_webhook_token(text: str) -> Secret:
    # Telegram's own rule for secret_token (setWebhook): 1-256 characters of A-Z, a-z, 0-9, _ and -.
    if len(text) > 256 or not all(c.isascii() and (c.isalnum() or c in "_-") for c in text):
        raise ValueError("may hold 1 to 256 characters: A-Z, a-z, 0-9, _ and -.")
    return Secret(text)


parse_seconds = make_number_parser(1e-9, 86_400.0, "a number of seconds above 0, at most 86400", float)
