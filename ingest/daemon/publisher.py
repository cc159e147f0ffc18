"""The tick that publishes events whose time has come."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import structlog

from ingest.daemon.containment import Containment
from mapping.errors import ServiceError
from store import publishing

if TYPE_CHECKING:
    from collections.abc import Callable

    from store.database import Store

log = structlog.get_logger()


async def publish_due(store: Store, clock: Callable[[], float], containment: Containment | None = None) -> None:
    """Publish what is due, one version step a liveblog (more where very much is due); a tick that finds nothing writes nothing.

    Raises StoreUnavailable; what else goes wrong with one liveblog is its own matter.
    """
    now, contained = clock(), containment or Containment()
    for game_id in await store.read(lambda conn: publishing.due(conn, now)):
        try:
            while (version := await store.write(partial(publishing.publish, game_id=game_id))) is not None:
                log.info("events.published", game=game_id, version=version)
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this liveblog
            contained.failed("liveblog", f"publish {game_id}", error, liveblog=game_id)
        else:
            contained.recovered("liveblog", f"publish {game_id}", liveblog=game_id)
