"""What a receiver gets, and when, however it behaves."""

import asyncio
import json
from functools import partial
from itertools import pairwise

import pytest
from prometheus_client import generate_latest
from standardwebhooks import Webhook, WebhookVerificationError

from mapping.rules.webhook_delivery import PLAN
from store.liveblogs.liveblogs import insert_game
from store.webhooks import delivery_log, webhooks
from tests.store.conftest import ORGANIZATION, new_game

OTHER = "5f0c1de2a1b2c3d4e5f60719"


async def test_a_new_subscription_gets_what_changes_from_now_on(hub, receiver):
    """Also what changed while nobody delivered. The body names the liveblog and its version, as strings, and nothing else."""
    await hub.change()
    await hub.subscribe(receiver.url("ok"))
    versions = [await hub.change() for _ in range(3)]
    async with hub.deliver():
        versions.append(await hub.change())
        await receiver.until(lambda: len(receiver.requests()) == 4)

    names = {"event_type": "ticker_update", "ticker_id": hub.game.id, "local_id": hub.game.local_id}
    bodies = [json.loads(request["body"]) for request in receiver.requests()]
    assert bodies == [{**names, "version": str(version)} for version in versions]


TRIES = {
    "ok": 1, "500": 4, "503": 4, "400": 1, "404": 1, "429": 1, "301": 1, "reset": 4, "big": 1, "hang": 4, "drip": 4,
}  # fmt: skip
"""Requests of one round that has time for all of them."""
HANGING = {"hang", "drip"}
CUT_OFF = 0.1
"""Seconds after which a try is given up where the receiver hangs; nowhere else may a busy machine let a try end by itself."""


@pytest.mark.parametrize("how", TRIES)
async def test_a_round_makes_the_tries_of_the_interface(hub, receiver, pauses, how):
    """Time-outs, network errors and 5xx are tried again up to three times, 100 to 900 ms apart; a redirect is not followed."""
    url = receiver.url(how)
    await hub.subscribe(url)
    async with hub.deliver(try_timeout=CUT_OFF if how in HANGING else 60.0):
        await hub.change()
        (row,) = await hub.has_logged(1, url)

    assert row.tries == TRIES[how]
    assert row.success is (how in {"ok", "big"})
    received = len(receiver.requests(how))
    assert received <= row.tries if how in HANGING else received == row.tries
    assert {request["name"] for request in receiver.requests()} <= {how}
    assert len(pauses) == row.tries - 1
    assert all(PLAN.quick_min <= each <= PLAN.quick_max for each in pauses)


async def test_a_round_that_has_no_time_left_makes_fewer_tries(hub, receiver):
    """What hangs uses up the time of the round: no try begins once that is over, and the last one is cut off with it."""
    url = receiver.url("hang")
    await hub.subscribe(url)
    async with hub.deliver(round_timeout=CUT_OFF):
        await hub.change()
        rows = await hub.has_logged(1, url)

    assert [(row.tries, row.success) for row in rows] == [(1, False)]


async def test_refused_connections_and_broken_tls_are_network_errors(hub, receiver, closed_port):
    """Both are tried again quickly, and reported without a word of what was wrong."""
    urls = [f"http://127.0.0.1:{closed_port}/x", f"https://127.0.0.1:{receiver.port}/ok/ok"]
    for url in urls:
        await hub.subscribe(url)
    async with hub.deliver(try_timeout=CUT_OFF):  # nobody speaks TLS there
        await hub.change()
        rows = await hub.has_logged(2)

    assert {(row.success, row.status_code, row.message, row.tries) for row in rows} == {
        (False, None, "the endpoint did not answer", 4)
    }


GAPS = {"400": 600, "500": 600, "refused": 600, "429": 1200}
"""Seconds between rounds: a 429 asks for twenty minutes."""


async def test_a_message_is_given_up_after_twelve_rounds(hub, receiver, closed_port, hands):
    """Twelve rounds ten minutes apart (twenty where a 429 asks for it), each with the same id, then no more."""
    urls = {how: receiver.url(how) for how in GAPS} | {"refused": f"http://127.0.0.1:{closed_port}/x"}
    for url in urls.values():
        await hub.subscribe(url)
    async with hub.deliver():
        await hub.change()
        for number in range(24):
            for how, gap in GAPS.items():
                await hub.has_logged(min(12, number * 600 // gap + 1), urls[how])
            hands.pass_(601)
        hands.pass_(3600)
        await hub.looks_again()

        for how, gap in GAPS.items():
            rows, requests = await hub.log(urls[how]), receiver.requests(how)
            assert [row.round for row in rows] == list(range(1, 13)), how
            assert all(later.at - earlier.at >= gap for earlier, later in pairwise(rows)), how
            assert len(requests) == (0 if how == "refused" else sum(row.tries for row in rows))
            assert len({request["headers"]["webhook-id"] for request in requests}) <= 1


async def test_a_receiver_that_comes_back_gets_what_it_missed(hub, receiver, hands):
    """Open rounds go on until the receiver takes them; nothing is lost, and its health is good again."""
    url = receiver.url("500", "late")
    await hub.subscribe(url)
    async with hub.deliver():
        versions = [await hub.change() for _ in range(3)]
        await hub.has_logged(3, url)
        assert (await hub.subscription(url)).failures == 3
        await switch(receiver, "late", "ok")
        hands.pass_(601)
        rows = await hub.has_logged(6, url)
        assert (await hub.subscription(url)).failures == 0

    assert sorted(row.version for row in rows if row.success) == versions


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
        await hub.has_logged(12, url)

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
        rows = await hub.has_logged(1, url)

    (request,) = receiver.requests()
    assert Webhook(row.secrets[0].value).verify(request["body"], request["headers"])["event_type"] == "ping"
    assert (rows[0].kind, rows[0].success) == ("ping", False)
    after = await hub.subscription(url)
    assert (after.failures, after.outcome_at) == (0, None)


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
        await hub.looks_again()

    assert len(receiver.requests()) == 1
    assert await hub.log(url) == []


async def test_old_rows_of_the_log_are_forgotten(hub, receiver, hands):
    """The log is kept as long as the setting says; what has not been delivered stays in the outbox."""
    url = receiver.url("ok")
    await hub.subscribe(url)
    async with hub.deliver(log_kept=100.0) as delivering:
        await hub.change()
        await hub.has_logged(1, url)
        hands.pass_(102)
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
        await hub.has_logged(2)
        delivering._ticks = 0
        await delivering._tick()
        text = generate_latest(delivering.metrics.registry).decode()

    assert 'matchwire_webhook_rounds_total{outcome="taken"} 1.0' in text
    assert 'matchwire_webhook_rounds_total{outcome="refused"} 1.0' in text
    assert "matchwire_webhook_backlog 0.0" in text
    assert "matchwire_webhook_waiting 1.0" in text
    assert 'matchwire_webhook_subscriptions{status="active"} 2.0' in text
    assert str(receiver.port) not in text
