"""The API over a store whose clock is the server's: what is stored ends as time passes."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
import uvicorn

from tests.api.conftest import NOW, declared_database, serving
from tests.kit.opening import pool_settings, store_at
from tests.kit.people import add_account
from tests.kit.sqlite import copied_url


@asynccontextmanager
async def desk_at(folder, **settings):
    """The API over a store in that folder; time stands still unless a test moves it."""
    running = []
    store = await store_at(
        copied_url(folder / "desk.db", declared_database),
        clock=lambda: running[0].now if running else NOW,
        pool=pool_settings(timeout=60.0),
    )
    async with serving(store, client_per_second=0, public_per_second=0, **settings) as made:
        running.append(made)
        yield made
    await store.close()


@pytest.fixture
async def server(tmp_path):
    """Time stands still unless a test moves it."""
    async with desk_at(tmp_path) as made:
        yield made


@asynccontextmanager
async def desk_on_a_port(store):
    """The service on a real port of this machine, with an editor: the server, its address and the account."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with serving(store, public_url=address, client_per_second=0, public_per_second=0) as server:
        app = uvicorn.Server(uvicorn.Config(server.app, log_level="warning", lifespan="off"))
        running = asyncio.create_task(app.serve(sockets=[listener]))
        account = await add_account(store)
        yield server, address, account
        app.should_exit = True
        await running
    listener.close()


def note_complaints(page):
    """Keep in `page.complaints` what the browser reports as an error."""
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
