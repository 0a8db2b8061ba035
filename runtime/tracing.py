"""Record OpenTelemetry spans. They cost nothing unless `export_spans` is open.

Attributes contain no personal data. Errors are recorded by type only, because their text may quote a person.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from records.errors import SettingsError
from runtime import VERSION

EXPORT_SECONDS = 2.0  # for a batch, also at shutdown; spans are lost after that

Attributes = Mapping[str, str | int]

_tracers: list[Any] = []  # the one of this process, while spans are exported


class Span:
    """An OpenTelemetry span, which does nothing if spans are not exported."""

    def __init__(self, otel_span: Any = None) -> None:
        self._otel_span = otel_span

    def add_attributes(self, attributes: Attributes) -> None:
        if self._otel_span is not None:
            self._otel_span.set_attributes(attributes)

    def mark_failed(self, error_type: str) -> None:
        if self._otel_span is not None:
            from opentelemetry.trace import StatusCode

            self._otel_span.set_attribute("error.type", error_type)
            self._otel_span.set_status(StatusCode.ERROR)


@contextmanager
def record_span(name: str, attributes: Attributes | None = None, *, is_outgoing: bool = False) -> Iterator[Span]:
    """Record a span around the block. Set `is_outgoing` for a request to another machine."""
    if not _tracers:
        yield Span()
        return
    from opentelemetry.trace import SpanKind

    quiet = {"record_exception": False, "set_status_on_exception": False}
    kind = SpanKind.CLIENT if is_outgoing else SpanKind.INTERNAL
    with _tracers[-1].start_as_current_span(name, kind=kind, attributes=attributes, **quiet) as otel_span:
        span = Span(otel_span)
        try:
            yield span
        except asyncio.CancelledError:  # not a failure
            raise
        except BaseException as error:
            span.mark_failed(type(error).__name__)
            raise


@asynccontextmanager
async def export_spans(endpoint: str) -> AsyncIterator[None]:
    """Send spans to an OTLP collector while the block runs. Raise SettingsError if OpenTelemetry is not installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SettingsError(
            "OTEL_EXPORTER_OTLP_ENDPOINT", "needs packages that are not installed: pip install -r requirements-otel.txt"
        ) from None
    resource = Resource.create({"service.name": "keepsake", "service.version": VERSION})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter, export_timeout_millis=EXPORT_SECONDS * 1000))
    _tracers.append(provider.get_tracer("keepsake"))
    try:
        yield
    finally:
        _tracers.pop()
        await asyncio.to_thread(provider.shutdown)
