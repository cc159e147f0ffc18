"""The daemon as a whole: subscribe over HTTP or by command, change a liveblog, receive."""

import asyncio
import json
from functools import partial

import httpx
import pytest
from standardwebhooks import Webhook
from structlog.testing import capture_logs

from config import Settings
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.upkeep import command
from tests.kit.command import invoke
from tests.kit.day import ORGANIZATION, configuration, running
from tests.kit.news_daemon import NEWS
from tests.store.conftest import new_game

BASE = f"/apigw/webhooks/v2/organization/{ORGANIZATION}"


@pytest.fixture
def settings(tmp_path):
    tables = configuration("http://127.0.0.1:9", tmp_path)
    tables["webhooks"] = {"allow_hosts": ["127.0.0.1"]}
    tables["clients"]["cms"]["scopes"].append("admin")
    return Settings.model_validate(tables)


@pytest.fixture
async def client(settings):
    secret = settings.clients["cms"].secret.get_secret_value()
    async with (
        running(settings) as address,
        httpx.AsyncClient(base_url=address, auth=("cms", secret), trust_env=False) as http,
    ):
        yield http


async def change(settings, game_id=None):
    """A change by another process."""
    url = settings.database.url.get_secret_value()
    if game_id is None:
        game = await asyncio.to_thread(command.run, url, partial(insert_game, game=new_game()), timeout=5)
        return game.id
    return await asyncio.to_thread(command.run, url, lambda unit: record(unit, game_id, Change()), timeout=5)


async def test_from_subscription_to_delivery(client, settings, receiver):
    """What is subscribed over HTTP is delivered, signed, and stands in list, log and metrics."""
    url = receiver.url("ok")
    made = (await client.post(f"{BASE}/subscribe", json={"url": url})).json()
    game = await change(settings)
    await receiver.until(receiver.requests)
    await client.post(f"{BASE}/ping", json={"url": url})
    await receiver.until(lambda: len(receiver.requests()) == 2)
    log = []
    async with asyncio.timeout(60):
        while len(log) < 2:
            log = (await client.get(f"{BASE}/deliveries")).json()["deliveries"]

    first, ping = receiver.requests()
    assert Webhook(made["secret"]).verify(first["body"], first["headers"])["ticker_id"] == game
    assert json.loads(ping["body"])["event_type"] == "ping"
    (listed,) = (await client.get(f"{BASE}/list")).json()["webhooks"]
    assert (listed["lastOutcome"]["success"], listed["lastOutcome"]["statusCode"]) == (True, 204)
    assert [(row["kind"], row["success"]) for row in log] == [("ping", True), ("update", True)]
    assert 'matchwire_webhook_rounds_total{outcome="taken"} 2.0' in (await client.get("/metrics")).text
    assert (await client.post(f"{BASE}/deliveries/{log[1]['id']}/replay")).json() == {"queued": 1}
    await receiver.until(lambda: len(receiver.requests()) == 3)


async def test_what_a_receiver_was_sent_is_there_to_be_read(client, receiver):
    """Whoever reads on a notification finds that version or a later one: in the liveblog, in the delta, in the feed."""
    await client.post(f"{BASE}/subscribe", json={"url": receiver.url("ok")})
    game = (await client.post("/api/v5/write/ticker/create.json", json=NEWS)).json()["local_id"]
    for version in range(2, 12):
        name = f"e{version}"
        post = {"local_id": name, "headline": name}
        await client.post("/api/v5/write/event/create.json", params={"ticker_local_id": game}, json=post)
        await receiver.until(lambda version=version: version in receiver.versions("ok"))
        shown = (await client.get("/api/v5/write/ticker/show.json", params={"local_id": game})).json()
        delta = (await client.get("/api/v6/ticker/show.json", params={"id": game, "refresh": version - 1})).json()
        feed = await client.get("/api/embed/v4/feed/liveblog.json", params={"liveblogId": game})

        assert shown["version"] >= version
        assert name in {event["local_id"] for event in shown["events"]}
        assert [event["local_id"] for event in delta["events"]] == [name]
        assert name in {item["id"] for item in feed.json()["items"]}
    assert receiver.versions("ok") == list(range(1, 12))


async def test_addresses_inside_are_refused_at_the_door(client):
    """The daemon's guard checks when somebody subscribes; one answer for all reasons names the setting that allows more."""
    messages, hosts = set(), ["127.0.0.2", "169.254.169.254", "::1", "no-such-name.invalid"]
    with capture_logs() as lines:
        for host in hosts:
            url = f"http://{f'[{host}]' if ':' in host else host}:8080/a-secret-path"
            answer = await client.post(f"{BASE}/subscribe", json={"url": url})
            assert (answer.status_code, answer.json()["field"]) == (422, "url")
            messages.add(answer.json()["message"])

    assert ["webhooks.allow_hosts" in each for each in messages] == [True]
    refused = [line for line in lines if line["event"] == "webhook.address_refused"]
    assert [(line["host"], line["setting"]) for line in refused] == [(host, "webhooks.allow_hosts") for host in hosts]
    assert "a-secret-path" not in str(lines)


@pytest.mark.proof
def test_the_commands_do_the_same_beside_the_daemon(settings, receiver, tmp_path):
    """Subscribe, list, ping, log, replay, rotate and unsubscribe work while the daemon runs, on its own database."""
    url = receiver.url("ok")
    file = tmp_path / "matchwire.toml"
    file.write_text(
        f'[database]\nurl = "{settings.database.url.get_secret_value()}"\n[webhooks]\nallow_hosts = ["127.0.0.1"]\n'
        f'[organizations.{ORGANIZATION}]\nname = "Example"\n'
    )

    def matchwire(*words, code=0):
        result = invoke("webhooks", *words, "--config", file)
        assert result.exit_code == code, result.output
        return result.output

    async def day():
        assert "start the daemon first" in await asyncio.to_thread(matchwire, "list", code=2)
        async with running(settings):
            said = await asyncio.to_thread(matchwire, "subscribe", url)
            secret = said.rpartition(" ")[2].strip()
            game = await change(settings)
            await receiver.until(receiver.requests)
            await asyncio.to_thread(matchwire, "ping", url)
            await receiver.until(lambda: len(receiver.requests()) == 2)
            await asyncio.to_thread(matchwire, "rotate", url)
            await asyncio.to_thread(matchwire, "replay", "--url", url)
            await receiver.until(lambda: len(receiver.requests()) == 3)
            listed, log = await asyncio.to_thread(matchwire, "list"), ""
            async with asyncio.timeout(60):
                while "replay" not in log:
                    log = await asyncio.to_thread(matchwire, "deliveries", url)
            await asyncio.to_thread(matchwire, "replay", "1")
            await receiver.until(lambda: len(receiver.requests()) == 4)
            await asyncio.to_thread(matchwire, "unsubscribe", url)
            await change(settings, game)
            await asyncio.sleep(1.5)
            assert "name a row" in await asyncio.to_thread(matchwire, "replay", code=2)
            assert "no such subscription" in await asyncio.to_thread(matchwire, "ping", url, code=2)
            assert "may not be used" in await asyncio.to_thread(matchwire, "subscribe", "http://127.0.0.2/", code=2)
        return secret, listed, log

    secret, listed, log = asyncio.run(day())

    assert [json.loads(row["body"])["event_type"] for row in receiver.requests()] == [
        "ticker_update", "ping", "ticker_update", "ticker_update",
    ]  # fmt: skip
    for row in receiver.requests():
        assert Webhook(secret).verify(row["body"], row["headers"])
    assert "active" in listed
    assert url in listed
    assert [word in log for word in ("update", "ping", "replay")] == [True] * 3
