"""What a receiver gets, and when, however it behaves."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from functools import partial
from itertools import pairwise

import pytest
from prometheus_client import generate_latest
from standardwebhooks import Webhook, WebhookVerificationError

from ingest.kit.steady_clock import SteadyClock
from ingest.webhooks.receiver_client import ReceiverClient
from mapping.rules.delivery import PLAN
from store.liveblogs.liveblogs import insert_game
from store.webhooks import delivery_log, webhooks
from tests.store.conftest import ORGANIZATION, new_game

OTHER = "5f0c1de2a1b2c3d4e5f60719"


async def test_a_delivery_has_exactly_the_four_fields(hub, receiver):
    """The body names the liveblog and its version, as strings, and nothing else."""
    await hub.subscribe(receiver.url("ok"))
    async with hub.deliver():
        version = await hub.change()
        await receiver.until(receiver.requests)

    (request,) = receiver.requests()
    assert json.loads(request["body"]) == {
        "event_type": "ticker_update",
        "ticker_id": hub.game.id,
        "local_id": hub.game.local_id,
        "version": str(version),
    }


async def test_what_was_before_the_subscription_is_not_sent(hub, receiver):
    """A new subscription gets what changes from now on."""
    await hub.change()
    await hub.subscribe(receiver.url("ok"))
    async with hub.deliver():
        last = await hub.change()
        await receiver.until(lambda: last in receiver.versions("ok"))

    assert receiver.versions("ok") == [last]


async def test_what_changed_while_nobody_delivered_is_sent_at_the_start(hub, receiver):
    """The outbox waits for the process that delivers."""
    await hub.subscribe(receiver.url("ok"))
    for _ in range(3):
        await hub.change()
    async with hub.deliver():
        await receiver.until(lambda: len(receiver.requests()) == 3)

    assert receiver.versions("ok") == [2, 3, 4]


TRIES = {
    "ok": 1,
    "500": 4,
    "503": 4,
    "400": 1,
    "404": 1,
    "429": 1,
    "301": 1,
    "reset": 4,
    "big": 1,
    "hang": 4,
    "drip": 4,
}
"""Requests of one round that has time for all of them."""
HANGING = {"hang", "drip"}
CUT_OFF = 0.4
"""Seconds after which a try is given up where the receiver hangs; nowhere else may a busy machine let a try end by itself."""


@pytest.fixture
def tries(monkeypatch):
    """When each try began and ended, by the clock of the one who tries: the receiver's may be late to look at its own."""
    found, post = [], ReceiverClient.post

    async def timed(client, headers, body):
        began = time.monotonic()
        try:
            return await post(client, headers, body)
        finally:
            found.append((began, time.monotonic()))

    monkeypatch.setattr(ReceiverClient, "post", timed)
    return found


@pytest.mark.parametrize("how", TRIES)
async def test_a_round_makes_the_tries_of_the_interface(hub, receiver, tries, how):
    """Time-outs, network errors and 5xx are tried again up to three times, 100 to 900 ms apart; nothing else is."""
    url = receiver.url(how)
    await hub.subscribe(url)
    began = time.monotonic()
    async with hub.deliver(try_timeout=CUT_OFF if how in HANGING else 60.0, round_timeout=120.0):
        await hub.change()
        async with asyncio.timeout(120):
            while not (rows := await hub.log(url)):
                await asyncio.sleep(0.02)
    whole = time.monotonic() - began

    (row,) = rows
    assert row.tries == len(tries) == TRIES[how]
    assert len(receiver.requests(how)) <= row.tries
    assert how in HANGING or len(receiver.requests(how)) == row.tries
    pauses = [later - ended for (_, ended), (later, _) in pairwise(tries)]
    assert all(pause >= PLAN.quick_min - 0.01 for pause in pauses)
    assert how not in HANGING or all(ended - began >= CUT_OFF - 0.01 for began, ended in tries)
    assert row.success is (how in {"ok", "big"})
    assert sum(pauses) - 0.01 <= row.took_ms / 1000 <= whole


async def test_a_round_that_has_no_time_left_makes_fewer_tries(hub, receiver, tries):
    """What hangs uses up the time of the round: no try begins once that is over, and the last one is cut off with it."""
    url = receiver.url("hang")
    await hub.subscribe(url)
    async with hub.deliver(try_timeout=60.0, round_timeout=CUT_OFF):
        await hub.change()
        async with asyncio.timeout(120):
            while not (rows := await hub.log(url)):
                await asyncio.sleep(0.02)

    assert [(row.tries, row.success) for row in rows] == [(1, False)]
    assert len(tries) == 1


async def test_refused_connections_and_broken_tls_are_network_errors(hub, receiver, closed_port):
    """Both are tried again quickly, and reported without a word of what was wrong."""
    urls = [f"http://127.0.0.1:{closed_port}/x", f"https://127.0.0.1:{receiver.port}/ok/ok"]
    for url in urls:
        await hub.subscribe(url)
    async with hub.deliver():
        await hub.change()
        async with asyncio.timeout(60):
            while len(rows := await hub.log()) < 2:
                await asyncio.sleep(0.05)

    assert {(row.success, row.status_code, row.message) for row in rows} == {
        (False, None, "the endpoint did not answer")
    }
    assert all(row.tries >= 2 for row in rows)


async def test_a_redirect_is_not_followed(hub, receiver):
    """The place that a 301 names is never called."""
    await hub.subscribe(receiver.url("301"))
    async with hub.deliver():
        await hub.change()
        await receiver.until(lambda: receiver.requests("301"))
        await asyncio.sleep(0.3)

    assert {request["name"] for request in receiver.requests()} == {"301"}


async def test_fifty_megabytes_are_not_read(hub, receiver):
    """An answer is read as far as 64 KiB; its status counts."""
    await hub.subscribe(receiver.url("big"))
    async with asyncio.timeout(20), hub.deliver():
        await hub.change()
        while not (rows := await hub.log()):
            await asyncio.sleep(0.02)

    assert rows[0].success


class Fast(SteadyClock):
    """A clock of which `speed` seconds pass in a real one."""

    def __init__(self, speed):
        began, real = time.time(), time.monotonic()
        super().__init__(
            wall=lambda: began + (time.monotonic() - real) * speed,
            steady=lambda: (time.monotonic() - real) * speed,
            speed=speed,
        )


@pytest.fixture
def speed():
    return 1500.0


async def _twelve_rounds(hub, receiver, speed, within):
    urls = {how: receiver.url(how) for how in ("400", "429")}
    for url in urls.values():
        await hub.subscribe(url)
    async with hub.deliver():
        await hub.change()
        async with asyncio.timeout(within):
            for url in urls.values():
                while len(await hub.log(url)) < 12:
                    await asyncio.sleep(0.1)
        await asyncio.sleep(2 * 1200 / speed)

    slack = 1.5 * speed + 20  # a tick, and what a request takes
    for how, gap in (("400", 600), ("429", 1200)):
        rows = await hub.log(urls[how])
        assert [row.round for row in rows] == list(range(1, 13))
        gaps = [later.at - earlier.at for earlier, later in pairwise(rows)]
        assert all(gap <= each <= gap + slack for each in gaps), (how, gaps)
        assert len(receiver.requests(how)) == 12
        assert len({request["headers"]["webhook-id"] for request in receiver.requests(how)}) == 1


class TestFast:
    """With a clock that runs."""

    @pytest.fixture
    def timing(self, speed):
        return Fast(speed)

    async def test_a_message_is_given_up_after_twelve_rounds(self, hub, receiver, speed):
        """Twelve rounds ten minutes apart (twenty where a 429 asks for it), then no more."""
        await _twelve_rounds(hub, receiver, speed, within=300)

    async def test_a_receiver_that_comes_back_gets_what_it_missed(self, hub, receiver):
        """Open rounds go on until the receiver takes them; nothing is lost, and its health is good again."""
        url = receiver.url("500", "late")
        await hub.subscribe(url)
        async with hub.deliver():
            versions = [await hub.change() for _ in range(3)]
            await receiver.until(lambda: set(versions) <= set(receiver.versions("late")))
            while (await hub.subscription(url)).failures < 3:
                await asyncio.sleep(0.05)
            await switch(receiver, "late", "ok")
            async with asyncio.timeout(30):
                while len(taken := [row.version for row in await hub.log(url) if row.success]) < 3:
                    await asyncio.sleep(0.05)
            assert (await hub.subscription(url)).failures == 0

        assert sorted(taken) == versions


FAULTS = {
    "refuse": 4,
    "tls": 4,
    "hang": 4,
    "drip": 4,
    "500": 4,
    "reset": 4,
    "400": 1,
    "301": 1,
    "429": 1,
}
"""Most tries of a round against each fault, and, except where time runs out, also the least."""


@pytest.mark.soak
class TestAtSixtyTimes:
    """The same with less haste."""

    @pytest.fixture
    def timing(self):
        return Fast(60.0)

    async def test_twelve_rounds_of_every_fault(self, hub, receiver, closed_port):
        """Each fault gets twelve rounds, ten minutes apart by the clock, with the tries of the interface, and no more;
        beside them one that takes everything and one that answers with 50 MB get it once."""
        urls = {how: receiver.url(how) for how in (*FAULTS, "ok", "big") if how not in {"refuse", "tls"}}
        urls["refuse"] = f"http://127.0.0.1:{closed_port}/x"
        urls["tls"] = f"https://127.0.0.1:{receiver.port}/ok/tls"
        for url in urls.values():
            await hub.subscribe(url)
        async with hub.deliver():
            await hub.change()
            async with asyncio.timeout(500):
                for how in FAULTS:
                    while len(await hub.log(urls[how])) < 12:
                        await asyncio.sleep(0.5)
            await asyncio.sleep(25)

        logs = {how: await hub.log(url) for how, url in urls.items()}
        assert [(row.round, row.tries, row.success) for row in logs["ok"] + logs["big"]] == [(1, 1, True)] * 2
        for how, most in FAULTS.items():
            rows, gap = logs[how], 1200 if how == "429" else 600
            assert [row.round for row in rows] == list(range(1, 13)), how
            assert all((most - 1 if how in {"hang", "drip"} else most) <= row.tries <= most for row in rows), how
            gaps = [later.at - later.took_ms * 60 / 1000 - earlier.at for earlier, later in pairwise(rows)]
            assert all(gap - 1 <= each <= gap + 3 * 60 for each in gaps), (how, gaps)  # a tick, on a busy machine
            check_received(how, rows, receiver.requests(how))


def check_received(how, rows, requests):
    """The receiver has seen the tries of each round together, and nothing in between."""
    if how in {"refuse", "tls"}:  # they never come as far as a request
        assert requests == []
        return
    assert len(requests) == sum(row.tries for row in rows), how
    assert len({request["headers"]["webhook-id"] for request in requests}) == 1
    times, slow = [request["at"] for request in requests], 0.4 if how in {"hang", "drip"} else 0.0
    for row in rows:
        tries, times = times[: row.tries], times[row.tries :]
        assert all(0.09 <= later - earlier - slow <= 1.3 for earlier, later in pairwise(tries)), how
        assert not times or times[0] - tries[-1] >= 9.9, how


async def switch(receiver, name, how):
    reader, writer = await asyncio.open_connection("127.0.0.1", receiver.port)
    writer.write(f"GET /switch/{name}/{how} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()


async def test_one_receiver_does_not_wait_for_another(hub, receiver):
    """While one hangs, the others have everything at once and in order."""
    for how, name in (("hang", "hang"), ("ok", "a"), ("ok", "b")):
        await hub.subscribe(receiver.url(how, name))
    async with hub.deliver(try_timeout=90.0, round_timeout=90.0):
        versions = [await hub.change() for _ in range(20)]
        await receiver.until(lambda: receiver.versions("a") == versions and receiver.versions("b") == versions)

        assert len(receiver.requests("hang")) == 1


async def test_an_organization_gets_its_own_liveblogs_only(hub, receiver):
    """B's subscription never carries what A changes, nor the other way round."""
    theirs = await hub.store.write(partial(insert_game, game=new_game(2, organization_id=OTHER)))
    await hub.subscribe(receiver.url("ok", "a"))
    await hub.subscribe(receiver.url("ok", "b"), organization=OTHER)
    async with hub.deliver():
        for _ in range(5):
            await hub.change()
            await hub.change(theirs.id)
        await receiver.until(lambda: len(receiver.requests()) >= 10)

    received = {(row["name"], json.loads(row["body"])["ticker_id"]) for row in receiver.requests()}
    assert received == {("a", hub.game.id), ("b", theirs.id)}


async def test_the_reference_library_verifies_every_delivery(hub, receiver):
    """Each request carries a valid signature; with one byte changed, or another secret, it does not."""
    url = receiver.url("500")
    row = await hub.subscribe(url)
    async with hub.deliver():
        await hub.change()
        await receiver.until(lambda: len(receiver.requests()) == 4)

    secret = Webhook(row.secrets[0].value)
    for request in receiver.requests():
        assert secret.verify(request["body"], request["headers"])["version"] == "2"
        with pytest.raises(WebhookVerificationError):
            secret.verify(request["body"].replace('"2"', '"3"'), request["headers"])
        with pytest.raises(WebhookVerificationError):
            Webhook(webhooks.new_secret()).verify(request["body"], request["headers"])
    assert len({request["headers"]["webhook-id"] for request in receiver.requests()}) == 1


async def test_two_secrets_sign_during_a_rotation(hub, receiver):
    """Old and new verify from the first delivery on until the overlap is over; without an overlap only the new one does."""
    url = receiver.url("ok")
    old = (await hub.subscribe(url)).secrets[0].value
    new, newest = webhooks.new_secret(), webhooks.new_secret()
    rotate = partial(webhooks.rotate, organization_id=ORGANIZATION, url=url)
    async with hub.deliver():
        await hub.store.write(partial(rotate, secret=new, overlap=60))
        await hub.change()
        await receiver.until(lambda: len(receiver.requests()) == 1)
        await hub.store.write(partial(rotate, secret=newest, overlap=0))
        await hub.change()
        await receiver.until(lambda: len(receiver.requests()) == 2)
        await hub.change()
        await receiver.until(lambda: len(receiver.requests()) == 3)

    first, second, last = receiver.requests()
    assert verifies(first, old)
    assert verifies(first, new)
    for each in (second, last):
        assert [verifies(each, secret) for secret in (old, new, newest)] == [False, False, True]


def verifies(request, secret):
    try:
        Webhook(secret).verify(request["body"], request["headers"])
    except WebhookVerificationError:
        return False
    return True


async def test_a_row_of_the_log_and_a_span_of_time_are_sent_again(hub, receiver):
    """A replay bears the message's own id, goes out in order, and is marked in the log."""
    url = receiver.url("ok")
    await hub.subscribe(url)
    async with hub.deliver():
        versions = [await hub.change() for _ in range(5)]
        await receiver.until(lambda: len(receiver.requests()) == 5)
        rows = await hub.log(url)
        await hub.store.write(partial(delivery_log.replay, organization_id=ORGANIZATION, delivery_id=rows[2].id))
        await receiver.until(lambda: len(receiver.requests()) == 6)
        again = partial(delivery_log.replay_range, organization_id=ORGANIZATION, url=url, since=0, until=2**33)
        assert await hub.store.write(again) == 6
        await receiver.until(lambda: len(receiver.requests()) == 12)
        await asyncio.sleep(0.2)

    requests = receiver.requests()
    assert receiver.versions("ok") == [*versions, rows[2].version, 1, *versions]
    assert requests[5]["headers"]["webhook-id"] == requests[2]["headers"]["webhook-id"]
    assert [row.kind for row in await hub.log(url)] == ["update"] * 5 + ["replay"] * 7


async def test_a_ping_is_signed_and_counts_for_nothing(hub, receiver):
    """One round, whatever comes of it; the health of the subscription stays what it was."""
    url = receiver.url("400")
    row = await hub.subscribe(url)
    async with hub.deliver():
        await hub.store.write(partial(delivery_log.ping, organization_id=ORGANIZATION, url=url))
        await receiver.until(receiver.requests)
        while not (rows := await hub.log(url)):
            await asyncio.sleep(0.02)

    (request,) = receiver.requests()
    assert Webhook(row.secrets[0].value).verify(request["body"], request["headers"])["event_type"] == "ping"
    assert (rows[0].kind, rows[0].success) == ("ping", False)
    after = await hub.subscription(url)
    assert (after.failures, after.outcome_at) == (0, None)


async def test_a_backlog_is_paced(hub, receiver):
    """After a downtime a host gets no more requests a second than the setting says, and in order."""
    await hub.subscribe(receiver.url("ok"))
    versions = [await hub.change() for _ in range(60)]
    async with hub.deliver(rate=20):
        await receiver.until(lambda: len(receiver.requests()) == 60, within=60)

    times = [request["at"] for request in receiver.requests()]
    assert receiver.versions("ok") == versions
    assert times[-1] - times[0] >= (60 - 20 - 2) / 20


@pytest.mark.soak
async def test_ten_thousand_overdue_deliveries_are_paced_and_in_order(hub, receiver):
    """Fifty endpoints of one host have two hundred versions each to come: no more a second than the setting says, none lost."""
    names = [f"r{number}" for number in range(50)]
    for name in names:
        await hub.subscribe(receiver.url("ok", name))
    versions = [await hub.change() for _ in range(200)]
    async with hub.deliver(rate=300):
        await receiver.until(lambda: len(receiver.lines()) == 10_000, within=300)

    times = [request["at"] for request in receiver.requests()]
    assert {name for name in names if receiver.versions(name) != versions} == set()
    assert times[-1] - times[0] >= (10_000 - 300 - 2) / 300


async def test_what_is_unsubscribed_gets_nothing_more(hub, receiver):
    """The subscription is gone with its log, and so is what waited."""
    url = receiver.url("400")
    await hub.subscribe(url)
    async with hub.deliver():
        await hub.change()
        await receiver.until(receiver.requests)
        await hub.store.write(partial(webhooks.unsubscribe, organization_id=ORGANIZATION, url=url))
        await hub.change()
        await asyncio.sleep(0.5)

    assert len(receiver.requests()) == 1
    assert await hub.log(url) == []


async def test_old_rows_of_the_log_are_forgotten(hub, receiver):
    """The log is kept as long as the setting says; what has not been delivered stays in the outbox."""
    url = receiver.url("ok")
    await hub.subscribe(url)
    async with hub.deliver(log_kept=0.0) as delivering:
        await hub.change()
        while not await hub.log(url):
            await asyncio.sleep(0.02)
        await asyncio.sleep(1.1)
        await delivering.purge()

        assert await hub.log(url) == []
        last = await hub.change()
        await receiver.until(lambda: last in receiver.versions("ok"))


async def test_metrics_show_the_backlog_and_the_outcomes(hub, receiver):
    """Backlog, age of the oldest, rounds by outcome; no label names a receiver."""
    await hub.subscribe(receiver.url("ok"))
    await hub.subscribe(receiver.url("400"))
    async with hub.deliver() as delivering:
        await hub.change()
        await receiver.until(lambda: len(receiver.requests()) == 2)
        while len(await hub.log()) < 2:
            await asyncio.sleep(0.02)
        delivering._ticks = 0
        await delivering._tick()
        text = generate_latest(delivering.metrics.registry).decode()

    assert 'matchwire_webhook_rounds_total{outcome="taken"} 1.0' in text
    assert 'matchwire_webhook_rounds_total{outcome="refused"} 1.0' in text
    assert "matchwire_webhook_backlog 0.0" in text
    assert "matchwire_webhook_waiting 1.0" in text
    assert 'matchwire_webhook_subscriptions{status="active"} 2.0' in text
    assert str(receiver.port) not in text


def test_the_guard_checks_certificates():
    """A receiver must prove its name."""
    import httpx

    assert httpx.create_ssl_context(trust_env=False).verify_mode is ssl.CERT_REQUIRED
