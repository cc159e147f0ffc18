"""A match of several providers through the API: one fails while the match runs, another one leads, and the first one comes back."""

import asyncio
import gzip

import httpx
import pytest

from config import Settings
from ingest.cli.play_bundle import play
from ingest.telemetry import logs
from providers.contract.server import Reply, Server, serving
from tests.kit.command import invoke
from tests.kit.day import CREATE, ORGANIZATION, SHOW, bundle_of, configuration, running
from tests.kit.soccer_courses import course, course_files
from tests.kit.wire_forms.forms import FORMS

pytestmark = pytest.mark.proof

PA, MA1, KEY = FORMS["pa"], FORMS["statsperform"], "key-of-the-test"
PATHS = {"match": "match/info", "events": "match/events", "lineups": "match/lineUpsEnhanced"}
SEED = 3


class Providers:
    """Three servers that have the same match, each at a version of its own, a daemon and a client of its API."""

    def __init__(self, servers, settings, client, played):
        self.first, self.second, self.third = servers
        self.settings, self.client, self.course = settings, client, played
        self.pa_id, self.ma1_id = PA.ident(played.match_id), MA1.ident(played.match_id)

    def at(self, version, *, first=True, second=True, third=True):
        """The version that the providers have from now on."""
        if first:
            names = {"match": "match", "match-event": "match-event", "liveticker": "liveticker/co"}
            self.first.bodies = {
                f"{names[name]}/ma{self.course.match_id}": body for name, body in self.course.bodies[version].items()
            }
        if second:
            written = PA.write(self.course.kept[version], SEED)
            self.second.bodies = {f"{PATHS[name]}/{KEY}/{self.pa_id}": body for name, body in written.items()}
        if third:
            (body,) = MA1.write(self.course.kept[version], SEED).values()
            self.third.bodies = {self.ma1_id: body}

    async def external(self, **change):
        path = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/{self.liveblog}/external.json"
        response = await (self.client.post(path, json=change) if change else self.client.get(path))
        assert response.status_code == 200, response.text
        return response.json()

    async def game(self):
        return (await self.client.get(SHOW, params={"local_id": self.liveblog})).json()

    async def until(self, holds, read):
        """Wait until what is read is so; gives it."""
        found = None
        try:
            async with asyncio.timeout(60):
                while not holds(found := await read()):
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise AssertionError(found) from None
        return found


def goals_of(game):
    """Type and minute of each goal that is public."""
    return sorted(
        (each["sport_event"]["event_type"], each["sport_event"].get("time_of_play"))
        for each in game["events"]
        if each["local_status"] == 0 and each.get("sport_event", {}).get("event_type", "").endswith("goal")
    )


def score_of(game):
    score = game["scoreboard"]["score"]
    return f"{score['home_score']}:{score['away_score']}"


@pytest.fixture
async def day(tmp_path):
    played = course(next(each for each in course_files() if "uruguay-russia" in each.name))
    async with serving(Server({})) as first, serving(Server({})) as second, serving(Server({})) as third:
        tables = configuration(first.url, tmp_path)
        tables["organizations"][ORGANIZATION] |= {
            "providers": {
                "heim": {"base_url": first.url, "text_content": True},
                "pa": {"base_url": f"{second.url}/v1.5", "api_key": KEY},
                "statsperform": {"base_url": third.url, "api_key": KEY},
            },
            "withdrawn": "silent",
        }
        tables["standby"] = {"silence": 120, "stall": 120, "quiet_time": 4, "slower": 1, "hold": 600}
        tables["clients"]["cms"]["scopes"].append("admin")
        tables["recording"] = {"enabled": True, "folder": str(tmp_path / "kept")}
        settings = Settings.model_validate(tables)
        async with running(settings) as address:
            secret = settings.clients["cms"].secret.get_secret_value()
            async with httpx.AsyncClient(
                base_url=address, auth=("cms", secret), timeout=60, trust_env=False, verify=False
            ) as client:
                yield Providers((first, second, third), settings, client, played)


def before_goal(played, number):
    """The last version before that goal of the match."""
    return next(at for at, each in enumerate(played.kept) if each.score and each.score.total >= number) - 1


async def test_the_other_provider_leads_while_one_fails(day, tmp_path):
    """Its goal is public, once; what happened is said by external.json, the timeline, the metrics and the alarms."""
    played = day.course
    start, goal = before_goal(played, 1), before_goal(played, 2) + 1
    day.at(start)
    request = {"provider": "heim", "matchId": played.match_id, "autoPostEnabled": True}
    created = (await day.client.post(CREATE, json=request)).json()
    day.liveblog = created["local_id"]
    found = await day.external(standby=[{"provider": "pa", "matchId": day.pa_id}])
    assert [(each["provider"], each["leads"]) for each in found["sources"]] == [("heim", True), ("pa", False)]
    assert found["version"] == created["version"] + 1

    day.at(goal, first=False)
    day.first.spoil = lambda _: Reply(status=503, body=b"{}")
    wanted = played.kept[goal].score
    led = await day.until(lambda game: score_of(game) == str(wanted), day.game)
    assert len(goals_of(led)) == wanted.total
    for event in led["events"]:  # an editor rewrites whatever is there
        params = {"event_local_id": event["local_id"]}
        answer = await day.client.post("/api/v5/write/event/update.json", json={"headline": "Ours"}, params=params)
        assert answer.status_code == 200, answer.text
    sources = (await day.external())["sources"]
    assert [(each["provider"], each["leads"], each.get("reason")) for each in sources] == [
        ("heim", False, None),
        ("pa", True, "failing"),
    ]
    text = await day.until(
        lambda text: "matchwire_standbys_leading 1.0" in text, lambda: read_text(day.client, "/metrics")
    )
    assert 'matchwire_lead_changes_total{reason="failing"} 1.0' in text
    status = await day.until(
        lambda said: "standby_leads" in {each["kind"] for each in said["alarms"]},
        lambda: read_json(day.client, "/status.json"),
    )
    assert "pa leads the match" in str(status["alarms"])

    day.at(goal)
    day.first.spoil = lambda _: None
    await day.until(lambda found: found["sources"][0]["leads"], day.external)
    path = f"/apigw/sports/v2/{ORGANIZATION}/liveblog/{day.liveblog}/external/timeline.json"
    leads = (await day.client.get(path)).json()["leads"]
    assert [(each["provider"], each["reason"]) for each in leads] == [("pa", "failing"), ("heim", "first")]
    day.at(len(played.bodies) - 1)
    last = played.kept[-1]
    done = await day.until(lambda game: score_of(game) == str(last.score), day.game)
    assert len(goals_of(done)) == last.score.total
    assert {each["local_id"] for each in led["events"]} <= {each["local_id"] for each in done["events"]}
    bundle = await bundle_of(day, tmp_path / "two.zip", day.liveblog)
    versions = {each["local_id"]: each["version"] for each in (await day.game())["events"]}
    assert any(each["version"] < versions[each["local_id"]] for each in bundle["writes.json"]["people"])
    assert (await play(bundle)).same is True


async def test_the_third_provider_leads_where_both_others_fail(day, tmp_path, monkeypatch):
    """Its goal is public, once; the incident's file has the answers of all three, and is played to the same liveblog."""
    played = day.course
    start, goal = before_goal(played, 1), before_goal(played, 2) + 1
    day.at(start)
    request = {"provider": "heim", "matchId": played.match_id, "autoPostEnabled": True}
    day.liveblog = (await day.client.post(CREATE, json=request)).json()["local_id"]
    standby = [{"provider": "pa", "matchId": day.pa_id}, {"provider": "statsperform", "matchId": day.ma1_id}]
    await day.external(standby=standby)
    await day.until(lambda found: all(each.get("lastGood") for each in found["sources"]), day.external)

    day.first.spoil = day.second.spoil = lambda _: Reply(status=503, body=b"{}")
    day.at(goal, first=False, second=False)
    wanted = played.kept[goal].score
    led = await day.until(lambda game: score_of(game) == str(wanted), day.game)
    assert len(goals_of(led)) == wanted.total
    assert [each["provider"] for each in (await day.external())["sources"] if each["leads"]] == ["statsperform"]

    day.first.spoil = day.second.spoil = lambda _: None
    day.at(goal)
    await day.until(lambda found: found["sources"][0]["leads"], day.external)
    done = await day.until(lambda game: score_of(game) == str(wanted), day.game)
    assert goals_of(done) == goals_of(led)
    assert {each["local_id"] for each in led["events"]} <= {each["local_id"] for each in done["events"]}

    path = tmp_path / "three.zip"
    bundle = await bundle_of(day, path, day.liveblog)
    for provider, match_id in (("pa", day.pa_id), ("statsperform", day.ma1_id)):
        decided, answers = (bundle[f"standbys/{provider}/{name}"] for name in ("decisions.json", "answers.jsonl.gz"))
        assert decided
        assert match_id in gzip.decompress(answers).decode()
        assert KEY not in gzip.decompress(answers).decode()
    assert {each["provider"] for each in bundle["timeline.json"]["leads"]} >= {"statsperform", "heim"}
    monkeypatch.setattr(logs, "configure", lambda *_: None)  # loggers of this process are kept for ever once it is done
    said = await asyncio.to_thread(invoke, "replay", path)
    assert (said.exit_code, "the same liveblog, byte for byte" in said.output) == (0, True), said.output


async def read_text(client, path):
    return (await client.get(path)).text


async def read_json(client, path):
    return (await client.get(path)).json()


async def test_a_goal_waits_for_the_other_source(day):
    """It is a draft until both have it; a wrong score of one of them is a disagreement while the other one is believed."""
    played = day.course
    start, goal = before_goal(played, 1), before_goal(played, 1) + 1
    day.at(start)
    request = {"provider": "heim", "matchId": played.match_id, "autoPostEnabled": True}
    day.liveblog = (await day.client.post(CREATE, json=request)).json()["local_id"]
    await day.external(standby=[{"provider": "pa", "matchId": day.pa_id}], confirm="two", leads="heim")
    day.at(goal, second=False)
    drafts = await day.until(
        lambda game: [each for each in game["events"] if each["local_status"] == 60 and is_goal(each)], day.game
    )
    assert goals_of(drafts) == []
    found = await day.until(lambda found: found["disagreements"], day.external)
    assert {each["about"] for each in found["disagreements"]} == {"score", "missing"}
    day.at(goal)
    await day.until(lambda game: len(goals_of(game)) == 1, day.game)
    await day.until(lambda found: found["disagreements"] == [], day.external)


def is_goal(event):
    return (event.get("sport_event") or {}).get("event_type") == "soccer.goal"
