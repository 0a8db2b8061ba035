"""The metrics of the process, for Prometheus. Each room declares its own next to what they count.

Labels take values of the program alone (outcomes, methods, types of errors), never a person's: their number has a
bound, and they say nothing of anybody. The one place that knows prometheus_client.
"""

from collections.abc import Iterable, Mapping
from itertools import product

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics import MetricWrapperBase

from runtime import VERSION

disable_created_metrics()  # type: ignore[no-untyped-call] # a "_created" series next to each counter: nobody asks for them
REGISTRY = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)  # resident memory, processor time, open files (on Linux)

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SECONDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0)
"""The upper ends of a duration's classes: from a turn's own cost to a model's MODEL_TIMEOUT."""
STATUSES = ("200", "400", "401", "403", "404", "429", "500", "502", "503", "504", "none")
"""The usual outcomes of an HTTP request; `none`: there was no answer."""

Labels = Mapping[str, Iterable[str]]
"""Each label with the values that are known beforehand; empty if only the settings tell."""


def make_counter(name: str, meaning: str, labels: Labels | None = None) -> Counter:
    """Register a counter, which starts at 0 for all known labels. Prometheus sees it as `name` + "_total"."""
    made = Counter(name, meaning, tuple(labels or ()), registry=REGISTRY)
    start_at_zero(made, labels or {})
    return made


def make_gauge(name: str, meaning: str, labels: Labels | None = None) -> Gauge:
    """Register a gauge, which starts at 0 for all known labels."""
    made = Gauge(name, meaning, tuple(labels or ()), registry=REGISTRY)
    start_at_zero(made, labels or {})
    return made


def make_histogram(name: str, meaning: str, labels: Labels | None = None) -> Histogram:
    """Register a histogram of durations in seconds."""
    return Histogram(name, meaning, tuple(labels or ()), registry=REGISTRY, buckets=SECONDS)


def start_at_zero(metric: MetricWrapperBase, labels: Labels) -> None:
    """Show every combination of these labels from now on: rate() does not see a series that begins at 1."""
    for values in product(*labels.values()) if labels else ():
        metric.labels(*values)


make_gauge("keepsake_build_info", "The version of the program; the value is always 1.", {"version": [VERSION]}).labels(
    VERSION
).set(1)


def read_metric(name: str) -> float | None:
    """Return the current value of a metric without labels, or None if it does not exist."""
    return REGISTRY.get_sample_value(name)


def render_page() -> bytes:
    """Return all metrics in Prometheus' text format."""
    return generate_latest(REGISTRY)
