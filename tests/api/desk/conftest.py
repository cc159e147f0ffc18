"""The API over a store whose clock is the server's: what is stored ends as time passes."""

from contextlib import asynccontextmanager

import pytest

from providers.http_server import address_of, bind_socket, listening
from store.clients import clients
from store.masterdata import declarations
from tests.api.conftest import NOW, declared_database, open_store, serving
from tests.kit import matchday
from tests.kit.browser import AT_ONCE
from tests.kit.event_desk import Desk
from tests.kit.openid_servers import forger
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


@pytest.fixture
def forged():
    """A provider of OpenID Connect that says what the test says."""
    with forger() as made:
        yield made


BOTH_DATABASES = pytest.mark.parametrize("desk", ["sqlite", "postgresql"], indirect=True)
"""The mark of a test that holds on either database."""


@asynccontextmanager
async def desk_on_a_port(store, **settings):
    """The service on a real port of this machine, with an editor: the server, its address and the account."""
    listener = bind_socket("127.0.0.1", 0)
    address = address_of(listener)
    async with (
        serving(store, public_url=address, client_per_second=0, public_per_second=0, **settings) as server,
        listening(server.app, listener, **AT_ONCE),
    ):
        yield server, address, await add_account(store)


@pytest.fixture
async def desk(request, tmp_path):
    """The service on a real port with the derby, an editor and a client; its address is in `address`.

    Readers see it too where the test's module says `PUBLIC = True`.
    """
    if getattr(request, "param", "sqlite") == "sqlite":
        url = copied_url(tmp_path / "test.db", declared_database)
    else:
        url = request.getfixturevalue("postgres_url")
    store = await open_store(url)
    if url.startswith("postgresql"):
        await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
        await store.write(lambda unit: declarations.declare(unit, matchday.TAGS))
    async with desk_on_a_port(store, public_feeds=getattr(request.module, "PUBLIC", False)) as (
        server,
        address,
        account,
    ):
        await server.add(matchday.derby())
        server.account, server.address, server.desk = account, address, Desk(server.http)
        yield server
    await store.close()


def note_complaints(page):
    """Keep in `page.complaints` what the browser reports as an error."""
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
