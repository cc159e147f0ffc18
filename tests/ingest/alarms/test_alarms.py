"""Alarms of a daemon: each trouble is logged, counted, shown and sent once when it begins and once when it ends."""

import asyncio
import json
import re
import sqlite3
from contextlib import asynccontextmanager, closing
from functools import partial

import pytest
from sqlalchemy import update
from standardwebhooks import Webhook
from structlog.testing import capture_logs

from config.sections import Alarms, Webhooks
from ingest.alarms.alarm_kinds import LOOKS, AbsentWorkers, failing_receivers, low_disk, stuck_outbox
from ingest.alarms.alarms import AlarmMonitor, Announcer
from ingest.kit.quarantine import Quarantine
from ingest.sync.match_leases import WorkerCount
from mapping.errors import StoreUnavailable
from store import tables
from store.webhooks import webhooks
from store.webhooks.webhooks import new_secret
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import CREATE, ORGANIZATION
from tests.kit.forked import forked
from tests.kit.opening import pool_settings, store_at
from tests.kit.receivers import running_receiver
from tests.kit.sqlite import migrated_url
from tests.kit.workers import recorded

pytestmark = pytest.mark.proof

MATCH = "9000001"
SIGNING = new_secret()


async def until(condition, daemon):
    """What the condition gives once it holds, however long a busy machine takes; the daemon has to live."""
    while not (found := await condition()):
        assert daemon.process.returncode is None, "the daemon has ended"
        await asyncio.sleep(0.05)
    return found


@asynccontextmanager
async def provider(file, port=0):
    """A provider in a process of its own, its address; at the end it is away, with all of its connections."""
    process = await forked("replay", str(file), "--port", str(port))
    try:
        yield (await process.stdout.readline()).decode().split()[-1]
    finally:
        process.terminate()
        await process.wait()


async def test_a_lost_provider_is_an_alarm_from_its_beginning_to_its_end(tmp_path):
    """In a real daemon: one line, one signed message and one row at /status when it begins; the same when it is over."""
    log, config = tmp_path / "matchwire.log", tmp_path / "matchwire.toml"
    with running_receiver(tmp_path) as receiver:
        matches = tmp_path / "match.jsonl"
        matches.write_text("".join(f"{line.row()}\n" for line in recorded(int(MATCH))))
        async with provider(matches) as upstream:
            text = CONFIG.format(
                database=migrated_url(tmp_path / "a.db"), organization=ORGANIZATION, upstream=upstream, secret=SECRET
            )
            text = text.replace("[polling]", "[polling]\nbreaker_after = 2\nbreaker_pause = 1")
            alarms = f'[alarms]\nwebhook_url = "{receiver.url("ok")}"\nwebhook_secret = "{SIGNING}"\n'
            config.write_text(f"{text}\n{alarms}")
            daemon = Daemon(config, "--log-file", str(log))
            await daemon.start()
            async with client_of(daemon) as client:
                body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True}
                assert (await client.post(CREATE, json=body)).status_code == 200
                before = (await client.get("/status.json")).json()
        try:
            async with client_of(daemon) as client:
                assert (before["alarms"], before["endpoints"][0]["state"]) == ([], "ok")
                (row,) = await until(partial(alarms_at, client), daemon)
                assert (row["kind"], row["endedAt"]) == ("provider_lost", None)
                page = (await client.get("/status")).text
                assert "1 alarm" in page
                assert f"the endpoint heim of {ORGANIZATION} cannot be reached" in page
                assert (await client.get("/status", auth=("cms", "wrong"))).status_code == 401
                assert 'matchwire_alarms{kind="provider_lost"} 1.0' in (await client.get("/metrics")).text
                port = int(upstream.rpartition(":")[2].strip("/"))
                async with provider(matches, port):
                    await until(partial(all_clear, client), daemon)
                    await until(partial(both_sent, receiver), daemon)
            assert await daemon.terminate() == 0
        finally:
            if daemon.process.returncode is None:
                await daemon.kill()
        sent = receiver.requests()
    for each in sent:
        Webhook(SIGNING).verify(each["body"], each["headers"])
    first, last = [json.loads(each["body"]) for each in sent]
    assert [each["event_type"] for each in (first, last)] == ["alarm_began", "alarm_ended"]
    assert first["id"] == last["id"]
    assert first["text"].startswith(f"matchwire alarm: the endpoint heim of {ORGANIZATION} cannot be reached: ")
    assert first["details"]["code"] == "unreachable"
    assert first["ended_at"] is None
    assert re.fullmatch(
        f"matchwire recovered after \\d+ s: the endpoint heim of {ORGANIZATION} answers again", last["text"]
    )
    assert last["ended_at"] >= last["began_at"] == first["began_at"]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    events = [line["event"] for line in lines]
    assert (events.count("alarm.began"), events.count("alarm.ended")) == (1, 1)
    (lost,) = [
        line
        for line in map(json.loads, log.read_text().splitlines())
        if line["event"] == "provider.lost" and "match" not in line
    ]
    assert lost["endpoint"] == f"heim of {ORGANIZATION}"
    assert SIGNING not in log.read_text()


async def both_sent(receiver):
    return len(receiver.requests()) == 2


async def alarms_at(client):
    return (await client.get("/status.json")).json()["alarms"]


async def all_clear(client):
    return all(each["endedAt"] is not None for each in await alarms_at(client))


@pytest.fixture
async def store(tmp_path):
    opened = await store_at(migrated_url(tmp_path / "alarms.db"), pool=pool_settings(timeout=2))
    yield opened
    await opened.close()


async def test_a_store_that_takes_no_writes_is_an_alarm_that_needs_none(store, tmp_path):
    """Somebody else holds the file: it is logged and sent at once, without a row, and so is its end."""
    with running_receiver(tmp_path) as receiver:
        announcer = Announcer(Alarms(webhook_url=receiver.url("ok")), Webhooks(), lambda: 0.0)
        monitor = AlarmMonitor(store, {}, announcer, clock=lambda: 1_800_000_000.0, quarantine=Quarantine(), alone=True)
        await monitor.look()
        with closing(sqlite3.connect(tmp_path / "alarms.db")) as other, capture_logs() as lines:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(StoreUnavailable):
                await store.write(lambda unit: unit.conn.execute(update(tables.games).values(version=1)))
            for _ in range(2):
                await monitor.look()
            other.rollback()
            while not any(line["event"] == "alarm.ended" for line in lines):  # a busy machine needs more than one
                await monitor.look()
            await monitor.look()
        await announcer.close()
        sent = [json.loads(each["body"]) for each in receiver.requests()]
    assert [line["event"] for line in lines if line["event"].startswith("alarm")] == ["alarm.began", "alarm.ended"]
    assert [(each["event_type"], each["kind"]) for each in sent] == [
        ("alarm_began", "writes_failing"),
        ("alarm_ended", "writes_failing"),
    ]


async def test_each_source_sees_its_trouble_and_nothing_else(store, tmp_path):
    """A receiver that fails, updates that wait, a full disk, no worker; none of them where all is well."""
    clock = lambda: 1_800_000_100.0  # noqa: E731
    sources = {
        "receiver_failing": partial(failing_receivers, store, 3),
        "outbox_stuck": partial(stuck_outbox, store, clock, 60.0),
        "disk_low": partial(low_disk, [str(tmp_path), "/does/not/exist"], 1),
        "no_worker": AbsentWorkers(WorkerCount(store)),
    }
    url = "https://user:secret@cms.example.org/hooks/private?token=1"
    await store.write(partial(webhooks.subscribe, organization_id=ORGANIZATION, url=url, secret=SIGNING, limit=9))
    await store.write(lambda unit: unit.conn.execute(tables.workers.insert().values(WORKER)))
    assert [await source() for source in sources.values()] == [[], [], [], []]

    def spoil(unit):
        unit.conn.execute(update(tables.webhooks).values(failures=3, failing_since=1.0))
        unit.conn.execute(tables.outbox.insert().values(WAITING))
        unit.conn.execute(tables.workers.delete())

    await store.write(spoil)
    sources["disk_low"] = partial(low_disk, [str(tmp_path)], 2**60)
    for _ in range(LOOKS - 1):
        assert await sources["no_worker"]() == []
    found = {kind: await source() for kind, source in sources.items()}
    assert {kind: [each.kind for each in observed] for kind, observed in found.items()} == {k: [k] for k in sources}
    (receiver,) = found["receiver_failing"]
    assert "cms.example.org" in receiver.message
    assert not {"secret", "private", "token"} & set(
        json.dumps([receiver.message, *receiver.details.values()]).split("/?:=")
    )


WORKER = {"id": "w1", "kind": "clock", "beat": 1, "seen_at": 1}
WAITING = {
    "id": 1, "organization_id": ORGANIZATION, "game_id": "6a" * 12, "local_id": "gx", "version": 1, "at": 1_800_000_000,
}  # fmt: skip
