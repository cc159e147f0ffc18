"""What the receivers of a process read and claim of their rows, for many of them at a time: ten thousand may begin together."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ingest.kit.batcher import Batcher
from store.webhooks import deliveries, outbox
from store.webhooks.deliveries import DeliveredBefore, Locked
from store.webhooks.outbox import OutboxSpan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from store.database import Store
    from store.webhooks.outbox import OutboxRow
    from store.webhooks.webhooks import Subscription

BATCH = 100
"""Rows of the outbox, or deliveries that wait, which a receiver reads at a time."""
TOGETHER = 200
"""Receivers of one unit, or one read: so few that whoever writes beside them waits some milliseconds."""


class ReceiverRows:
    """One unit or read at a time of each kind, so that a crowd of receivers takes no more turns from others than one does."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._claims = Batcher[tuple[str, str], "Subscription | Locked"](self._claim, most=TOGETHER)
        self._renewals = Batcher[tuple[str, int], "Subscription"](self._renew, most=TOGETHER)
        self._news = Batcher[OutboxSpan, "list[OutboxRow]"](self._read_news, most=TOGETHER)
        self._histories = Batcher[tuple[str, int], "DeliveredBefore"](self._read_histories, most=TOGETHER)

    async def claim(self, webhook_id: str, owner: str) -> Subscription | None:
        """The receiver, claimed for `owner`; None when it is gone, disabled, or claimed by a living process.

        Raises UnreadableRow, StoreUnavailable.
        """
        found = await self._claims.result((webhook_id, owner))
        if found is Locked.ROW:  # by somebody who is about to let go of it; nobody else waits for that
            return await self._store.write(partial(deliveries.claim, webhook_id=webhook_id, owner=owner))
        return found

    async def renew(self, claimed: Subscription) -> Subscription | None:
        """The receiver as it is now; None where it is not to be delivered to under this claim any more. Raises as `claim`."""
        return await self._renewals.result((claimed.id, claimed.fence))

    async def delivered_before(self, claimed: Subscription) -> DeliveredBefore:
        """What the log holds of the receiver. Raises StoreUnavailable."""
        return await self._histories.result((claimed.id, claimed.cursor)) or DeliveredBefore()

    async def news(self, organization_id: str, *, after: int, through: int) -> list[OutboxRow]:
        """`outbox.rows_of`, the first `BATCH`; those who want the same at a time share a query. Raises StoreUnavailable."""
        return await self._news.result(OutboxSpan(organization_id, after, through)) or []

    async def _claim(self, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Subscription | Locked | Exception]:
        found: dict[tuple[str, str], Subscription | Locked | Exception] = {}
        for owner in {owner for _, owner in keys}:
            ids = [webhook_id for webhook_id, of in keys if of == owner]
            result = await self._store.write(partial(deliveries.claim_all, webhook_ids=ids, owner=owner))
            found.update({(webhook_id, owner): claimed for webhook_id, claimed in result.claimed.items()})
            found.update({(webhook_id, owner): Locked.ROW for webhook_id in result.locked})
        return found

    async def _renew(self, keys: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Subscription | Exception]:
        return await self._store.read(partial(deliveries.still_claimed, claims=keys))

    async def _read_news(self, wanted: Sequence[OutboxSpan]) -> Mapping[OutboxSpan, list[OutboxRow]]:
        return await self._store.read(partial(outbox.rows_of_all, wanted=set(wanted), limit=BATCH))

    async def _read_histories(self, keys: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], DeliveredBefore]:
        return await self._store.read(partial(deliveries.delivered_before, cursors=keys))
