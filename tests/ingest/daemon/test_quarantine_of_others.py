"""Receivers, clients, declared liveblogs and scheduled events of another version: each hurts itself alone, and is said once."""

import asyncio
import time
from functools import partial

import pytest
from sqlalchemy import text

from config import Settings
from store.clients import clients
from store.upkeep import command
from tests.kit.day import CREATE, ORGANIZATION, SHOW
from tests.kit.opening import look
from tests.kit.quarantine import daemon, database, poison, settings, upstream
from tests.kit.receivers import running_receiver

__all__ = ["database", "settings", "upstream"]

HOOKS = f"/apigw/webhooks/v2/organization/{ORGANIZATION}"
EVENT = "/api/v5/write/event/create.json"
DECLARED = [
    {"key": key, "organization": ORGANIZATION, "provider": "heim", "match_id": str(9000300 + number)}
    for number, key in enumerate(("spoilt", "fine", "new"))
]


@pytest.fixture
def receiver(tmp_path):
    with running_receiver(tmp_path) as receiver:
        yield receiver


def with_declared(settings, number):
    tables = {"webhooks": {"allow_hosts": ["127.0.0.1"]}, "liveblogs": DECLARED[:number]}
    return Settings.model_validate({**settings.model_dump(), **tables})


async def declared_keys(settings):
    query = text("SELECT declared_key FROM attachments WHERE declared_key IS NOT NULL")
    return set(await look(settings.database.url.get_secret_value(), lambda conn: list(conn.scalars(query))))


async def seeded(settings, receiver):
    """Two liveblogs with a scheduled event each, three receivers, a client made by command, two declared liveblogs."""
    made = []
    async with daemon(with_declared(settings, 2)) as day:
        for match in ("9000310", "9000311"):
            answer = await day.http.post(CREATE, json={"provider": "heim", "matchId": match, "autoPostEnabled": True})
            made.append(answer.json()["local_id"])
            event = {"headline": f"later {match}", "contents": [], "publish_at": int(time.time()) + 3600}
            answer = await day.http.post(EVENT, params={"ticker_local_id": made[-1]}, json=event)
            assert answer.status_code == 200, answer.text
        for name in ("well", "secrets", "status"):
            answer = await day.http.post(f"{HOOKS}/subscribe", json={"url": receiver.url("ok", name)})
            assert answer.status_code == 200, answer.text

        async def both() -> bool:
            return await declared_keys(settings) == {"spoilt", "fine"}

        await day.until(both)
    spec = clients.ClientSpec(id="spoilt-client", secrets=("0" * 64,), organizations=(ORGANIZATION,), scopes=("read",))
    url = settings.database.url.get_secret_value()
    await asyncio.to_thread(command.run, url, partial(clients.create, spec=spec), timeout=5)
    return made


SPOILT = (
    "UPDATE webhooks SET secrets = '{' WHERE url LIKE '%/secrets'",
    "UPDATE webhooks SET status = 'resting' WHERE url LIKE '%/status'",
    "UPDATE clients SET scopes = '7' WHERE id = 'spoilt-client'",
    "UPDATE declarations SET doc = '{'",
    "UPDATE attachments SET terms = '{' WHERE declared_key = 'spoilt'",
    "UPDATE events SET publish_at = 1 WHERE publish_at IS NOT NULL",
    "UPDATE events SET doc = '{' WHERE publish_at IS NOT NULL AND game_id = (SELECT id FROM games WHERE local_id = :game)",
)


@pytest.mark.proof
async def test_others_go_on_beside_those_that_cannot_be_read(settings, receiver):
    """The healthy receiver is notified, the healthy event published, the new liveblog created; five others are named once."""
    spoilt, healthy = await seeded(settings, receiver)
    delivered = receiver.requests("secrets") + receiver.requests("status")
    for sql in SPOILT:
        await asyncio.to_thread(poison, settings, sql, game=spoilt)
    async with daemon(with_declared(settings, 3)) as day:
        event = {"headline": "now", "contents": []}
        answer = await day.http.post(EVENT, params={"ticker_local_id": healthy}, json=event)
        assert answer.status_code == 200, answer.text

        async def settled() -> bool:
            game = (await day.http.get(SHOW, params={"local_id": healthy})).json()
            published = any(
                each["headline"] == "later 9000311" and not each.get("publish_at") for each in game["events"]
            )
            quarantined = sorted(line["event"] for line in day.lines if line["event"].endswith(".quarantined"))
            kinds = ["client.quarantined", *["liveblog.quarantined"] * 2, *["receiver.quarantined"] * 2]
            return (
                published
                and quarantined == kinds
                and "new" in await declared_keys(settings)
                and bool(receiver.requests("well"))
            )

        await day.until(settled)
        await asyncio.sleep(2.5)
        said = [line["event"] for line in day.lines if line["event"].endswith(".quarantined")]
        assert 5 == len(said)
        assert (2, 1, 2) == tuple([await day.metric(kind) for kind in ("receiver", "client", "liveblog")])
        listed = (await day.http.get(f"{HOOKS}/list")).json()
        assert 3 == len(listed["webhooks"])
        assert delivered == receiver.requests("secrets") + receiver.requests("status")
        assert (await day.http.get("/readyz")).status_code == 200
