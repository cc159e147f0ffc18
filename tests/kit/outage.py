"""Matches of a provider that fails on demand."""

import asyncio
from contextlib import asynccontextmanager

from mapping.errors import StoreUnavailable
from tests.kit.limited_provider import Provider, followed, followers_of

MANY = 100


class Flaky:
    """A store that can be lost: everything fails then."""

    def __init__(self, store=None):
        self.store = store
        self.lost = False

    @property
    def liveness(self):
        return self.store.liveness

    async def write(self, work):
        if self.lost:
            raise StoreUnavailable("the database does not answer")
        return None if self.store is None else await self.store.write(work)

    async def read(self, query):
        return await self.store.read(query)


class Matches:
    """Followers of so many live matches; each has something to write at its next poll."""

    def __init__(self, store, number=MANY, **pace):
        self.now, self.provider, self.store = 1000.0, Provider(), store
        matches = [followed(self.provider, name, bad={"match"}, good_at=1000.0) for name in range(number)]
        self.followers = followers_of(self.provider, matches, store=store, clock=lambda: self.now, **pace)
        for match in matches:
            self.followers.schedule(match, 0.0)

    @asynccontextmanager
    async def running(self):
        driving = asyncio.create_task(self.followers.run())
        yield
        driving.cancel()
        await self.followers.stop()

    async def until(self, condition):
        async with asyncio.timeout(30):
            while not condition():
                await asyncio.sleep(0.01)
