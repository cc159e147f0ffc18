"""Both databases, a clock that the test moves, and a liveblog to write to."""

from dataclasses import dataclass
from functools import partial

import pytest

from store.engine.liveblog_records import Change, EventWrite, NewGame
from store.liveblogs.liveblogs import insert_game, record
from tests.kit.opening import pool_settings, store_at
from tests.kit.pgbouncer import DIRECT
from tests.kit.sqlite import migrated_url

BOTH = pytest.mark.parametrize("store_url", ["sqlite", "postgresql"], indirect=True)
"""Without the pooler, which changes nothing of what these tests look at."""
ALIKE = pytest.mark.parametrize(
    "store_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)], indirect=True
)
"""What is looked at is of no statement that differs between the databases, so that PostgreSQL is left to a proof."""

GAME = "5f0c1de2a1b2c3d4e5f60001"
ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
DOCUMENT = {"meta_info": {"title": "Derby", "starts_at": 1_700_003_600}}


@dataclass
class Clock:
    """Seconds that pass only on command."""

    now: float = 1_700_000_000.5

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def sqlite_url(tmp_path):
    return f"sqlite+aiosqlite:///{tmp_path / 'matchwire.db'}"


@pytest.fixture
def migrated_sqlite_url(tmp_path):
    return migrated_url(tmp_path / "matchwire.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """The address of an empty database, once of each kind."""
    return request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "bare_postgres_url")


@pytest.fixture(params=["sqlite", "postgresql"])
def current_url(request):
    """The address of an empty database with a current schema, once of each kind."""
    return request.getfixturevalue("migrated_sqlite_url" if request.param == "sqlite" else "postgres_url")


@pytest.fixture(params=["sqlite", "postgresql", pytest.param("pgbouncer", marks=pytest.mark.proof)])
def store_url(request):
    """The address of a database with a current schema: a file, a server, and a server behind a transaction pooler."""
    names = {"sqlite": "migrated_sqlite_url", "postgresql": "postgres_url", "pgbouncer": "pgbouncer_url"}
    return request.getfixturevalue(names[request.param])


async def open_store(url, **more):
    """The store at `url`; where that is a pooler, with the server's own address beside it."""
    return await store_at(url, direct_url=DIRECT.get(url), **more)


@pytest.fixture
async def store(store_url, clock):
    """An empty, open store of each kind."""
    opened = await open_store(store_url, clock=clock, pool=pool_settings(timeout=60.0))
    yield opened
    await opened.close()


@pytest.fixture
async def processes(store, store_url, clock):
    """Two processes with one database; a SQLite file belongs to one, which is both."""
    if store_url.startswith("sqlite"):
        yield store, store
        return
    other = await open_store(store_url, clock=clock, pool=pool_settings(timeout=60.0))
    yield store, other
    await other.close()


@pytest.fixture
def patience():
    """Seconds after which a store gives up: as many as no busy machine needs. A test that waits for that has fewer."""
    return 60.0


@pytest.fixture
async def sqlite_store(migrated_sqlite_url, clock, patience):
    opened = await store_at(migrated_sqlite_url, clock=clock, pool=pool_settings(timeout=patience))
    yield opened
    await opened.close()


def new_game(number=1, **fields):
    values = {
        "id": f"{GAME[:-4]}{number:04x}",
        "local_id": f"g{number:020d}",
        "organization_id": ORGANIZATION,
        "sportstype": "soccer",
        "template_id": "soccer",
        "document": DOCUMENT,
        **fields,
    }
    return NewGame(**values)


@pytest.fixture
async def game(store):
    return await store.write(partial(insert_game, game=new_game()))


@pytest.fixture
async def sqlite_game(sqlite_store):
    return await sqlite_store.write(partial(insert_game, game=new_game()))


def post(local_id, created_at=1_700_000_000, document=None, **fields):
    return EventWrite.new(
        local_id=local_id, document=document or {"headline": local_id}, created_at=created_at, **fields
    )


def change(*writes, **fields):
    """A unit that changes the liveblog of `new_game()`."""
    return lambda unit: record(unit, new_game().id, Change(events=writes, **fields))


def writing(game_id, local_id, document=None):
    """A unit that writes one event."""
    return lambda unit: record(unit, game_id, Change(events=(post(local_id, document=document),)))
