"""The counters of the process, for Prometheus. Each room declares its own figures next to what they count.

Owns the registry and the page. Labels take values of the program alone (outcomes, methods, types of errors), never a
person's: their number has a bound, and they say nothing of anybody. The one place that knows prometheus_client.
"""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

REGISTRY = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)  # resident memory, processor time, open files (on Linux)

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SECONDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0)
"""The upper ends of a duration's classes: from a turn's own cost to a model's MODEL_TIMEOUT."""


def counter(name: str, meaning: str, labels: Sequence[str] = ()) -> Counter:
    """Register a counter. Prometheus sees it as `name` + "_total"."""
    return Counter(name, meaning, labels, registry=REGISTRY)


def gauge(name: str, meaning: str) -> Gauge:
    """Register a gauge."""
    return Gauge(name, meaning, registry=REGISTRY)


def histogram(name: str, meaning: str, labels: Sequence[str] = ()) -> Histogram:
    """Register a histogram of durations in seconds."""
    return Histogram(name, meaning, labels, registry=REGISTRY, buckets=SECONDS)


def figure(name: str) -> float | None:
    """Return the current value of a metric without labels, or None if it does not exist."""
    return REGISTRY.get_sample_value(name)


def page() -> bytes:
    """Return all metrics in Prometheus' text format."""
    return generate_latest(REGISTRY)
