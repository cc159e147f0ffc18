"""A full house on either kind of database: one that all tests of a module read, and copies for those that write."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import structlog

from tests.api.conftest import Server, contents, open_store, serving
from tests.kit import full_house
from tests.kit.full_house import OWNER, House
from tests.kit.settings import configure
from tests.kit.sqlite import copied_url

DATABASES = ("sqlite", "postgresql")
ON_BOTH = pytest.mark.parametrize("houses", DATABASES, indirect=True, scope="module")
BOTH_IN_PROOF = pytest.mark.parametrize(
    "houses", ["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)], indirect=True, scope="module"
)
"""Of a test that PostgreSQL plays in `make proof`."""


@dataclass(frozen=True)
class Houses:
    """Copies of one full house. `copy`: makes one and gives its address; `database`: of which kind."""

    database: str
    house: House
    copy: Callable[[], str]
    _stored: dict[str, Any] = field(default_factory=dict)

    async def stored(self, server: Server) -> dict[str, Any]:
        """What is stored in each copy when it is made; looked at in the first one."""
        if not self._stored:
            self._stored.update(await contents(server))
        return self._stored

    @asynccontextmanager
    async def serve(self, **settings: Any) -> AsyncIterator[Server]:
        """The API over a copy of its own."""
        store = await open_store(self.copy())
        given = {"client_per_second": 0, "public_per_second": 0, "metrics": lambda _: (b"up 1\n", "text/plain")}
        try:
            async with serving(store, **given, **settings) as server:
                configure(server.services.settings, OWNER, comments="post")
                yield server
        finally:
            await store.close()


@pytest.fixture(scope="module")
def quiet():
    """No line of the log below an error: thousands of requests write as many, which nobody reads."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    yield
    structlog.configure(**before)


@pytest.fixture(scope="session")
def postgres_house(postgres_cluster, postgres_template):
    """The name of a full database, which others are made of, and what is in it."""
    url = postgres_cluster.create_database("full_house", postgres_template)
    with ThreadPoolExecutor(1) as thread:
        return "full_house", thread.submit(asyncio.run, full_house.fill(url)).result()


@pytest.fixture(scope="module")
def houses(request, tmp_path_factory):
    """Copies of a full house on a database of that kind."""
    made = []
    if request.param == "sqlite":
        content, house = full_house.sqlite_house()
        folder = tmp_path_factory.mktemp("houses")

        def copy():
            made.append(folder / f"{len(made)}.db")
            return copied_url(made[-1], lambda: content)

        yield Houses(request.param, house, copy)
        return
    cluster = request.getfixturevalue("postgres_cluster")
    template, house = request.getfixturevalue("postgres_house")

    def copy():
        made.append(f"house_{len(made)}")
        return cluster.create_database(made[-1], template)

    yield Houses(request.param, house, copy)
    for name in made:
        cluster.drop_database(name)
