"""createFromExternal with provider gn-gsd, a replayed match day behind it: soccer and cycling become liveblogs."""

from tests.kit.day import match_day
from tests.kit.gn_gsd_contract import line
from tests.providers.gn_gsd.gsd import named, race

PHASE_ID, OVERALL_ID = "GNF057JFZJSXMEX", "GNEYFW8HYN7ZKEP"

RACES = [
    line(0, f"phases/{PHASE_ID}", {"phase": race()}),
    line(0, f"overalls/{OVERALL_ID}", {"overall": {"id": OVERALL_ID, "names": named("Tour of the Coast")}}),
]

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
