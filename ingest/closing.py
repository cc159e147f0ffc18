"""Ticks that tidy up after matches: those that nobody needs any more are closed, and the bodies of closed ones go."""

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


async def forget_closed(store: Store) -> None:
    """Give back the room that the last bodies of closed matches take."""
    await store.write(sync.forget_closed)
