"""Beacons and a daemon that dies: what was received is counted or counted as lost; what ends in order loses nothing."""

import asyncio
import csv
import json

import httpx
import pytest

from store.statistics.tables import beacon_intakes
from tests.kit.command import invoke
from tests.kit.daemon import SECRET, Daemon
from tests.kit.day import ORGANIZATION
from tests.kit.opening import look
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof

CONFIG = """
[server]
port = 0
public_feeds = true
[database]
url = "{database}"
[statistics]
interval = 0.2
folder = "{folder}"
[limits]
public_per_second = 0
[organizations.{organization}]
name = "Example Newsroom"
[clients.cms]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["read", "write", "stats"]
"""
GAME = {
    "_type": "Svc::Model::Game",
    "organization_id": ORGANIZATION,
    "template_id": "soccer",
    "meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Derby"},
}
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


async def report(daemon, liveblog, most):
    """How many beacons were answered, of so many at most, until the daemon is gone."""
    sent = 0
    beacon = json.dumps({"kind": "load", "liveblog": liveblog, "url": "https://news.example/derby"})
    async with httpx.AsyncClient(
        base_url=daemon.address, headers={"User-Agent": AGENT}, trust_env=False, verify=False
    ) as http:
        try:
            while sent < most:
                answer = await http.post("/api/analytics/v6/collect", content=beacon)
                assert answer.status_code == 204, answer.text
                sent += 1
        except httpx.TransportError:
            pass
    return sent


async def counted(url):
    """(counted, lost) by all runs so far."""
    rows = await look(url, lambda conn: conn.execute(beacon_intakes.select()).all())
    return sum(each.counted for each in rows), sum(each.lost for each in rows)


def exported(config, liveblog):
    """The loads that the command line exports."""
    done = invoke("statistics", "export", "--liveblog", liveblog, "--config", config)
    assert done.exit_code == 0, done.output
    return sum(int(row["loads"]) for row in csv.DictReader(done.output.splitlines()))


async def test_what_a_killed_daemon_had_received_is_counted_as_lost(tmp_path):
    """Each answered beacon is in the numbers or among the lost, before and after a kill; SIGTERM loses none."""
    url, config = migrated_url(tmp_path / "beacons.db"), tmp_path / "matchwire.toml"
    config.write_text(
        CONFIG.format(database=url, folder=tmp_path / "statistics", organization=ORGANIZATION, secret=SECRET)
    )
    daemon = Daemon(config)
    await daemon.start()
    async with httpx.AsyncClient(base_url=daemon.address, auth=("cms", SECRET), trust_env=False, verify=False) as http:
        made = (await http.post("/api/v5/write/ticker/create.json", json=GAME)).json()
    liveblog = made["local_id"]
    reporting = asyncio.create_task(report(daemon, liveblog, 10_000))
    while (await counted(url))[0] < 50:
        await asyncio.sleep(0.05)
    await daemon.kill()
    answered = await reporting
    await daemon.start()
    first, lost = await counted(url)

    assert 50 <= first <= answered <= first + lost <= answered + 1  # one was under way
    assert await report(daemon, liveblog, 100) == 100
    assert await daemon.terminate() == 0
    assert await counted(url) == (first + 100, lost)
    assert await asyncio.to_thread(exported, config, liveblog) == first + 100
