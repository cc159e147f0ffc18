"""Ticks that look after the tables: abandoned matches, events whose time has come, corrections, unreadable clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import structlog

from ingest.kit.quarantine import Quarantine
from mapping.errors import ServiceError
from store.clients import clients
from store.database import Store
from store.engine.errors import UnreadableRow
from store.following import closing
from store.liveblogs import publishing
from store.masterdata import masterdata_use

log = structlog.get_logger()


async def close_abandoned(store: Store) -> None:
    """Follow no match whose last liveblog was deleted; a tick that finds nothing writes nothing."""
    if await store.read(closing.abandoned_matches):
        for follow_id in await store.write(closing.close_abandoned):
            log.info("match.abandoned", follow=follow_id)


async def publish_due(store: Store, clock: Callable[[], float], quarantine: Quarantine) -> None:
    """Publish what is due, one version step a liveblog (more where very much is due); a tick that finds nothing writes nothing.

    Raises StoreUnavailable; what else goes wrong with one liveblog is its own matter.
    """
    now = clock()
    for game_id in await store.read(lambda conn: publishing.due(conn, now)):
        with _quarantined(quarantine, "publish", game_id):
            while (version := await store.write(partial(publishing.publish, game_id=game_id))) is not None:
                log.info("events.published", game=game_id, version=version)


async def correct_liveblogs(store: Store, quarantine: Quarantine) -> None:
    """Bring corrected master data into the liveblogs that have it still to show; a tick that finds nothing writes nothing.

    Raises StoreUnavailable; what else goes wrong with one liveblog is its own matter.
    """
    for game_id in await store.read(masterdata_use.waiting):
        with _quarantined(quarantine, "correct", game_id):
            while await store.write(partial(masterdata_use.correct, game_id=game_id)):
                pass


@contextmanager
def _quarantined(quarantine: Quarantine, job: str, game_id: str) -> Iterator[None]:
    try:
        yield
    except ServiceError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this liveblog
        quarantine.failed("liveblog", f"{job} {game_id}", error, liveblog=game_id)
    else:
        quarantine.recovered("liveblog", f"{job} {game_id}", liveblog=game_id)


async def check_clients(store: Store, quarantine: Quarantine) -> None:
    """Say which clients cannot be read, and so may do nothing."""
    for row in await store.read(clients.list_clients):
        if row.readable:
            quarantine.recovered("client", row.id, client=row.id)
        else:
            cause = UnreadableRow("clients: secrets, organizations or scopes are no lists of texts")
            quarantine.failed("client", row.id, cause, client=row.id)
