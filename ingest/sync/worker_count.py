"""How many processes follow matches, as a process sees it that follows none itself."""

from __future__ import annotations

from ingest.sync.match_leases import LEASE, PeerMonitor, steady
from mapping.errors import StoreUnavailable
from store.database import Store
from store.following.leases import heartbeats


class WorkerCount:
    """Counts when somebody wants to know, so nothing runs beside; a process that hangs counts until it was quiet for `LEASE`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._peers = PeerMonitor(LEASE, gap=LEASE)

    async def alive(self) -> int | None:
        """None while the database does not say."""
        try:
            found = await self._store.read(heartbeats)
        except StoreUnavailable:
            return None
        self._peers.look(found, steady())
        return len(found) - len(self._peers.dead())
