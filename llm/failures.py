"""What a call to an endpoint may end in, and how an endpoint's refusal is read.

No sentence of here holds a key, a prompt or the endpoint's own words.
"""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from records.errors import ModelBroken

LONGEST_WORDS = 4_000
"""Characters of an error's words that are searched: some of what is looked for takes the square of their number."""
LONGEST_TOLD = 366 * 86_400.0
"""Seconds that a person is told to wait; what formats numbers takes no 10^30."""

Refused = Literal["", "all", "this", "unclear"]

_PICTURE_STATUS = frozenset({400, 404, 415, 422, 500, 501})
_SPOILT_PICTURE = re.compile(
    r"invalid_image|image_parse|valid image|unsupported image|process image|image format|image.{0,20}too (large|small)"
    r"|decode image|load image",
    re.IGNORECASE,
)
# OpenAI, vLLM, llama.cpp (mmproj), Ollama, OpenRouter, LM Studio, Mistral; Groq and DeepSeek name the type they miss.
_NAMED_PICTURES = re.compile(
    r"\bimages?\b|image_url|image_input|\bvision\b|multi-?modal|mmproj|content must be a string"
    r"|unknown variant|content.{0,40}(valid|should be a(?: valid)?) string",
    re.IGNORECASE,
)


class NoConnection(Exception):  # noqa: N818 - reads as the state it is
    """There was no answer at all."""


class BrokenOff(ModelBroken):
    """The model's answer broke off."""


class StatusError(Exception):
    """The endpoint answered with an error. `body`: as parsed from JSON, else as text."""

    def __init__(self, status_code: int, body: object, headers: Mapping[str, str]) -> None:
        super().__init__(status_code)
        self.status_code = status_code
        self.body = body
        self.headers = headers


def error_in_answer(body: object) -> StatusError:
    """An error that came in place of an answer, with the status that it names."""
    code = error_code(body)
    status = int(code) if code.isdecimal() and len(code) == 3 else 429 if "rate_limit" in code else 500
    return StatusError(status, body, {})


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks to wait; a date is read against the endpoint's own clock."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return min(seconds, LONGEST_TOLD)
    try:
        pause = parsedate_to_datetime(headers.get("retry-after", "")) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return min(max(0.0, pause.total_seconds()), LONGEST_TOLD)


def error_body(body: object) -> Mapping[str, Any]:
    """The error object of a body, whether or not it is wrapped in {"error": …}, or in a list (Gemini)."""
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            return inner
        return {"message": inner} if isinstance(inner, str) else body
    return {}


def error_code(body: object) -> str:
    """The error's code, or its type where it has none."""
    error = error_body(body)
    return str(error.get("code") or error.get("type") or "")


def error_message(body: object) -> str:
    """The beginning of the endpoint's own words: to be searched, never to be shown or logged, since they may quote key
    or prompt.
    """
    return _words(body)[:LONGEST_WORDS]


def _words(body: object) -> str:
    if isinstance(body, str):
        return body
    error = error_body(body)
    words = str(error.get("message") or _detail(error.get("detail")))
    metadata = error.get("metadata")
    # OpenRouter says little itself, and repeats what the provider said.
    return f"{words} {metadata['raw']}" if isinstance(metadata, Mapping) and metadata.get("raw") else words


def _detail(detail: object) -> str:
    """What endpoints made with FastAPI say: words, or what is wrong where, point by point."""
    if not isinstance(detail, list):
        return str(detail or "")
    points = [point for point in detail if isinstance(point, Mapping)]
    return "; ".join(f"{_location(point.get('loc'))}: {point.get('msg')}" for point in points)


def _location(loc: object) -> str:
    return ".".join(map(str, loc)) if isinstance(loc, list) else str(loc or "")


def refused_pictures(error: Exception) -> Refused:
    """What the refusal of a request with pictures says of them. "unclear": a bad request, and nobody knows why."""
    if not isinstance(error, StatusError) or error.status_code not in _PICTURE_STATUS:
        return ""
    words = f"{error_code(error.body)} {error_body(error.body).get('param')} {error_message(error.body)}"
    if _SPOILT_PICTURE.search(words):
        return "this"
    if _NAMED_PICTURES.search(words):
        return "all"
    return "unclear" if error.status_code in (400, 422) and error_code(error.body) != "content_filter" else ""
