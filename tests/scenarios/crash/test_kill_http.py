"""kill -9 under clients that write: what was acknowledged is there once, and a retry is the same event."""

import asyncio
import random
from dataclasses import dataclass, field
from itertools import count

import httpx
import pytest

from tests.kit.daemon import client_of
from tests.kit.news_daemon import WRITE, daemon_in, made, shown

pytestmark = pytest.mark.proof

ABSENT = ""


@dataclass
class Sent:
    """What a client knows of one event: its text as last acknowledged, and as it may be if the last request counted."""

    acknowledged: str = ABSENT
    requested: str = ABSENT
    retry: tuple = field(default=(), repr=False)


def document(local_id, words):
    block = {"_type": "Svc::Model::Content::RichTextContentBlock", "local_id": f"b{local_id}", "text": words}
    return {"local_id": local_id, "contents": [block]}


async def send(client, operation, params, body):
    answer = await client.post(f"{WRITE}/event/{operation}.json", params=params, json=body)
    assert answer.status_code == 200, answer.text


async def write(client, liveblog, name, known):
    """Create, update and perhaps delete events until the daemon is gone."""
    rng = random.Random(name)
    for number in count():
        local_id = f"e{name}x{number}"
        sent = known[local_id] = Sent()
        steps = [
            ("create", {"ticker_local_id": liveblog}, document(local_id, "first"), "first"),
            ("update", {"event_local_id": local_id}, document(local_id, "second"), "second"),
            ("delete", {"event_local_id": local_id}, None, ABSENT),
        ]
        for operation, params, body, text in steps[: rng.randint(1, 3)]:
            sent.requested, sent.retry = text, (operation, params, body)
            try:
                await send(client, operation, params, body)
            except httpx.TransportError:
                return
            sent.acknowledged, sent.retry = text, ()


async def texts(client, liveblog):
    events = (await shown(client, liveblog)).json()["events"]
    found = {event["local_id"]: event["contents"][0]["text"] for event in events}
    assert len(found) == len(events), "an event stands twice"
    return found


async def test_acknowledged_writes_are_there_once_and_a_retry_is_the_same_event(tmp_path):
    """Creations, updates and deletions by eight clients, two kills at random instants, then what was unanswered again."""
    async with daemon_in(tmp_path) as daemon:
        async with client_of(daemon) as client:
            liveblog = await made(client)
        known = {}
        for kill in range(2):
            async with client_of(daemon) as client:
                writing = [
                    asyncio.create_task(write(client, liveblog, f"{kill}y{number}", known)) for number in range(8)
                ]
                wanted = len(known) + random.Random(kill).randint(25, 60)
                async with asyncio.timeout(60):
                    while len(known) < wanted:
                        await asyncio.sleep(0.002)
                await daemon.kill()
                await asyncio.gather(*writing)
            await daemon.start()
            async with client_of(daemon) as client:
                found = await texts(client, liveblog)
                wrong = {
                    local_id: (sent, found.get(local_id))
                    for local_id, sent in known.items()
                    if found.get(local_id, ABSENT) not in {sent.acknowledged, sent.requested}
                }
                unanswered = {local_id: sent for local_id, sent in known.items() if sent.retry}
                for sent in unanswered.values():
                    await send(client, *sent.retry)
                    sent.acknowledged, sent.retry = sent.requested, ()
                after = await texts(client, liveblog)

            assert len(known) > 20
            assert unanswered
            assert wrong == {}
            assert after == {local_id: sent.requested for local_id, sent in known.items() if sent.requested}
