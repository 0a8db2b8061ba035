"""Logging without message text or secrets, at any level.

Our own records contain only ids and counts. Library records are reduced to their template, because their values
include URLs with tokens, payloads and prompts. Tracebacks contain no error texts. Secrets are redacted everywhere.
"""

import json
import logging
import sys
import traceback
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

from runtime.metrics import make_counter

OURS = frozenset(
    {
        "assembly", "background", "bot", "chat", "dashboard", "external_memory", "facts", "llm", "locales",
        "memory_retrieval", "playground", "reminders", "retrieval", "runtime", "storage", "summaries",
        "summary_manager", "telegram_ui", "text", "transfer",
    }
)  # fmt: skip


LOGGED = make_counter(
    "keepsake_log_records",
    "Warnings and errors in the log, by level and room.",
    {"level": ("WARNING", "ERROR", "CRITICAL"), "room": (*sorted(OURS), "library")},
)


class RecentRecords(logging.Handler):
    """A log handler that counts warnings and errors, and keeps the latest ones for /admin, without their arguments."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: deque[tuple[float, str, str]] = deque(maxlen=20)

    def emit(self, record: logging.LogRecord) -> None:
        package = record.name.partition(".")[0]
        LOGGED.labels(record.levelname, package if package in OURS else "library").inc()
        template = " ".join(str(record.msg).split())[:160] if package in OURS else ""
        self.lines.append((record.created, f"{record.levelname} {record.name}", template))


RECENT = RecentRecords()  # of this process


class RedactingFormatter(logging.Formatter):
    """Formats a record without secrets or message text. A traceback follows on further lines."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        safe, error = _redact_record_and_get_error(record)
        line = super().format(safe)
        return self._redact(line if error is None else f"{line}\n{format_traceback_locations(error)}")

    def _redact(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text


class JsonFormatter(RedactingFormatter):
    """Formats a record as one line with a JSON object, including the `extra` fields of our own records."""

    def format(self, record: logging.LogRecord) -> str:
        safe, error = _redact_record_and_get_error(record)
        is_ours = record.name.partition(".")[0] in OURS
        fields: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._redact(safe.getMessage()),
        }
        for name in sorted(vars(record).keys() - _USUAL_FIELDS) if is_ours else ():
            value = vars(record)[name]
            fields[name] = value if isinstance(value, int | float) else self._redact(str(value))
        if error is not None:
            fields |= {"error": type(error).__name__, "traceback": self._redact(format_traceback_locations(error))}
        return json.dumps(fields)


_USUAL_FIELDS = vars(logging.makeLogRecord({})).keys() | {"message", "asctime", "taskName"}


def _redact_record_and_get_error(record: logging.LogRecord) -> tuple[logging.LogRecord, BaseException | None]:
    safe = logging.makeLogRecord(record.__dict__)
    if record.name.partition(".")[0] not in OURS:
        # A library may have formatted values into its message. The first words are enough to find the place.
        safe.msg, safe.args = str(record.msg) if record.args else " ".join(str(record.msg).split()[:6]), None
    safe.exc_info = safe.exc_text = safe.stack_info = None
    return safe, record.exc_info[1] if record.exc_info else None


def log_regardless_of_level(message: str, level: int = logging.INFO) -> None:
    """Write a message to stderr regardless of LOG_LEVEL, as JSON if LOG_FORMAT is json."""
    formatters = (handler.formatter for handler in logging.getLogger().handlers)
    if formatter := next((known for known in formatters if isinstance(known, JsonFormatter)), None):
        message = formatter.format(logging.LogRecord("bot", level, "", 0, message, None, None))
    sys.stderr.write(message + "\n")
    sys.stderr.flush()


def format_traceback_locations(error: BaseException) -> str:
    """Format the tracebacks of an error and its causes without their messages, which may quote people."""
    lines = []
    seen: BaseException | None = error
    while seen is not None:
        frames = traceback.extract_tb(seen.__traceback__)
        lines += [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
        lines.append(f"  {type(seen).__name__}")
        seen = seen.__cause__ or seen.__context__
    return "\n".join(lines)


def set_up_logging(level: str, secrets: Iterable[str], *, style: Literal["text", "json"] = "text") -> None:
    """Set up logging to stderr. Libraries log only warnings and errors, because lower levels contain payloads."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(secrets) if style == "json" else RedactingFormatter(secrets))
    logging.captureWarnings(style == "json")  # they would be lines of their own
    root = logging.getLogger()
    root.handlers[:] = [handler, RECENT]
    root.setLevel(max(logging.WARNING, logging.getLevelNamesMapping()[level]))
    for name in OURS:
        logging.getLogger(name).setLevel(level)
