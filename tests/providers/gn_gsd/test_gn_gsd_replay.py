"""The replay server speaks for gn-gsd: addresses, key, dates and faults, beside HEIM:SPIEL in one recording."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from providers.replay import Line, Recording
from providers.replay.gn_gsd import address, kickoff_of
from providers.replay.recording import parse
from tests.providers.gn_gsd.gsd import ACTIONS, lineups, match, race
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


@pytest.mark.parametrize("resource", ["matches", "matches/1/results", "phases/9/lineups/2", "leagues/1", "actions"])
def test_other_resources_are_refused(resource):
    """They are not polled, so nobody records them."""
    with pytest.raises(ValueError, match="unknown resource"):
        parse(f'{{"at": "2025-06-14T16:00:00Z", "resource": "{resource}", "body": {{}}}}')


def test_an_address_is_found_below_any_prefix():
    """The base path is in doubt, so it does not matter."""
    assert address("/matches/1") == address("/gns-api/gsd/lookup/v1/matches/1/") == ("match", "matches/1")
    assert address("/gsd/lookup/v1/sports/1") is None


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


async def test_the_match_is_played_now():
    """Every moment moves with the replay; the start of the period stays as long ago as it was, days stay days."""
    body = match(id="GN123", born="1999-03-05")
    async with samples.replaying([Line.of(AT + timedelta(seconds=4000), "matches/GN123", body)]) as (_, client):
        _, shown = await got(client, "/matches/GN123")

    moved = samples.NOW - (AT + timedelta(seconds=4000))
    assert (AT + moved).strftime("%Y-%m-%dT%H:%M:%SZ") == shown["dateAndTimeInfo"]["scheduledStartTimeUTC"]
    since = datetime.fromisoformat("2025-06-14T17:02:11+00:00")
    assert (since + moved).strftime("%Y-%m-%dT%H:%M:%SZ") == shown["currentPeriod"]["startTimeUTC"]
    assert ("1999-03-05", body["relatedSportsEvents"]) == (shown["born"], shown["relatedSportsEvents"])


async def test_conditional_requests_and_keys_are_understood():
    """An ETag is a 304; with a key set, only who has it is answered, and it is in no log."""
    async with samples.replaying(recorded(), api_key="open sesame") as (replay, client):
        first = await client.get(f"{BASE}/matches/GN123", params={"api_key": "open sesame"})
        again = await client.get(
            f"{BASE}/matches/GN123",
            params={"api_key": "open sesame"},
            headers={"If-None-Match": first.headers["etag"]},
        )
        refused = [
            (await client.get(f"{BASE}/matches/GN123", params=params)).status_code
            for params in ({}, {"api_key": "x"}, {"api_key": "ö"})
        ]
        logged = repr(replay.log.requests)

    assert [200, 304] == [first.status_code, again.status_code]
    assert [401] * 3 == refused
    assert "sesame" not in logged


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


@pytest.mark.parametrize(
    ("fault", "ids"),
    [
        ({"mode": "vanished"}, [1, 2, 3, 4, 5]),
        ({"mode": "vanished", "incident": "GNA000000000002"}, [1, 3, 4, 5, 6]),
        ({"mode": "duplicated", "incident": "GNA000000000001"}, [1, 2, 3, 4, 5, 6, 1]),
    ],
)
async def test_actions_vanish_and_double_inside_their_object(fault, ids):
    """Without an id the last action is taken."""
    async with samples.replaying(recorded()) as (replay, client):
        replay.seek(61)
        replay.faults.add(**fault, kind="actions", match_id="matches/GN123")
        _, body = await got(client, "/matches/GN123/actions")

    assert ids == [int(row["id"][3:]) for row in body["actions"]]


async def test_wrong_types_are_put_into_actions_and_matches():
    """One row is spoilt between rows that are none; a match has a result that is none."""
    async with samples.replaying(recorded()) as (replay, client):
        replay.seek(61)
        replay.faults.add("wrong_types")
        _, body = await got(client, "/matches/GN123/actions")
        _, shown = await got(client, "/matches/GN123")

    assert ([None, 42], "soon") == (body["actions"][:2], body["actions"][-1]["eventTime"])
    assert [] == shown["match"]["result"]


@pytest.mark.parametrize("mode", ["500", "429", "empty", "html", "truncated", "empty_list"])
async def test_the_other_faults_are_those_of_any_provider(mode):
    """They spoil the answer, whoever gives it."""
    async with samples.replaying(recorded()) as (replay, client):
        replay.faults.add(mode, kind="phase")
        spoilt = await client.get(f"{BASE}/phases/9")
        good = await client.get(f"{BASE}/overalls/7")

    assert 200 == good.status_code
    assert (spoilt.status_code, spoilt.content) != (good.status_code, good.content)
