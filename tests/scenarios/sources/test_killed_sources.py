"""Two processes on one PostgreSQL follow a source of a match each: whichever is killed, the next goal of the standby is public."""

from __future__ import annotations

import asyncio
import signal
from contextlib import asynccontextmanager

import pytest

from providers.http_server import bind_socket, listening
from tests.kit.day import ORGANIZATION, SHOW
from tests.kit.leader import HASTY, SOON
from tests.kit.soccer_courses import course, course_files
from tests.kit.wire_forms.forms import FORMS
from tests.kit.workers import Worker, create, until
from tests.simulation.sources.next_goal import goals_of

pytestmark = pytest.mark.proof

SEED = 1
PATHS = {"match": "match/info", "events": "match/events", "lineups": "match/lineUpsEnhanced"}
MORE = """
[organizations.{organization}.providers.pa]
base_url = "{upstream}/v1.5"
api_key = "a-key-of-these-tests"
[standby]
silence = 2
stall = 2
quiet_time = 4
slower = 1
"""
EXTERNAL = "/apigw/sports/v2/{}/liveblog/{}/external.json"


class TwoFeeds:
    """Both providers at one address; `lost`: the first one answers 503. `followers`: who has polled which provider last."""

    def __init__(self, played):
        self.played, self.bodies, self.lost, self.followers = played, {}, False, {}
        self.begins_with(0)

    def begins_with(self, at, *, standby_at=None):
        """The version of the match that the first source has, and the second one."""
        form = FORMS["pa"]
        ident = form.ident(self.played.match_id)
        first, second = (
            self.played.bodies[at],
            form.write(self.played.kept[at if standby_at is None else standby_at], SEED),
        )
        self.bodies = {
            "heim": {f"/{name}/ma{self.played.match_id}": first.get(name, b"[]") for name in ("match", "match-event")},
            "pa": {f"/v1.5/{PATHS[name]}/a-key-of-these-tests/{ident}": body for name, body in second.items()},
        }

    async def __call__(self, scope, receive, send):
        provider = "pa" if scope["path"].startswith("/v1.5") else "heim"
        self.followers[provider] = dict(scope["headers"])[b"user-agent"].decode()
        body = self.bodies[provider].get(scope["path"])
        lost = self.lost and provider == "heim"
        status = 503 if lost else 404 if body is None else 200
        kind = b"application/xml" if provider == "pa" else b"application/json"
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]})
        await send({"type": "http.response.body", "body": b"" if lost or body is None else body})


@asynccontextmanager
async def two_workers(folder, database, feeds):
    async with listening(feeds, bind_socket("127.0.0.1", 0)) as address:
        workers = [Worker(folder, name, "all", database=database, upstream=address) for name in ("one", "two")]
        for each in workers:
            more = MORE.format(organization=ORGANIZATION, upstream=address)
            each.config.write_text(each.config.read_text() + more)
            each.program = HASTY
        try:
            await asyncio.gather(*(each.start() for each in workers))
            yield workers
        finally:
            for each in workers:
                if hasattr(each, "client"):
                    await each.end(signal.SIGKILL)


async def goals_public(worker, liveblog):
    """How many goals the liveblog shows."""
    game = (await worker.client.get(SHOW, params={"local_id": liveblog})).json()
    events = [(each.get("sport_event") or {}).get("event_type") for each in game["events"]]
    return sum(kind in {"soccer.goal", "soccer.own-goal"} for kind in events)


@pytest.mark.parametrize("killed", ["heim", "pa"])
async def test_the_next_goal_is_public_although_a_process_is_killed(postgres_url, tmp_path, killed):
    """The first source is lost at that moment too; when it is back nothing stands twice."""
    played = course(next(path for path in course_files() if "uruguay" in path.name))
    at = goals_of(played)[1]
    feeds = TwoFeeds(played)
    feeds.begins_with(at - 1)
    async with two_workers(tmp_path, postgres_url, feeds) as workers:
        liveblog = await create(workers[0], int(played.match_id))
        wanted = {"standby": [{"provider": "pa", "matchId": FORMS["pa"].ident(played.match_id)}]}
        answer = await workers[0].client.post(EXTERNAL.format(ORGANIZATION, liveblog), json=wanted)
        assert answer.status_code == 200, answer.text
        before = await goals_public(workers[0], liveblog)

        async def one_each():
            return len({feeds.followers.get("heim"), feeds.followers.get("pa")} - {None}) == 2

        await until(one_each, within=SOON)
        await asyncio.sleep(2)
        dead = next(each for each in workers if each.name in feeds.followers[killed])
        survivor = next(each for each in workers if each is not dead)
        feeds.lost = True
        await dead.end(signal.SIGKILL)
        feeds.begins_with(at - 1, standby_at=at)

        async def there():
            return await goals_public(survivor, liveblog) == before + 1

        await until(there, within=SOON)
        feeds.lost = False
        feeds.begins_with(at)
        await asyncio.sleep(8)
        assert await goals_public(survivor, liveblog) == before + 1
