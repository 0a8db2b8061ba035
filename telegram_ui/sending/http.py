"""Send requests to Telegram over aiohttp, which needs less CPU time than the library's own client."""

import json
import math
import re
from contextlib import suppress
from datetime import timedelta
from functools import lru_cache
from io import BytesIO
from typing import Any

import aiohttp
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

from runtime.http_client import find_proxy, open_http_session, read_body
from runtime.metrics import STATUSES, make_counter
from text.characters import repair_surrogates_in_json

MAX_ANSWER_BYTES = 32_000_000  # of one response. Files from Telegram have at most 20 MB, from a local server any size.
MAX_PARAMETER = 10**13  # seconds or an id in an error response. Telegram's chat ids are below half of it.

# The methods that people depend on. Others are counted once they are used.
METHODS = (
    *("getMe", "getUpdates", "getFile", "file", "setWebhook", "deleteWebhook", "answerCallbackQuery"),
    *("sendMessage", "sendMessageDraft", "sendRichMessage", "sendRichMessageDraft", "sendDocument", "sendChatAction"),
    *("editMessageText", "editMessageReplyMarkup", "deleteMessage"),
)
REQUESTS = make_counter(
    "keepsake_telegram_requests",
    "HTTP requests to Telegram, by method and status.",
    {"method": METHODS, "status": (*STATUSES, "409")},
)
FAILURES = (aiohttp.ClientError, TimeoutError, OSError)  # aiohttp.ServerTimeoutError is also a TimeoutError


class AiohttpRequest(BaseRequest):
    """An HTTP client for python-telegram-bot. If `trust_env` is True, it uses the environment's proxies."""

    def __init__(self, *, connection_pool_size: int = 1, read_timeout: float = 20.0, trust_env: bool = True) -> None:
        self._pool_size = connection_pool_size
        self._read_timeout = read_timeout
        self._trust_env = trust_env
        self._session: aiohttp.ClientSession | None = None
        self._find_proxy = lru_cache(16)(find_proxy)  # by origin: there is one, or two with files

    @property
    def read_timeout(self) -> float | None:
        return self._read_timeout

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Parse a Bot API response without logging it. Raise TelegramError if it is something else."""
        try:
            response = json.loads(payload.decode("utf-8", "replace"))
            response = repair_surrogates_in_json(response) if b"\\ud" in payload.lower() else response
        except (ValueError, RecursionError):
            raise TelegramError("Invalid server response") from None
        if not isinstance(response, dict) or not ("result" in response or response.get("ok") is False):
            raise TelegramError("Invalid server response")
        if response.get("ok") is False:
            # python-telegram-bot relies on the types of these fields.
            description = response.get("description")
            response["parameters"] = _parse_parameters(response.get("parameters"))
            response["description"] = description if isinstance(description, str) else ""
        return response

    async def initialize(self) -> None:
        """Open the HTTP session unless it is open."""
        if self._session is None or self._session.closed:
            self._session = open_http_session(max_connections=self._pool_size, headers={"User-Agent": self.USER_AGENT})

    async def shutdown(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Return the status and body of a response. Raise NetworkError on failure."""
        if self._session is None or self._session.closed:
            raise RuntimeError("This request is not initialized!")
        body, headers = _make_body_and_headers(request_data)
        upload = 600.0 if isinstance(body, aiohttp.FormData) else 20.0
        read = _choose_timeout(read_timeout, self._read_timeout)
        connect = _choose_timeout(connect_timeout, 10.0) + _choose_timeout(pool_timeout, 10.0)
        timeout = aiohttp.ClientTimeout(
            connect=connect,
            sock_read=read or None,
            # A download may take longer while data arrives.
            total=connect + _choose_timeout(write_timeout, upload) + read if method == "POST" and read else None,
        )
        status = "cancelled"
        try:
            async with self._session.request(
                method,
                url,
                data=body,
                headers=headers,
                timeout=timeout,
                proxy=self._find_proxy("/".join(url.split("/", 3)[:3])) if self._trust_env else None,
                allow_redirects=False,
            ) as response:
                status = str(response.status)
                content = await read_body(response, MAX_ANSWER_BYTES + 1)
                if len(content) > MAX_ANSWER_BYTES:
                    raise BadRequest("file is too big")
                # As Telegram's server begins a success, which is not parsed twice.
                if method == "POST" and response.status < 300 and not content.startswith(b'{"ok":true'):
                    return self._find_status(content), content
                return response.status, content
        except TimeoutError as error:
            status = "none"
            raise TimedOut from error
        except FAILURES as error:
            status = "none"
            # Without the client's message, which may hold the URL and thus the token.
            raise NetworkError(f"aiohttp.{type(error).__name__}") from error
        finally:
            name = url.partition("?")[0].rpartition("/")[2]
            is_method = "/file/" not in url and name.isascii() and name.isalpha()
            REQUESTS.labels(name if is_method else "file", status).inc()

    def _find_status(self, payload: bytes) -> int:
        """Return the status that a successful response should have. Some relays send errors as successes."""
        with suppress(TelegramError):  # the caller parses it again
            response = self.parse_json_payload(payload)
            if response.get("ok") is False:
                code = str(response.get("error_code"))
                return int(code) if re.fullmatch(r"[45]\d\d", code) else 500
        return 200


def _parse_parameters(parameters: object) -> dict[str, int]:
    """Return the numbers among the parameters of an error response. Relays may send them as text or as fractions."""
    numbers: dict[str, int] = {}
    for name, value in parameters.items() if isinstance(parameters, dict) else ():
        with suppress(TypeError, ValueError, OverflowError):
            number = math.ceil(float(value))
            if abs(number) < MAX_PARAMETER:
                numbers[name] = number
    return numbers


def failed_without_response(error: TelegramError) -> bool:
    return isinstance(error.__cause__, FAILURES)


def _make_body_and_headers(request_data: RequestData | None) -> tuple[bytes | aiohttp.FormData | None, dict[str, str]]:
    if request_data is None:
        return None, {}
    if not request_data.multipart_data:
        # Like urllib.parse.urlencode, but in C: nine times faster for 4,000 letters that are not ASCII.
        form = URL.build(query=request_data.json_parameters).raw_query_string.encode()
        return form, {"Content-Type": "application/x-www-form-urlencoded"}
    form_data = aiohttp.FormData(quote_fields=False)  # Telegram shows quoted names as they are
    for name, value in request_data.json_parameters.items():
        form_data.add_field(name, value)
    for name, (filename, content, mime) in request_data.multipart_data.items():
        file = BytesIO(content) if isinstance(content, bytes) else content
        form_data.add_field(name, file, filename=filename, content_type=mime)
    return form_data, {}


def _choose_timeout(seconds: Any, default: float) -> float:
    return default if seconds is BaseRequest.DEFAULT_NONE else seconds or 0.0


def get_retry_seconds(error: RetryAfter) -> float:
    after = error.retry_after
    return after.total_seconds() if isinstance(after, timedelta) else float(after)


def choose_retry_delay_seconds(error: Exception, default: float) -> float:
    """Return the seconds until the next attempt: `default`, or the longer pause that Telegram asks for."""
    return max(default, get_retry_seconds(error)) if isinstance(error, RetryAfter) else default


def contains_any_phrase(error: TelegramError, *phrases: str) -> bool:
    """Return True if the error message contains any of the phrases, which must be in lower case."""
    return any(phrase in error.message.lower() for phrase in phrases)


def is_entity_error(error: TelegramError) -> bool:
    return contains_any_phrase(error, "can't parse", "can't find end", "entit", "unsupported url", "wrong http url")


def request_had_no_effect(error: TelegramError) -> bool:
    """Return True if a failed request was not sent, or if Telegram answered with an error."""
    cause = error.__cause__
    if cause is None or isinstance(cause, TelegramError):
        return isinstance(error, NetworkError)  # a status of 500 or above
    not_connected = aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | aiohttp.ClientHttpProxyError
    return isinstance(cause, not_connected)
