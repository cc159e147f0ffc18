"""Event writes through HTTP, as ratios of two runs in the same minute: `python -m bench.events [--database URL]`.

CPU   of this process for an event create and an update with credentials, over a real connection, by the CPU for the same
      documents through a plain FastAPI and async ORM CRUD (same server, same models, Basic auth, version and outbox rows) on
      SQLite. At most 0.2.
Flat  CPU of the same writes in a liveblog of 20,000 events by that in one of 10. At most 1.25.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import secrets
import sys
import tempfile
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog
import uvloop
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import HTTPBasic, HTTPBasicCredentials
from sqlalchemy import JSON, ForeignKey, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from api.app import create_app
from api.services import ApiSettings, Services
from bench.measure import Figure, alternating, table
from mapping.documents import Event, dump
from providers.replay.server import bound, listening
from store import clients
from store.database import Store
from store.ids import new_local_id
from store.liveblogs import Change, EventWrite, NewGame, insert_game, record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
SECRET = "a-secret-for-the-benchmark"
CONNECTIONS = 16
DRIVER = """
import asyncio, base64, json, sys
address, create, update, count, connections, run = sys.argv[1:]
host, port = address.removeprefix("http://").split(":")
auth = base64.b64encode(b"bench:a-secret-for-the-benchmark").decode()
TEXT = "<p>A <b>fine</b> move down the left, and the keeper is <i>beaten</i>.</p>" * 3

def request(path, body):
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Basic {auth}\\r\\n"
    return f"{head}Content-Type: application/json\\r\\nContent-Length: {len(data)}\\r\\n\\r\\n".encode() + data

def post(headline):
    return {"_type": "Svc::Model::Event", "headline": headline, "highlight": "inplace", "contents": [
        {"_type": "Svc::Model::Content::RichTextContentBlock", "text": TEXT},
        {"_type": "Svc::Model::Content::QuoteContentBlock", "text": "We kept going.", "author": "The coach"}],
        "sport_event": {"sportstype": "soccer", "event_type": "soccer.goal", "title": "Goal", "time_of_play": "45+2'",
                        "players": [{"event_player_type": "scorer", "player": {"local_id": "p9", "name": "Brandt"}}]}}

async def ask(reader, writer, data):
    writer.write(data)
    head = await reader.readuntil(b"\\r\\n\\r\\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = int(next(line for line in head.lower().split(b"\\r\\n") if line.startswith(b"content-length")).split(b":")[1])
    return json.loads(await reader.readexactly(length))

async def work(number, n):
    reader, writer = await asyncio.open_connection(host, int(port))
    for _ in range(n):
        made = await ask(reader, writer, request(create, post("One")))
        await ask(reader, writer, request(update.replace("ID", made["local_id"]), post("Two")))
    writer.close()

async def main():
    n = int(connections)
    await asyncio.gather(*(work(k, int(count) // n) for k in range(n)))

asyncio.run(main())
"""


class Base(DeclarativeBase):
    type_annotation_map = {dict[str, Any]: JSON}  # noqa: RUF012 -- SQLAlchemy's way


class PlainClient(Base):
    __tablename__ = "clients"
    id: Mapped[str] = mapped_column(primary_key=True)
    secret: Mapped[str]


class PlainGame(Base):
    __tablename__ = "games"
    id: Mapped[str] = mapped_column(primary_key=True)
    local_id: Mapped[str] = mapped_column(unique=True)
    version: Mapped[int]


class PlainEvent(Base):
    __tablename__ = "events"
    local_id: Mapped[str] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), index=True)
    version: Mapped[int]
    doc: Mapped[dict[str, Any]]


class PlainOutbox(Base):
    __tablename__ = "outbox"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    game_id: Mapped[str]
    version: Mapped[int]


def plain_app(sessions: async_sessionmaker[AsyncSession]) -> FastAPI:
    """The same operations as most people would write them."""
    app = FastAPI(telemetry={"tracing": False, "metrics": False, "logs": False})
    turn = asyncio.Lock()  # SQLite takes one writer; waiting here is cheaper than its busy handler

    async def session() -> AsyncIterator[AsyncSession]:
        async with turn, sessions() as opened:
            yield opened

    async def caller(
        given: HTTPBasicCredentials = Depends(HTTPBasic()),  # noqa: B008
        db: AsyncSession = Depends(session),  # noqa: B008
    ) -> str:
        known = await db.get(PlainClient, given.username)
        if known is None or not secrets.compare_digest(known.secret, clients.hash_secret(given.password)):
            raise HTTPException(401)
        return known.id

    async def stepped(db: AsyncSession, game: PlainGame) -> int:
        game.version += 1
        db.add(PlainOutbox(game_id=game.id, version=game.version))
        return game.version

    @app.post("/create", response_model=Event, response_model_exclude_none=True)
    async def create(
        ticker_local_id: str,
        event: Event,
        db: AsyncSession = Depends(session),  # noqa: B008, FAST002
        _: str = Depends(caller),  # noqa: FAST002
    ) -> Event:
        game = (await db.execute(select(PlainGame).where(PlainGame.local_id == ticker_local_id))).scalar_one()
        made = event.model_copy(update={"local_id": new_local_id("e"), "version": await stepped(db, game)})
        db.add(PlainEvent(local_id=made.local_id, game_id=game.id, version=made.version, doc=dump(made)))
        await db.commit()
        return made

    @app.post("/update", response_model=Event, response_model_exclude_none=True)
    async def update(
        event_local_id: str,
        event: Event,
        db: AsyncSession = Depends(session),  # noqa: B008, FAST002
        _: str = Depends(caller),  # noqa: FAST002
    ) -> Event:
        row = (await db.execute(select(PlainEvent).where(PlainEvent.local_id == event_local_id))).scalar_one()
        game = (await db.execute(select(PlainGame).where(PlainGame.id == row.game_id))).scalar_one()
        row.version = await stepped(db, game)
        row.doc = row.doc | dump(event)
        await db.commit()
        await db.refresh(row)
        return Event.model_validate(row.doc)

    return app


@asynccontextmanager
async def plain(folder: Path) -> AsyncIterator[str]:
    engine = create_async_engine(f"sqlite+aiosqlite:///{folder}/plain.db")
    async with engine.begin() as conn:
        await conn.exec_driver_sql("PRAGMA journal_mode=WAL")
        await conn.run_sync(Base.metadata.create_all)
    sessions = async_sessionmaker(engine, expire_on_commit=False)
    async with sessions() as db:
        db.add(PlainClient(id="bench", secret=clients.hash_secret(SECRET)))
        db.add(PlainGame(id="g", local_id="gbench", version=1))
        await db.commit()
    async with listening(plain_app(sessions), bound("127.0.0.1", 0)) as address:
        yield address
    await engine.dispose()


@asynccontextmanager
async def ours(url: str) -> AsyncIterator[tuple[str, Store]]:
    store = await Store.open(url, migrate=True)
    spec = clients.ClientSpec(
        id="bench", secrets=(clients.hash_secret(SECRET),), organizations=(ORGANIZATION,), scopes=("write",)
    )
    await store.write(partial(clients.declare, declared=[spec]))

    async def nothing(*_: Any) -> dict[str, Any]:
        return {}

    services = Services(
        store=store,
        settings=ApiSettings(public_url="http://x", client_per_second=0, public_per_second=0),
        import_match=nothing,
        organizations=lambda _: "Bench",
        ready=nothing,
        clock=lambda: 0,
        providers=frozenset(),
        event_types=frozenset(),
    )
    async with listening(create_app(services), bound("127.0.0.1", 0)) as address:
        yield address, store
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
            EventWrite(local_id=f"{name}n{start + n}", document={"headline": "x" * 200}, created_at=start + n)
            for n in range(min(500, events - start))
        )
        await store.write(lambda unit, writes=writes: record(unit, game.id, Change(events=writes)))
    return name


async def drive(address: str, create: str, update: str, count: int) -> None:
    words = (address, create, update, str(count), str(CONNECTIONS), secrets.token_hex(4))
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", DRIVER, *words)
    if await process.wait():
        raise RuntimeError("the driver failed")


def written(address: str, liveblog: str, count: int) -> Any:
    path = "/api/v5/write/event"
    return partial(
        drive, address, f"{path}/create.json?ticker_local_id={liveblog}",
        f"{path}/update.json?event_local_id=ID", count,
    )  # fmt: skip


async def main(url: str | None, rounds: int, count: int, large: int) -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with (
            plain(folder) as naive,
            ours(url or f"sqlite+aiosqlite:///{folder}/ours.db") as (address, store),
        ):
            few, many = await filled(store, 1, 10), await filled(store, 2, large)
            bare = partial(drive, naive, "/create?ticker_local_id=gbench", "/update?event_local_id=ID", count)
            mine, theirs = await alternating(written(address, few, count), bare, rounds=rounds)
            small, big = await alternating(written(address, few, count), written(address, many, count), rounds=rounds)
    ratio, flat = mine / theirs, big / small
    each = 1e6 / (2 * count)
    figures = [
        Figure("CPU of a write", f"{mine * each:.0f} µs"),
        Figure("CPU of a plain one", f"{theirs * each:.0f} µs"),
        Figure("ratio", f"{ratio:.2f}", "≤ 0.20", ratio <= 0.2),
        Figure(f"{large} events by 10", f"{flat:.2f}", "≤ 1.25", flat <= 1.25),
    ]
    print(table(figures))
    return all(figure.met is not False for figure in figures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", help="of ours; SQLite in a temporary folder otherwise")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=480)
    parser.add_argument("--large", type=int, default=20_000)
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    sys.exit(not uvloop.run(main(given.database, given.rounds, given.count, given.large)))
