"""Read the parameters of a request from its query string or its JSON body, with types and limits."""

from collections.abc import Mapping
from datetime import date

from starlette.requests import Request

from runtime.bounded_json import parse_untrusted_json
from runtime.pacing import RequestTooLarge
from text.characters import repair_surrogates

MAX_BODY_BYTES = 64_000  # of a request without files
MAX_PARTS = 2_000  # objects and lists in a request
MAX_NUMBER = 2**53  # a browser's integers are exact up to here; ids are far below
MAX_IDS = 500


class BadRequest(Exception):  # noqa: N818 - reads as the state it is
    """Raised if a parameter is missing or has the wrong type. The page itself never sends such a request."""


class Parameters:
    """The parameters of a request, read by name. The methods raise BadRequest if a value is invalid."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = values

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) not in (None, "")

    def read_integer(self, name: str, default: int | None = None) -> int:
        """Return an integer parameter. Raise BadRequest if it is missing and there is no default."""
        value = self.values.get(name)
        if value in (None, "") and default is not None:
            return default
        try:
            number = int(value) if isinstance(value, int | str) and not isinstance(value, bool) else None
        except ValueError:
            number = None
        if number is None or abs(number) > MAX_NUMBER:
            raise BadRequest(f"{name} is a whole number.")
        return number

    def read_optional_integer(self, name: str) -> int | None:
        return self.read_integer(name) if name in self else None

    def read_text(self, name: str, max_chars: int) -> str:
        value = self.values.get(name, "")
        if not isinstance(value, str) or len(value) > max_chars:
            raise BadRequest(f"{name} is a text of at most {max_chars} characters.")
        return repair_surrogates(value)

    def read_flag(self, name: str, default: bool | None = None) -> bool:
        value = self.values.get(name, default)
        if value in (True, "1", "true"):
            return True
        if value in (False, "0", "false", ""):
            return False
        raise BadRequest(f"{name} is true or false.")

    def read_day(self, name: str) -> date | None:
        text = self.read_text(name, 10)
        try:
            found = date.fromisoformat(text) if text else None
        except ValueError:
            found = date.min
        if found is not None and not date(1970, 1, 1) <= found <= date(9000, 1, 1):
            raise BadRequest(f"{name} is a day such as 2026-11-23.")
        return found

    def read_ids(self, name: str) -> tuple[int, ...]:
        value = self.values.get(name, [])
        if isinstance(value, str):  # a query string has them with commas between
            value = [int(part) for part in value.split(",") if part.isdecimal() and len(part) < len(str(MAX_NUMBER))]
        if not isinstance(value, list) or len(value) > MAX_IDS or not all(type(number) is int for number in value):
            raise BadRequest(f"{name} is a list of at most {MAX_IDS} whole numbers.")
        return tuple(value)

    def read_object(self, name: str) -> "Parameters":
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise BadRequest(f"{name} is an object.")
        return Parameters(value)


async def read_query_parameters(request: Request) -> Parameters:
    return Parameters(request.query_params)


async def read_json_body(request: Request) -> Parameters:
    """Read a JSON object from the body. Raise RequestTooLarge if it is too long, or BadRequest if it is invalid."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BadRequest("The body is JSON.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise RequestTooLarge
    try:
        value = parse_untrusted_json(body, max_parts=MAX_PARTS)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise BadRequest("The body is a JSON object.")
    return Parameters(value)
