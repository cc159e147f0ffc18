"""The numbers of webhook deliveries that Prometheus reads; no label names an address or a client."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from ingest.kit.bulkhead import Bulkhead
from ingest.webhooks.attempt import RoundOutcome
from mapping.rules.delivery import Verdict
from store.webhooks.delivery_log import Backlog

BUCKETS = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
OUTCOMES = {Verdict.TAKEN: "taken", Verdict.PASSING: "unreachable", Verdict.REFUSED: "refused"}


class DeliveryMetrics:
    """What one process does for webhooks, in a registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._rounds = Counter(
            "matchwire_webhook_rounds",
            "Rounds of webhook deliveries by outcome: taken, refused, unreachable",
            ["outcome"],
            registry=registry,
        )
        self._tries = Counter("matchwire_webhook_tries", "Requests made for webhook deliveries", registry=registry)
        self._seconds = Histogram(
            "matchwire_webhook_round_seconds", "Length of a round", buckets=BUCKETS, registry=registry
        )
        self._backlog = Gauge("matchwire_webhook_backlog", "Updates that wait for their first round", registry=registry)
        self._oldest = Gauge(
            "matchwire_webhook_oldest_seconds",
            "Age of the oldest update that waits for its first round",
            registry=registry,
        )
        self._waiting = Gauge("matchwire_webhook_waiting", "Deliveries that wait for another round", registry=registry)
        self._subscriptions = Gauge(
            "matchwire_webhook_subscriptions",
            "Subscriptions by status: active, disabled",
            ["status"],
            registry=registry,
        )
        self._number = Gauge("matchwire_outbox_number", "Delivery number given last", registry=registry)
        self._unnumbered = Gauge(
            "matchwire_outbox_unnumbered", "Committed updates that wait for their delivery number", registry=registry
        )
        self._under_way = Gauge(
            "matchwire_webhook_rounds_under_way", "Rounds of deliveries under way", registry=registry
        )
        self._queued = Gauge(
            "matchwire_webhook_rounds_queued",
            "Rounds that wait for others to end: the limits are reached",
            registry=registry,
        )
        self.registry = registry
        for outcome in OUTCOMES.values():
            self._rounds.labels(outcome)

    def round(self, outcome: RoundOutcome) -> None:
        """Count one round."""
        self._rounds.labels(OUTCOMES[outcome.result]).inc()
        self._tries.inc(outcome.tries)
        self._seconds.observe(outcome.took)

    def watch(self, bulkhead: Bulkhead) -> None:
        """Show how much of the limits on rounds is used."""
        self._under_way.set_function(lambda: bulkhead.taken)
        self._queued.set_function(lambda: bulkhead.waiting)

    def webhooks(self, backlog: Backlog, now: float) -> None:
        """Note what waits."""
        self._backlog.set(backlog.updates)
        self._oldest.set(0 if backlog.oldest is None else max(0.0, now - backlog.oldest))
        self._waiting.set(backlog.waiting)
        self._subscriptions.labels("active").set(backlog.active)
        self._subscriptions.labels("disabled").set(backlog.disabled)

    def outbox(self, number: int, unnumbered: int) -> None:
        """Note how far updates are numbered."""
        self._number.set(number)
        self._unnumbered.set(unnumbered)
