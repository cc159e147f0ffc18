"""How far the outbox can be read without missing a row that is committed late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store import outbox

if TYPE_CHECKING:
    from store.database import Store


class Horizon:
    """The id up to which everything is settled; it only moves forward."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._mark: tuple[int, int] | None = None
        self.value = 0

    async def advance(self) -> bool:
        """Look again; False while a transaction under way may still bring rows that are older than the newest."""
        last, settled = await self._store.glance(outbox.last_id)
        if settled:
            self.value = last
            return True
        if last <= self.value:
            return True
        now = await self._store.read(outbox.transactions)
        if self._mark is not None and now.first >= self._mark[1]:
            self.value, self._mark = self._mark[0], None
        if now.first >= now.next:
            self.value, self._mark = last, None
        elif self._mark is None and last > self.value:
            self._mark = (last, now.next)
        return self.value >= last
