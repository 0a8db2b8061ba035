"""The failures of a call to an endpoint, and how an endpoint's refusal is read.

No sentence of here holds a key, a prompt or the endpoint's own words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from locales.catalog import from_now, tr
from locales.lists import all_of
from records.errors import ContextTooLong, ModelBroken, ModelBusy, ModelError, ModelLoading, ModelRefused
from runtime.metrics import counter

REQUESTS = counter(
    "keepsake_model_requests", "HTTP requests to the model's endpoint, by path and status.", ["path", "status"]
)
LONGEST_WORDS = 4_000
"""Characters of an error's words that are searched: some of what is looked for takes the square of their number."""
LONGEST_TOLD = 366 * 86_400.0
"""Seconds that a person is told to wait; what formats numbers takes no 10^30."""

_TOO_LONG = re.compile(
    r"context.?(length|window|size)|maximum (context|prompt|input)|(prompt|input|request) (is )?too (long|large)"
    r"|too many (input )?tokens|exceeds? .{0,40}(token|context)|too large for model with \d+",
    re.IGNORECASE,
)
_TOO_LONG_CODES = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
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


@dataclass(frozen=True, kw_only=True)
class SettingNames:
    """The variables that a refusal tells people to look at."""

    model: str
    key: str
    url: str


def refusal(error: StatusError, model: str, settings: SettingNames) -> ModelError:
    """An error status, or an error inside a stream (then with the status that its body names), as ours."""
    status, code, message = error.status_code, error_code(error.body), error_message(error.body)
    is_named = not _TOO_LONG_CODES.isdisjoint((code, str(error_body(error.body).get("type"))))
    if is_named or (status in (400, 413, 422, 500) and _TOO_LONG.search(message)):
        return ContextTooLong()
    if code in ("insufficient_quota", "billing_hard_limit_reached") or status == 402:
        return ModelRefused(tr("errors-no-credit"))
    # llama.cpp ("Loading model"), Hugging Face ("Model x is currently loading"), and what stands in front of them.
    if status == 503 and any(said in message.lower() for said in ("loading", "starting up")):
        return ModelLoading()
    wait = retry_after(error.headers)
    if status in (408, 409, 429) or status >= 500:
        told = tr("errors-busy-until", wait=from_now(wait)) if wait and wait >= 1 else None
        return ModelBusy(told, retry_after=wait, remedy=f"(status {status})")
    told, names = {
        401: (tr("errors-key"), [settings.key]),
        403: (tr("errors-key"), [settings.key, settings.model]),
        404: (tr("errors-unknown-model", name=model), [settings.model, settings.url]),
    }.get(status, (tr("errors-model-refused"), []))
    return ModelRefused(told, remedy=tr("errors-check", settings=all_of(names)) if names else f"(status {status})")


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
    if isinstance(body, str):
        return body[:LONGEST_WORDS]
    error = error_body(body)
    metadata = error.get("metadata")
    # OpenRouter says little itself, and repeats what the provider said. FastAPI lists what is wrong where, as `detail`.
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else ""
    return f"{error.get('message') or error.get('detail') or ''} {raw or ''}".strip()[:LONGEST_WORDS]


def refused_pictures(error: Exception) -> Literal["", "all", "this"]:
    """Whether a request was refused because of its pictures: of any, or of one that is spoilt."""
    if not isinstance(error, StatusError) or error.status_code not in (400, 404, 415, 422, 500, 501):
        return ""
    words = f"{error_code(error.body)} {error_body(error.body).get('param')} {error_message(error.body)}"
    if _SPOILT_PICTURE.search(words):
        return "this"
    return "all" if _NAMED_PICTURES.search(words) else ""
