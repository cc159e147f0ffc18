"""The timeline of posts in a running daemon, beside a clock of the test's own: provider, poll, commit, stream, webhook."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections import Counter
from datetime import datetime
from functools import partial

import httpx
import pytest
from structlog.testing import capture_logs

from ingest.cli.incident import _collect
from ingest.cli.post_report import explain_post, lines_of
from ingest.incident.bundle import pack, unpack
from ingest.incident.play import play
from mapping.errors import NotFound, Unprocessable
from providers.registry import Registry
from tests.kit.day import CREATE, ORGANIZATION, match_day
from tests.kit.opening import look
from tests.kit.recordings import recorded
from tests.scenarios.imports.test_incidents_recorded import WINDOW, bundle_of

MATCH = "8315073"
TOLERANCE = 0.05


def milliseconds(text):
    return round(datetime.fromisoformat(text).timestamp() * 1000)


class Witness:
    """An outside clock: when the replay gave each answer, when each version could be read, taken at the same instants."""

    def __init__(self, day, monkeypatch):
        self.served, self.commits = [], {}
        self._keep(day, monkeypatch)

    def _keep(self, day, monkeypatch):
        from providers import http_client  # the daemon runs in this process: what it gets passes here
        from store.database import Store

        get, write, witness = http_client.get, Store.write, self

        async def seen_get(client, path, etag=None):
            reply = await get(client, path, etag)
            if reply.status == 200:
                witness.served.append(time.time())
            return reply

        async def seen_write(store, work, **named):
            result = await write(store, work, **named)
            for each in getattr(result, "times", ()):
                witness.commits.setdefault((each.game_id, each.version), time.time())
            return result

        monkeypatch.setattr(http_client, "get", seen_get)
        monkeypatch.setattr(Store, "write", seen_write)

    def nearest(self, at):
        """Seconds between the instant and the nearest one at which an answer came."""
        return min(abs(at - each) for each in self.served)


async def test_the_timelines_instants_are_those_of_a_clock_outside(tmp_path, monkeypatch):
    """Each post of a real match at 100 times its speed: its answer, its commit and their sum are within 50 ms of the witness.

    The witness takes its instants in the same process around the same awaits, so a busy machine delays both alike.
    """
    path = recorded(f"heim/soccer/ma{MATCH}.jsonl.gz")
    async with match_day([path], folder=tmp_path, speed=200, start_at="kickoff-60", live=0.2) as day:
        witness = Witness(day, monkeypatch)
        with capture_logs() as lines:
            game = await created(day)
            stream = asyncio.create_task(watched(day, game["local_id"]))
            before = len((await timelines(day, game["local_id"]))["posts"])
            await until_written(day, game["local_id"], before + 12)
            stream.cancel()
            await asyncio.gather(stream, return_exceptions=True)
            found = await settled(day, game["local_id"])
            named = {(post["eventId"], step["version"]) for post in found["posts"] for step in post["steps"]}
            async with asyncio.timeout(60):
                while not named <= written(lines).keys():
                    await asyncio.sleep(0.05)
            shown = await look(
                day.settings.database.url.get_secret_value(),
                partial(explain_post, liveblog=game["local_id"], post=found["posts"][0]["eventId"]),
            )
    steps = [step for post in found["posts"] for step in post["steps"] if step["at"]["committed"] is not None]
    assert len(steps) >= 12
    for step in steps:
        at = {name: None if text is None else milliseconds(text) / 1000 for name, text in step["at"].items()}
        commit = witness.commits[game["ticker_id"], step["version"]]
        assert witness.nearest(at["answered"]) <= TOLERANCE
        assert abs(at["committed"] - commit) <= TOLERANCE
        assert at["answered"] <= at["believed"] <= at["committed"]
        spent = step["seconds"]
        whole = at["committed"] - (at["said"] or at["unsaid"] or at["answered"])
        if at["said"] is None or at["said"] <= (at["unsaid"] or at["answered"]):
            parts = [spent[name] for name in ("provider", "betweenPolls", "confirmation", "written")]
            assert abs(sum(each or 0 for each in parts) - whole) <= 2 * TOLERANCE
    delivered = [step for step in steps if step["at"]["delivered"] is not None]
    assert delivered, "the stream got some of them"
    assert all(step["at"]["delivered"] >= step["at"]["committed"] for step in delivered if step["what"] == "posted")

    assert set(written(lines).values()) == {1}
    (line,) = [
        line for line in lines if line["event"] == "post.written" and line["post"] == shown["posts"][0]["eventId"]
    ][:1]
    first = next(step for step in shown["posts"][0]["steps"] if step["version"] == line["version"])
    assert [line[name] for name in ("said", "answered", "believed", "committed", "late")] == [
        *(first["at"][name] for name in ("said", "answered", "believed", "committed")),
        first["late"],
    ]
    text = "\n".join(lines_of(shown))
    assert shown["posts"][0]["late"] in text
    assert first["at"]["answered"] in text


def written(lines):
    """How often the log has named each post and version."""
    return Counter((line["post"], line["version"]) for line in lines if line["event"] == "post.written")


async def created(day):
    for _ in range(200):
        body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True, "includeTextContent": True}
        answer = await day.client.post(CREATE, json=body)
        if answer.status_code == 200:
            return answer.json()
        await asyncio.sleep(0.1)
    raise AssertionError(answer.text)


async def watched(day, local_id):
    """Somebody reads the stream."""
    async with day.client.stream("GET", "/api/embed/v4/stream", params={"liveblogId": local_id}) as response:
        assert response.status_code == 200
        async for _ in response.aiter_bytes():
            pass


async def timelines(day, local_id, **params):
    address = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/{local_id}/external/timeline.json"
    response = await day.client.get(address, params=params)
    assert response.status_code == 200, response.text
    return response.json()


async def until_written(day, local_id, posts):
    while len((await timelines(day, local_id))["posts"]) < posts:
        await asyncio.sleep(0.05)


async def settled(day, local_id):
    """The timelines of the posts that were there, once their commits are noted."""
    names = [post["eventId"] for post in (await timelines(day, local_id))["posts"]]
    while True:
        found = await timelines(day, local_id)
        found["posts"] = [post for post in found["posts"] if post["eventId"] in names]
        if all(post["steps"][0]["at"]["committed"] for post in found["posts"]):
            return found
        await asyncio.sleep(0.1)


async def test_a_bundle_holds_what_people_wrote_no_secrets_and_no_commentary_where_that_is_not_wanted(tmp_path):
    """An editor's post and a pause in between: the same liveblog; a bundle without commentary is played, not compared."""
    path = recorded(f"heim/soccer/ma{MATCH}.jsonl.gz")
    recording = {"enabled": True, "folder": str(tmp_path / "recorded")}
    async with match_day(
        [path], folder=tmp_path, speed=500, start_at="kickoff-60", live=0.2, recording=recording
    ) as day:
        game = await created(day)
        await until_written(day, game["local_id"], 6)
        body = {"_type": "Svc::Model::Event", "contents": [text_block("The crowd sings.")]}
        create = "/api/v5/write/event/create.json"
        answer = await day.client.post(create, json=body, params={"ticker_local_id": game["local_id"]})
        assert answer.status_code == 200, answer.text
        await until_written(day, game["local_id"], 12)
        await day.client.post(
            f"/apigw/sports/v2/{ORGANIZATION}/liveblog/{game['local_id']}/external.json", json={"paused": True}
        )
        await asyncio.sleep(1)
        whole = await bundle_of(day, tmp_path / "whole.zip", game["local_id"])
        bare = await bundle_of(day, tmp_path / "bare.zip", game["local_id"], commentary=False)
        secret = day.settings.clients["cms"].secret.get_secret_value()
        key = day.settings.organizations[ORGANIZATION].providers["gn-gsd"].api_key.get_secret_value()
    content = b"".join(pack_parts(tmp_path / "whole.zip"))
    assert not [word for word in (secret, key, "client_secret", "Authorization") if word.encode() in content]
    assert [post["version"] for post in whole["writes.json"]["people"]]
    assert b"The crowd sings." in whole["liveblog.json"]
    played = await play(whole, Registry.load())
    assert b"The crowd sings." in played.liveblog
    assert played.same is True
    assert b"liveticker" not in gzip.decompress(bare["answers.jsonl.gz"])
    without = await play(bare, Registry.load())
    assert without.same is None
    assert json.loads(without.liveblog)["events"]


def pack_parts(path):
    return [json.dumps(each).encode() if not isinstance(each, bytes) else each for each in unpack(path).values()]


def text_block(text):
    return {"_type": "Svc::Model::Content::RichTextContentBlock", "text": f"<p>{text}</p>"}


async def test_a_bundle_without_its_answers_says_so_and_is_not_played(tmp_path):
    """Nothing is recorded: the bundle names what is missing, in words that name the setting; another file is refused."""
    path = recorded(f"heim/soccer/ma{MATCH}.jsonl.gz")
    async with match_day([path], folder=tmp_path, speed=500, start_at="kickoff-60", live=0.2) as day:
        game = await created(day)
        await until_written(day, game["local_id"], 3)
        bundle = await bundle_of(day, tmp_path / "bare.zip", game["local_id"])
        with pytest.raises(NotFound):
            await _collect(day.settings, "gnobody", WINDOW, commentary=True)
        other = await day.client.get(
            f"/apigw/sports/v2/{ORGANIZATION}/liveblog/{game['local_id']}/external/timeline.json",
            auth=httpx.BasicAuth("cms", "wrong"),
        )
        assert other.status_code == 401
    (reason,) = bundle["manifest.json"]["missing"]
    assert "recording.enabled" in reason
    with pytest.raises(Unprocessable, match=r"recording\.enabled"):
        await play(bundle, Registry.load())
    (tmp_path / "no.zip").write_bytes(b"PK no bundle")
    with pytest.raises(Unprocessable, match="no incident bundle"):
        unpack(tmp_path / "no.zip")
    (tmp_path / "other.zip").write_bytes(pack({"manifest.json": b'{"form": 99}'}))
    with pytest.raises(Unprocessable, match="of this version"):
        unpack(tmp_path / "other.zip")
