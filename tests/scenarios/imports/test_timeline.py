"""The timeline of posts in a running daemon, beside a clock of the test's own: provider, poll, commit, stream, webhook."""

import asyncio
import gzip
import json
import time
from collections import Counter
from datetime import datetime
from functools import partial
from typing import NamedTuple

import httpx
import pytest
from structlog.testing import capture_logs

from ingest.cli.explain import explain_post, lines_of
from ingest.cli.incident import _collect
from ingest.cli.play_bundle import play
from ingest.incident.bundle import pack, unpack
from mapping.errors import NotFound, Unprocessable
from providers import fetch, http_client
from store.database import Store
from store.timeline.timeline import PostTimeline
from tests.kit.day import CREATE, ORGANIZATION, WINDOW, bundle_of, match_day
from tests.kit.opening import look
from tests.kit.recordings import recorded

pytestmark = pytest.mark.proof

MATCH = "8315073"
MARGIN = 0.005
"""Seconds: instants are whole milliseconds, and two clocks cannot be read at once."""
TOLERANCE = 0.05
"""Seconds between the timeline and a clock outside, where nothing else keeps the machine busy."""
NEW_POSTS = 12


def seconds(text):
    return None if text is None else datetime.fromisoformat(text).timestamp()


class Bounds:
    """What a clock outside saw just before and just after the daemon took an instant; at any load it lies between them."""

    def __init__(self):
        self.earliest, self.latest = {}, {}

    def hold(self, key, at):
        """Whether the instant (Unix seconds) may be that of this key."""
        return self.earliest[key] - MARGIN <= at <= self.latest[key] + MARGIN

    def far(self, key, at):
        """Seconds that the instant is from both of them, at most."""
        return max(abs(at - self.earliest[key]), abs(at - self.latest[key]))


class Witness:
    """A clock outside the timeline: it is read before and after each answer, commit and first frame."""

    def __init__(self, monkeypatch):
        self.answers, self.commits, self.frames = Bounds(), Bounds(), Bounds()
        self._patch = monkeypatch.setattr
        self._watch_answers()
        self._watch_commits()
        self._watch_frames()

    def _watch_answers(self):
        get, translate, answers = http_client.get, fetch.beside, self.answers
        under_way = {}

        async def watched_get(client, path, etag=None):
            reply = await get(client, path, etag)
            under_way[asyncio.current_task()] = time.time()
            return reply

        async def watched_translate(*given, **named):
            came = under_way.pop(asyncio.current_task(), None)
            if came is not None:
                key = len(answers.earliest)
                answers.earliest[key], answers.latest[key] = came, time.time()
            return await translate(*given, **named)

        self._patch(http_client, "get", watched_get)
        self._patch(fetch, "beside", watched_translate)

    def _watch_commits(self):
        write, committed, commits = Store.write, PostTimeline.committed, self.commits

        async def watched_write(store, work, **named):
            def timed(unit):
                result = work(unit)
                for each in getattr(result, "times", ()):
                    commits.earliest.setdefault((each.game_id, each.version), time.time())
                return result

            return await write(store, timed, **named)

        def watched_committed(timeline, posts):
            for each in posts.times:
                commits.latest.setdefault((each.game_id, each.version), time.time())
            committed(timeline, posts)

        self._patch(Store, "write", watched_write)
        self._patch(PostTimeline, "committed", watched_committed)

    def _watch_frames(self):
        sent, frames = PostTimeline.sent, self.frames

        def watched_sent(timeline, game_id, since, version):
            frames.earliest.setdefault((game_id, version), time.time())
            sent(timeline, game_id, since, version)
            frames.latest.setdefault((game_id, version), time.time())

        self._patch(PostTimeline, "sent", watched_sent)


class Course(NamedTuple):
    """A real match at 200 times its speed, somebody watching it: what the witness saw, and what the timeline says."""

    witness: Witness
    game_id: str
    steps: list
    lines: list
    explained: dict


async def watched_course(tmp_path, monkeypatch):
    """Play until a dozen posts are there, and read all that is said of them."""
    path = recorded(f"heim/soccer/ma{MATCH}.jsonl.gz")
    witness = Witness(monkeypatch)
    async with match_day([path], folder=tmp_path, speed=200, start_at="kickoff-60", live=0.2) as day:
        with capture_logs() as lines:
            game = await created(day)
            stream = asyncio.create_task(watched(day, game["local_id"]))
            before = len((await timelines(day, game["local_id"]))["posts"])
            await until_written(day, game["local_id"], before + NEW_POSTS)
            await until_delivered(day, game["local_id"])
            stream.cancel()
            await asyncio.gather(stream, return_exceptions=True)
            found = await settled(day, game["local_id"])
            named = {(post["eventId"], step["version"]) for post in found["posts"] for step in post["steps"]}
            async with asyncio.timeout(60):
                while not named <= written(lines).keys():
                    await asyncio.sleep(0.05)
            explained = await look(
                day.settings.database.url.get_secret_value(),
                partial(explain_post, liveblog=game["local_id"], post=found["posts"][0]["eventId"]),
            )
    steps = [step for post in found["posts"] for step in post["steps"] if step["at"]["committed"] is not None]
    assert len(steps) >= NEW_POSTS
    return Course(witness, game["ticker_id"], steps, lines, explained)


async def test_the_timelines_instants_lie_between_what_a_clock_outside_saw(tmp_path, monkeypatch):
    """Each post's answer, commit and first frame were taken between two looks at that clock; what is between them adds up."""
    witness, game_id, steps, lines, explained = await watched_course(tmp_path, monkeypatch)
    delivered = 0
    for step in steps:
        at = {name: seconds(text) for name, text in step["at"].items()}
        key = game_id, step["version"]
        assert any(witness.answers.hold(each, at["answered"]) for each in witness.answers.earliest)
        assert at["answered"] <= at["believed"] <= at["committed"]
        assert witness.commits.hold(key, at["committed"])
        if at["delivered"] is not None:
            delivered += 1
            frame = min(version for name, version in witness.frames.earliest if version >= step["version"])
            assert witness.frames.hold((game_id, frame), at["delivered"])
            assert at["delivered"] >= witness.commits.earliest[key] - MARGIN
        if at["said"] is None or at["said"] <= (at["unsaid"] or at["answered"]):
            whole = at["committed"] - (at["said"] or at["unsaid"] or at["answered"])
            parts = [step["seconds"][name] for name in ("provider", "betweenPolls", "confirmation", "written")]
            assert abs(sum(each or 0 for each in parts) - whole) <= MARGIN
    assert delivered

    assert set(written(lines).values()) == {1}
    (post,) = explained["posts"]
    line = next(line for line in lines if line["event"] == "post.written" and line["post"] == post["eventId"])
    first = next(step for step in post["steps"] if step["version"] == line["version"])
    assert [line[name] for name in ("said", "answered", "believed", "committed", "late")] == [
        *(first["at"][name] for name in ("said", "answered", "believed", "committed")),
        first["late"],
    ]
    text = "\n".join(lines_of(explained))
    assert post["late"] in text
    assert first["at"]["answered"] in text


@pytest.mark.soak
async def test_the_timelines_instants_are_within_fifty_milliseconds_of_a_clock_outside(tmp_path, monkeypatch):
    """The promise for a machine that has nothing else to do: the witness before and after is no further away than that."""
    witness, game_id, steps, _, _ = await watched_course(tmp_path, monkeypatch)
    for step in steps:
        key, at = (game_id, step["version"]), {name: seconds(text) for name, text in step["at"].items()}
        assert min(witness.answers.far(each, at["answered"]) for each in witness.answers.earliest) <= TOLERANCE
        assert witness.commits.far(key, at["committed"]) <= TOLERANCE


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


async def until_delivered(day, local_id):
    """Wait until the first frame with some post is noted."""
    while not any(post["steps"][0]["at"]["delivered"] for post in (await timelines(day, local_id))["posts"]):
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
    played = await play(whole)
    assert b"The crowd sings." in played.liveblog
    assert played.same is True
    assert b"liveticker" not in gzip.decompress(bare["answers.jsonl.gz"])
    without = await play(bare)
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
        await play(bundle)
    (tmp_path / "no.zip").write_bytes(b"PK no bundle")
    with pytest.raises(Unprocessable, match="no incident bundle"):
        unpack(tmp_path / "no.zip")
    (tmp_path / "other.zip").write_bytes(pack({"manifest.json": b'{"form": 99}'}))
    with pytest.raises(Unprocessable, match="of this version"):
        unpack(tmp_path / "other.zip")
