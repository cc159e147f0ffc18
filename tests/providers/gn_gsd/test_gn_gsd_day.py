"""createFromExternal with provider gn-gsd, a replayed match day behind it: soccer and cycling become liveblogs."""

from __future__ import annotations

from typing import Any

from tests.kit.day import CREATE, match_day
from tests.kit.gn_gsd_day import SQUADS, line, playing
from tests.providers.gn_gsd.gsd import ACTIONS, MATCH_ID, action, named, race, result

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


RACE_BODIES = (
    ({"phaseId": PHASE_ID}, "Tour of the Coast – Stage 5", f"phase:{PHASE_ID}"),
    ({"overallId": OVERALL_ID}, "Tour of the Coast", f"overall:{OVERALL_ID}"),
    ({"phaseId": PHASE_ID, "overallId": OVERALL_ID}, "Tour of the Coast – Stage 5", f"phase:{PHASE_ID}"),
    ({"phaseId": PHASE_ID, "title": "Königsetappe"}, "Königsetappe", f"phase:{PHASE_ID}"),
)


async def test_a_cycling_race_becomes_a_title_liveblog(tmp_path):
    """A title, a start and who starts, neither scoreboard nor posts; the phase goes before the overall, and is renamed."""
    lines = [*RACES, line(100, f"phases/{PHASE_ID}", {"phase": race(names=named("Stage 5 (shortened)"))})]
    async with match_day(lines=lines, folder=tmp_path) as day:
        day.replay.clock.pause()
        games = [await day.create("", matchId=None, provider="gn-gsd", **body) for body, _, _ in RACE_BODIES]
        feed = await day.feed_titles(games[0]["local_id"])
        day.replay.seek(150)
        shown = await day.until_quiet(*(game["local_id"] for game in games), quiet=0.4)

    for game, (_, title, match_id) in zip(games, RACE_BODIES, strict=True):
        assert ("Svc::Model::GameMetaInfo::TitleGameMetaInfo", title) == (
            game["meta_info"]["_type"],
            game["meta_info"]["title"],
        )
        assert "cycling" == game["sportstype"] == game["template_id"]
        assert not game.get("scoreboard")
        assert [] == game["events"] == feed
        assert match_id == game["external"]["selector"]["matchId"]
    riders = [(each["player"]["name"], each["team"]["name"]) for each in games[0]["state_info"]["ranking"]]
    assert [("Jan Muster1", "Team Dune"), ("Jan Muster2", "Team Dune"), ("Jan Muster11", "Team Tide")] == riders
    renamed = "Tour of the Coast – Stage 5 (shortened)"
    assert [renamed, "Tour of the Coast", renamed, "Königsetappe"] == [each["meta_info"]["title"] for each in shown]


async def test_what_cannot_be_had_is_refused(tmp_path):
    """A phase that nobody knows, and another sport by its name."""
    lines = playing(sport={"names": named("Handball")})
    async with match_day(lines=lines, folder=tmp_path, start_at="end") as day:
        unknown = await day.client.post(CREATE, json={"provider": "gn-gsd", "phaseId": "GNNOBODY"})
        other = await day.client.post(CREATE, json={"provider": "gn-gsd", "matchId": MATCH_ID})

    assert (404, "not_found") == (unknown.status_code, unknown.json()["code"])
    assert (400, "matchId") == (other.status_code, other.json()["field"])
    assert "Handball" in other.json()["message"]
