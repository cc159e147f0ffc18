"""Writes docs/reference/metrics.md, every metric that a daemon shows, with its type and meaning: `python -m tools.metrics`.

A daemon is started on an empty database and read; a test compares the file with what this writes.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from config import Settings
from ingest.daemon.run import run
from ingest.kit.process import Role

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "metrics.md"
HEAD = """\
# Metrics

Written by `python -m tools.metrics` from what a daemon shows at `/metrics`: in Prometheus's text form, or in OpenMetrics where
the request's `Accept` names it. Clients need the scope `admin`, which the demo's client has not, unless `server.public_metrics`
is set; without it the answer is 403 and names the scope. Every process shows its own numbers; a restart or reload resets them.
Labels are bounded by the configuration and by this table: no metric names a match, a liveblog, a reader or an address. `endpoint`
is the provider and the organizations that reach it there, such as `heim of 5f0c1de2a1b2c3d4e5f60718`. Counters end in `_total`,
histograms in `_bucket`, `_sum` and `_count`.

What is counted stands at 0 from the start, with each label; only `matchwire_requests` begins with the first request of its kind.
*Roles*: which processes show it, by their `--role`. Where several processes work, the jobs run in one of them: its
`matchwire_leads` is 1, and the others count none. `kind` of `matchwire_jobs` is the first word of the job: `declare` (a declared
liveblog), `probe` (files), `purge`, `roll` (statistics).

`deploy/prometheus/matchwire.rules.yml` has rules for alerts, `deploy/grafana/matchwire.json` a dashboard; both are checked against
this table. [Alarms](../alarms.md) lists what matchwire raises by itself.

| Metric | Type | Roles | What it says |
|---|---|---|---|
"""
WORKING = re.compile(
    "matchwire_(change_commit|post_seen|post_commit|endpoint|jobs|leads|matches|media_probes|poll|writes_fenced|standbys|lead_changes|source)"
)
"""How the names of metrics begin that only processes have which follow matches."""
SERVING = re.compile("matchwire_beacons")
"""Those of processes that serve the API."""


def shown(accept: str = "application/openmetrics-text") -> str:
    """What a daemon on an empty database shows, in one process that does everything."""
    with tempfile.TemporaryDirectory() as name:
        return asyncio.run(_shown(Path(name), accept))


async def _shown(folder: Path, accept: str) -> str:
    organization = {"name": "Example", "providers": {"heim": {"base_url": "http://127.0.0.1:9"}}}
    settings = Settings.model_validate(
        {
            "server": {"port": 0, "public_metrics": True},
            "database": {"url": f"sqlite+aiosqlite:///{folder}/metrics.db"},
            "media": {"folder": str(folder / "media")},
            "statistics": {"folder": str(folder / "statistics")},
            "organizations": {"5f0c1de2a1b2c3d4e5f60718": organization},
        }
    )
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    daemon = asyncio.create_task(run(settings, announce=address.set_result, stop=stop))
    try:
        request = Request(f"{await address}/metrics", headers={"Accept": accept})  # noqa: S310 -- loopback
        response: bytes = await asyncio.to_thread(lambda: urlopen(request, timeout=30).read())  # noqa: S310 -- likewise
    finally:
        stop.set()
        await daemon
    return response.decode()


def families(text: str) -> list[Metric]:
    """The families of an OpenMetrics text, by name."""
    found: Any = partial(text_string_to_metric_families, text)()
    return sorted(found, key=lambda family: str(family.name))


def roles_with(name: str) -> tuple[Role, ...]:
    """The roles of processes that show the metric."""
    if WORKING.match(name):
        return tuple(role for role in Role if role.works)
    return tuple(role for role in Role if role.serves or not SERVING.match(name))


def metrics() -> str:
    """The whole file."""
    rows = [
        f"| `{each.name}` | {each.type} | {', '.join(roles_with(each.name))} | {each.documentation} |"
        for each in families(shown())
    ]
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    TARGET.write_text(metrics(), encoding="utf-8")
