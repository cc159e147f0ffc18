"""Search, master data by hand, creations and declarations: the same on both databases."""

import asyncio
from functools import partial
from random import Random

import pytest
from sqlalchemy import create_engine, insert, select, text

from mapping.errors import Conflict
from store import tables
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs import listing, search
from store.liveblogs.listing import GameFilter, Page
from store.liveblogs.liveblogs import insert_game, record
from store.masterdata import declarations, masterdata_edit
from store.masterdata.declarations import Declaration
from store.masterdata.masterdata import import_match
from store.masterdata.masterdata_edit import MasterFilter
from store.tables import game_links, locations, players, teams, tokens
from tests.kit.masterdata import match, person
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import ALIKE, ORGANIZATION, new_game

OTHER = "5f0c1de2a1b2c3d4e5f60719"
EVERYTHING = Page(1000)
ALPHABET = "aeouäöüßéåøﬁAÄ SsTt-'%_\\\U0001f642"


def fields(name, **more):
    return {"owner_id": ORGANIZATION, "sportstype": "soccer", "name": name, **more}


async def create(store, table, name, **more):
    return await store.write(partial(masterdata_edit.create, table=table, fields=fields(name, **more)))


async def names(store, table=players, q="", owners=(ORGANIZATION,), **more):
    wanted = MasterFilter(owners=owners, q=q, **more)
    found = await store.read(lambda conn: masterdata_edit.list_records(conn, table, wanted, EVERYTHING))
    assert found.total == len(found.records)
    return {each.name for each in found.records}


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


@ALIKE
async def test_imports_are_found_and_follow_their_names(store):
    """A squad that an import brings, renamed by the next one."""
    await store.write(partial(import_match, owner_id=ORGANIZATION, source="heim", match=match()))
    assert await names(store, q="player 2") == {"Player 2"}
    renamed = match(home=[person(1), person(2, name="Zweiter")])
    await store.write(partial(import_match, owner_id=ORGANIZATION, source="heim", match=renamed))

    assert await names(store, q="zweiter") == {"Zweiter"}
    assert await names(store, q="player 2") == set()
    assert await names(store, table=teams, q="ajx") == {"Ajax"}


async def test_one_record_has_an_ext_id_for_imports_even_in_a_race(store):
    """Of simultaneous creations all succeed and show it; imports find the same one each time."""
    made = await asyncio.gather(*(create(store, players, f"P{index}", ext_id="p1") for index in range(5)))
    imports = partial(import_match, owner_id=ORGANIZATION, source="heim", match=match())
    found = {(await store.write(imports)).players["p1"] for _ in range(2)}

    assert [each.as_document()["ext_id"] for each in made] == ["p1"] * 5
    assert len(found) == 1
    assert found < {each.id for each in made}


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


@ALIKE
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
@pytest.mark.parametrize("number", [40, pytest.param(300, marks=pytest.mark.soak)])
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
