"""kill -9 in a match of two sources that fail by turns: each goal stands once, and what an editor did stays done."""

import asyncio
import random
from itertools import cycle

import pytest

from providers.contract.server import Reply, Server, serving
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import CREATE, ORGANIZATION, SHOW
from tests.kit.soccer_courses import course, course_files
from tests.kit.sqlite import migrated_url
from tests.kit.wire_forms.forms import FORMS

FEW, KILLS, SOAK_SEEDS = 4, 10, 20
PA, KEY = FORMS["pa"], "key-of-the-test"
HEIM_PATHS = {"match": "match", "match-event": "match-event", "liveticker": "liveticker/co"}
PA_PATHS = {"match": "match/info", "events": "match/events", "lineups": "match/lineUpsEnhanced"}
GOALS = {"soccer.goal", "soccer.own-goal"}
OF_PA = f"""
[organizations.{ORGANIZATION}.providers.pa]
base_url = "{{upstream}}/v1.5"
api_key = "{KEY}"
[standby]
silence = 1
stall = 1
quiet_time = 1
slower = 1
"""


class KilledPair:
    """The match by both providers, and a daemon that is killed again and again."""

    def __init__(self, first, second, daemon, seed):
        self.first, self.second, self.daemon, self.rng = first, second, daemon, random.Random(seed)
        self.seed, self.course = seed, course(next(each for each in course_files() if "uruguay-russia" in each.name))
        self.turns = cycle([first, second, None])
        self.named, self.deleted, self.edited = {}, set(), {}

    def says(self, version, *, first=True, second=True):
        match_id = self.course.match_id
        if first:
            bodies = self.course.bodies[version].items()
            self.first.bodies = {f"{HEIM_PATHS[name]}/ma{match_id}": body for name, body in bodies}
        if second:
            bodies = PA.write(self.course.kept[version], self.seed).items()
            self.second.bodies = {f"{PA_PATHS[name]}/{KEY}/{PA.ident(match_id)}": body for name, body in bodies}

    def versions(self, number):
        """So many versions: those with which goals come, and others.

        None with a lower score than one before: a row that came back ahead of its score says nothing to who has not seen it go.
        """
        totals = [each.score.total if each.score else 0 for each in self.course.kept]
        goals = {totals.index(total) for total in range(1, max(totals) + 1) if total in totals}
        later = range(self.course.running + 1, len(totals) - 1)
        others = [at for at in later if at not in goals and totals[at] == max(totals[:at])]
        return sorted([*goals, *self.rng.sample(others, max(0, number - len(goals)))])

    async def asks(self, path, body, **params):
        async with client_of(self.daemon) as client:
            answer = await client.post(path, json=body, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def begins(self):
        self.says(self.course.running)
        wanted = {"provider": "heim", "matchId": self.course.match_id, "autoPostEnabled": True}
        self.liveblog = (await self.asks(CREATE, wanted))["local_id"]
        path = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/{self.liveblog}/external.json"
        await self.asks(path, {"standby": [{"provider": "pa", "matchId": PA.ident(self.course.match_id)}]})

    async def goes_on(self, version, *, well=False):
        """To this version, of which a source that fails knows nothing unless all are well, and killed on the way there."""
        fails = None if well else next(self.turns)
        for source in (self.first, self.second):
            source.spoil = (lambda _: Reply(status=503, body=b"{}")) if source is fails else (lambda _: None)
        self.says(version, first=fails is not self.first, second=fails is not self.second)
        await asyncio.sleep(self.rng.uniform(0, 0.5))
        await self.daemon.kill()
        await self.daemon.start()
        goals = await self.until(self.course.kept[version])
        if goals:
            chosen = self.rng.choice([*goals])
            if self.rng.random() < 0.2:
                self.deleted.add(chosen)
                await self.asks("/api/v5/write/event/delete.json", None, event_local_id=chosen)
            else:
                self.edited[chosen] = f"By hand {version}"
                await self.asks(
                    "/api/v5/write/event/update.json", {"headline": self.edited[chosen]}, event_local_id=chosen
                )

    async def until(self, match):
        """The public goals, once the board has the match's score and each goal of it that nobody has deleted stands, once.

        A provider that takes a goal back takes it from its rows before it takes it from its score.
        """
        deleted = {score for score, local_id in self.named.items() if local_id in self.deleted}
        rows = {str(each.score) for each in match.incidents if each.kind in GOALS}
        wanted, shown = (str(match.score), sorted(rows - deleted)), None
        try:
            async with asyncio.timeout(30), client_of(self.daemon) as client:
                while True:
                    game = (await client.get(SHOW, params={"local_id": self.liveblog})).json()
                    goals = {each["local_id"]: each for each in game["events"] if is_goal(each)}
                    shown = board_of(game), sorted(map(scored, goals.values()))
                    if shown == wanted:
                        break
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError((self.seed, wanted, self.deleted, shown)) from None
        assert goals.keys() & self.deleted == set()
        for local_id, each in goals.items():
            assert self.named.setdefault(scored(each), local_id) == local_id
            assert each.get("headline", "") == self.edited.get(local_id, "")
        return goals


def is_goal(event):
    kind = (event.get("sport_event") or {}).get("event_type", "")
    return event["local_status"] == 0 and kind in GOALS


def scored(event):
    """The goal, by the score after it."""
    return board(event["sport_event"]["score"])


def board_of(game):
    return board(game["scoreboard"]["score"])


def board(score):
    return f"{score['home_score']}:{score['away_score']}"


async def killed_all_along(folder, database, *, seed, kills):
    """SIGKILLs, each between two versions of the match, while one of the sources fails or none."""
    async with serving(Server({})) as first, serving(Server({})) as second:
        config = folder / "matchwire.toml"
        text = CONFIG.format(database=database, organization=ORGANIZATION, upstream=first.url, secret=SECRET)
        config.write_text(text + OF_PA.format(upstream=second.url))
        pair = KilledPair(first, second, Daemon(config), seed)
        await pair.daemon.start()
        try:
            await pair.begins()
            for version in pair.versions(kills - 1):
                await pair.goes_on(version)
            await pair.goes_on(len(pair.course.kept) - 1, well=True)
        finally:
            await pair.daemon.kill()


@pytest.mark.proof
async def test_killed_several_times_a_match_of_two_sources_has_each_goal_once(tmp_path):
    await killed_all_along(tmp_path, migrated_url(tmp_path / "kill.db"), seed=1, kills=FEW)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SOAK_SEEDS))
async def test_killed_two_hundred_times_matches_of_two_sources_have_each_goal_once(tmp_path, postgres_url, seed):
    url = postgres_url if seed % 2 else migrated_url(tmp_path / "kill.db")
    await killed_all_along(tmp_path, url, seed=seed, kills=KILLS)
