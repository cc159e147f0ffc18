"""What Prometheus reads of a process; no label names an address or a client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector


class ProcessMetrics:
    """The numbers of one process, which its parts register."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(namespace="matchwire", registry=self.registry)

    def register(self, *collectors: Collector) -> None:
        for each in collectors:
            self.registry.register(each)

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """The numbers and their content type: OpenMetrics where `accept` names it, else Prometheus's own text."""
        if openmetrics.CONTENT_TYPE_LATEST.partition(";")[0] in accept:
            text = openmetrics.generate_latest(self.registry)  # type: ignore[no-untyped-call]
            return text, openmetrics.CONTENT_TYPE_LATEST
        return generate_latest(self.registry), CONTENT_TYPE_PLAIN_0_0_4


class RequestCounts(Collector):
    """The requests that this process has served. `counts`: as its request log counts them, by method, route and status."""

    def __init__(self, counts: Mapping[tuple[str, str, int], int]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[CounterMetricFamily]:
        """One counter by method, route and status."""
        counter = CounterMetricFamily(
            "matchwire_requests", "Requests served, by method, route and status", labels=["method", "route", "status"]
        )
        for (method, route, status), count in self._counts.items():
            counter.add_metric([method, route, str(status)], count)
        yield counter
