"""The plain side of the benchmark of writes: events through FastAPI and SQLAlchemy's async ORM, as most people would."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import HTTPBasic, HTTPBasicCredentials
from sqlalchemy import JSON, ForeignKey, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mapping.documents.base import dump
from mapping.documents.event import Event
from providers.http_server import bind_socket, listening
from store.clients import clients
from store.engine.liveblog_records import new_local_id

SECRET = "a-secret-for-the-benchmark"


class Base(DeclarativeBase):
    type_annotation_map = {dict[str, Any]: JSON}  # noqa: RUF012 -- SQLAlchemy's way


class PlainClient(Base):
    __tablename__ = "plain_clients"
    id: Mapped[str] = mapped_column(primary_key=True)
    secret: Mapped[str]


class PlainGame(Base):
    __tablename__ = "plain_games"
    id: Mapped[str] = mapped_column(primary_key=True)
    local_id: Mapped[str] = mapped_column(unique=True)
    version: Mapped[int]


class PlainEvent(Base):
    __tablename__ = "plain_events"
    local_id: Mapped[str] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("plain_games.id"), index=True)
    version: Mapped[int]
    doc: Mapped[dict[str, Any]]


class PlainOutbox(Base):
    __tablename__ = "plain_outbox"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    game_id: Mapped[str]
    version: Mapped[int]


def plain_app(sessions: async_sessionmaker[AsyncSession]) -> FastAPI:
    """The same operations as most people would write them."""
    app = FastAPI(telemetry={"tracing": False, "metrics": False, "logs": False})
    turn = asyncio.Lock()  # one writer at a time; waiting here is cheaper than a busy handler or a lost update

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
async def plain(url: str) -> AsyncIterator[str]:
    engine = create_async_engine(url)
    async with engine.begin() as conn:
        if engine.dialect.name == "sqlite":
            await conn.exec_driver_sql("PRAGMA journal_mode=WAL")
        await conn.run_sync(Base.metadata.drop_all)
        await conn.run_sync(Base.metadata.create_all)
    sessions = async_sessionmaker(engine, expire_on_commit=False)
    async with sessions() as db:
        db.add(PlainClient(id="bench", secret=clients.hash_secret(SECRET)))
        db.add(PlainGame(id="g", local_id="gbench", version=1))
        await db.commit()
    async with listening(plain_app(sessions), bind_socket("127.0.0.1", 0), timeout_keep_alive=75) as address:
        yield address
    await engine.dispose()
