"""The lists of matches of all providers: recorded and authored ones, and whatever comes in their place."""

import gzip
import re
import tomllib
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mapping.errors import BadBody, InvalidRequest, ServiceError
from mapping.match.fixture import FixtureList
from providers.contract.case import KEY
from providers.contract.server import Reply, Server, serving
from providers.gn_gsd import fixtures as gn_gsd
from providers.heim import fixtures as heim
from providers.match_lists import MOST_DAYS, Days
from providers.openligadb import fixtures as openligadb
from providers.pa import fixtures as pa
from providers.registry import Registry
from providers.replay import Line, Replay, read_lines
from providers.replay.demo import demo_files
from providers.replay.recording import Source
from providers.statsperform import fixtures as statsperform
from tests.kit.day_lists import ANOTHER, DAY, FIRST, MOMENTS, body, day_of, row
from tests.kit.opening import endpoint_of
from tests.kit.recordings import recorded
from tests.kit.steps import calls
from tests.kit.wire_courses.courses import SOCCER, id_of
from tests.kit.wire_courses.soccer import PLANNED
from tests.providers.loopback import answered, upstream

TABLE = tomllib.loads((Path(__file__).parents[1] / "tables" / "fixtures.toml").read_text(encoding="utf-8"))["list"]
READERS = {
    "heim": heim.fixtures, "gn-gsd": gn_gsd.fixtures, "openligadb": openligadb.fixtures, "pa": pa.fixtures,
    "statsperform": statsperform.fixtures,
}  # fmt: skip
EMPTY = {
    "heim": [b"[]"], "gn-gsd": [b'{"matches": []}'], "openligadb": [b"[]"], "statsperform": [b'{"match": []}'],
    "pa": [b"<matches/>", b"<matches><errors><error>No data available</error></errors></matches>"],
}  # fmt: skip
LARGE = dict.fromkeys(("heim", "pa"), pytest.mark.proof)
"""Of each notation one list is as large as no day was in a proof; the others take as long."""
REGISTRY = Registry.load()
PAGE = re.compile(r"_pgNm=([0-9]+)")
ZONES = {"pa": "Europe/London"}


@cache
def names_of(provider):
    adapter = connect(provider, "http://127.0.0.1:9")
    return adapter._names


def connect(provider, url, **more):
    options = {"options": {"leagues": ["pokal:2024"]}} if provider == "openligadb" else {}
    return REGISTRY.find(provider).connect(
        endpoint_of(provider=provider, base_url=url, api_key=KEY, **{**options, **more})
    )


def read(provider, given, first=DAY, last=None):
    """The list that a body is, of days in the zone of the provider."""
    days = Days(first, last or first, ZoneInfo(ZONES.get(provider, "Europe/Berlin")))
    return READERS[provider](given, days, names=names_of(provider))


def line(fixture):
    """A match as the table has it."""
    sides = [f"{side.id} {side.name}" for side in (fixture.home, fixture.away) if side is not None]
    state = [fixture.status or "?", fixture.status_word, fixture.score and "{}:{}".format(*fixture.score)]
    texts = {True: "text", False: "no text", None: None}
    kickoff = f"{datetime.fromtimestamp(fixture.kickoff, UTC):%Y-%m-%dT%H:%MZ}{' open' if fixture.kickoff_open else ''}"
    return " | ".join(
        each or "-"
        for each in (
            fixture.match_id, fixture.sport, fixture.competition and f"{fixture.competition.id} {fixture.competition.name}",
            fixture.season, fixture.round, fixture.title or " – ".join(sides), kickoff, " ".join(filter(None, state)),
            fixture.gender, fixture.age_class, texts[fixture.text_coverage],
        )
    )  # fmt: skip


def source(said):
    if said["source"] == "authored":
        return day_of(said["provider"])
    raw = recorded(said["source"]).read_bytes()
    return gzip.decompress(raw) if said["source"].endswith(".gz") else raw


@pytest.mark.parametrize("said", TABLE, ids=[each["name"] for each in TABLE])
def test_a_list_holds_the_matches_that_a_person_reads_in_it(said):
    """Every match is there, those of a competition together, and each says what it says and nothing else."""
    found = read(said["provider"], source(said), said["day"])
    wanted = said.get("competition")
    assert (len(found.fixtures), found.unreadable) == (said["matches"], 0)
    assert [
        line(each) for each in found.fixtures if wanted in {None, each.competition and each.competition.id}
    ] == said["rows"]


@pytest.mark.parametrize("provider", READERS)
def test_what_is_no_list_of_the_day_is_an_error(provider):
    """HTML, nothing, half a list, something else and another day's list are no empty day; an empty list is one."""
    whole, of_match = day_of(provider), SOCCER[provider](MOMENTS[1], id_of(provider, FIRST))
    wrong = [
        b"<html><p>oops</p></html>",
        b"",
        whole[: len(whole) // 2],
        b"null",
        b"{}",
        b'[{"unknown": 1}]',
        b"<events/>",
    ]
    for given in (*wrong, *(each for name, each in of_match.items() if name != "match")):
        with pytest.raises(BadBody):
            read(provider, given)
    for given in EMPTY[provider]:
        assert read(provider, given) == FixtureList(fixtures=())
    if provider == "openligadb":  # a season's list holds every day of it
        assert read(provider, whole, ANOTHER).fixtures == ()
        return
    with pytest.raises(BadBody, match="other days"):
        read(provider, whole, ANOTHER)


@pytest.mark.parametrize("provider", READERS)
def test_twenty_thousand_matches_take_as_long_as_twenty_times_a_thousand(provider):
    """What a list takes grows with its rows and not with their square: counted in calls."""
    few, many = (body(provider, repeated(provider, number)) for number in (200, 400))
    read(provider, body(provider, repeated(provider, 1)))
    assert calls(read, provider, many) < 2.2 * calls(read, provider, few)


@pytest.mark.parametrize("provider", [pytest.param(each, marks=LARGE.get(each, pytest.mark.soak)) for each in READERS])
def test_twenty_thousand_matches_are_a_list(provider):
    """A list as large as no day ever was is read."""
    found = read(provider, body(provider, repeated(provider, 20_000)))
    assert (len(found.fixtures), found.unreadable) == (20_000 + (provider == "heim"), 0)


def repeated(provider, number):
    """So many planned matches."""
    known = row(provider, PLANNED, FIRST)
    if isinstance(known, str):
        return [known.replace(str(FIRST), str(FIRST + at)) for at in range(number)]
    if provider == "statsperform":
        return [
            {**known, "matchInfo": {**known["matchInfo"], "id": id_of(provider, FIRST + at)}} for at in range(number)
        ]
    name = "matchID" if provider == "openligadb" else "id"
    return [{**known, name: type(known[name])(id_of(provider, FIRST + 100 + at))} for at in range(number)]


def replayed(provider):
    """What a replay knows of two matches, one that is planned and one that has begun."""
    for at, moment in enumerate(MOMENTS[:2]):
        ident = id_of(provider, FIRST + at)
        given = SOCCER[provider](moment, ident)["match"].decode()
        resource = {"heim": f"match/ma{ident}", "gn-gsd": f"matches/{ident}"}.get(provider, "match")
        found = Line.of_raw("2025-06-14T15:00:00+00:00", resource, given)._replace(is_json=provider != "pa")
        if resource == "match":
            found = found._replace(source=Source(provider, ident, f"match/{ident}"))
        if provider == "openligadb":
            found = found._replace(
                text=given.replace('"leagueId"', '"leagueShortcut": "pokal", "leagueSeason": 2024, "leagueId"')
            )
        yield found


@pytest.mark.parametrize("provider", READERS)
async def test_a_replay_lists_what_it_plays(provider):
    """The adapter finds the matches of the recordings in the list of their day, and none on another one."""
    now = datetime(2025, 6, 14, 15, 0, tzinfo=UTC)
    async with Replay(replayed(provider), wall=lambda: now).serve() as replay:
        adapter = connect(provider, replay.url)
        found, later = await adapter.fixtures(DAY, DAY), await adapter.fixtures(ANOTHER, ANOTHER)
        replay.faults.add("html", kind="fixtures", count=1)
        with pytest.raises(ServiceError):
            await adapter.fixtures(DAY, DAY)
        await adapter.aclose()
    assert [each.match_id for each in found.fixtures] == [id_of(provider, FIRST + at) for at in range(2)]
    assert [each.status for each in found.fixtures] == ["scheduled", "live"]
    assert found.fresh_for == 30.0
    assert later.fixtures == ()


async def test_the_demo_has_a_day_of_matches():
    """All six matches of the demo are in the list of the day on which it is played."""
    now = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
    lines = [each for path in demo_files("en") for each in read_lines(path)]
    async with Replay(lines, wall=lambda: now).serve() as replay:
        adapter = connect("heim", replay.url)
        found = await adapter.fixtures(now.date(), now.date())
        await adapter.aclose()
    assert {each.match_id: each.sport for each in found.fixtures} == {
        **dict.fromkeys(("9900001", "9900002", "9900003"), "soccer"), "9900011": "motorsports", "9900012": "tennis",
        "9900013": "american_football",
    }  # fmt: skip
    assert not found.unreadable
    assert all(each.competition and each.kickoff and each.status for each in found.fixtures)


async def test_days_are_those_of_the_endpoint():
    """A provider whose lists are London's is sent a request for each of its days that has some of the endpoint's."""
    moved = row("pa", PLANNED, FIRST).replace("17:00", "23:30")
    lists = {f"/competitions/matchDay/{KEY}/202506{at}": answered(body("pa", [moved] * (at == 14))) for at in (13, 14)}
    async with upstream(lists) as provider:
        berlin, london = connect("pa", provider.url), connect("pa", provider.url, timezone="Europe/London")
        found = [await each.fixtures(DAY, DAY) for each in (berlin, london)]
        await berlin.aclose()
        await london.aclose()
    assert [len(each.fixtures) for each in found] == [0, 1]
    assert len(provider.paths) == 3


async def test_pages_are_requested_until_one_is_short():
    """A full page is followed by the next one; one that repeats what was there is an error and no end."""
    rows = repeated("statsperform", 401)
    pages = [rows[:400], rows[400:]]

    async def listed(pages):
        async with serving(Server({})) as server:
            server.spoil = lambda at: Reply(body=body("statsperform", pages[int(PAGE.findall(at)[0]) - 1]))
            adapter = connect("statsperform", server.url)
            try:
                return await adapter.fixtures(DAY, DAY)
            finally:
                await adapter.aclose()

    assert len((await listed(pages)).fixtures) == 401
    with pytest.raises(BadBody, match="repeats"):
        await listed([pages[0], pages[0]])


async def test_requests_are_bounded_and_leagues_are_named():
    """No days, and too many, are refused; so are a league that is none, and an endpoint without leagues."""
    for provider in READERS:
        adapter = connect(provider, "http://127.0.0.1:9")
        for first, last in (
            (DAY, DAY - timedelta(days=1)),
            (DAY, DAY + timedelta(days=MOST_DAYS)),
            (date.min, date.min),
        ):
            with pytest.raises(InvalidRequest):
                await adapter.fixtures(first, last)
    for leagues in ("bl1:2026", ["bl1/../x"], [7]):
        with pytest.raises(ValueError, match="league"):
            connect("openligadb", "http://127.0.0.1:9", options={"leagues": leagues})
    with pytest.raises(InvalidRequest, match="leagues"):
        await connect("openligadb", "http://127.0.0.1:9", options={}).fixtures(DAY, DAY)
