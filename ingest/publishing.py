"""The tick that publishes events whose time has come."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import structlog

from store import publishing

if TYPE_CHECKING:
    from collections.abc import Callable

    from store.database import Store

log = structlog.get_logger()


async def publish_due(store: Store, clock: Callable[[], float]) -> None:
    """Publish what is due, one version step a liveblog; a tick that finds nothing writes nothing."""
    now = clock()
    for game_id in await store.read(lambda conn: publishing.due(conn, now)):
        version = await store.write(partial(publishing.publish, game_id=game_id))
        if version is not None:
            log.info("events.published", game=game_id, version=version)
