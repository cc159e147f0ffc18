"""An adapter polled again and again, and the posts of each answer."""

from __future__ import annotations

from ingest.kit.quarantine import Quarantine
from ingest.sync.follower import Followers
from ingest.sync.import_match import Importer, ProviderSource
from store.engine.ids import new_local_id
from tests.kit.scripted import OWNER, Process
from tests.kit.settings import LIMITS, polling


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
        self.importer = Importer(
            self.crashing, {(OWNER, self.provider.id): source}, self.followers, providers=known, limits=LIMITS
        )
