"""The replay server speaks for gn-gsd: addresses, key, dates and faults, beside HEIM:SPIEL in one recording."""

from datetime import UTC, datetime, timedelta

import pytest

from providers.replay import Line, Recording
from providers.replay.gn_gsd import kickoff_of
from providers.replay.recording import parse
from tests.kit.day import match_day
from tests.kit.gn_gsd_contract import line
from tests.providers.gn_gsd.gsd import ACTIONS, lineups, match, named, race
from tests.providers.replay import samples

AT = datetime(2025, 6, 14, 16, 0, tzinfo=UTC)
BASE = "/gsd/lookup/v1"


def recorded(*, after: float = 60) -> list[Line]:
    return [
        Line.of(AT, "matches/GN123", {"match": match(id="GN123")}),
        Line.of(AT, "phases/9", {"phase": race()}),
        Line.of(AT, "overalls/7", race()),
        Line.of(AT + timedelta(seconds=after), "matches/GN123/lineups", lineups()),
        Line.of(AT + timedelta(seconds=after), "matches/GN123/actions", {"actions": ACTIONS}),
    ]


async def got(client, path, **more):
    answer = await client.get(BASE + path, **more)
    return answer.status_code, answer.json() if answer.content else None


@pytest.mark.parametrize(
    ("resource", "kind", "match_id"),
    [
        ("matches/GN123", "match", "matches/GN123"),
        ("matches/GN123/lineups", "lineups", "matches/GN123"),
        ("matches/GN123/actions", "actions", "matches/GN123"),
        ("phases/9", "phase", "phases/9"),
        ("overalls/7", "overall", "overalls/7"),
        ("match/ma123", "match", "123"),
        ("match-event/ma123", "match-event", "123"),
    ],
)
def test_a_recording_may_hold_the_resources_of_either_provider(resource, kind, match_id):
    """A line knows by its resource what it is and what it is about, and is written down again as it was."""
    line = Line.of(AT, resource, {"a": 1})

    assert (kind, match_id) == (line.kind, line.match_id)
    assert line == parse(line.row())


def test_the_kick_off_is_the_scheduled_start():
    """With an envelope and without; a recording without one begins with its first answer."""
    later = {"scheduledStartTimeUTC": "2025-06-14T18:30:00Z"}
    silent = Recording("phases/9", (Line.of(AT, "phases/9", {"id": "9"}),))

    assert kickoff_of({"match": match(dateAndTimeInfo=later)}) == kickoff_of(match(dateAndTimeInfo=later))
    assert datetime(2025, 6, 14, 18, 30, tzinfo=UTC) == kickoff_of(match(dateAndTimeInfo=later))
    assert (None, None) == (kickoff_of([]), kickoff_of({"dateAndTimeInfo": {"scheduledStartTimeUTC": "soon"}}))
    assert AT == silent.kickoff


async def test_each_resource_answers_at_its_address():
    """Before their first answer line-ups are 404 and actions empty; what nobody recorded is 404."""
    async with samples.replaying(recorded()) as (replay, client):
        before = [await got(client, f"/matches/GN123{part}") for part in ("", "/lineups", "/actions")]
        replay.seek(61)
        after = [await got(client, f"/matches/GN123{part}?tags=MAIN") for part in ("/lineups", "/actions")]
        races = [await got(client, path) for path in ("/phases/9", "/overalls/7")]
        missing = [await got(client, path) for path in ("/matches/GN9", "/phases/1", "/sports")]

    assert [200, 404, 200] == [status for status, _ in before]
    assert {"actions": []} == before[2][1]
    assert [(200, "homeParticipant"), (200, "actions")] == [(status, next(iter(body))) for status, body in after]
    assert [200, 200] == [status for status, _ in races]
    assert [404] * 3 == [status for status, _ in missing]


async def test_one_server_speaks_for_both_providers():
    """The same port, the same clock; credentials are each provider's own."""
    lines = [*recorded(), *samples.lines()]
    async with samples.replaying(lines, user="me", password="it", api_key="k") as (_, client):
        statuses = [
            (await client.get("/match/ma1", auth=("me", "it"))).status_code,
            (await client.get("/match/ma1")).status_code,
            (await client.get(f"{BASE}/matches/GN123", params={"api_key": "k"})).status_code,
            (await client.get(f"{BASE}/matches/GN123", auth=("me", "it"))).status_code,
        ]

    assert [200, 401, 200, 401] == statuses


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
