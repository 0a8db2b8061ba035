"""Parse the parameters of an HTTP request from its query, form, multipart body or JSON.

Invalid ones are refused with the real server's error messages.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from playground.people import Impossible
from playground.refusals import Json, Refusal, make_bad_request_error
from runtime.bounded_json import parse_untrusted_json

FORM_LIMIT = 500_000
"""The size limit of a form without files, in bytes: ten times the longest message in percent-encoding."""
MAX_FIELDS = 1_000
"""The most fields and files in one form. The Bot API method with the most parameters has about 40."""
MAX_NUMBER = 2**62
"""Larger numbers are refused. Telegram's ids have at most 52 bits."""
BODY_LIMIT = 50 * 1024 * 1024
"""The size limit of one request with its files, in bytes. A bot may upload 50 MB (Bot API, sendDocument)."""

_HALF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, kw_only=True)
class Upload:
    name: str
    data: bytes


class Parameters:
    """The named parameters of one request, from JSON or a form.

    Each method reads a parameter as one type, and raises Refusal if it has another type.
    """

    def __init__(self, values: Mapping[str, Any], uploads: Mapping[str, Upload] | None = None) -> None:
        self._values = values
        self._uploads = uploads or {}

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def read_text(self, name: str, default: str = "") -> str:
        value = self._values.get(name)
        return default if value is None else str(value)

    def read_integer(self, name: str, default: int | None = None) -> int | None:
        value = self._values.get(name)
        if value is None or value == "":
            return default
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):
            number = MAX_NUMBER
        if abs(number) >= MAX_NUMBER:
            raise make_bad_request_error(f'field "{name}" must be a number')
        return number

    def require_integers(self, *names: str) -> list[int]:
        """Return parameters that are whole numbers. Raise Impossible if one is missing."""
        numbers = list[int]()
        for name in names:
            if (number := self.read_integer(name)) is None:
                raise Impossible(f"{name} is missing.")
            numbers.append(number)
        return numbers

    def read_flag(self, name: str) -> bool:
        return str(self._values.get(name, "")).lower() in ("true", "1", "yes", "t", "y")

    def read_value(self, name: str) -> Any:
        """Return the JSON value of a parameter, or None if it is absent."""
        value = self._values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return parse_untrusted_json(value) if value else None
        except ValueError:
            raise make_bad_request_error(f"can't parse {name} JSON object") from None

    def read_texts(self, name: str) -> list[str] | None:
        """Return a parameter that is a list of strings, or None if it is absent."""
        value = self.read_value(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise make_bad_request_error(f"can't parse {name} JSON object")
        return value

    def read_objects(self, name: str) -> list[Json]:
        """Return a parameter that is a list of JSON objects, or an empty list if it is absent."""
        value = self.read_value(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise make_bad_request_error(f"can't parse {name} JSON object")
        return value

    def read_object(self, name: str) -> Json | None:
        value = self.read_value(name)
        if value is not None and not isinstance(value, dict):
            raise make_bad_request_error(f"object expected as {name.replace('_', ' ')}")
        return value

    def find_upload(self, name: str) -> Upload | None:
        """Return the file that was uploaded in this field, or in the field that it names with "attach://"."""
        reference = self.read_text(name)
        if reference.startswith("attach://"):
            return self._uploads.get(reference.removeprefix("attach://"))
        return self._uploads.get(name)

    def make_journal_entry(self) -> Json:
        """Return the parameters for the record of calls, with decoded JSON, and with the name and size of each file."""
        shown: Json = {name: _decode_json(value) for name, value in self._values.items()}
        for name, upload in self._uploads.items():
            shown[name] = {"file_name": upload.name, "size": len(upload.data)}
        return shown


async def parse_parameters(request: Request) -> Parameters:
    """Read the parameters of a request. Raise Refusal with 400 if the body is invalid, or 413 if it is too large."""
    values: Json = dict(request.query_params)
    body = await _read_body(request)
    content_type = Message()
    content_type["content-type"] = request.headers.get("content-type", "")
    kind = content_type.get_content_type()
    if not body:
        return Parameters(values)
    if kind == "application/json":
        try:
            fields_from_json = parse_untrusted_json(body.decode())
            if _HALF_A_PAIR.search(body):
                json.dumps(fields_from_json, ensure_ascii=False).encode()  # half a surrogate pair could not be answered
        except (ValueError, RecursionError):
            raise make_bad_request_error("can't parse JSON object") from None
        if not isinstance(fields_from_json, dict):
            raise make_bad_request_error("object expected")
        return Parameters(values | fields_from_json)
    if kind == "multipart/form-data":
        fields, uploads = _parse_multipart(body, str(content_type.get_param("boundary")))
        return Parameters(values | fields, uploads)
    if len(body) > FORM_LIMIT:
        raise Refusal(413, "Request Entity Too Large")
    try:
        form = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise make_bad_request_error("too many fields") from None
    return Parameters(values | dict(form))


async def _read_body(request: Request) -> bytes:
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size > BODY_LIMIT:
            raise Refusal(413, "Request Entity Too Large")
        parts.append(part)
    return b"".join(parts)


def _parse_multipart(body: bytes, boundary: str) -> tuple[dict[str, str], dict[str, Upload]]:
    """Parse a multipart body (RFC 7578). The boundary never occurs within a part, so a split is enough."""
    fields: dict[str, str] = {}
    uploads: dict[str, Upload] = {}
    # Without this check, an empty boundary would split the body at any two dashes.
    parts = body.split(b"--" + boundary.encode(), MAX_FIELDS + 2) if boundary else []
    if len(parts) > MAX_FIELDS + 2:
        raise make_bad_request_error("too many fields")
    for part in parts[1:-1]:
        head, _, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        data = data.removesuffix(b"\r\n")
        headers = head.decode("utf-8", "replace")
        names = dict(re.findall(r'\b(name|filename)="([^"]*)"', headers))
        name = names.get("name", "")
        if "filename" in names:
            uploads[name] = Upload(name=names["filename"].replace("%22", '"'), data=data)
        else:
            fields[name] = data.decode("utf-8", "replace")
    return fields, uploads


def _decode_json(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parse_untrusted_json(value)
        except ValueError:
            return value
    return value
