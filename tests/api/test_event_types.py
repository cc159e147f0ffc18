"""Types: how responses begin their names, and that each event type has a drawing of its own."""

from collections import defaultdict
from functools import partial

import pytest

from api.page.icons import icon, icon_of, marks_period
from mapping.sports import SPORTS
from store.clients import clients
from tests.kit import matchday
from tests.kit.event_desk import DELTA, DESK

OLD = ("old-cms", matchday.SECRET)


@pytest.fixture
async def old(server):
    """A client that is set to another prefix."""
    spec = clients.ClientSpec(
        id=OLD[0],
        secrets=(clients.hash_secret(matchday.SECRET),),
        organizations=(matchday.ORGANIZATION,),
        scopes=("read", "write", "external"),
        response_prefix="Tik",
    )
    await server.store.write(partial(clients.create, spec=spec))
    await server.add(matchday.Liveblog())
    return server


async def test_a_client_gets_the_prefix_that_it_is_set_to(old):
    """Every name of a type in what it reads and writes begins so, texts that only look like one stay as they are."""
    text = 'say "_type":"Svc::Model::Event"'
    document = {"contents": [{"_type": "Tik::Model::Content::RichTextContentBlock", "text": text}], "headline": text}
    created = await old.http.post("/api/v5/write/event/create.json?ticker_local_id=gderby", json=document, auth=OLD)
    shown = await old.http.get("/api/v5/write/ticker/show.json", params={"local_id": "gderby"}, auth=OLD)

    assert created.status_code == 200, created.text
    assert created.json()["_type"] == "Tik::Model::Event"
    assert created.json()["contents"][0]["_type"] == "Tik::Model::Content::RichTextContentBlock"
    assert created.json()["headline"] == text
    assert shown.json()["meta_info"]["home_team"]["_type"] == "Tik::Model::Team"
    assert shown.text.count("Svc::") == 3  # the words of the headline, of the block and of the older form
    assert int(shown.headers["content-length"]) == len(shown.content)


async def test_other_clients_get_ours(old):
    """What one client is set to is nobody else's, also where a read is kept for all."""
    theirs = await old.http.get(DELTA, params={"id": "gderby"}, auth=OLD)
    ours = await old.http.get(DELTA, params={"id": "gderby"}, auth=DESK)
    again = await old.http.get(DELTA, params={"id": "gderby"}, auth=OLD)

    assert theirs.json()["_type"] == again.json()["_type"] == "Tik::Model::Api::GameShowResponse"
    assert "Svc::" not in theirs.text
    assert ours.json()["_type"] == "Svc::Model::Api::GameShowResponse"


@pytest.mark.parametrize(("sent", "answered"), [("Tik", "Tik"), ("Svc", "Svc"), ("not a prefix", "Svc")])
async def test_a_request_is_answered_in_its_own_prefix(old, sent, answered):
    """Whatever the client is set to; what is no prefix counts as none."""
    response = await old.http.post(
        "/api/v5/write/player/create.json",
        json={
            "_type": f"{sent}::Model::Player",
            "name": "Ada",
            "owner_id": matchday.ORGANIZATION,
            "sportstype": "soccer",
        },
        auth=DESK,
    )

    assert response.json()["_type"] == f"{answered}::Model::Player"


def test_every_event_type_of_every_sport_has_a_drawing_of_its_own():
    """No two look alike, but for those that begin, interrupt or end a period in the same way."""
    alike = defaultdict(set)
    for kind in (kind for sport in SPORTS.values() for kind in sport.kinds):
        assert icon_of(kind.id), kind.id
        alike[icon(kind.id)].add(kind.id)

    shared = [ids for ids in alike.values() if len(ids) > 1]
    assert [ids for ids in shared if not all(map(marks_period, ids))] == []
    assert all(len({each.rpartition(".")[2].partition("-")[0] for each in ids}) == 1 for ids in shared)


def test_an_unknown_type_has_a_flag_and_a_text_a_pen():
    """Providers may send what no sport has a row for."""
    assert icon("icehockey.power-play") == icon("anything")
    assert icon("") != icon("anything")
