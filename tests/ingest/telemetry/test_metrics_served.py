"""What `/metrics` shows over HTTP: to whom, in which role, and before anything has happened; a client invents no label."""

import asyncio
import re
import tomllib
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics import exposition, parser
from prometheus_client.parser import text_string_to_metric_families

from api.middleware.outermost import RequestLog
from config import Settings
from ingest.daemon import run as daemon
from ingest.kit.process import Role
from ingest.telemetry.metrics import RequestCounts
from tests.kit.daemon import DECLARED
from tests.kit.day import ORGANIZATION, configuration
from tests.kit.sqlite import migrated_url
from tools import metrics

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| `(\w+)` \| \w+ \| ([a-z, ]+) \|", re.MULTILINE)
WORD = "a-word-of-these-tests-alone"


@asynccontextmanager
async def scraping(folder, database, role=Role.ALL):
    """Gives what the daemon answers at `/metrics` to a client of that name: `operator` may see it, `demo` is the demo's."""
    tables = configuration("http://127.0.0.1:9", folder, database)
    demo = tomllib.loads((ROOT / "config" / "demo.toml").read_text())["clients"]["demo"]
    tables["clients"] = {
        "demo": {**demo, "secret": WORD, "organizations": [ORGANIZATION]},
        "operator": {"secret": WORD, "organizations": [ORGANIZATION], "scopes": ["admin"]},
    }
    tables |= tomllib.loads(DECLARED.format(ORGANIZATION, "9000001"))
    tables["liveblogs"][0]["lead"] = 60  # without a kick-off that anybody knows it is never created
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    running = asyncio.create_task(
        daemon.run(Settings.model_validate(tables), announce=address.set_result, stop=stop, role=role)
    )
    try:
        async with httpx.AsyncClient(base_url=await address, trust_env=False, verify=False, timeout=60) as client:

            async def scrape(name=None):
                return await client.get("/metrics", auth=None if name is None else (name, WORD))

            yield scrape
    finally:
        stop.set()
        await running


async def test_jobs_are_shown_before_the_first_one_to_whom_has_the_scope(tmp_path):
    """The demo's client is refused with a word why; who may see them finds every kind and outcome, and no empty metric."""
    async with scraping(tmp_path, migrated_url(tmp_path / "metrics.db")) as scrape:
        refused = await scrape("demo")
        unknown = await scrape()
        shown = await scrape("operator")

    assert (refused.status_code, refused.json()["message"]) == (403, "the client lacks the scope admin")
    assert unknown.status_code == 401
    assert shown.status_code == 200
    families = {each.name: each for each in text_string_to_metric_families(shown.text)}
    assert [name for name, each in families.items() if not each.samples] == []
    jobs = {
        (each.labels["kind"], each.labels["outcome"])
        for each in families["matchwire_jobs"].samples
        if each.name == "matchwire_jobs_total"
    }
    assert jobs == {
        (kind, outcome) for kind in ("declare", "probe", "purge", "roll", "rules") for outcome in ("done", "failed")
    }
    assert [each.value for each in families["matchwire_leads"].samples] == [1.0]


@pytest.mark.parametrize("role", Role)
async def test_each_role_shows_what_the_table_says_of_it(tmp_path, postgres_url, role):
    """After a change of metrics: python -m tools.metrics"""
    async with scraping(tmp_path, postgres_url, role) as scrape:
        shown = await scrape("operator")
    said = {
        name for name, roles in ROW.findall(metrics.TARGET.read_text(encoding="utf-8")) if role in roles.split(", ")
    }
    names = {each.name for each in text_string_to_metric_families(shown.text) if not each.name.endswith("_created")}

    assert len(said) > 20
    assert names == said


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
    registry.register(RequestCounts(request_log.counts))
    write, read = FORMATS[form]
    return [sample for family in read(write(registry).decode()) for sample in family.samples]


def test_methods_and_paths_of_clients_are_no_labels(request_log):
    """A thousand invented ones are one sample."""
    context = SimpleNamespace(route=None, counted=True, request_id="r", caller=None)
    for number in range(1000):
        scope = {"method": f"{HOSTILE}{number}", "path": f"/{HOSTILE}{number}"}
        request_log.served(scope, context, 404, first=0.0, whole=0.0)

    assert [(each.labels, each.value) for each in shown(request_log, "text")] == [
        ({"method": "other", "route": "other", "status": "404"}, 1000.0)
    ]
