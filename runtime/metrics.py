"""Prometheus metrics. Labels hold only values that the program defines, and never personal data."""

from collections.abc import Iterable, Mapping
from itertools import product

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.metrics import MetricWrapperBase

from runtime import VERSION

disable_created_metrics()  # type: ignore[no-untyped-call] # nobody uses the "_created" series of each counter
REGISTRY = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)  # resident memory, processor time, open files (on Linux)

# Histogram buckets, from the bot's own part of a turn to MODEL_TIMEOUT.
SECONDS = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0)
STATUSES = ("200", "400", "401", "403", "404", "429", "500", "502", "503", "504", "none")
"""The usual outcomes of an HTTP request. "none" stands for no response."""

Labels = Mapping[str, Iterable[str]]  # each label with its known values, or none if they depend on the settings


def make_counter(name: str, description: str, labels: Labels | None = None) -> Counter:
    """Register a counter that starts at 0 for all known label values. Prometheus appends "_total" to the name."""
    counter = Counter(name, description, tuple(labels or ()), registry=REGISTRY)
    create_series(counter, labels or {})
    return counter


def make_gauge(name: str, description: str, labels: Labels | None = None) -> Gauge:
    """Register a gauge that starts at 0 for all known label values."""
    gauge = Gauge(name, description, tuple(labels or ()), registry=REGISTRY)
    create_series(gauge, labels or {})
    return gauge


def make_duration_histogram(name: str, description: str, labels: Labels | None = None) -> Histogram:
    return Histogram(name, description, tuple(labels or ()), registry=REGISTRY, buckets=SECONDS)


def create_series(metric: MetricWrapperBase, labels: Labels) -> None:
    """Create a series for every combination of label values, because rate() misses a series that begins at 1."""
    for values in product(*labels.values()) if labels else ():
        metric.labels(*values)


make_gauge("keepsake_build_info", "The program's version; always 1.", {"version": [VERSION]}).labels(VERSION).set(1)
