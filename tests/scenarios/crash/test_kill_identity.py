"""kill -9 while a match gets a new id and an organization comes and goes: every post stays, once, and nobody stays behind."""

import asyncio
import json
from functools import partial

import pytest

from providers.replay import Line, Replay, ReplaySettings
from providers.replay.recorded_failure import Failure
from tests.kit.creating import LINES, MATCH, ROWS
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import ORGANIZATION, SHOW
from tests.kit.recorded_posts import posts_of_the_liveblog
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import results, row, wrapped

pytestmark = pytest.mark.proof

OTHER, NEW_ID = "5f0c1de2a1b2c3d4e5f60719", "9000099"
SECOND = row(5, "goal/head", 50, "home", 9, 7, content="2:0", created="14.06.2025 18:50:10")
OVER = {"finished": "yes", "current_period": "game-end", "match_result": results(p0="2:0", p1="1:0")}
OTHERS = f"""
[organizations.{OTHER}]
name = "Other"
[organizations.{OTHER}.providers.heim]
base_url = "{{upstream}}"
text_content = true
"""


def list_of(match_id, second, base=0):
    """The match at its end under this id, with ids of its rows from `base` on."""
    body, at = wrapped(**OVER), f"2025-06-14T19:10:{second}+02:00"
    body["match"]["id"] = match_id
    rows = [{**each, "id": str(int(each["id"]) + base)} for each in [*ROWS, SECOND]]
    return Line.of(at, f"match/ma{match_id}", body), Line.of(at, f"match-event/ma{match_id}", rows)


class History:
    """A daemon that is killed before each configuration that it gets."""

    def __init__(self, folder, database, upstream):
        self.daemon = Daemon(folder / "matchwire.toml")
        self.text = CONFIG.format(database=database, organization=ORGANIZATION, upstream=upstream, secret=SECRET)
        self.other = OTHERS.format(upstream=upstream)

    async def goes_on(self, *, other):
        """Killed, and started again with the other organization at the same endpoint, or without it."""
        if self.daemon.process is not None:
            await self.daemon.kill()
        named = [ORGANIZATION, OTHER] if other else [ORGANIZATION]
        text = self.text.replace(f'["{ORGANIZATION}"]', json.dumps(named)) + self.other * other
        self.daemon.config.write_text(text)
        await self.daemon.start()

    async def asks(self, path, **body):
        async with client_of(self.daemon) as client:
            answer = await client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()["local_id"]

    async def until(self, name, number, score):
        """The liveblog once it has so many posts and this score: `local_id` and key of each post."""
        async with asyncio.timeout(60), client_of(self.daemon) as client:
            while True:
                game = (await client.get(SHOW, params={"local_id": name})).json()
                shown = game["scoreboard"]["score"]
                posts = [each["local_id"] for each in game["events"]]
                if len(posts) == number and (shown["home_score"], shown["away_score"]) == score:
                    assert len(set(posts_of_the_liveblog(game))) == len(posts_of_the_liveblog(game))
                    return sorted(posts)
                await asyncio.sleep(0.05)


async def polled(replay):
    """The provider has answered so often that nothing waits to be said again."""
    before = replay.log.total
    async with asyncio.timeout(60):
        while replay.log.total < before + 12:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("database", [pytest.param("sqlite", marks=pytest.mark.soak), "postgresql"])
async def test_killed_all_along_a_match_keeps_its_identity_and_an_organization_catches_up(tmp_path, request, database):
    """One organization is gone while the match ends, and back; then the match has another id: at each step SIGKILL."""
    url = migrated_url(tmp_path / "kill.db") if database == "sqlite" else request.getfixturevalue("postgres_url")
    gone = Line.of_failure("2025-06-14T19:10:40+02:00", f"match/ma{MATCH}", Failure(status=404))
    lines = (*LINES, *list_of(MATCH, 20), *list_of(NEW_ID, 40, base=1000), gone)
    create, attach = (
        "/apigw/sports/v2/{}/liveblog/createFromExternal",
        "/apigw/sports/v2/{}/liveblog/{}/external/attach.json",
    )
    async with Replay(lines, ReplaySettings(start_at="0")).serve() as replay:
        replay.clock.pause()
        history = History(tmp_path, url, replay.url)
        await history.goes_on(other=True)
        wanted = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True}
        mine, theirs = [await history.asks(create.format(each), **wanted) for each in (ORGANIZATION, OTHER)]
        before = await history.until(theirs, 5, ("1", "0"))
        await history.goes_on(other=False)
        replay.seek(20)
        ended = await history.until(mine, 7, ("2", "0"))
        await polled(replay)
        await history.goes_on(other=True)
        caught_up = await history.until(theirs, 7, ("2", "0"))
        replay.seek(40)
        for name, organization in ((mine, ORGANIZATION), (theirs, OTHER)):
            await history.asks(attach.format(organization, name), provider="heim", matchId=NEW_ID)
            await history.goes_on(other=True)
        until = partial(history.until, number=7, score=("2", "0"))
        assert set(before) <= set(caught_up)
        await polled(replay)
        assert [ended, caught_up] == [await until(mine), await until(theirs)]
        assert await history.daemon.terminate() == 0
