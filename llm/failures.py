"""Errors from calls to an endpoint. Their messages never contain a key, a prompt or the endpoint's own words."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, Literal, NoReturn

from locales.catalog import format_time_until, join_with_and, tr
from records.errors import ContextTooLong, ModelBroken, ModelBusy, ModelDeclined, ModelError, ModelLoading, ModelRefused
from runtime.metrics import STATUSES, make_counter

PATHS = ("/chat/completions", "/embeddings", "/audio/transcriptions", "/audio/speech")
REQUESTS = make_counter(
    "keepsake_model_requests",
    "HTTP requests to the model's endpoint, by path and status.",
    {"path": PATHS, "status": STATUSES},
)
MAX_ERROR_CHARS = 4_000  # characters of an error message that are searched, since some patterns take quadratic time
MAX_SHOWN_WAIT_SECONDS = 366 * 86_400.0  # the longest wait that is shown to a person

# The patterns only choose what is tried first. Any other refusal goes down the ladder (ladder.py).
_LONG = re.compile(
    r"(context|prompt|input|sequence|request|message|body).{0,60}(length|long\b|large|window|size)"
    r"|(max|exceed|limit|too (long|large|many)|at most|less than)\w*\b.{0,60}"
    r"(token|context|length|prompt|input|seq_len)|(context|prompt|input|sequence).{0,60}exceed",
    re.IGNORECASE | re.DOTALL,
)
_TOO_LARGE = re.compile(r"(request|prompt|input|message)s? (is )?too (large|long)", re.IGNORECASE)
_DECLINED = re.compile(
    r"content.?filter|moderation|flagged|(usage|safety|use|ai|content|management).?polic"
    r"|sensitive.(content|information|word)|new_sensitive|敏感|data_?inspection|content exists risk",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient\w{0,20}_quota|billing_|exceeded_current_quota|token_quota_failed|^1113\b|spending limit|额度不足|"
    r"额度已用尽|(insufficient|not enough|no(?! \w+ were)).{0,20}(balance|credits?|funds)\b|(balance|credits?)\b.{0,30}"
    r"(insufficient|not enough|too low|exhausted|depleted|used up|negative|empty)|(out of|any) credits|arrear|overdue"
    r"|budget_exceeded|key limit exceeded \(|FreeTierOnly|free tier.{0,40}exhausted|free allocation|余额不足|欠费",
    re.IGNORECASE,
)
_MODEL_NOT_FOUND = re.compile(r"model|模型|not.?found|<html|\A\s*\Z", re.IGNORECASE)
_NO_MODEL = re.compile(r"(unknown|invalid).model|model[\s\S]{0,80}(not.{0,9}(exist|found)|decommission)", re.IGNORECASE)
NAMES_KEY = re.compile(
    r"(api|secret).?key|auth(enti|ori)|credent|permiss|(access|invalid).?token|region|territor|location", re.IGNORECASE
)
# Of a 403. Words are no proof: xAI's for a declined message names the key. Others are pages, or say nothing.
_MAY_BE_KEY = re.compile(rf"{NAMES_KEY.pattern}|\A[\W\d]*(?:forbidden[\W\d]*)?\Z|<html", re.IGNORECASE)
ROLES = re.compile(r"\broles?\b|\b(system|developer)\W{1,3}(message|prompt|instruction)", re.IGNORECASE)
TOOLS = re.compile(r"\b(tools?|function[ _-]?call)", re.IGNORECASE)
# A parameter in quotes, or a sentence.
STREAMING = re.compile(
    r"\Astream\b|[\"'`]stream\b|\bstream(ing)?\b.*\b(support|allow|available)|\bsupport\b.*\bstream(ing)?\b",
    re.IGNORECASE | re.DOTALL,
)
# Google's RetryInfo, and OpenAI's and others' sentences.
_WAIT = re.compile(r"(?:retryDelay|(?:again|retry) (?:in|after))\W{0,4}(\d{1,9}(?:\.\d{1,9})?) ?(m?)s", re.IGNORECASE)
_BUSY = re.compile(r"rate.?limit|overload|\bbusy\b|try again later", re.IGNORECASE)


class NoConnection(Exception):  # noqa: N818 - reads as the state it is
    """Raised if the endpoint did not answer at all."""


@dataclass(frozen=True, kw_only=True)
class SettingNames:
    """The names of the settings that an error message mentions."""

    model: str
    key: str
    url: str


_CODES = ("param", "code", "status_code", "error_code", "type")
_MESSAGES = ("message", "detail", "msg", "status_msg", "error_msg", "error_message", "reason", "title")

FailureKind = Literal["length", "credit", "declined", "loading", "busy", "key", "model", "unclear", "refused"]


class StatusError(Exception):
    """Raised for an HTTP error status. `body` is parsed JSON, or text."""

    def __init__(self, status_code: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status_code)
        self.status_code = status_code
        self.body = body
        self.retry_after = _parse_retry_after_seconds(headers or {}, body)

    @cached_property
    def details(self) -> Mapping[str, Any]:
        """The error object of the body. It may be wrapped in {"error": …}, or in a list (Gemini)."""
        body = _get_first_item_if_list(self.body)
        if isinstance(body, Mapping):
            inner = _get_first_item_if_list(body.get("error") or body.get("errors") or body.get("base_resp"))
            body = inner if inner and isinstance(inner, Mapping | str) else body
        return body if isinstance(body, Mapping) else {"message": body}

    @cached_property
    def codes(self) -> str:
        return " ".join(str(self.details[key]) for key in _CODES if self.details.get(key))

    @cached_property
    def message(self) -> str:
        """The endpoint's message, shortened. Never show or log it, since it may quote the key or the prompt."""
        # OpenRouter says little itself, and repeats what the provider said. FastAPI lists what is wrong as `detail`.
        metadata = self.details.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
        message = next((self.details[key] for key in _MESSAGES if self.details.get(key)), "")
        return f"{message} {raw or ''}".strip()[:MAX_ERROR_CHARS]

    @property
    def searchable_text(self) -> str:
        """The error's codes, type and message as one text to search in."""
        return f"{self.codes} {self.message}".strip()[:MAX_ERROR_CHARS]

    @cached_property
    def kind(self) -> FailureKind:
        """The kind of refusal, derived from its code, status and message."""
        status, words = self.status_code, self.searchable_text
        if status == 402 or (status <= 500 and _NO_CREDIT.search(words)):
            return "credit"
        declined = _DECLINED.search(words) if status in (400, 403, 422, 429, 451, 500, 502, 503) else None
        # Pages of gateways link to policies, and limits mention them.
        says_busy = declined and ("polic" in declined[0].lower() or _BUSY.search(words) or self.retry_after is not None)
        if declined and not (says_busy and status in (429, 502, 503)):
            return "declined"
        # OpenAI and Groq answer 429 where one prompt is more than a minute's tokens: waiting does not help.
        is_long = status in (413, 431) or (status in (400, 422, 500) and _LONG.search(words))
        if is_long or (status == 429 and _TOO_LARGE.search(self.message)):
            return "length"
        # llama.cpp ("Loading model"), Hugging Face ("Model x is currently loading"), and what stands in front of them.
        if status == 503 and any(said in self.message.lower() for said in ("loading", "starting up")):
            return "loading"
        # Gateways' troubles pass. 505 to 511 are answers to this request.
        if status in (408, 409, 425, 429, 502, 503, 504) or status > 511:
            return "busy"
        if status == 401 or (status in (400, 403) and "401" in self.codes.split()):
            return "key"
        if status == 404:
            return "model"
        return "unclear" if status >= 400 else "refused"

    @property
    def may_be_setting(self) -> bool:
        """True if the key or the model's name may be wrong. The error may also refuse a feature or a message."""
        of_key = {400: NAMES_KEY, 403: _MAY_BE_KEY}.get(self.status_code) if self.kind == "unclear" else None
        return self.kind == "model" or (of_key is not None and of_key.search(self.searchable_text) is not None)

    @property
    def may_pass(self) -> bool:
        """True if the same request may succeed later. Some servers and gateways also refuse requests like this."""
        is_fault = self.kind == "unclear" and self.status_code == 500 and not NAMES_KEY.search(self.searchable_text)
        return self.kind == "busy" or is_fault

    @property
    def is_fault(self) -> bool:
        """True if the server or a gateway failed, rather than had too much to do."""
        return self.may_pass and self.status_code >= 500 and not _BUSY.search(self.searchable_text)


def _get_first_item_if_list(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def to_model_error(error: StatusError, model: str, settings: SettingNames) -> ModelError:
    """Convert an HTTP error to a ModelError with a message for the user."""
    status, kind, wait = error.status_code, error.kind, error.retry_after
    if kind in ("busy", "unclear") and _NO_MODEL.search(error.searchable_text):
        status, kind = 404, "model"
    elif kind == "unclear" and status != 403 and NAMES_KEY.search(error.searchable_text):
        status, kind = 401, "key"
    plain: dict[str, type[ModelError]] = {"length": ContextTooLong, "declined": ModelDeclined, "loading": ModelLoading}
    if kind in plain:
        return plain[kind]()
    if kind == "credit":
        return ModelRefused(tr("errors-no-credit"))
    if kind == "busy" or status >= 500:
        told = tr("errors-busy-until", wait=format_time_until(wait)) if wait and wait >= 1 else None
        return ModelBusy(told, retry_after=wait, status=status)
    told, names = {
        401: (tr("errors-key"), [settings.key]),
        403: (tr("errors-key"), [settings.key, settings.model]),
        404: (tr("errors-unknown-model", name=model), [settings.model, settings.url]),
        405: (tr("errors-model-refused"), [settings.url]),  # FastAPI says so of paths that only take GET
    }.get(status, (tr("errors-model-refused"), [settings.url] if status < 400 else []))  # redirects are not followed
    if not names and _MODEL_NOT_FOUND.search(error.searchable_text):
        names = [settings.model, settings.url]
    remedy = tr("errors-check", settings=join_with_and(names)) if names else f"(status {status})"
    return ModelRefused(told, remedy=remedy)


def find_error_in_body(body: Mapping[str, Any]) -> StatusError | None:
    choices = body.get("choices")
    parts = [body, body.get("response"), *(choices if isinstance(choices, list) else ())]  # of the Responses API
    for part in (part for part in parts if isinstance(part, Mapping)):
        error = part.get("error")
        if (any(error.values()) if isinstance(error, Mapping) else error) or part.get("object") == "error":
            return make_error_from_body(part)
    return None


def make_error_from_body(body: Mapping[str, Any]) -> StatusError:
    """Return the error that a successful response reports in its body. Take the status from the error's code."""
    error = StatusError(500, body)
    code = re.search(r"\b[45]\d\d\b", error.codes)
    error.status_code = int(code[0]) if code else 429 if _BUSY.search(error.searchable_text) else 500
    return error


def raise_unreadable(body: object) -> NoReturn:
    """Raise the error that a body reports in a form of its own, or else ModelBroken."""
    if isinstance(body, Mapping) and (error := make_error_from_body(body)).message:
        raise error from None
    raise ModelBroken(remedy="(malformed)") from None


def _parse_retry_after_seconds(headers: Mapping[str, str], body: object) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            if 0 <= (seconds := float(headers.get(name, "")) * unit) < float("inf"):
                return min(seconds, MAX_SHOWN_WAIT_SECONDS)
    with suppress(ValueError, TypeError, OverflowError):  # not two dates, or only one with a zone
        pause = parsedate_to_datetime(headers.get("retry-after", "")) - parsedate_to_datetime(headers.get("date", ""))
        return min(max(0.0, pause.total_seconds()), MAX_SHOWN_WAIT_SECONDS)
    if said := _WAIT.search(str(body)[:MAX_ERROR_CHARS]):
        return min(float(said[1]) * (0.001 if said[2] else 1.0), MAX_SHOWN_WAIT_SECONDS)
    return None
