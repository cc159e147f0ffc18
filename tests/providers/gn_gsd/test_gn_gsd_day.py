"""createFromExternal with provider gn-gsd, a replayed match day behind it: soccer and cycling become liveblogs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.kit.day import CREATE, match_day
from tests.kit.gn_gsd_day import SQUADS, line, playing
from tests.providers.gn_gsd.gsd import ACTIONS, MATCH_ID, action, match, named, race, result

PHASE_ID, OVERALL_ID = "GNF057JFZJSXMEX", "GNEYFW8HYN7ZKEP"


RACES = [
    line(0, f"phases/{PHASE_ID}", {"phase": race()}),
    line(0, f"overalls/{OVERALL_ID}", {"overall": {"id": OVERALL_ID, "names": named("Tour of the Coast")}}),
]


def kinds(game: dict[str, Any]) -> list[str]:
    return [event["sport_event"]["event_type"] for event in game["events"] if not event["local_status"]]


async def test_a_soccer_match_becomes_a_liveblog(tmp_path):
    """Teams, squads, scoreboard, state and the five types of posts, in the feed with our sentences."""
    lines = [SQUADS, *playing(*ACTIONS, action(7, "OWN_GOAL", "85:00", "home", 55), result=result("2:0"))]
    async with match_day(lines=lines, folder=tmp_path, start_at="end") as day:
        game = await day.create(MATCH_ID, provider="gn-gsd")
        feed = await day.feed_titles(game["local_id"], sort="asc")

    assert ("soccer", "SV Nordhafen – FC Südtor", "Harbour Cup") == (
        game["sportstype"],
        game["meta_info"]["title"],
        game["meta_info"]["tournament"]["name"],
    )
    assert ("2", "0") == tuple(game["scoreboard"]["score"][f"{side}_score"] for side in ("home", "away"))
    assert (1, 2, False) == tuple(game["state_info"][name] for name in ("gamestate", "recurrence", "is_break"))
    assert [11, 11] == [len(game["squads"][side]["lineup"]) for side in ("home", "away")]
    assert {"matchId": MATCH_ID} == game["external"]["selector"]
    assert {"match", "lineups", "actions"} == set(game["external"]["feedHealth"])
    assert 6 == len(feed)
    assert [
        "soccer.goal",
        "soccer.yellow-card",
        "soccer.substitution",
        "soccer.penalty-kick-missed",
        "soccer.red-card",
        "soccer.goal",
    ] == kinds(game)
    own_goal = game["events"][-1]
    assert "Goal for Nordhafen! Own goal by Muster55 (Südtor)." == own_goal["contents"][0]["text"]
    (scorer,) = own_goal["sport_event"]["players"]
    assert ("own-goal", game["meta_info"]["away_team"]["_id"]) == (
        scorer["event_player_type"],
        scorer["player"]["team_id"],
    )


async def test_a_match_is_followed_as_it_goes_on(tmp_path):
    """A new action is a post, a corrected one an edit of the same post, and one that is taken back is gone."""
    goal, yellow = action(1, "GOAL", "14:20", "home", 9), action(2, "YELLOW", "32:05", "away", 54)
    lines = [
        line(0, f"matches/{MATCH_ID}", {"match": match(status="NOT_STARTED", currentPeriod=None, result=None)}),
        *playing(goal, second=100, currentPeriod={"number": 1}),
        *playing(action(1, "GOAL", "14:20", "home", 10), yellow, second=200, currentPeriod={"number": 1}),
        *playing(yellow, second=300, result=result("0:0"), status="FINISHED", currentPeriod=None),
    ]
    async with match_day(lines=lines, folder=tmp_path, speed=50) as day:
        day.replay.clock.pause()
        created = await day.create(MATCH_ID, provider="gn-gsd")
        seen = []
        for second in (150, 250, 350):
            day.replay.seek(second)
            (shown,) = await day.until_quiet(created["local_id"], quiet=0.4)
            seen.append(shown)

    assert [] == created["events"]
    assert [["soccer.goal"], ["soccer.goal", "soccer.yellow-card"], ["soccer.yellow-card"]] == [
        kinds(game) for game in seen
    ]
    first, second = (game["events"][0] for game in seen[:2])
    assert first["local_id"] == second["local_id"]
    assert ["Jan Muster9", "Jan Muster10"] == [
        event["sport_event"]["players"][0]["player"]["name"] for event in (first, second)
    ]
    assert ["1", "1", "0"] == [game["scoreboard"]["score"]["home_score"] for game in seen]
    assert 31 == seen[-1]["state_info"]["gamestate"]


@pytest.mark.parametrize("fault", ["404", "403", "500", "empty", "html", "truncated"])
async def test_line_ups_that_fail_never_stop_a_liveblog(tmp_path, fault):
    """Neither at its creation nor later: a goal is posted at the live interval."""
    lines = [SQUADS, *playing(second=0), *playing(ACTIONS[0], second=100)]
    async with match_day(lines=lines, folder=tmp_path) as day:
        day.replay.clock.pause()
        day.replay.faults.add(fault, kind="lineups")
        game = await day.create(MATCH_ID, provider="gn-gsd")
        day.replay.seek(150)
        async with asyncio.timeout(30):
            while kinds(await day.show(game["local_id"])) != ["soccer.goal"]:
                await asyncio.sleep(0.05)

    assert [0, 0] == [len(game["squads"][side]["lineup"]) for side in ("home", "away")]


async def test_a_creation_stands_without_actions(tmp_path):
    """They come when the provider has recovered."""
    lines = [SQUADS, *playing(ACTIONS[0])]
    async with match_day(lines=lines, folder=tmp_path, start_at="end") as day:
        day.replay.faults.add("500", kind="actions")
        game = await day.create(MATCH_ID, provider="gn-gsd")
        day.replay.faults.clear()
        async with asyncio.timeout(30):
            while kinds(await day.show(game["local_id"])) != ["soccer.goal"]:
                await asyncio.sleep(0.05)

    assert [] == game["events"]


@pytest.mark.parametrize(
    ("body", "title", "match_id"),
    [
        ({"phaseId": PHASE_ID}, "Tour of the Coast – Stage 5", f"phase:{PHASE_ID}"),
        ({"overallId": OVERALL_ID}, "Tour of the Coast", f"overall:{OVERALL_ID}"),
        ({"phaseId": PHASE_ID, "overallId": OVERALL_ID}, "Tour of the Coast – Stage 5", f"phase:{PHASE_ID}"),
        ({"phaseId": PHASE_ID, "title": "Königsetappe"}, "Königsetappe", f"phase:{PHASE_ID}"),
    ],
)
async def test_a_cycling_race_becomes_a_title_liveblog(tmp_path, body, title, match_id):
    """A title and a start, neither scoreboard nor posts; the phase goes before the overall."""
    async with match_day(lines=RACES, folder=tmp_path) as day:
        game = await day.create("", matchId=None, provider="gn-gsd", **body)
        feed = await day.feed_titles(game["local_id"])

    assert ("Svc::Model::GameMetaInfo::TitleGameMetaInfo", title) == (
        game["meta_info"]["_type"],
        game["meta_info"]["title"],
    )
    assert "cycling" == game["sportstype"] == game["template_id"]
    assert not game.get("scoreboard")
    assert [] == game["events"] == feed
    assert match_id == game["external"]["selector"]["matchId"]


async def test_a_start_list_is_taken_over(tmp_path):
    """Who starts stands in the state, rider by rider with the team."""
    async with match_day(lines=RACES, folder=tmp_path) as day:
        game = await day.create("", matchId=None, provider="gn-gsd", phaseId=PHASE_ID)

    riders = game["state_info"]["ranking"]
    assert [("Jan Muster1", "Team Dune"), ("Jan Muster2", "Team Dune"), ("Jan Muster11", "Team Tide")] == [
        (each["player"]["name"], each["team"]["name"]) for each in riders
    ]


async def test_a_race_that_is_renamed_is_renamed_here(tmp_path):
    """The title follows the provider, until somebody writes one of their own."""
    lines = [*RACES, line(100, f"phases/{PHASE_ID}", {"phase": race(names=named("Stage 5 (shortened)"))})]
    async with match_day(lines=lines, folder=tmp_path) as day:
        day.replay.clock.pause()
        game = await day.create("", matchId=None, provider="gn-gsd", phaseId=PHASE_ID)
        day.replay.seek(150)
        (shown,) = await day.until_quiet(game["local_id"], quiet=0.4)

    assert "Tour of the Coast – Stage 5 (shortened)" == shown["meta_info"]["title"]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"matchId": "GNNOBODY"}, 404, "not_found", None),
        ({"phaseId": "GNNOBODY"}, 404, "not_found", None),
        ({"matchId": ".."}, 400, "invalid_request", "matchId"),
        ({"matchId": MATCH_ID, "includeTextContent": True}, 400, "invalid_request", "includeTextContent"),
    ],
)
async def test_what_cannot_be_had_is_refused(tmp_path, body, status, code, field):
    """By the interface's table; there is no text for any sport of this provider."""
    async with match_day(lines=[SQUADS, *playing()], folder=tmp_path, start_at="end") as day:
        answer = await day.client.post(CREATE, json={"provider": "gn-gsd", **body})

    assert (status, code) == (answer.status_code, answer.json()["code"]), answer.text
    if field is not None:
        assert field == answer.json()["field"]


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [("401", 403, "forbidden"), ("500", 503, "upstream_unavailable"), ("html", 503, "upstream_unavailable")],
)
async def test_a_provider_that_fails_is_reported(tmp_path, fault, status, code):
    """Refused credentials are not the caller's to retry, an outage is."""
    async with match_day(lines=[SQUADS, *playing()], folder=tmp_path, start_at="end") as day:
        day.replay.faults.add(fault, kind="match")
        answer = await day.client.post(CREATE, json={"provider": "gn-gsd", "matchId": MATCH_ID})

    assert (status, code, status == 503) == (answer.status_code, *(answer.json()[key] for key in ("code", "retryable")))


async def test_another_sport_is_refused(tmp_path):
    """By its name."""
    lines = playing(sport={"names": named("Handball")})
    async with match_day(lines=lines, folder=tmp_path, start_at="end") as day:
        answer = await day.client.post(CREATE, json={"provider": "gn-gsd", "matchId": MATCH_ID})

    assert (400, "matchId") == (answer.status_code, answer.json()["field"])
    assert "Handball" in answer.json()["message"]
