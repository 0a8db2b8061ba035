"""Spans of what the process does, for OpenTelemetry: none, and at no cost, unless `exporting` is open.

Owns the exporter. Attributes take values of the program alone, as the labels of metrics.py do; of an error its type is
told, for its words may quote a person. The one place that knows opentelemetry.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any

from records.errors import SettingsError

EXPORT_WITHIN = 2.0
"""Seconds that a collector has to take a batch, also at a stop: what it does not take by then is lost."""

_tracers: list[Any] = []
"""The one of this process, while spans are exported."""


def span(name: str, **attributes: str) -> AbstractContextManager[None]:
    """Around something that takes time; what happens inside, in tasks that it starts too, is below it."""
    return _started(name, attributes) if _tracers else nullcontext()


@contextmanager
def _started(name: str, attributes: Mapping[str, str]) -> Iterator[None]:
    from opentelemetry.trace import StatusCode

    quiet = {"record_exception": False, "set_status_on_exception": False}
    with _tracers[-1].start_as_current_span(name, attributes=attributes, **quiet) as made:
        try:
            yield
        except BaseException as error:
            made.set_attribute("error.type", type(error).__name__)
            made.set_status(StatusCode.ERROR)
            raise


@asynccontextmanager
async def exporting(endpoint: str) -> AsyncIterator[None]:
    """Send spans to an OTLP collector while the block runs, from a thread, in batches; nobody waits for it.

    Raises SettingsError where the packages that this takes are not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SettingsError(
            "OTEL_EXPORTER_OTLP_ENDPOINT", "needs packages that are not installed: pip install -r requirements-otel.txt"
        ) from None
    provider = TracerProvider(resource=Resource.create({"service.name": "keepsake"}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=EXPORT_WITHIN)
    provider.add_span_processor(BatchSpanProcessor(exporter, export_timeout_millis=EXPORT_WITHIN * 1000))
    _tracers.append(provider.get_tracer("keepsake"))
    try:
        yield
    finally:
        _tracers.pop()
        await asyncio.to_thread(provider.shutdown)
