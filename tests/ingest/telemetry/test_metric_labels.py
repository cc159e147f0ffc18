"""Labels of metrics: a client invents none, and whatever a value holds stays inside its quotes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics import exposition, parser
from prometheus_client.parser import text_string_to_metric_families

from api.middleware.request_log import RequestLog
from ingest.telemetry.metrics import RequestCounts

HOSTILE = 'a"} 9\nmatchwire_forged_total 1\n# EOF\n\\'
FORMATS = {
    "text": (generate_latest, text_string_to_metric_families),
    "openmetrics": (exposition.generate_latest, parser.text_string_to_metric_families),
}


@pytest.fixture
def request_log():
    return RequestLog(0.5)


def shown(request_log, form):
    """The samples that a reader of the exposition finds."""
    registry = CollectorRegistry()
    registry.register(RequestCounts(request_log))
    write, read = FORMATS[form]
    return [sample for family in read(write(registry).decode()) for sample in family.samples]


@pytest.mark.parametrize("form", FORMATS)
def test_a_hostile_value_stays_one_label(request_log, form):
    """Quotes, line ends and backslashes make neither a sample nor an end."""
    request_log.counts["GET", HOSTILE, 200] = 3

    assert [(each.name, each.labels, each.value) for each in shown(request_log, form)] == [
        ("matchwire_requests_total", {"method": "GET", "route": HOSTILE, "status": "200"}, 3.0)
    ]


def test_methods_and_paths_of_clients_are_no_labels(request_log):
    """A thousand invented ones are one sample."""
    context = SimpleNamespace(route=None, counted=True, request_id="r", caller=None)
    for number in range(1000):
        scope = {"method": f"{HOSTILE}{number}", "path": f"/{HOSTILE}{number}"}
        request_log.served(scope, context, 404, first=0.0, whole=0.0)

    assert [(each.labels, each.value) for each in shown(request_log, "text")] == [
        ({"method": "other", "route": "other", "status": "404"}, 1000.0)
    ]
