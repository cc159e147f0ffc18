"""Searches: every parameter of the reference, its default and its bounds; full text as people type it."""

import functools
from functools import partial

import pytest

from store.tables import players
from tests.api.conftest import NOW, declared_database, open_store, serving
from tests.kit import matchday
from tests.kit.desk import META, Desk, change, match, news, player, refused, team, team_meta, tournament
from tests.kit.interface_tables import OURS, parameters
from tests.kit.sqlite import copied_url, filled_database

TEXT = OURS.read_text(encoding="utf-8")
SEARCHES = ("player.index", "team.index", "tournament.index", "ticker.search")
ROWS = [(operation, name) for operation in SEARCHES for name in parameters(TEXT)[operation]]
BEFORE = NOW - 60  # the store's clock


MADE = {}
"""Names of records → ids, in each copy of the database."""


@functools.cache
def records_of_both():
    """The bytes of a database that two organizations have filled, once for all tests."""

    async def fill(url):
        store = await open_store(url)
        async with serving(store, client_per_second=0) as server:
            MADE.update(await make_records(store, Desk(server.http), Desk(server.http, "stranger")))
        await store.close()

    return filled_database(fill, declared_database)


@pytest.fixture
async def store(request, tmp_path):
    """With these records where the test asks for them by `filled`."""
    content = records_of_both if "filled" in request.fixturenames else declared_database
    opened = await open_store(copied_url(tmp_path / "test.db", content))
    yield opened
    await opened.close()


@pytest.fixture
def filled(store):
    """Two organizations with a few records of everything: their ids."""
    return MADE


async def make_records(store, desk, stranger):
    home = await desk.made("team/create", team(name="SV Hafenstadt", short_name="HAF", name_addition="U19"))
    away = await desk.made("team/create", team(name="Ærø Boldklub", sportstype="tennis"))
    made = {"home": home["_id"], "away": away["_id"]}
    await desk.made("player/create", player(name="Sören Müller", team_id=home["_id"]))
    gone = await desk.made("player/create", player(name="Thomas Mueller", sportstype="tennis"))
    await desk.made("tournament/create", tournament(name="Küstencup"))
    await desk.made("tournament/create", tournament(name="Bergpokal", sportstype="tennis"))
    await stranger.made("player/create", player(name="Sören Fremd", owner_id=matchday.OTHER))
    await stranger.made("team/create", team(name="SV Fremd", owner_id=matchday.OTHER))
    await stranger.made("tournament/create", tournament(name="Fremdcup", owner_id=matchday.OTHER))
    await stranger.made("ticker/create", news("Sturm fremd", organization_id=matchday.OTHER))
    meta = team_meta({"_id": home["_id"]}, {"name": "FC Gänsebach"}, title="Pokalabend", starts_at=BEFORE + 86_400)
    await desk.made("ticker/create", match(meta_info=meta, tags=["derby", "cup"]))
    await desk.made("ticker/create", news("Sturmwarnung", tags=["weather"]))
    made["gone"] = gone["_id"]
    await store.write(partial(_leave, player_id=gone["_id"]))
    return made


def _leave(unit, player_id):
    unit.conn.execute(players.update().where(players.c.id == player_id).values(inactive=True))


def path_of(operation):
    return operation.replace(".", "/")


def titles(response):
    return {each.get("name") or each["meta_info"]["title"] for each in response["objects"]}


FOUND = {
    ("player.index", "q"): [("müller", {"Sören Müller"}), ("sor MUE", {"Sören Müller"}), ("dahl", set())],
    ("player.index", "owner_id"): [(matchday.ORGANIZATION, {"Sören Müller"})],
    ("player.index", "sportstype"): [("soccer", {"Sören Müller"}), ("tennis", set())],
    ("player.index", "team_id"): [("{home}", {"Sören Müller"}), ("{away}", set())],
    ("player.index", "archive_id"): [("2019", {"Sören Müller"})],
    ("player.index", "include_inactive"): [
        ("true", {"Sören Müller", "Thomas Mueller"}),
        ("1", {"Sören Müller", "Thomas Mueller"}),
        ("false", {"Sören Müller"}),
        ("", {"Sören Müller"}),
    ],
    ("team.index", "q"): [
        ("hafen", {"SV Hafenstadt"}),
        ("haf u19", {"SV Hafenstadt"}),
        ("aero", {"Ærø Boldklub"}),
        ("fremd", set()),
    ],
    ("team.index", "owner_id"): [(matchday.ORGANIZATION, {"SV Hafenstadt", "Ærø Boldklub", "FC Gänsebach"})],
    ("team.index", "sportstype"): [("tennis", {"Ærø Boldklub"})],
    ("team.index", "archive_id"): [("2019", {"SV Hafenstadt", "Ærø Boldklub", "FC Gänsebach"})],
    ("tournament.index", "q"): [("kuestencup", {"Küstencup"}), ("kustencup", {"Küstencup"}), ("cup", set())],
    ("tournament.index", "owner_id"): [(matchday.ORGANIZATION, {"Küstencup", "Bergpokal"})],
    ("tournament.index", "sportstype"): [("soccer", {"Küstencup"})],
    ("tournament.index", "archive_id"): [("2019", {"Küstencup", "Bergpokal"})],
    ("ticker.search", "owner_id"): [(matchday.ORGANIZATION, {"Pokalabend", "Sturmwarnung"})],
    ("ticker.search", "q"): [
        ("sturm", {"Sturmwarnung"}), ("pokal", {"Pokalabend"}), ("gaense", {"Pokalabend"}),
        ("hafen pokal", {"Pokalabend"}), ("hafen sturm", set()), ("fremd", set()),
    ],
    ("ticker.search", "template_id"): [("news", {"Sturmwarnung"}), ("soccer", {"Pokalabend"}), ("x", set())],
    ("ticker.search", "team_id"): [("{home}", {"Pokalabend"}), ("{away}", set())],
    ("ticker.search", "tag"): [("derby", {"Pokalabend"}), ("weather", {"Sturmwarnung"}), ("der", set())],
    ("ticker.search", "timeframe"): [
        ("all", {"Pokalabend", "Sturmwarnung"}),
        ("past", {"Sturmwarnung"}),
        ("current", {"Sturmwarnung"}),
        ("future", {"Pokalabend"}),
        ("tomorrow", {"Pokalabend"}),
        ("today", {"Sturmwarnung"}),
    ],
}  # fmt: skip
PAGES = {"limit", "page", "more"}
"""Pages of all lists are in tests/tables/test_lists.py."""
WRONG = {
    "owner_id": [(matchday.OTHER, 403), ("nobody", 403)],
    "include_inactive": [("yes", 400), ("TRUE", 400)],
    "timeframe": [("yesterday", 400), ("Today", 400)],
}


def test_every_parameter_is_exercised():
    """No row of the reference without a case."""
    assert len(ROWS) > 20
    assert {(operation, name) for operation, name in ROWS if name not in PAGES} == set(FOUND)


@pytest.mark.parametrize(("operation", "name"), [row for row in ROWS if row[1] not in PAGES])
async def test_a_filter_finds_what_it_says(desk, filled, operation, name):
    """By each of its values."""
    for value, expected in FOUND[operation, name]:
        response = await desk.read(path_of(operation), **{name: value.format(**filled)})
        assert titles(response) == expected, value
        assert response["total"] == len(expected)


@pytest.mark.parametrize(("operation", "name"), [row for row in ROWS if row[1] in WRONG])
async def test_what_a_parameter_does_not_take_is_refused(desk, filled, operation, name):
    """With its name."""
    for value, status in WRONG[name]:
        assert refused(await desk.get(path_of(operation), **{name: value})) == (status, name), value


async def test_a_search_knows_the_present_names(desk, filled):
    """A renamed team, liveblog or player is found by its new name and not by its old one."""
    await desk.made("team/update", {"_id": filled["home"], "name": "Hansa Neustadt"})
    assert titles(await desk.read("ticker/search", q="hansa")) == {"Pokalabend"}
    assert (await desk.read("team/index", q="hafenstadt"))["total"] == 0
    (game,) = (await desk.read("ticker/search", q="sturmwarnung"))["objects"]
    renamed = change("UpdateGameMetaInfo", meta_info={"_type": f"{META}TitleGameMetaInfo", "title": "Entwarnung"})
    await desk.modify(game, renamed)

    assert titles(await desk.read("ticker/search", q="entwarn")) == {"Entwarnung"}
    assert (await desk.read("ticker/search", q="sturmwarnung"))["total"] == 0


async def test_the_time_zone_is_a_setting(store):
    """A day is one of the configured zone: NOW is 13:13 UTC, in Auckland already tomorrow."""
    async with serving(store, client_per_second=0, timezone="Pacific/Auckland") as server:
        desk = Desk(server.http)
        meta = {"_type": f"{META}TitleGameMetaInfo", "title": "Early", "starts_at": NOW - 8 * 3600}
        await desk.made("ticker/create", news(meta_info=meta))
        assert (await desk.read("ticker/search", timeframe="today"))["total"] == 0
    async with serving(store, client_per_second=0) as server:
        assert (await Desk(server.http).read("ticker/search", timeframe="today"))["total"] == 1


@pytest.mark.parametrize("operation", SEARCHES)
async def test_wild_questions_are_harmless(desk, filled, operation):
    """Wildcards and quotes of SQL are words or nothing."""
    for question in ("%", "_", "'; DROP TABLE tokens; --", '"', "\\", "*" * 500, "a " * 2000, "🙂", "\u202e"):
        assert (await desk.read(path_of(operation), q=question))["total"] >= 0
    assert (await desk.read(path_of(operation), q="zzz%"))["total"] == 0
