"""SIGTERM in the middle of things, and a process that stands still: nothing is done by halves, nothing posted twice."""

import asyncio
import json
import signal
import sqlite3
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass

import httpx
import pytest

from providers.http_server import bind_socket, listening
from providers.replay import Replay, ReplaySettings
from tests.kit.daemon import CONFIG, DECLARED, SECRET, Daemon, client_of
from tests.kit.day import CREATE, ORGANIZATION, SHOW
from tests.kit.news_daemon import WRITE, daemon_in, made, post, within, written
from tests.kit.receivers import running_receiver
from tests.kit.recorded_posts import posts_of_the_liveblog
from tests.kit.sqlite import migrated_url
from tests.kit.workers import Upstream, recorded

HOOKS = f"/apigw/webhooks/v2/organization/{ORGANIZATION}"
MATCH = "9000001"


@dataclass
class FollowedMatch:
    """A daemon that follows a match in which a card is shown every second, and a receiver of its webhooks."""

    daemon: Daemon
    receiver: object
    replay: Replay


@asynccontextmanager
async def followed(folder):
    config = folder / "matchwire.toml"
    with running_receiver(folder) as receiver:
        async with Replay(recorded(int(MATCH)), ReplaySettings()).serve() as replay:
            database = migrated_url(folder / "signals.db")
            text = CONFIG.format(database=database, organization=ORGANIZATION, upstream=replay.url, secret=SECRET)
            text = text.replace("text_content = true\n", "")
            config.write_text(text + '\n[webhooks]\nallow_hosts = ["127.0.0.1"]\n')
            daemon = Daemon(config)
            try:
                await daemon.start()
                yield FollowedMatch(daemon, receiver, replay)
            finally:
                if daemon.process.returncode is None:
                    daemon.process.send_signal(signal.SIGCONT)
                    await daemon.kill()


@pytest.mark.proof
async def test_sigterm_lets_a_request_under_way_finish_and_takes_no_new_one(tmp_path):
    """Half of a body is there when the signal comes; the rest is taken, answered and kept, nobody else is let in."""
    async with daemon_in(tmp_path) as daemon:
        async with client_of(daemon) as client:
            liveblog = await made(client)
        halves = asyncio.Event()
        body = json.dumps(post("last words")).encode()

        async def slowly():
            yield body[:20]
            await halves.wait()
            yield body[20:]

        async with client_of(daemon) as client:
            under_way = asyncio.create_task(
                client.post(f"{WRITE}/event/create.json", params={"ticker_local_id": liveblog}, content=slowly())
            )
            await asyncio.sleep(0.5)
            daemon.process.terminate()

            async def closed():
                try:
                    async with client_of(daemon) as late:
                        await late.get("/livez")
                except httpx.TransportError:
                    return True
                return False

            await within(60, closed)
            assert not under_way.done()
            halves.set()
            answer = await under_way
        assert await daemon.process.wait() == 0
    with closing(sqlite3.connect(tmp_path / "matchwire.db")) as conn:
        kept = conn.execute("SELECT local_id, local_status FROM events").fetchall()

    assert answer.status_code == 200
    assert kept == [(answer.json()["local_id"], 0)]


@pytest.mark.proof
async def test_sigterm_finishes_a_delivery_under_way_and_records_it(tmp_path):
    """The receiver has the notification and takes a second to answer: after the restart it is not sent again."""
    async with followed(tmp_path) as all_:
        daemon, receiver = all_.daemon, all_.receiver
        async with client_of(daemon) as client:
            url = receiver.url("after-1", "slow")
            made_hook = await client.post(f"{HOOKS}/subscribe", json={"url": url})
            assert made_hook.status_code == 200, made_hook.text
            liveblog = await made(client)
            await receiver.until(lambda: receiver.versions("slow") == [1])
        assert await daemon.terminate() == 0
        await daemon.start()
        async with client_of(daemon) as client:
            log = (await client.get(f"{HOOKS}/deliveries")).json()["deliveries"]
            assert (await written(client, liveblog)).status_code == 200
            await receiver.until(lambda: 2 in receiver.versions("slow"))

    assert [(row["success"], row["kind"]) for row in log] == [(True, "update")]
    assert receiver.versions("slow") == [1, 2]


@pytest.mark.proof
async def test_a_job_under_way_leaves_its_grace_to_requests(tmp_path):
    """A provider keeps a declared liveblog waiting, a client takes its time: the stop ends in order, and is not cut off."""
    upstream = Upstream(MATCH)
    upstream.open.clear()

    async def slowly():
        while True:
            yield b" " * 400
            await asyncio.sleep(0.2)

    async with listening(upstream, bind_socket("127.0.0.1", 0)) as address:
        config = tmp_path / "matchwire.toml"
        database = migrated_url(tmp_path / "jobs.db")
        text = CONFIG.format(database=database, organization=ORGANIZATION, upstream=address, secret=SECRET)
        text = text.replace("port = 0", "port = 0\nshutdown_grace = 4", 1)
        config.write_text(text + DECLARED.format(ORGANIZATION, MATCH))
        daemon = Daemon(config)
        await daemon.start()
        try:
            async with client_of(daemon) as client:
                under_way = asyncio.create_task(client.post(f"{WRITE}/ticker/create.json", content=slowly()))
                await within(60, lambda: asyncio.sleep(0, upstream.waiting.total()))
                await asyncio.sleep(0.5)
                assert not under_way.done()
                status = await daemon.terminate()
                await asyncio.gather(under_way, return_exceptions=True)
        finally:
            upstream.open.set()
            if daemon.process.returncode is None:
                await daemon.kill()

    assert status == 0


@pytest.mark.proof
async def test_a_process_that_stood_still_posts_and_sends_nothing_twice(tmp_path):
    """Stopped in the middle of a live match it catches up: each card and each version once."""
    async with followed(tmp_path) as all_:
        daemon, receiver = all_.daemon, all_.receiver
        async with client_of(daemon) as client:
            assert (await client.post(f"{HOOKS}/subscribe", json={"url": receiver.url("ok")})).status_code == 200
            body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True}
            liveblog = (await client.post(CREATE, json=body)).json()["local_id"]
            await receiver.until(lambda: len(receiver.versions("ok")) > 2)
        daemon.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(3)
        shown_by_then, sent_by_then = int(all_.replay.clock.now()), len(receiver.versions("ok"))
        daemon.process.send_signal(signal.SIGCONT)
        async with client_of(daemon) as client:

            async def cards():
                game = (await client.get(SHOW, params={"local_id": liveblog})).json()
                return game, [post for post in posts_of_the_liveblog(game) if post[0] == "soccer.yellow-card"]

            async def caught_up():
                return len((await cards())[1]) > shown_by_then + 2

            await within(30, caught_up)
            game, posts = await cards()
            await receiver.until(lambda: game["version"] in receiver.versions("ok"))
        assert await daemon.terminate() == 0

    versions = receiver.versions("ok")
    assert len(versions) > sent_by_then
    assert len(posts) == len(set(posts)), "a card stands twice"
    assert len(versions) == len(set(versions)), "a notification was sent twice"
    assert set(range(1, game["version"] + 1)) <= set(versions)
