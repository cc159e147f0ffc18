"""Metrics for Prometheus, collected when it asks: what this process does and has done; no label names a client."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sized
from importlib.metadata import version
from typing import Protocol

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector

from ingest.sync.follower import Followers
from ingest.sync.poll import PollCounts
from ingest.sync.standby_watch import StandbyWatch
from mapping.fusion.leading_source import Reason
from mapping.fusion.source_chain import lasting_differences, leader_of
from mapping.match.match import Status
from store.database import Store
from store.engine.spans import Durations

OUTCOMES = ("changed", "unchanged", "failed")


class FollowingMetrics(Collector):
    """Polls, matches and endpoints of a process that follows matches."""

    def __init__(self, followers: Followers) -> None:
        self._followers = followers

    def collect(self) -> Iterator[Metric]:
        """Everything by endpoint, matches by their state."""
        limiters = self._followers.limiters
        yield from _polls({limiters[key].name: poller.counts for key, poller in self._followers.pollers.items()})
        yield from self._matches()
        yield from self._endpoints()

    def _matches(self) -> Iterator[Metric]:
        found = Counter(match.status for match in self._followers.matches)
        states = ((each.value, found[each]) for each in Status)
        yield _gauge("matchwire_matches", "Matches that this process follows, by state", "state", states)
        health = self._followers.health()
        yield GaugeMetricFamily("matchwire_matches_failing", "Matches whose last poll failed", health["failing"])
        yield GaugeMetricFamily(
            "matchwire_matches_silent",
            "Running matches without a good answer for polling.silence_alarm while their endpoint answered others",
            health["silent"],
        )
        yield GaugeMetricFamily(
            "matchwire_matches_unwritten",
            "Matches whose last answers could not be written",
            self._followers.unwritten,
        )
        yield CounterMetricFamily(
            "matchwire_writes_fenced",
            "Writes that were refused because another process had taken the match over",
            self._followers.refused,
        )

    def _endpoints(self) -> Iterator[Metric]:
        limiters = self._followers.limiters.values()
        yield _gauge(
            "matchwire_endpoint_lost",
            "1 where the circuit breaker of the provider endpoint is open, else 0",
            "endpoint",
            ((each.name, int(each.lost is not None)) for each in limiters),
        )
        yield _gauge(
            "matchwire_endpoint_demand",
            "Requests a second that the followed matches need, as a part of what polling.rate allows; above 1 they are late",
            "endpoint",
            ((each.name, each.demand) for each in limiters),
        )


class StandbyMetrics(Collector):
    """Matches of several sources, of a process that follows matches."""

    def __init__(self, standbys: StandbyWatch) -> None:
        self._standbys = standbys

    def collect(self) -> Iterator[Metric]:
        """Who leads, how often that has changed and why, and what sources contradict each other in."""
        matches = [states for _, states in self._standbys.watched]
        yield GaugeMetricFamily(
            "matchwire_standbys", "Sources that stand by for liveblogs' matches", sum(map(len, matches))
        )
        yield GaugeMetricFamily(
            "matchwire_standbys_leading",
            "Liveblogs whose match a standby leads",
            sum(leader_of(states) > 0 for states in matches),
        )
        yield GaugeMetricFamily(
            "matchwire_source_disagreements",
            "Differences between sources of a match that have lasted",
            sum(len(lasting_differences(states)) for states in matches),
        )
        changes = CounterMetricFamily(
            "matchwire_lead_changes", "Changes of the source that leads a match, by the reason", labels=["reason"]
        )
        for reason in Reason:
            changes.add_metric([reason.value], self._standbys.changes.get(reason.value, 0))
        yield changes


class StoreMetrics(Collector):
    """Units of work and what waits for the database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        """Durations of units, failures, and the queue."""
        units = HistogramMetricFamily(
            "matchwire_unit_seconds", "Time from the call of a unit of work to its commit, its wait included"
        )
        _add(units, [], self._store.units)
        yield units
        yield CounterMetricFamily(
            "matchwire_units_unavailable",
            "Units that were not written because the database was away, full or too slow",
            self._store.failed_units,
        )
        yield GaugeMetricFamily(
            "matchwire_units_waiting",
            "Units that wait for the database or are under way (on PostgreSQL reads as well)",
            self._store.waiting,
        )


class CountedReads(Protocol):
    """Feeds, pages and embeds that were found in the cache, and those that had to be made."""

    found: int
    made: int


class CountedThemes(Protocol):
    """Reads that name a theme which nobody has declared."""

    requests: int


class ReadMetrics(Collector):
    """Readers who watch, and how often what they read was at hand."""

    def __init__(self, streams: Sized, reads: CountedReads, themes: CountedThemes) -> None:
        self._streams = streams
        self._reads = reads
        self._themes = themes

    def collect(self) -> Iterator[Metric]:
        """Streams that are open, and reads of the cache."""
        yield GaugeMetricFamily("matchwire_stream_readers", "Readers who watch by a stream (SSE)", len(self._streams))
        reads = CounterMetricFamily(
            "matchwire_read_cache",
            "Feeds, pages and embeds that were found in the cache (found) or had to be made (made)",
            labels=["outcome"],
        )
        reads.add_metric(["found"], self._reads.found)
        reads.add_metric(["made"], self._reads.made)
        yield reads
        yield CounterMetricFamily(
            "matchwire_unknown_themes", "Reads that name a theme which nobody has declared", self._themes.requests
        )


class BuildMetrics(Collector):
    """Which build this is, in which role."""

    def __init__(self, role: str) -> None:
        self._values = [version("matchwire"), platform.python_version(), role]

    def collect(self) -> Iterator[Metric]:
        """Always 1; the labels say it."""
        info = GaugeMetricFamily(
            "matchwire_build_info", "Version, Python and role of the process", labels=["version", "python", "role"]
        )
        info.add_metric(self._values, 1)
        yield info


def _polls(counts: Mapping[str, PollCounts]) -> Iterator[Metric]:
    polls = CounterMetricFamily(
        "matchwire_polls",
        "Polls of matches by what they brought: changed, unchanged, failed",
        labels=["endpoint", "outcome"],
    )
    late = HistogramMetricFamily(
        "matchwire_poll_late_seconds", "How much later than planned a poll began", labels=["endpoint"]
    )
    commit = HistogramMetricFamily(
        "matchwire_change_commit_seconds",
        "Time from the response that brought a change to the commit of all that follows from it",
        labels=["endpoint"],
    )
    seen = HistogramMetricFamily(
        "matchwire_post_seen_seconds",
        "Time from what the provider says happened to the response that said it, of new posts",
        labels=["endpoint"],
    )
    committed = HistogramMetricFamily(
        "matchwire_post_commit_seconds",
        "Time from the response that said it to the commit of the post, of new posts",
        labels=["endpoint"],
    )
    for name, each in counts.items():
        for outcome in OUTCOMES:
            polls.add_metric([name, outcome], getattr(each, outcome))
        _add(late, [name], each.late)
        _add(commit, [name], each.commit)
        _add(seen, [name], each.delays.seen)
        _add(committed, [name], each.delays.committed)
    yield from (polls, late, commit, seen, committed)


def _add(family: HistogramMetricFamily, labels: list[str], durations: Durations) -> None:
    family.add_metric(labels, durations.buckets(), durations.total)


def _gauge(name: str, text: str, label: str, values: Iterable[tuple[str, float]]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=[label])
    for key, value in values:
        family.add_metric([key], value)
    return family


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
