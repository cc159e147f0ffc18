"""The list of a day over HTTP: what each match says, which ones are wanted, and which liveblogs are on them."""

import pytest

from mapping.errors import BadBody
from mapping.match.fixture import Fixture, FixtureStatus, NamedId
from tests.api.conftest import NOW
from tests.kit import matchday
from tests.kit.followed import add_followed

PATH = f"/apigw/sports/v2/{matchday.ORGANIZATION}/fixtures.json"
CUP, LEAGUE, OTHER_LEAGUE = NamedId("1", "DFB-Pokal"), NamedId("12", "Bundesliga"), NamedId("77", "Bundesliga")
MUNICH = NamedId("2076", "FC Bayern München")
FIXTURES = (
    Fixture(
        match_id="1", sport="soccer", competition=LEAGUE, season="2015/2016", round="Spieltag", home=MUNICH,
        away=NamedId("258", "Borussia Dortmund"), kickoff=NOW, status=FixtureStatus.LIVE, score=(2, 1), gender="m",
        age_class="U19", text_coverage=True,
    ),
    Fixture(match_id="2", sport="soccer", competition=CUP, home=NamedId("9", "Łódź"), away=MUNICH, kickoff_open=True),
    Fixture(match_id="3", sport="darts", competition=OTHER_LEAGUE, title="Großer Preis", status_word="warm-up"),
)  # fmt: skip
WANTED = {
    "": ["1", "2", "3"], "competition=12": ["1"], "competition=Bundesliga": [], "team=2076": ["1", "2"],
    "team=2076&competition=1": ["2"], "q=munchen": ["1", "2"], "q=MUENCH": ["1", "2"], "q=bundesliga": ["1", "3"],
    "q=bay+dort": ["1"], "q=yern": [], "q=lodz": ["2"], "q=grosser": ["3"], "q=%20": ["1", "2", "3"],
    "limit=1&page=2": ["2"], "page=9": [], "competition=&q=&day=": ["1", "2", "3"],
}  # fmt: skip


async def get(server, query="", path=PATH):
    return await server.http.get(f"{path}?provider=heim&{query}", auth=("desk", matchday.SECRET))


@pytest.fixture
def listed(server):
    server.listed[matchday.ORGANIZATION] = FIXTURES
    return server


async def test_each_match_says_all_of_it(listed):
    """In camelCase and in the provider's order; what the list does not say is null, and what cannot be read is counted."""
    listed.unreadable = 2
    found = (await get(listed)).json()
    first, second, third = found.pop("objects")

    assert found == {
        "_type": "Svc::Model::Collection", "total": 3, "total_exact": True, "page": 1, "limit": 30, "more": False,
        "day": "2026-09-21", "timeZone": "Europe/Berlin", "unreadable": 2,
    }  # fmt: skip
    assert first == {
        "matchId": "1", "sport": "soccer", "competition": {"id": "12", "name": "Bundesliga"}, "season": "2015/2016",
        "round": "Spieltag", "home": {"id": "2076", "name": "FC Bayern München"},
        "away": {"id": "258", "name": "Borussia Dortmund"}, "title": None, "kickoff": "2026-09-21T14:13:20Z",
        "kickoffOpen": False, "status": "live", "statusWord": None, "score": {"home": 2, "away": 1}, "gender": "m",
        "ageClass": "U19", "textCoverage": True, "followable": True, "liveblogs": [],
    }  # fmt: skip
    assert (second["kickoff"], second["kickoffOpen"], second["status"], second["score"]) == (None, True, None, None)
    assert (third["home"], third["title"], third["statusWord"], third["followable"]) == (
        None, "Großer Preis", "warm-up", False,
    )  # fmt: skip


async def test_what_is_wanted_is_listed(listed):
    """By ids and by beginnings of words, a page at a time; of many matches too, which are looked through in a thread."""
    for query, ids in WANTED.items():
        assert [each["matchId"] for each in (await get(listed, query)).json()["objects"]] == ids, query
    listed.listed[matchday.ORGANIZATION] = (*FIXTURES, *(Fixture(match_id=f"n{number}") for number in range(20_000)))
    many = (await get(listed, "q=munchen&limit=1")).json()
    whole = (await get(listed, "limit=1000")).json()
    assert ([each["matchId"] for each in many["objects"]], many["total"], many["more"]) == (["1"], 2, True)
    assert (len(whole["objects"]), whole["total"]) == (1000, 20_003)


async def test_liveblogs_that_are_on_a_match_are_never_old(listed):
    """One that is made or taken off is seen at once; another organization's, endpoint's and a deleted one never."""
    await add_followed(listed, 1, endpoint="heim", terms={"locale": "de"})
    await add_followed(listed, 2, endpoint="elsewhere")

    async def on_them():
        return [each["liveblogs"] for each in (await get(listed)).json()["objects"]]

    assert await on_them() == [[{"localId": "gmatch1", "locale": "de"}], [], []]
    path = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog/gmatch1/external/detach.json"
    assert (await listed.http.post(path, auth=("desk", matchday.SECRET))).status_code == 200
    assert await on_them() == [[], [], []]
    await add_followed(listed, 3, endpoint="heim", organization_id=matchday.OTHER)
    assert await on_them() == [[], [], []]


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("day=2026-02-30", 422, "day"), ("day=heute", 422, "day"), ("limit=0", 400, "limit"), ("limit=1001", 400, "limit"),
        ("page=0", 400, "page"), ("limit=1000&page=1001", 400, "page"),
    ],
)  # fmt: skip
async def test_a_wrong_request_is_refused_with_its_field(listed, query, status, field):
    """A day that is none as other values are 422; a page as of every list 400."""
    response = await get(listed, query)
    assert (response.status_code, response.json()["field"]) == (status, field)


async def test_a_list_that_cannot_be_had_is_an_error(listed):
    """As of createFromExternal, and never an empty day."""
    listed.fails = BadBody("no list")
    assert (await get(listed)).status_code == 503
    missing = await listed.http.get(PATH, auth=("desk", matchday.SECRET))
    assert (missing.status_code, missing.json()["field"]) == (400, "provider")
