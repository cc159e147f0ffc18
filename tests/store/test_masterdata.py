"""Teams, players, tournaments and locations: imported once, reused, never taken from people."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event, select

from store.masterdata.masterdata import import_match, merge
from store.tables import players, teams
from tests.kit.masterdata import OWNER, importing, match, person
from tests.store.conftest import ALIKE


async def rows(store, table):
    return {row.ext_id: row for row in await store.read(lambda conn: conn.execute(select(table)).all())}


def made_by_hand(table, **fields):
    """A row as the write API makes it."""
    values = {
        "id": "1" * 24,
        "owner_id": OWNER,
        "source": "",
        "sportstype": "soccer",
        "name": "By hand",
        "doc": {},
        "written": {},
        "created_at": 1,
        "updated_at": 1,
        **fields,
    }
    return lambda unit: unit.conn.execute(table.insert().values(**values))


async def test_the_same_match_again_writes_nothing(sqlite_store):
    """An import that brings nothing new issues no INSERT and no UPDATE, and gives the same ids."""
    first = await sqlite_store.write(importing(match()))
    statements = []

    def work(unit):
        unit.conn.connection.driver_connection.set_trace_callback(statements.append)
        return import_match(unit, owner_id=OWNER, source="heim", match=match())

    assert await sqlite_store.write(work) == first
    assert statements
    assert [statement for statement in statements if not statement.startswith(("SELECT", "RELEASE", "COMMIT"))] == []


async def test_a_known_match_is_looked_up_by_statements_that_are_compiled(store):
    """Each goal does so: SQLAlchemy makes none anew."""
    await store.write(importing(match()))
    made = []

    def work(unit):
        event.listen(unit.conn, "before_execute", lambda _conn, statement, *_: made.append(str(statement)))
        return import_match(unit, owner_id=OWNER, source="heim", match=match())

    await store.write(work)
    assert made == []


@ALIKE
async def test_rows_that_people_made_are_reused(store):
    """A team that an API client created with the provider's ext_id is the team; only its blanks are filled."""
    await store.write(made_by_hand(teams, ext_id="t1", name="Our Ajax"))
    references = await store.write(importing(match()))
    row = (await rows(store, teams))["t1"]

    assert references.teams["t1"] == "1" * 24
    assert (row.name, row.doc, row.source) == ("Our Ajax", {"short_name": "AJX"}, "")


@ALIKE
async def test_other_organizations_sports_and_sources_share_nothing(store):
    """The same ext_id elsewhere is somebody else."""
    seen = [
        await store.write(importing(match())),
        await store.write(importing(match(), owner_id="other")),
        await store.write(importing(match(), source="gn-gsd")),
    ]
    assert len({references.teams["t1"] for references in seen}) == 3


SQUADS = {
    "who left is inactive": ([match(), match(home=(person(1),), bench=())], {"p2", "p3"}),
    "who is named again is not": ([match(), match(home=(person(1),), bench=()), match()], set()),
    "no line-up yet is not a team without players": ([match(), match(home=(), bench=(), away=())], set()),
}


@ALIKE
@pytest.mark.parametrize("name", SQUADS)
async def test_players_are_active_as_long_as_their_team_names_them(store, name):
    """Each answer is imported; who is inactive at the end."""
    answers, inactive = SQUADS[name]
    for answer in answers:
        references = await store.write(importing(answer))
    found = await rows(store, players)

    assert {ext_id for ext_id, row in found.items() if row.inactive} == inactive
    assert {ext_id for ext_id, row in found.items() if row.team_id == references.teams["t1"]} == {"p1", "p2", "p3"}


async def test_simultaneous_imports_make_each_record_once(store):
    """Two liveblogs on one match, created at the same time, share their master data."""
    seen = await asyncio.gather(*(store.write(importing(match())) for _ in range(6)))

    assert len({references.players["p1"] for references in seen}) == 1
    assert len(await rows(store, players)) == 4


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([None, 1, 2, 3])), max_size=8))
def test_a_field_belongs_to_whoever_differed_last(said_by):
    """Against a model of one field: the person's word stands while it differs from the provider's last word."""
    current, written = {}, {}
    word, heard = None, None
    for by_person, value in said_by:
        if by_person:
            word = value
            current = {} if value is None else {"a": value}
        elif value is not None:  # what the provider does not say clears nothing
            word, heard = (value if word == heard else word), value
            current, written = merge(current, written, {"a": value})
        assert current.get("a") == word
        assert written.get("a") == heard
