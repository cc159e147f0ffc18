"""Search, master data by hand, creations and declarations: the same on both databases."""

from __future__ import annotations

import asyncio
from functools import partial
from random import Random

import pytest
from sqlalchemy import create_engine, event, insert, select, text

from mapping.errors import Conflict
from store import tables
from store.clients import idempotency
from store.liveblogs import listing, liveblogs, search
from store.liveblogs.listing import GameFilter, Page
from store.liveblogs.liveblogs import Change, EventWrite, insert_game, record, require_game
from store.masterdata import declarations, master_listing, masterdata_edit
from store.masterdata.declarations import Declaration
from store.masterdata.master_listing import MasterFilter
from store.masterdata.masterdata import import_match
from store.tables import game_links, locations, players, teams, tokens
from tests.kit.masterdata import match, person
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import ORGANIZATION, new_game

OTHER = "5f0c1de2a1b2c3d4e5f60719"
EVERYTHING = Page(1000)
ALPHABET = "aeouäöüßéåøﬁAÄ SsTt-'%_\\\U0001f642"


def fields(name, **more):
    return {"owner_id": ORGANIZATION, "sportstype": "soccer", "name": name, **more}


async def create(store, table, name, **more):
    return await store.write(partial(masterdata_edit.create, table=table, fields=fields(name, **more)))


async def names(store, table=players, q="", owners=(ORGANIZATION,), **more):
    wanted = MasterFilter(owners=owners, q=q, **more)
    found = await store.read(lambda conn: master_listing.masters(conn, table, wanted, EVERYTHING))
    assert found.total == len(found.records)
    return {each.name for each in found.records}


async def titles(store, page=EVERYTHING, **wanted):
    found = await store.read(lambda conn: listing.liveblogs(conn, GameFilter(owners=(ORGANIZATION,), **wanted), page))
    return {each.title for each in found.records}


PEOPLE = ("Thomas Müller", "Gerd Muller", "Jo Mueller", "Ida Straße", "Zoë 🙂")
FOUND = {
    "mull": {"Thomas Müller", "Gerd Muller"},
    "mueller": {"Thomas Müller", "Jo Mueller"},
    "müller": {"Thomas Müller", "Gerd Muller", "Jo Mueller"},
    "t muel": {"Thomas Müller"},
    "STRASSE": {"Ida Straße"},
    "straß": {"Ida Straße"},
    "z": {"Zoë 🙂"},
    "zoe": {"Zoë 🙂"},
    "%": set(PEOPLE),
    "mullerz": set(),
}


async def test_words_are_found_alike(store):
    """Umlauts, sharp s, accents, prefixes, several words; signs are no words."""
    for name in PEOPLE:
        await create(store, players, name)

    assert {question: await names(store, q=question) for question in FOUND} == FOUND


async def test_filters_and_pages(store):
    """Owner, sport, team, who has left; the newest first, counted in all."""
    team = await create(store, teams, "Ajax")
    await create(store, players, "One", team_id=team.id)
    await create(store, players, "Two", sportstype="tennis")
    await create(store, players, "Three", owner_id=OTHER)

    assert await names(store, team_id=team.id) == {"One"}
    assert await names(store, sportstype="tennis") == {"Two"}
    assert await names(store, owners=(OTHER,)) == {"Three"}
    assert await names(store, owners=()) == set()
    await store.write(lambda unit: unit.conn.execute(players.update().values(inactive=True)))
    assert await names(store, include_inactive=False) == set()
    both = MasterFilter(owners=(ORGANIZATION, OTHER))
    pages = [
        await store.read(lambda conn, n=n: master_listing.masters(conn, players, both, Page(2, n))) for n in (1, 2, 3)
    ]
    assert [(len(page.records), page.total) for page in pages] == [(2, 3), (1, 3), (0, 3)]


@pytest.mark.parametrize("few", [0, 1, 2000])
async def test_common_words_are_found_as_rare_ones_are(store, monkeypatch, few):
    """A word that many records have is looked for in each of them by its turn, a rare one by the ids: with one result."""
    monkeypatch.setattr(search, "FEW", few)
    ajax, _ = [await create(store, teams, name) for name in ("Ajax Amsterdam", "Feyenoord")]
    for number, team in enumerate([ajax, None, ajax]):
        side = {} if team is None else {"home_team": {"_type": "Svc::Model::Team", "_id": team.id}}
        document = {"meta_info": {"title": f"Derby {number}", **side}}
        await store.write(partial(insert_game, game=new_game(number, document=document)))

    assert await titles(store, q="derby") == {"Derby 0", "Derby 1", "Derby 2"}
    assert await titles(store, q="ajax") == await titles(store, team_id=ajax.id) == {"Derby 0", "Derby 2"}
    assert await titles(store, q="amst derby 2") == {"Derby 2"}
    assert await titles(store, q="feyenoord") == await titles(store, q="derby nowhere") == set()
    assert await names(store, teams, q="a") == {"Ajax Amsterdam"}


async def test_a_total_is_exact_up_to_a_bound(store, monkeypatch):
    """What is beyond it is more than the total says, and the pages go on."""
    monkeypatch.setattr(listing, "COUNTED", 3)
    for number in range(9):
        await create(store, players, f"Player {number}")
    wanted = MasterFilter(owners=(ORGANIZATION,))
    pages = [
        await store.read(lambda conn, page=page: master_listing.masters(conn, players, wanted, page))
        for page in (Page(2, 1), Page(2, 3))
    ]

    assert [(5, False), (9, True)] == [(found.total, found.exact) for found in pages]
    assert [2, 2] == [len(found.records) for found in pages]


@pytest.fixture(scope="module")
def sizes():
    """Databases of few and of many liveblogs, which nobody changes."""
    engines = []
    for count in (400, 1600):
        engines.append(create_engine("sqlite://"))
        tables.metadata.create_all(engines[-1])
        with engines[-1].begin() as conn:
            fill(conn, count)
    yield engines
    for engine in engines:
        engine.dispose()


@pytest.mark.parametrize("question", ["", "common", "rare0000", "team", "team0000", "nothing", "common rare0000"])
def test_a_search_costs_no_more_beside_more_liveblogs(sizes, monkeypatch, question):
    """Counted in steps of SQLite's machine: four times as many liveblogs cost hardly any."""
    monkeypatch.setattr(search, "FEW", 20)
    monkeypatch.setattr(listing, "COUNTED", 20)
    wanted = GameFilter(owners=("a", "b"), q=question)
    few, many = (steps_of(engine, lambda conn: listing.liveblogs(conn, wanted, Page(10))) for engine in sizes)

    assert many <= 1.2 * few


def steps_of(engine, read):
    """Tens of steps that SQLite takes for a read."""
    steps = []
    with engine.connect() as conn:
        conn.connection.driver_connection.set_progress_handler(lambda: steps.append(1), 10)
        read(conn)
        conn.connection.driver_connection.set_progress_handler(None, 0)
    return len(steps)


def fill(conn, count):
    """Liveblogs with a word of their own and a common one, each of one of many teams with a common name."""
    rows = {table: [] for table in (tables.games, tables.teams, game_links, tokens)}
    for number in range(count):
        name, owner = f"{number:05}", "ab"[number % 2]
        whose = {"organization_id": owner, "owner_id": owner}
        both = {"sportstype": "soccer", "doc": {}, "created_at": number, "updated_at": number}
        game = {
            "id": name,
            "local_id": f"g{name}",
            "version": 1,
            "local_status": 0,
            "template_id": "soccer",
            "title": name,
        }
        rows[tables.games].append({**whose, **both, **game, "serial": 0})
        team = {"id": f"t{name}", "owner_id": owner, "source": "", "ext_id": name, "name": name, "written": {}}
        rows[tables.teams].append(both | team)
        rows[game_links].append({"game_id": name, "kind": "team", "value": f"t{name}"})
        words = [("games", name, "common"), ("games", name, f"rare{name}"), ("teams", f"t{name}", f"team{name}")]
        rows[tokens] += [{"owner_id": owner, "kind": kind, "record_id": of, "token": word} for kind, of, word in words]
    for table, filled in rows.items():
        conn.execute(insert(table), [{k: v for k, v in row.items() if k in table.c} for row in filled])


async def test_imports_are_found_and_follow_their_names(store):
    """A squad that an import brings, renamed by the next one."""
    await store.write(partial(import_match, owner_id=ORGANIZATION, source="heim", match=match()))
    assert await names(store, q="player 2") == {"Player 2"}
    renamed = match(home=[person(1), person(2, name="Zweiter")])
    await store.write(partial(import_match, owner_id=ORGANIZATION, source="heim", match=renamed))

    assert await names(store, q="zweiter") == {"Zweiter"}
    assert await names(store, q="player 2") == set()
    assert await names(store, table=teams, q="ajx") == {"Ajax"}


async def test_what_a_person_changes_stays(store):
    """An edit of an imported player outlives the next import; the rest still follows."""
    await store.write(partial(import_match, owner_id=ORGANIZATION, source="heim", match=match()))

    def edit(unit):
        row = unit.conn.execute(select(players.c.id).where(players.c.ext_id == "p1")).one()
        before = masterdata_edit.lock(unit, players, row.id)
        return masterdata_edit.change(unit, players, before, {"name": "By hand", "number": None})

    edited = await store.write(edit)
    await store.write(partial(import_match, owner_id=ORGANIZATION, source="heim", match=match()))

    kept = await store.read(lambda conn: masterdata_edit.require(conn, players, edited.id))
    assert kept.name == "By hand"
    assert "number" not in kept.document
    assert kept.ext_id == "p1"


async def test_one_record_has_an_ext_id_for_imports_even_in_a_race(store):
    """Of simultaneous creations all succeed and show it; imports find the same one each time."""
    made = await asyncio.gather(*(create(store, players, f"P{index}", ext_id="p1") for index in range(5)))
    imports = partial(import_match, owner_id=ORGANIZATION, source="heim", match=match())
    found = {(await store.write(imports)).players["p1"] for _ in range(2)}

    assert [each.as_document()["ext_id"] for each in made] == ["p1"] * 5
    assert len(found) == 1
    assert found < {each.id for each in made}


async def test_liveblogs_by_teams_tags_and_time(store):
    """Links follow the document; a liveblog without a planned start counts from its creation."""
    team = await create(store, teams, "Hansa")
    meta = {"title": "Derby", "starts_at": 5000, "home_team": {"_type": "Svc::Model::Team", "_id": team.id}}
    tagged = {"meta_info": meta, "tags": ["cup", {"_id": "t1", "name": "Big"}]}
    game = await store.write(partial(insert_game, game=new_game(1, document=tagged)))
    plain = await store.write(partial(insert_game, game=new_game(2, document={"meta_info": {"title": "Plain"}})))

    for wanted in ({"team_id": team.id}, {"tag": "cup"}, {"tag": "t1"}, {"tag": "Big"}, {"q": "hansa"}, {"q": "derby"}):
        assert await titles(store, **wanted) == {"Derby"}, wanted
    assert await titles(store, start=5000, end=5001) == {"Derby"}
    assert await titles(store, start=plain.created_at, end=plain.created_at + 1) == {"Plain"}
    assert await titles(store, template_id="soccer") == {"Derby", "Plain"}

    await store.write(partial(record, game_id=game.id, change=Change(game={"meta_info": {"title": "Alone"}})))
    for gone in ({"team_id": team.id}, {"tag": "cup"}, {"q": "derby"}):
        assert await titles(store, **gone) == set(), gone
    assert await titles(store, q="alone") == {"Alone"}
    assert await titles(store, page=Page(1, 1)) == {"Plain"}


async def test_a_new_sport_is_the_template_too_where_it_was(store):
    """A template of one's own stays."""
    await store.write(partial(insert_game, game=new_game(1)))
    own = await store.write(partial(insert_game, game=new_game(2, template_id="cup")))
    for number in (1, 2):
        game_id = new_game(number).id
        await store.write(partial(record, game_id=game_id, change=Change(sportstype="tennis")))

    games = [await store.read(lambda conn, n=n: require_game(conn, new_game(n).id)) for n in (1, 2)]
    assert [(game.sportstype, game.template_id) for game in games] == [("tennis", "tennis"), ("tennis", "cup")]
    assert own.version == 1


async def test_very_many_labels_are_exchanged_in_few_statements(sqlite_store):
    """Six hundred links go in two statements, and those that come in one."""
    old, new = ([f"{word}{number}" for number in range(600)] for word in ("old", "new"))
    game = await sqlite_store.write(partial(insert_game, game=new_game(1, document={"tags": old})))
    deletes = []

    def noted(_conn, _cursor, statement, *_):
        deletes.append(statement) if statement.startswith("DELETE FROM game_links") else None

    def work(unit):
        event.listen(unit.conn, "before_cursor_execute", noted)
        return record(unit, game.id, Change(game={"tags": new}))

    await sqlite_store.write(work)
    rows = await sqlite_store.read(lambda conn: conn.execute(select(game_links)).all())

    assert {row.value for row in rows if row.kind == "tag"} == set(new)
    assert len(deletes) == 2


async def test_lists_read_no_more_of_events_than_they_show(store):
    """Labels and editors, in the order of time, drafts included; what says neither is left where it is."""
    games = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2, 3)]
    written = (
        EventWrite.new(local_id="elabel", document={"headline": "H", "tag_ids": ["a"]}, created_at=3, user_id="kim"),
        EventWrite.new(local_id="eedited", document={"headline": "H", "editor": "lou"}, created_at=2, local_status=60),
        EventWrite.new(local_id="eplain", document={"headline": "tag_ids, editor and 50 % more"}, created_at=1),
        EventWrite.new(local_id="elater", document={}, created_at=4, publish_at=9_999_999_999),
        EventWrite.new(local_id="egone", document={"editor": "lou"}, created_at=5, local_status=100),
    )
    await store.write(partial(record, game_id=games[0].id, change=Change(events=written)))
    other = (EventWrite.new(local_id="eother", document={}, created_at=1),)
    await store.write(partial(record, game_id=games[1].id, change=Change(events=other)))

    found = await store.read(lambda conn: listing.outlines(conn, [game.id for game in games]))
    whole = await store.read(lambda conn: liveblogs.events(conn, games[0].id, statuses=(0, 60), descending=False))
    first = found[games[0].id]
    assert [each.document for each in first] == [{}, whole[1].document, whole[2].document, {}]
    assert [each._replace(document={}) for each in first] == [each._replace(document={}) for each in whole]
    assert [each.local_id for each in found[games[1].id]] == ["eother"]
    assert found[games[2].id] == []


async def test_a_broken_document_breaks_no_list(store):
    """What no database can read as JSON is not looked for."""
    game = await store.write(partial(insert_game, game=new_game(1)))
    broken = ("[]", "null", '"text"', '{"a":"\\u0000"}', '{"a":"\\ud800"}', '{"a":1e999,"editor":"\\u0000"}')
    names = [f"e{index}" for index in range(len(broken))]
    writes = tuple(EventWrite.new(local_id=name, document={}, created_at=index) for index, name in enumerate(names))
    await store.write(partial(record, game_id=game.id, change=Change(events=writes)))

    def spoil(unit):
        for name, doc in zip(names, broken, strict=True):
            unit.conn.execute(text("UPDATE events SET doc = :doc WHERE local_id = :name"), {"doc": doc, "name": name})

    await store.write(spoil)
    found = await store.read(lambda conn: listing.outlines(conn, [game.id]))

    assert [each.local_id for each in found[game.id]] == names[3:]


async def test_creations_are_kept(store):
    """By the liveblog's id."""
    game = await store.write(partial(insert_game, game=new_game(1)))
    await store.write(partial(idempotency.save_digest, game_id=game.id, digest="abc"))

    assert await store.read(lambda conn: idempotency.digest_of(conn, game.id)) == "abc"
    assert await store.read(lambda conn: idempotency.digest_of(conn, "other")) is None


async def test_declarations_are_exactly_what_is_declared(store):
    """They come and go; locations stay; nobody declares away what belongs to others."""

    def place(owner_id, name="Nord"):
        return Declaration(owner_id=owner_id, kind="location", id="nord", fields={"name": name, "city": "Kiel"})

    gold = Declaration(owner_id=ORGANIZATION, kind="pricing", id="gold", fields={"name": "Gold"})

    async def known(kind, declared_id, owner_id=ORGANIZATION):
        return await store.read(lambda conn: declarations.find_declaration(conn, kind, declared_id, [owner_id]))

    await store.write(partial(declarations.declare, declared=[gold, place(ORGANIZATION)]))
    assert await known("pricing", "gold") == gold
    assert await known("tag", "gold") is None
    assert await known("pricing", "gold", OTHER) is None
    with pytest.raises(Conflict):
        await store.write(partial(declarations.declare, declared=[place(OTHER)]))
    await store.write(partial(declarations.declare, declared=[place(ORGANIZATION, "Nordstadion")]))
    assert await known("pricing", "gold") is None
    (row,) = await store.read(lambda conn: conn.execute(select(locations)).all())
    assert (row.name, row.owner_id, row.doc) == ("Nordstadion", ORGANIZATION, {"city": "Kiel"})


@pytest.mark.proof
@pytest.mark.parametrize("number", [100, pytest.param(300, marks=pytest.mark.soak)])
async def test_both_databases_find_the_same(migrated_sqlite_url, postgres_url, clock, number):
    """Three hundred invented names and many questions, with everything that collations and cases differ in."""
    rng = Random(7)

    def word(longest):
        return "".join(rng.choices(ALPHABET, k=rng.randint(1, longest)))

    stored = [word(9) for _ in range(300)]
    questions = [word(3) for _ in range(number)]
    patient = pool_settings(timeout=60.0)  # a busy machine takes its time for so many at once
    stores = [await store_at(url, clock=clock, pool=patient) for url in (migrated_sqlite_url, postgres_url)]

    def fill(unit):
        for name in stored:
            masterdata_edit.create(unit, teams, fields(name, owner_id="alike"))

    for store in stores:
        await store.write(fill)
    found = [[await names(store, table=teams, q=each, owners=("alike",)) for each in questions] for store in stores]
    for store in stores:
        await store.close()

    assert found[0] == found[1]
    assert sum(map(bool, found[0])) > number / 3
