"""A tick that tidies up after matches: those that nobody needs any more are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from store import sync

if TYPE_CHECKING:
    from store.database import Store

log = structlog.get_logger()


async def close_abandoned(store: Store) -> None:
    """Follow no match whose last liveblog was deleted; a tick that finds nothing writes nothing."""
    if await store.read(sync.abandoned):
        for follow_id in await store.write(sync.close_abandoned):
            log.info("match.abandoned", follow=follow_id)
