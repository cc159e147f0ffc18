"""Liveblogs that the operator declares: created once each, at start or some time before kick-off."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import structlog

from api.services import ImportRequest
from ingest.importing import terms_of
from mapping.errors import ServiceError
from mapping.terms import Terms
from store import sync

if TYPE_CHECKING:
    from collections.abc import Callable

    from config.parties import Liveblog
    from ingest.importing import Importer
    from store.database import Store
    from store.unit import Unit

log = structlog.get_logger()


class Declared:
    """What is still to be created; each tick tries what is due, and what failed is tried again later."""

    def __init__(
        self, declared: tuple[Liveblog, ...], store: Store, importer: Importer, *, clock: Callable[[], float]
    ) -> None:
        self._open = {(entry.organization, entry.key): entry for entry in declared}
        self._not_before: dict[tuple[str, str], float] = {}
        self._store = store
        self._importer = importer
        self._clock = clock

    async def tick(self) -> None:
        """Create what is due, one after the other."""
        for name, entry in list(self._open.items()):
            if self._clock() >= self._not_before.get(name, 0.0):
                await self._try(name, entry)

    async def _try(self, name: tuple[str, str], entry: Liveblog) -> None:
        if await self._store.read(partial(sync.declared, organization_id=entry.organization, key=entry.key)):
            del self._open[name]
            return
        try:
            kickoff = None if entry.lead is None else await self._importer.kickoff(_request(entry))
            if kickoff is not None and entry.lead is not None and kickoff - entry.lead > self._clock():
                self._not_before[name] = min(kickoff - entry.lead, self._clock() + 3600)
                return
            await self._importer(_request(entry))
        except ServiceError as error:
            log.warning("liveblog.declared_failed", key=entry.key, cause=error.message, retryable=error.retryable)
            self._not_before[name] = self._clock() + (30 if error.retryable else 600)
            return
        del self._open[name]


def retune(declared: tuple[Liveblog, ...], unit: Unit) -> None:
    """Give liveblogs that exist already the terms that are declared now; their next poll applies them to everything."""
    for entry in declared:
        found = sync.declared(unit.conn, entry.organization, entry.key)
        if found is None:
            continue
        terms = Terms.from_dict(found.terms)
        wanted = terms_of(_request(entry), terms.sport).as_dict()
        if wanted != terms.as_dict():
            sync.save_terms(unit, found.game_id, wanted)
            log.info("liveblog.terms_changed", key=entry.key)


def _request(entry: Liveblog) -> ImportRequest:
    kind, given = entry.selector
    return ImportRequest(
        organization_id=entry.organization,
        client_id="config",
        provider=entry.provider,
        selector_kind=kind,
        selector_id=given,
        title=entry.title,
        locale=entry.locale,
        text=entry.include_text_content,
        auto_post=entry.auto_post,
        exclude_scoreboard=entry.exclude_scoreboard,
        exclude_events=entry.exclude_events,
        idempotency_key=None,
        idempotency_digest="",
        declared_key=entry.key,
    )
