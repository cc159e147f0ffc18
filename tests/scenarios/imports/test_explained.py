"""`matchwire explain` and `matchwire incident` beside running daemons: one process on SQLite, an API and a worker on PostgreSQL."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpx
import pytest

from ingest.incident.bundle import unpack
from providers.replay import Replay, ReplaySettings, read_lines
from providers.replay.demo import demo_files
from tests.kit.command import ENVIRON, MATCHWIRE
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import CREATE, ORGANIZATION
from tests.kit.killed_match import MATCH
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof

ROLES = {"sqlite": ["all"], "postgresql": ["api", "worker"]}
NEW_POSTS = 3
"""Posts that come while somebody watches the stream."""


@asynccontextmanager
async def installation(folder, kind, url):
    """The daemons of a kind that follow a demo match; gives their configuration and a client of the one that serves."""
    lines = read_lines(next(path for path in demo_files("en") if "croatia" in path.name))
    async with (
        Replay(lines, ReplaySettings(speed=60, start_at="kickoff-5")).serve() as replay,
        AsyncExitStack() as stack,
    ):
        config = folder / "matchwire.toml"
        text = CONFIG.format(database=url, organization=ORGANIZATION, upstream=replay.url, secret=SECRET)
        config.write_text(f'{text}[recording]\nenabled = true\nfolder = "{folder / "recorded"}"\n')
        daemons = [Daemon(config, "--role", role, "--log-file", str(folder / f"{role}.log")) for role in ROLES[kind]]
        for daemon in daemons:
            await daemon.start()
            stack.push_async_callback(ended, daemon)
        client = await stack.enter_async_context(client_of(daemons[0]))
        yield config, client, replay


async def ended(daemon):
    if daemon.process.returncode is None:
        assert await daemon.terminate() == 0


async def watched(client, name, seen):
    """Somebody reads the stream; `seen` gets a line for each event."""
    with suppress(httpx.TransportError):
        async with client.stream("GET", "/api/embed/v4/stream", params={"liveblogId": name}) as response:
            assert response.status_code == 200
            async for line in response.aiter_lines():
                seen.append(line)


async def command(*words):
    """The exit status of the command, and what it prints."""
    process = await asyncio.create_subprocess_exec(
        *MATCHWIRE, *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=ENVIRON
    )
    printed, _ = await process.communicate()
    return process.returncode, printed.decode()


async def timelines(client, name):
    answer = await client.get(f"/apigw/sports/v2/{ORGANIZATION}/liveblog/{name}/external/timeline.json")
    assert answer.status_code == 200, answer.text
    return answer.json()["posts"]


async def delivered_posts(client, name):
    """The posts that came while somebody watched, once their first frames are noted."""
    async with asyncio.timeout(120):
        while True:
            posts = [post for post in await timelines(client, name) if post["steps"][0]["at"]["delivered"]]
            if len(posts) >= NEW_POSTS and all(post["steps"][0]["at"]["committed"] for post in posts):
                return posts
            await asyncio.sleep(0.1)


def lines_about(folder, event):
    """The lines of all logs about such an event."""
    found = (json.loads(line) for path in folder.glob("*.log") for line in path.read_text().splitlines())
    return [line for line in found if line["event"] == event]


async def logged(folder, post):
    """The log's one line about the post as it was new."""
    async with asyncio.timeout(60):
        while True:
            lines = [each for each in lines_about(folder, "post.written") if each["post"] == post["eventId"]]
            if lines:
                return lines[0]
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("kind", ROLES)
async def test_whoever_delivers_first_notes_when_and_the_commands_say_it(request, tmp_path, kind):
    """First frame, commit and verdict are the same in the interface, in the log and in what the commands print and pack."""
    url = request.getfixturevalue("postgres_url") if kind == "postgresql" else migrated_url(tmp_path / "matchwire.db")
    async with installation(tmp_path, kind, url) as (config, client, replay):
        body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True, "includeTextContent": True}
        answer = await client.post(CREATE, json=body)
        assert answer.status_code == 200, answer.text
        name, seen = answer.json()["local_id"], []
        watching = asyncio.create_task(watched(client, name, seen))
        posts = await delivered_posts(client, name)
        line = await logged(tmp_path, posts[0])
        status, text = await command("explain", name, posts[0]["eventId"], "--config", str(config))
        assert status == 0, text
        status, as_json = await command("explain", name, posts[0]["eventId"], "--json", "--config", str(config))
        assert status == 0, as_json
        status, nobody = await command("explain", name, "enobody", "--config", str(config))
        assert status == 2, nobody
        bundle = tmp_path / "goal.zip"
        status, said = await command("incident", name, "--out", str(bundle), "--config", str(config))
        assert status == 0, said
        assert "cannot be played" not in said
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        assert replay.log.total
    (shown,) = json.loads(as_json)["posts"]
    first = shown["steps"][0]
    instants = [first["at"][each] for each in ("answered", "believed", "committed", "delivered")]
    assert all(instants)
    assert instants[0] <= instants[1] <= min(instants[2:])  # who commits hears of it when those do who deliver
    assert line["version"] == first["version"]
    assert [line[each] for each in ("answered", "believed", "committed", "delivered")] == instants
    assert line["late"] == first["late"] == shown["late"]
    assert shown["late"] in text
    assert all(each in text for each in instants)
    assert "enobody" in nobody
    packed = unpack(bundle)
    (timed,) = [post for post in packed["timeline.json"]["posts"] if post["eventId"] == shown["eventId"]]
    assert timed["steps"][0]["at"]["answered"] == first["at"]["answered"]
    status, verdict = await command("replay", str(bundle))
    assert status == 0, verdict
    assert "the same liveblog, byte for byte" in verdict
    parts = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in packed.values()]
    assert not [each for each in parts if SECRET.encode() in each]
