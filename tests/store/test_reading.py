"""Liveblogs and events as they are read: pages, names, titles, documents."""

from __future__ import annotations

from functools import partial

import pytest

from mapping.errors import NotFound
from store.liveblogs.liveblogs import event, events_named, find_game, insert_game, require_game
from store.tables import teams
from tests.store.conftest import DOCUMENT, ORGANIZATION, change, new_game, post


async def test_events_are_found_by_name_however_many(store, game):
    """More names than one statement takes are answered together; unknown ones are left out."""
    names = [f"e{number}" for number in range(1100)]
    await store.write(change(*(post(name) for name in names)))
    found = await store.read(partial(events_named, ids=[*names, "nobody"]))

    assert set(found) == set(names)
    assert found["e7"] == await store.read(lambda conn: event(conn, "e7"))


async def test_a_game_is_found_by_either_of_its_names(store, game):
    """ticker_id and local_id name the same liveblog; anything else is unknown."""
    for name in (game.id, game.local_id):
        assert (await store.read(partial(find_game, name=name))) == game
    assert await store.read(partial(find_game, name="nobody")) is None
    with pytest.raises(NotFound):
        await store.read(partial(require_game, name="nobody"))


@pytest.mark.parametrize(
    ("document", "title"),
    [
        ({"meta_info": {"title": "Own"}}, "Own"),
        ({"meta_info": {"home_team": {"name": "Ajax"}, "away_team": {"name": "PSV"}}}, "Ajax – PSV"),
        ({"scoreboard": {"home_team": {"name": "Ajax"}, "away_team": {"name": "PSV"}}}, "Ajax – PSV"),
        ({"meta_info": {"home_team": {"_id": "t1"}, "away_team": {"name": "PSV"}}}, "Heim – PSV"),
        ({"meta_info": {"home_team": {"name": "Ajax"}}}, "Ajax"),
        ({}, ""),
        ({"meta_info": None, "scoreboard": None}, ""),
    ],
)
async def test_the_title_is_the_own_one_or_the_teams(sqlite_store, document, title):
    """Lists and pages have a title whatever the meta info says."""

    def work(unit):
        row = {"id": "t1", "owner_id": "o", "source": "", "sportstype": "soccer", "name": "Heim", "doc": {}}
        unit.conn.execute(teams.insert().values(**row, written={}, created_at=0, updated_at=0))
        return insert_game(unit, new_game(document=document))

    assert (await sqlite_store.write(work)).title == title


async def test_documents_come_back_as_they_went_in(store):
    """The JSON begins with `_type`, the columns win over fields of the same name, and text survives unchanged."""
    text = 'ÄÖÜ ẞ 😀 \u0000 \u2028 "q" \\ '
    document = {**DOCUMENT, "_type": "X", "version": 77, "ticker_id": "fake", "locale": "de", "summary": text}
    body = {"_type": "X", "sort": "fake", "version": 9, "contents": [{"text": text, "n": 2**62, "f": 0.1}]}
    game = await store.write(
        partial(insert_game, game=new_game(document=document, external_id="42", events=(post("e1", 7, body),)))
    )
    stored = await store.read(lambda conn: event(conn, "e1"))

    assert list(game.as_document().items())[:4] == [
        ("_type", "Svc::Model::Game"),
        ("local_id", game.local_id),
        ("ticker_id", game.id),
        ("organization_id", ORGANIZATION),
    ]
    assert game.as_document() == {
        "_type": "Svc::Model::Game",
        "local_id": game.local_id,
        "ticker_id": game.id,
        "organization_id": ORGANIZATION,
        "external_id": "42",
        "version": 1,
        "local_status": 0,
        "sportstype": "soccer",
        "template_id": "soccer",
        "created_at": 1_700_000_000,
        "updated_at": 1_700_000_000,
        "meta_info": DOCUMENT["meta_info"],
        "locale": "de",
        "summary": text,
    }
    assert stored.as_document() == {
        "_type": "Svc::Model::Event",
        "local_id": "e1",
        "version": 1,
        "local_status": 0,
        "sort": "000000000000000700000001",
        "user_id": "",
        "created_at": 7,
        "updated_at": 1_700_000_000,
        "contents": [{"text": text, "n": 2**62, "f": 0.1}],
    }
    assert next(iter(stored.as_document())) == "_type"
