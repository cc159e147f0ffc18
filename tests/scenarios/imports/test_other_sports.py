"""A day of tennis, racing, football and ice hockey from end to end: provider, daemon, HTTP API."""

import asyncio

import pytest

from providers.replay import read_lines
from providers.replay.demo import demo_files
from tests.kit.day import CREATE, match_day
from tests.kit.sport_fixtures import FOLDER

pytestmark = pytest.mark.proof

RACE, TENNIS, FOOTBALL, HOCKEY = "9900011", "9900012", "9900013", "9930121"


def files():
    return [*demo_files("de")[3:], FOLDER / "icehockey" / "overtime.jsonl"]


def events(game):
    """Event types of the published posts."""
    return [event["sport_event"]["event_type"] for event in game["events"] if event.get("sport_event")]


async def test_a_day_of_four_sports_ends_as_the_provider_says(tmp_path):
    """Followed from before the start to the end, each liveblog holds what its sport has: posts, board, state, text."""
    lines = [line for path in files() for line in read_lines(path)]
    async with match_day(folder=tmp_path, lines=lines, speed=1000, start_at="kickoff-60", live=0.2) as day:
        names = {}
        for match_id in (RACE, TENNIS, FOOTBALL, HOCKEY):
            names[match_id] = (await day.create(match_id, locale="de", includeTextContent=True))["local_id"]
        await day.until_played()
        race, tennis, football, hockey = await day.until_quiet(*names.values())

    assert race["meta_info"]["title"] == "Formula 1, Großer Preis von São Paulo: Rennen"
    assert {"motorsports.start", "motorsports.podium", "motorsports.red-flag", "motorsports.crash"} <= set(events(race))
    leader = race["state_info"]["ranking"][0]
    assert (1, "Max Verstappen", "Red Bull") == (leader["position"], leader["player"]["name"], leader["team"]["name"])
    assert leader["player"]["_id"]
    assert not race.get("scoreboard")

    posted = scores(tennis)
    assert {f"{each['home_score']}:{each['away_score']}" for each in tennis["scoreboard"]["scores"]} <= set(posted)
    assert len(posted) <= 62, "the order of games between two answers is not known"
    assert ["7:9"] == [
        f"{each['home_score']}:{each['away_score']}" for each in tennis["scoreboard"]["scores"] if each["title"] == "5"
    ]
    assert tennis["scoreboard"]["_type"].endswith("::SetBasedGameScoreboard")
    assert 31 == tennis["state_info"]["gamestate"]

    score = football["scoreboard"]["score"]
    assert ("25", "22", "n. V.") == (score["home_score"], score["away_score"], score["title"])
    assert [] == events(football)
    assert 31 == sum(1 == len(each["contents"]) for each in football["events"]), "the provider's text"
    steps = [each["contents"][1] for each in football["events"] if len(each["contents"]) == 2]
    assert steps, "and what the score says"
    assert {each["event_type"].partition(".")[0] for each in steps} == {"american_football"}
    assert "d" == football["options"]["timing_type"]

    assert ("4", "3") == tuple(hockey["scoreboard"]["score"][f"{side}_score"] for side in ("home", "away"))
    assert [] == hockey["events"]


async def test_a_game_that_is_taken_back_is_withdrawn(tmp_path):
    """A corrected score hides the post of the game that never was, and no other; the clock is turned by hand."""
    lines = list(read_lines(FOLDER / "tennis" / "tie-break.jsonl"))
    async with match_day(folder=tmp_path, lines=lines, speed=1, live=0.05) as day:
        day.replay.clock.pause()
        wrong = next(
            at
            for at, line in enumerate(lines)
            if '"5", "match_result_at": "1"' in line.text and '"4", "match_result_at": "1"' in line.text
        )
        day.replay.seek(day.replay.timeline.entries[wrong - 1].due)
        name = (await day.create("9930101"))["local_id"]
        assert ["4:3"] == scores(await day.show(name)), "one post of what was played before"
        day.replay.seek(day.replay.timeline.entries[wrong].due)
        await shows(day, name, ["4:3", "5:4"])

        day.replay.seek(day.replay.timeline.entries[wrong + 1].due)
        await shows(day, name, ["4:3", "4:4"])
        (game,) = await day.until_quiet(name, quiet=0.5)

    assert ("4", "4") == tuple(game["scoreboard"]["scores"][0][f"{side}_score"] for side in ("home", "away"))


async def shows(day, name, expected):
    """Wait until the posts of games say these scores."""
    async with asyncio.timeout(60):
        while scores(await day.show(name)) != expected:
            await asyncio.sleep(0.05)


def scores(game):
    """What the published posts of games say, from the first to the last."""
    happened = [event["sport_event"] for event in published(game)["events"] if event.get("sport_event")]
    games = [each["score"] for each in happened if each["event_type"] == "tennis.game-win"]
    found = [[int(each[f"{side}_score"]) for side in ("home", "away")] for each in games]
    return [f"{home}:{away}" for home, away in sorted(found, key=sum)]


def published(game):
    return {**game, "events": [event for event in game["events"] if event["local_status"] == 0]}


async def test_text_is_refused_where_the_sport_has_none(tmp_path):
    """Basketball is no sport of the service: 400, with text and without; ice hockey is accepted with and without."""
    lines = list(read_lines(FOLDER / "icehockey" / "shoot-out.jsonl"))
    foreign = [
        type(line).of(line.at, "match/ma77", [{**line.body[0], "sport_id": "2", "season": renamed(line)}])
        for line in lines
    ]
    async with match_day(folder=tmp_path, lines=[*lines, *foreign], speed=1) as day:
        day.replay.settle()
        body = {"provider": "heim", "matchId": "77"}
        for text in (True, False):
            refused = await day.client.post(CREATE, json={**body, "includeTextContent": text})
            assert (400, "invalid_request", False) == (
                refused.status_code,
                refused.json()["code"],
                refused.json()["retryable"],
            )
            taken = await day.client.post(CREATE, json={**body, "matchId": "9930122", "includeTextContent": text})
            assert 200 == taken.status_code, taken.text


def renamed(line):
    """The tree of a line with the match under another id."""
    season = line.body[0]["season"][0]
    inner = season["round"][0]
    return [{**season, "round": [{**inner, "match": [{**inner["match"][0], "id": "77"}]}]}]
