"""Whose record it is: the stored owner decides, and references and searches lead to one's own records alone.

Who may do what at all is the table of tests/tables/test_doors.py.
"""

import pytest

from api.http.request import DeskPerson
from api.view.liveblog_access import holders
from tests.api.conftest import open_store, serving
from tests.kit.desk import Desk, match, player, refused
from tests.kit.full_house import OTHER, OWNER, UNKNOWN, sqlite_house
from tests.kit.sqlite import copied_url


@pytest.fixture
def owned():
    """The owner's records."""
    return sqlite_house()[1].names


@pytest.fixture
async def service(tmp_path):
    """The API over a full house."""
    store = await open_store(copied_url(tmp_path / "owned.db", lambda: sqlite_house()[0]))
    async with serving(store, client_per_second=0, public_per_second=0) as server:
        yield server
    await store.close()


@pytest.fixture
def owner(service):
    return Desk(service.http, "owner")


@pytest.fixture
def stranger(service):
    return Desk(service.http, "stranger")


async def test_the_stored_owner_decides(owner, stranger, owned):
    """An owner in the document makes no difference: neither to change a record, nor to move one."""
    claim = {"_id": owned.team, "owner_id": OTHER, "name": "Taken over"}

    theirs = await stranger.post("team/update", claim)
    moved = await owner.post("team/update", claim)

    assert refused(theirs) == (404, "_id")
    assert moved.json()["owner_id"] == OWNER


@pytest.mark.parametrize("which", ["theirs", "missing"])
async def test_references_lead_to_ones_own_records_alone(stranger, owned, which):
    """Another tenant's team is as unknown as a missing one, to players and to liveblogs."""
    team_id = owned.team if which == "theirs" else UNKNOWN

    joining = await stranger.post("player/create", player(owner_id=OTHER, team_id=team_id))
    playing = await stranger.post("ticker/create", match({"_id": team_id}, organization_id=OTHER))

    assert refused(joining) == (422, "team_id")
    assert refused(playing) == (422, "meta_info.home_team._id")
    assert playing.json()["message"] == "there is no such team"


def about(field, record_id, owner_id):
    """A new liveblog that refers to a record in one place."""
    body = match(organization_id=owner_id)
    if field == "template_id":
        return body | {field: record_id}
    if field == "pricing":
        info = {
            "_type": "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo",
            "pricing": {"_type": "Svc::Model::Pricing", "_id": record_id},
        }
        return body | {"marketplace_info": info}
    body["meta_info"][field] = {"_id": record_id}
    return body


@pytest.mark.parametrize(
    ("field", "own", "path"),
    [
        ("tournament", None, "meta_info.tournament._id"),
        ("location", "5f0c1de2a1b2c3d4e5f60800", "meta_info.location._id"),
        ("template_id", "5f0c1de2a1b2c3d4e5f60801", "template_id"),
        ("pricing", "premium", "marketplace_info.pricing._id"),
    ],
)
async def test_a_liveblog_refers_to_what_is_its_owners_alone(owner, stranger, owned, field, own, path):
    """Another tenant's tournament, location, template and pricing are as unknown as missing ones; one's own are found."""
    own = own or owned.tournament
    responses = [await stranger.post("ticker/create", about(field, name, OTHER)) for name in (own, UNKNOWN)]

    assert [refused(response) for response in responses] == [(422, path)] * 2
    assert responses[0].json() == responses[1].json()
    mine = await owner.post("ticker/create", about(field, own, OWNER))
    assert mine.status_code == 200, mine.text


def test_a_permission_for_a_client_of_that_name_is_none_for_a_person():
    """A liveblog that is shared with a client is not shared with an account, whatever its id."""
    person = DeskPerson(
        client_id="desk", organizations=frozenset({OTHER}), scopes=frozenset(), proven=True,
        name="Kim", role="editor", organization_id=OTHER, session_id="s",
    )  # fmt: skip

    assert holders(person) == {("Organization", OTHER)}
