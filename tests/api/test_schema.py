"""schemathesis against the API of a running daemon: what the OpenAPI document promises is what is served.

All phases (examples, coverage, fuzzing, stateful) and all checks, with a client that may do everything and with nobody.
"""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ingest.guard import ssrf_guard
from providers.replay import Line
from tests.kit.day import ORGANIZATION, MatchDay, match_day
from tests.kit.described import operations
from tests.kit.desk import news
from tests.kit.event_desk import post
from tests.kit.polling_readers import POLL, poll_post
from tests.providers.heim.feed import row, wrapped

pytestmark = pytest.mark.proof

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "tests" / "api" / "schemathesis.toml"
SECRET = "correct-horse-battery-staple"
SCOPES = ["read", "write", "external", "stats", "webhooks", "comments", "admin"]
LOGGED_IN = '\n[auth.openapi.basic]\nusername = "cms"\npassword = "${CLIENT_SECRET}"\n'
EXAMPLE_MATCH = "8315073"
MATCH = (
    Line.of("2025-06-14T19:10:00+02:00", f"match/ma{EXAMPLE_MATCH}", wrapped(id=EXAMPLE_MATCH)),
    Line.of("2025-06-14T19:10:00+02:00", f"match-event/ma{EXAMPLE_MATCH}", [row(1, "match/game-start", 1)]),
    Line.of("2025-06-14T19:10:00+02:00", f"liveticker/ma{EXAMPLE_MATCH}", []),
)
BRIEF = ("--generation-deterministic", "--no-shrink")
RUNS = {
    "systematic": ("examples,coverage", True, 1, 360),
    "more systematic": ("examples,coverage", True, 1, 20),
    "random": ("fuzzing,stateful", True, 2, 1),
    "nobody": ("examples,fuzzing,stateful", False, 1, 1),
}
"""Phases, whether with credentials, examples per operation, and of the systematic cases of the largest documents each
so-manieth, of the others' more; all have some."""


def no_names(host: str, _: int) -> list[str] | Exception:
    """No look-up leaves this machine, and what is subscribed is delivered to nobody."""
    return ["127.0.0.1"] if host == "cms.example.org" else OSError("there are no names here")


@pytest.fixture
async def day(tmp_path, monkeypatch) -> AsyncIterator[MatchDay]:
    """A daemon with a liveblog, two posts and a poll, whose names are those in the configuration of schemathesis."""
    monkeypatch.setattr(ssrf_guard, "addresses_of", no_names)
    client = {"secret": SECRET, "organizations": [ORGANIZATION], "scopes": SCOPES}
    allowed = {"allow_hosts": ["cms.example.org"]}
    async with match_day(
        lines=MATCH, folder=tmp_path, start_at="end", live=60, clients={"cms": client}, webhooks=allowed
    ) as running:
        body = news(organization_id=ORGANIZATION, external_id="derby")
        assert (await running.client.post("/api/v5/write/ticker/create.json", json=body)).status_code == 200
        for local_id in ("egoal", "etext"):
            response = await running.client.post(
                "/api/v5/write/event/create.json",
                params={"ticker_local_id": f"{ORGANIZATION}_derby"},
                json=post(local_id=local_id),
            )
            assert response.status_code == 200
        poll = poll_post({**POLL, "local_id": "pderby"}).document
        response = await running.client.post(
            "/api/v5/write/event/create.json", params={"ticker_local_id": f"{ORGANIZATION}_derby"}, json=poll
        )
        assert response.status_code == 200
        yield running


async def examined(day: MatchDay, folder: Path, *more: str, credentials: bool, share: int = 1) -> tuple[int, int]:
    """Run schemathesis over all operations; the numbers of operations and of requests. Fails with what it found."""
    reader = await day.client.post(f"/api/readers/v1/organization/{ORGANIZATION}/token", json={})
    known = CONFIG.read_text(encoding="utf-8").replace("${READER_TOKEN}", reader.json()["token"])
    config = folder / "schemathesis.toml"
    config.write_text(known + LOGGED_IN * credentials, encoding="utf-8")
    address = str(day.client.base_url).rstrip("/")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", f"--config-file={config}", "run", f"{address}/openapi.json"),
        *(f"--url={address}", "--no-color", "--continue-on-failure", "--suppress-health-check=all", *more),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CLIENT_SECRET": SECRET, "SCHEMA_SHARE": str(share)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        shown = (await process.communicate())[0].decode("utf-8", "replace")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, shown[max(0, shown.find("= FAILURES")) :]
    return _number(r"Selected: (\d+)", shown), _number(r"(\d+) generated", shown)


def _number(pattern: str, shown: str) -> int:
    found = re.search(pattern, shown)
    assert found, shown
    return int(found[1])


@pytest.mark.parametrize(
    "run", ["systematic", *(pytest.param(each, marks=pytest.mark.soak) for each in list(RUNS)[1:])]
)
async def test_schemathesis_finds_nothing(day, tmp_path, run):
    """The same requests in each run, so that a failure can be looked at again."""
    phases, credentials, examples, share = RUNS[run]

    tested, requests = await examined(
        day,
        tmp_path,
        *(f"--phases={phases}", f"--max-examples={examples}", *BRIEF),
        credentials=credentials,
        share=share,
    )

    assert tested == len(operations())
    assert requests > tested
