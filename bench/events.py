"""Event writes through HTTP, as ratios of two runs in the same minute: `python -m bench.events`.

CPU    of this process for an event create and an update with credentials, over a real connection, by the CPU for the same
       documents through a plain FastAPI and async ORM CRUD (same server, same models, Basic auth, version and outbox rows)
       on the same kind of database. At most 0.2.
Flat   CPU of the same writes in a liveblog of 20,000 events by that in one of 10. At most 1.25.
Bare   CPU of an event create of the daemon, log lines included, by that of one transaction over `sqlite3` that changes a row and
       inserts two. At most 7.
Trips  to PostgreSQL for one write, counted by a relay, everything included. At most 5.

`--database` takes `sqlite`, `postgresql` (a server of the benchmark's own, thrown away afterwards) or an address.
"""

# ruff: noqa: RUF001 -- prints multiples

from __future__ import annotations

import argparse
import asyncio
import logging
import secrets
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import structlog
import uvloop
from sqlalchemy import make_url

from api.app import create_app
from api.http.request import Services
from bench.measure import Figure, alternating, table
from bench.plain import SECRET, plain
from bench.reads import daemon, liveblog
from bench.relay import counted
from config import Settings
from config.sections import Database, Limits, Server
from ingest.cli.shared import tune_interpreter
from ingest.server.connection_limits import ConnectionLimits
from ingest.server.server import serving
from providers.http_server import bind_socket
from store.clients import clients
from store.clients.service_keys import Keys
from store.database import PoolSettings, Store
from store.engine.liveblog_records import Change, EventWrite, NewGame, new_local_id
from store.engine.sqlite.backend import SqliteBackend, writer_engine
from store.engine.statements import execute
from store.engine.unit import Unit
from store.files.disk import DiskFiles
from store.liveblogs.liveblogs import insert_game, record
from tests.kit.postgres import Cluster, binaries

T = TypeVar("T")

POOL = PoolSettings(pool_size=Database().pool_size, timeout=Database().timeout)
ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
CONNECTIONS = 16
BARE_WANTED = 8
BARE = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
CREATE TABLE games (version INTEGER);
CREATE TABLE events (version INTEGER PRIMARY KEY, document TEXT);
CREATE TABLE outbox (id INTEGER PRIMARY KEY, version INTEGER);
INSERT INTO games VALUES (1);
"""
RATIO = 2
"""Where the ratio stands among the figures of a run."""
DRIVER = """
import asyncio, base64, itertools, json, sys
address, create, update, connections, run = sys.argv[1:]
host, port = address.removeprefix("http://").split(":")
auth = base64.b64encode(b"bench:a-secret-for-the-benchmark").decode()
serial = itertools.count()
TEXT = "<p>A <b>fine</b> move down the left, and the keeper is <i>beaten</i>.</p>" * 3

def request(path, body):
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Basic {auth}\\r\\n"
    return f"{head}Content-Type: application/json\\r\\nContent-Length: {len(data)}\\r\\n\\r\\n".encode() + data

def post(headline, number):
    return {"_type": "Svc::Model::Event", "headline": headline, "highlight": "inplace", "contents": [
        {"_type": "Svc::Model::Content::RichTextContentBlock", "text": f"{TEXT}<p>{number} of {run}</p>"},
        {"_type": "Svc::Model::Content::QuoteContentBlock", "text": "We kept going.", "author": "The coach"}],
        "sport_event": {"sportstype": "soccer", "event_type": "soccer.goal", "title": "Goal", "time_of_play": "45+2'",
                        "players": [{"event_player_type": "scorer", "player": {"local_id": "p9", "name": "Brandt"}}]}}

async def ask(reader, writer, data):
    writer.write(data)
    head = await reader.readuntil(b"\\r\\n\\r\\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = int(next(line for line in head.lower().split(b"\\r\\n") if line.startswith(b"content-length")).split(b":")[1])
    return json.loads(await reader.readexactly(length))

async def work(number, n, reader, writer):
    for _ in range(n):
        text = f"{number}/{next(serial)}"
        made = await ask(reader, writer, request(create, post("One", text)))
        if update:
            await ask(reader, writer, request(update.replace("ID", made["local_id"]), post("Two", text)))

async def main():
    n = int(connections)
    opened = [await asyncio.open_connection(host, int(port)) for _ in range(n)]
    loop = asyncio.get_running_loop()
    while count := await loop.run_in_executor(None, sys.stdin.readline):
        await asyncio.gather(*(work(k, int(count) // n, *each) for k, each in enumerate(opened)))
        print("done", flush=True)

asyncio.run(main())
"""


@asynccontextmanager
async def ours(url: str) -> AsyncIterator[tuple[str, Store]]:
    """The address of the app on the database, and the store."""
    store = await Store.open(url, pool=POOL, migrate=True)
    async with served(store) as address:
        yield address, store


@asynccontextmanager
async def served(store: Store) -> AsyncIterator[str]:
    """The address of the app; the store is closed in the end."""
    spec = clients.ClientSpec(
        id="bench", secrets=(clients.hash_secret(SECRET),), organizations=(ORGANIZATION,), scopes=("write",)
    )
    await store.write(partial(clients.declare, declared=[spec]))

    async def nothing(*_: Any) -> dict[str, Any]:
        return {}

    services = Services(
        store=store,
        settings=Settings(limits=Limits(client_per_second=0, public_per_second=0)).listening_at("http://x"),
        importer=None,  # type: ignore[arg-type]
        organizations=lambda _: "Bench",
        ready=nothing,
        clock=lambda: 0,
        providers=frozenset(),
        event_types=frozenset(),
        keys=Keys(media=b"k" * 32, readers=b"r" * 32, reader_ids=b"r" * 32),
        files=DiskFiles(Path("media")),
    )
    server = Server()
    limits = ConnectionLimits(server, connections_per_address=0, max_connections=server.max_connections)
    async with serving(create_app(services), bind_socket("127.0.0.1", 0), limits, server) as address:
        yield address
    await store.close()


async def filled(store: Store, number: int, events: int) -> str:
    """A liveblog with so many events."""
    name = new_local_id("g")
    game = NewGame(
        id=f"{number:024x}", local_id=name, organization_id=ORGANIZATION, sportstype="soccer", template_id="soccer"
    )
    await store.write(lambda unit: insert_game(unit, game))
    for start in range(0, events, 500):
        writes = tuple(
            EventWrite.new(local_id=f"{name}n{start + n}", document={"headline": "x" * 200}, created_at=start + n)
            for n in range(min(500, events - start))
        )
        await store.write(lambda unit, writes=writes: record(unit, game.id, Change(events=writes)))
    return name


@asynccontextmanager
async def driving(
    address: str, create: str, update: str, count: int, connections: int = CONNECTIONS
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Another process with open connections; yields what has it make and update so many events, all in all."""
    words = (address, create, update, str(connections), secrets.token_hex(4))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", DRIVER, *words), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    requests, replies = process.stdin, process.stdout
    assert requests is not None
    assert replies is not None

    async def turn() -> None:
        requests.write(f"{count}\n".encode())
        if await replies.readline() != b"done\n":
            raise RuntimeError("the driver failed")

    try:
        yield turn
    finally:
        requests.close()
        await process.wait()


def writing(address: str, liveblog: str, count: int, connections: int = CONNECTIONS) -> Any:
    path = "/api/v5/write/event"
    create, update = f"{path}/create.json?ticker_local_id={liveblog}", f"{path}/update.json?event_local_id=ID"
    return driving(address, create, update, count, connections)


def writing_plainly(address: str, count: int) -> Any:
    return driving(address, "/create?ticker_local_id=gbench", "/update?event_local_id=ID", count)


async def trips(url: str) -> Figure:
    """Round trips of a create and an update, one write at a time on a connection that is in use."""
    async with counted(url) as relay, ours(relay.url) as (address, store):
        name, number = await filled(store, 3, 10), 16
        async with writing(address, name, number, connections=1) as turn:
            await turn()
            before = relay.count
            await turn()
        each = (relay.count - before) / (2 * number)
    return Figure("round trips of a write", f"{each:.1f}", "≤ 5, COMMIT included", each <= 5)


async def beside_bare_transactions(given: argparse.Namespace) -> Figure:
    """What a create costs, by what its rows alone cost: a version, the event, a row of the outbox, on disk."""
    client = {"secret": SECRET, "organizations": [ORGANIZATION], "scopes": ["write"]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with daemon(folder, clients={"bench": client, "cms": client}) as address:
            create = f"/api/v5/write/event/create.json?ticker_local_id={await liveblog(address)}"
            with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as bare:
                bare.executescript(BARE)
                async with driving(address, create, "", given.count * 4) as turn:
                    sides = await alternating(
                        turn, partial(_transactions, bare, given.count * 4, "x" * 700), rounds=given.rounds // 2
                    )
    each = 1e6 / (given.count * 4)
    value = f"{sides.ratio:.1f} × ({sides.first * each:.0f} µs : {sides.second * each:.0f} µs)"
    what = f"an event create by a bare transaction ({CONNECTIONS} connections, Basic, log at info)"
    return Figure(what, value, f"≤ {BARE_WANTED} ×", sides.ratio <= BARE_WANTED)


async def _transactions(bare: sqlite3.Connection, count: int, document: str) -> None:
    for _ in range(count):
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("UPDATE games SET version = version + 1")
        bare.execute("INSERT INTO events (version, document) SELECT version, ? FROM games", (document,))
        bare.execute("INSERT INTO outbox (version) SELECT version FROM games")
        bare.execute("COMMIT")


class InLoopBackend(SqliteBackend):
    """Runs units in the event loop, on a SQLite connection of its own that waits for no disk."""

    def __init__(self, url: str) -> None:
        super().__init__(make_url(url), time.time, POOL)
        self._conn = writer_engine(make_url(url), POOL).connect()
        execute(self._conn, "PRAGMA synchronous=OFF")

    async def write(
        self, work: Callable[[Unit], T], group_key: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        del group_key
        self._conn.begin()
        execute(self._conn, "BEGIN IMMEDIATE")
        try:
            result = work(Unit(self._conn, 0))
        finally:
            self._conn.commit()
        if committed is not None:
            committed()
        return result

    async def close(self) -> None:
        self._conn.close()
        await super().close()


async def floor(naive_url: str, given: argparse.Namespace) -> Figure:
    """What a write costs before any database is involved, by a plain one with its database."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{folder}/floor.db"
        store = await Store.open(url, pool=POOL, migrate=True)
        name = await filled(store, 1, 10)
        await store.close()
        async with plain(naive_url) as naive, served(Store(InLoopBackend(url))) as address:
            tune_interpreter()
            async with writing(address, name, given.count) as mine, writing_plainly(naive, given.count) as theirs:
                sides = await alternating(mine, theirs, rounds=given.rounds)
    return Figure("ratio without a database on our side", f"{sides.ratio:.2f}")


async def compared(url: str, naive_url: str, given: argparse.Namespace) -> list[Figure]:
    count = given.count
    async with plain(naive_url) as naive, ours(url) as (address, store):
        few, many = await filled(store, 1, 10), await filled(store, 2, given.large)
        tune_interpreter()  # as the daemon does; both sides have it
        async with writing(address, few, count) as mine, writing_plainly(naive, count) as theirs:
            beside = await alternating(mine, theirs, rounds=given.rounds)
        async with writing(address, many, count) as large, writing(address, few, count) as small:
            big = await alternating(large, small, rounds=given.rounds)
    each = 1e6 / (2 * count)
    return [
        Figure("CPU of a write", f"{beside.first * each:.0f} µs"),
        Figure("CPU of a plain one", f"{beside.second * each:.0f} µs"),
        Figure("ratio", f"{beside.ratio:.2f}", "≤ 0.20", beside.ratio <= 0.2),
        Figure(f"{given.large} events by 10", f"{big.ratio:.2f}", "≤ 1.25", big.ratio <= 1.25),
    ]


@contextmanager
def database(named: str) -> Iterator[tuple[str, str]]:
    """Addresses for ours and for the plain one."""
    with tempfile.TemporaryDirectory(prefix="matchwire-bench-", ignore_cleanup_errors=True) as name:
        if named == "sqlite":
            yield f"sqlite+aiosqlite:///{name}/ours.db", f"sqlite+aiosqlite:///{name}/plain.db"
        elif named == "postgresql":
            programs = binaries()
            if programs is None:
                raise SystemExit("PostgreSQL's initdb and postgres are not installed")
            cluster = Cluster(Path(name), programs)
            try:
                cluster.create()
                yield cluster.create_database("ours"), cluster.create_database("plain")
            finally:
                cluster.kill()
        else:
            yield named, named


def measured(named: str, given: argparse.Namespace) -> list[Figure]:
    """The run in the middle, by its ratio, and the ratios of all."""
    runs = sorted((once(named, given) for _ in range(given.runs)), key=lambda figures: figures[RATIO].value)
    return [*runs[len(runs) // 2], Figure("ratios of all runs", ", ".join(figures[RATIO].value for figures in runs))]


def once(named: str, given: argparse.Namespace) -> list[Figure]:
    with database(named) as (url, naive):
        figures = uvloop.run(compared(url, naive, given))
        if "sqlite" in url:
            return [*figures, uvloop.run(beside_bare_transactions(given))]
        return [*figures, uvloop.run(trips(url)), uvloop.run(floor(naive, given))]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--count", type=int, default=96)
    parser.add_argument("--large", type=int, default=20_000)
    given = parser.parse_args()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING), cache_logger_on_first_use=True
    )
    found = {named: measured(named, given) for named in given.database}
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
    print("\n".join(f"## {names.get(named, 'As given')}\n\n{table(each)}" for named, each in found.items()))
    return all(figure.met is not False for figures in found.values() for figure in figures)


if __name__ == "__main__":
    sys.exit(not main())
