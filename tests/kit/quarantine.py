"""A daemon on a database with rows that cannot be read."""

import asyncio
import zlib
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from structlog.testing import capture_logs

from config import Settings
from providers.http_server import bind_socket, listening
from store.upkeep import command
from tests.kit.day import ORGANIZATION, SHOW, configuration, running
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import HOME, row, wrapped


@dataclass
class Upstream:
    """A provider whose matches say what the test wants; each has a home team of its own."""

    number: dict[str, int] = field(default_factory=dict)
    address: str = ""

    async def answer(self, request: Request) -> JSONResponse:
        kind, _, name = request.path_params["rest"].partition("/ma")
        cards = self.number.get(name, 1)
        if kind == "match":
            return JSONResponse(wrapped(id=name, home={**HOME, "id": name}))
        return JSONResponse([row(int(name) * 100 + n, "card/yellow", 1 + n, "away", 3 + n) for n in range(cards)])

    @asynccontextmanager
    async def serve(self) -> Any:
        app = Starlette(routes=[Route("/{rest:path}", self.answer)])
        async with listening(app, bind_socket("127.0.0.1", 0)) as self.address:
            yield self


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "quarantined.db")
    return request.getfixturevalue("postgres_url")


@pytest.fixture
async def upstream():
    async with Upstream().serve() as provider:
        yield provider


@pytest.fixture
def settings(upstream, tmp_path, database):
    tables = configuration(upstream.address, tmp_path, database, live=0.25)
    tables["organizations"][ORGANIZATION]["providers"]["heim"]["text_content"] = False
    tables["clients"]["cms"]["scopes"].append("admin")
    tables["server"]["public_metrics"] = True
    return Settings.model_validate(tables)


@dataclass
class Day:
    """A running daemon, and what it said."""

    http: httpx.AsyncClient
    lines: list[Any]

    async def cards(self, local_id: str) -> int:
        game = (await self.http.get(SHOW, params={"local_id": local_id})).json()
        return sum(each.get("sport_event", {}).get("event_type") == "soccer.yellow-card" for each in game["events"])

    def quarantined(self) -> list[tuple[str, str, str]]:
        """Kind, id of the match (of a receiver or client its own), and cause, as often as it was said."""
        return [
            (
                line["event"].partition(".")[0],
                str(line.get("match") or line.get("receiver") or line.get("client")),
                line["cause"],
            )
            for line in self.lines
            if line["event"].endswith(".quarantined") and line["log_level"] == "error"
        ]

    async def metric(self, kind: str, name: str = "matchwire_quarantined") -> float:
        page = (await self.http.get("/metrics")).text
        return float(page.partition(f'{name}{{kind="{kind}"}} ')[2].partition("\n")[0])

    async def until(self, condition: Any, within: float = 60.0) -> None:
        async with asyncio.timeout(within):
            while not await condition():
                await asyncio.sleep(0.1)


@asynccontextmanager
async def daemon(settings: Settings) -> Any:
    secret = settings.clients["cms"].secret.get_secret_value()
    with capture_logs() as lines:
        async with (
            running(settings) as address,
            httpx.AsyncClient(
                base_url=address, auth=("cms", secret), trust_env=False, verify=False, timeout=60
            ) as http,
        ):
            yield Day(http, lines)


def poison(settings: Settings, sql: str, **values: Any) -> None:
    """What another hand writes, beside the daemon."""
    known = {**values, "bytes": b"\0", "newer": zlib.compress(b'{"match": {"version": 2}}')}
    given = {name: value for name, value in known.items() if f":{name}" in sql}
    command.run(settings.database.url.get_secret_value(), lambda unit: unit.conn.execute(text(sql), given), timeout=5)
