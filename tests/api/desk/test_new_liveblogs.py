"""New liveblogs from the matches of a day: what the page shows, and what becomes of those that are ticked."""

import re
from dataclasses import replace

import pytest

from api.desk.chosen_matches import MOST
from api.desk.new_match_page import MOST as MOST_SHOWN
from mapping.errors import BadBody, MatchUnknown
from mapping.match.fixture import Fixture, FixtureDay, FixtureList, FixtureStatus, NamedId
from store.following import standbys
from tests.api.conftest import NOW, contents
from tests.kit import matchday
from tests.kit.desk import a_person
from tests.kit.followed import add_followed
from tests.kit.settings import configure
from tests.kit.source_service import SECOND_ID, source_service
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import AWAY, HOME, MATCH_ID

NEW = "/desk/matches/new"
LEAGUE, CUP = NamedId("12", "Bundesliga"), NamedId("1", "Pokal")


def fixture(number, **more):
    sides = {"home": NamedId(f"h{number}", f"Home {number}"), "away": NamedId(f"a{number}", f"Away {number}")}
    return Fixture(match_id=f"{number}", sport="soccer", **{"competition": LEAGUE, "kickoff": NOW, **sides, **more})


def ticks(*numbers, **more):
    """The form of the page with these matches ticked."""
    given = {"provider": "heim", "day": "2026-09-21", "key": "k", "auto": "yes", "locale": "de", **more}
    return given | {f"match.{number}": "yes" for number in numbers}


def reasons(page):
    """Why a match has no liveblog, by the id of its tick."""
    rows = (re.search(r'name="match\.(\w+)".*<p class="wrong">(.*?)</p>', row) for row in page.text.split("<li>"))
    return {row[1]: row[2] for row in rows if row}


async def test_the_day_stands_there_by_competition(server):
    """In the provider's order, by kick-off; what is followed leads to its liveblog; what can have none has no tick."""
    server.unreadable = 3
    server.listed[matchday.ORGANIZATION] = (
        fixture(1, kickoff=NOW + 3600), fixture(2, competition=CUP), fixture(3, kickoff_open=True, kickoff=None),
        fixture(4, score=(2, 1), status=FixtureStatus.LIVE), replace(fixture(5), sport="darts"),
    )  # fmt: skip
    await add_followed(server, 4, endpoint="heim", terms={"locale": "de"})
    page = (await (await a_person(server)).send("GET", f"{NEW}?provider=heim")).text

    assert re.findall(r"<h2 id=\"c\d\"><bdi>(.*?)</bdi>", page) == ["Bundesliga", "Pokal"]
    assert re.findall(r'name="match\.(\d)"', page) == ["3", "4", "1", "2"]
    assert re.findall(r'<a class="has" href="([^"]*)">([^<]*)', page) == [
        ("../../desk/liveblogs/gmatch4", "Has a liveblog: de")
    ]
    for words in (
        "2-1 · Live",
        "No liveblogs of this sport",
        "left out: 3",
        "Monday, September 21, 2026 · Europe/Berlin",
    ):
        assert words in page, words
    assert server.days == [("heim", "today")]


async def test_of_a_huge_list_a_page_is_shown(server):
    """Of twenty thousand matches some, with the way to the others."""
    server.listed[matchday.ORGANIZATION] = tuple(map(fixture, range(20_000)))
    page = await (await a_person(server)).send("GET", NEW)
    assert (page.text.count('name="match.'), "page=2" in page.text) == (MOST_SHOWN, True)
    assert len(page.content) < 400_000


async def test_all_that_are_ticked_get_the_same_terms(server):
    """Language, automatic posting, types, editorial publishing, and text; a form that is sent twice creates once each."""
    server.listed[matchday.ORGANIZATION] = (fixture(1), fixture(2), fixture(3))
    configure(server.services.settings, matchday.ORGANIZATION, name="News")
    browser = await a_person(server)
    sent = ticks(1, 3, text="yes", editorial="yes", **{"exclude.soccer.goal": "yes"})
    done = await browser.submit(NEW, sent)
    assert done.headers["location"] == "../../desk/matches/new?provider=heim&day=2026-09-21&made=2"
    assert "Liveblogs created: 2" in (await browser.send("GET", f"{NEW}?provider=heim&made=2")).text
    for each in server.requested:
        terms = each.terms
        assert (terms.locale, terms.auto_post, terms.text, each.editorial) == ("de", True, True, True)
        assert terms.exclude_events == {"soccer.goal"}
    await browser.submit(NEW, sent)
    ids = [each.selector_id for each in server.requested]
    assert (ids, len({each.idempotency_key for each in server.requested})) == (["1", "3", "1", "3"], 2)
    assert {row["operation"] for row in (await contents(server))["audit_entries"]} >= {"liveblog.createFromExternal"}


async def test_each_that_fails_says_why_and_the_others_are_made(server):
    """What is followed already unless a second one is wanted, what the provider does not know, what is not listed any more."""
    server.listed[matchday.ORGANIZATION] = tuple(map(fixture, range(1, 5)))
    await add_followed(server, 2, endpoint="heim")
    server.fails = {"3": MatchUnknown("none")}
    browser = await a_person(server)
    page = await browser.submit(NEW, ticks(1, 2, 3, 99))
    assert page.status_code == 422
    assert "Liveblogs created: 1" in page.text
    assert "not created: 3" in page.text
    assert reasons(page) == {
        "2": "There is a liveblog already. For a second one, tick that too.", "3": "The provider has no such match.",
    }  # fmt: skip
    assert re.findall(r'name="match\.(\d)" value="yes" checked', page.text) == ["2", "3"]
    assert "<bdi>99</bdi>: The match is not on the list any more." in page.text
    second = await browser.submit(NEW, ticks(2, second="yes"))
    assert second.status_code == 303
    assert [each.selector_id for each in server.requested] == ["1", "3", "2"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (ticks(), "Tick the matches"), (ticks(*range(MOST + 1)), "51 matches are ticked; at most 50"),
        (ticks(1, day="never"), "day should be"), (ticks(1, standby="pa"), "No match of pa is surely this one."),
    ],
)  # fmt: skip
async def test_a_form_that_cannot_be_served_makes_nothing(server, fields, words):
    """It says what is wrong, and what was ticked stays ticked."""
    server.listed |= {
        matchday.ORGANIZATION: (fixture(1),),
        "pa": (replace(fixture(1), home=NamedId("7", "Elsewhere")),),
    }
    page = await (await a_person(server)).submit(NEW, fields)

    assert (page.status_code, server.requested) == (422, [])
    assert words in page.text


async def test_a_list_that_cannot_be_had_leaves_the_id_by_hand(server):
    """The page says why, and names no empty day."""
    server.fails = BadBody("no list")
    page = await (await a_person(server)).send("GET", NEW)

    assert page.status_code == 422
    assert "The provider does not answer" in page.text
    assert 'name="id"' in page.text
    assert "No matches on this day" not in page.text


async def test_the_standby_is_the_same_match_at_the_other_provider(tmp_path):
    """By its teams and its kick-off; posts wait for a person where that is wanted, also after the next answers."""
    async with source_service(migrated_url(tmp_path / "two.db")) as service:
        kickoff = 1_749_916_800
        home, away = (NamedId(each["id"], each["name"]) for each in (HOME, AWAY))
        same = Fixture(match_id=MATCH_ID, sport="soccer", home=home, away=away, kickoff=kickoff, gender="male")
        other = replace(same, match_id=SECOND_ID, home=NamedId("x", "Nordhafen"), kickoff=kickoff + 600)
        another = replace(other, match_id="9", away=NamedId("y", "Rot-Weiß Heidekamp"))
        women = replace(other, match_id="8", gender="female")

        async def fixtures(organization_id, provider, day):
            listed = FixtureList(fixtures={"heim": (same,), "second": (another, women, other)}.get(provider, ()))
            return FixtureDay(day=day, timezone="UTC", endpoint=provider, sports=frozenset({"soccer"}), listed=listed)

        service.process.importer.fixtures = fixtures
        browser = await a_person(service.server)
        done = await browser.submit(NEW, ticks(MATCH_ID, standby="second", editorial="yes"))
        assert done.status_code == 303, done.text
        service.name = re.search(r"matches/(g\w+)\?", done.headers["location"])[1]
        assert [each["provider"] for each in (await service.source())["sources"]] == ["heim", "second"]
        await service.go_on()
        shown = {"local_id": service.name, "client_id": "desk", "client_secret": matchday.SECRET}
        game = (await service.server.http.get("/api/v5/write/ticker/show.json", params=shown)).json()
        assert game["meta_info"]["editorial_publishing"] is True
        found = await service.server.store.read(lambda conn: standbys.of_liveblog(conn, game["ticker_id"]))
        assert [each.match_id for each in found] == [SECOND_ID]
        events = (await contents(service.server))["events"]
        assert {row["local_status"] for row in events} == {60}

        await browser.submit(f"/desk/matches/{service.name}/sources", {"remove": "second"})
        assert (await service.source())["sources"] == []
        backup = {"do": "backup", f"match.{service.name}": "yes"}
        answers = [await browser.submit("/desk/matches/act", backup) for _ in range(2)]
        assert [each["provider"] for each in (await service.source())["sources"]] == ["heim", "second"]
        assert [(each.status_code, "No match of gn-gsd is surely this one." in each.text) for each in answers] == [
            (303, False),
            (409, True),
        ]
