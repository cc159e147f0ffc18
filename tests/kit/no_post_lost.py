"""An adapter polled again and again, and the posts of each answer."""

from ingest.kit.quarantine import Quarantine
from ingest.sync.follower import Followers
from ingest.sync.import_match import MatchImporter
from ingest.sync.provider_source import ProviderSource
from store.engine.liveblog_records import new_local_id
from tests.kit.scripted import OWNER, Process
from tests.kit.settings import LIMITS, polling
from tests.kit.watched import Observed, course


class Polled(Process):
    """The sync on one match of the contract's server, by any provider's own adapter."""

    provider = None

    def start(self):
        self.followers = Followers(
            self.crashing,
            {self.adapter.endpoint.key: self.adapter},
            polling(),
            LIMITS,
            clock=lambda: self.clock.now,
            new_id=lambda: new_local_id("e"),
            quarantine=Quarantine(),
        )
        source = ProviderSource(self.provider, self.adapter, text_content=True)
        known = frozenset({self.provider.id})
        self.importer = MatchImporter(
            self.crashing, {(OWNER, self.provider.id): source}, self.followers, providers=known, limits=LIMITS
        )


class Followed:
    """A match that the sync follows into a store, polled by hand with whatever answers."""

    def __init__(self, store, name):
        self.course = course(name)
        self.watch = Observed(self.course.provider, self.course.match_id)
        process = type("Of", (Polled,), {"provider": self.course.provider})
        self.process = process(store, self.course.match_id, self.watch.adapter)
        self.ticker_id = ""

    async def settle(self, bodies):
        self.watch.answers = bodies
        if not self.ticker_id:
            text = self.watch.adapter.text_resource is not None
            self.ticker_id = await self.process.create(provider=self.course.provider.id, text=text)
        await self.process.settle()

    async def after(self, bodies):
        """The version after one poll."""
        self.watch.answers = bodies
        await self.process.poll()
        return (await self.process.game(self.ticker_id)).version

    async def posts(self):
        """Key → `local_id` and document of what is public."""
        rows = await self.process.ledger(self.ticker_id)
        return {key: (rows[key].local_id, document) for key, document in (await self.posted()).items()}

    async def posted(self):
        return await self.process.posted(self.ticker_id)

    @property
    def settled(self):
        return not any(match.pending or match.afresh for match in self.process.matches)
