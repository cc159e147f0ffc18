"""Liveblogs that the operator declares: created once each, at start or some time before kick-off."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import structlog
from sqlalchemy import Connection

from config.organizations import Liveblog, StandbyEntry
from ingest.kit.quarantine import AGAIN, Quarantine
from ingest.sync.import_match import MatchImporter, terms_of
from mapping.documents.import_options import MOST_STANDBYS, ImportOptions
from mapping.documents.scalars import LocalStatus
from mapping.errors import ServiceError
from store.database import Store
from store.engine.liveblog_records import Change
from store.engine.unit import Unit
from store.following import follow_rows, moves, sources, standbys
from store.following.import_request import FoundStandby, ImportRequest, StandbyRequest
from store.following.standbys import StandbyRow
from store.liveblogs import liveblogs

log = structlog.get_logger()

LOOK = 3600.0
"""Seconds after which a kick-off is requested again, at the latest."""


class Declared:
    """What is still to be created, each as a job with a key; what failed is tried again later.

    `clock` gives Unix seconds, to compare with the kick-off. What is put off waits by `steady`, in each process for itself.
    """

    def __init__(
        self,
        declared: tuple[Liveblog, ...],
        store: Store,
        importer: MatchImporter,
        *,
        clock: Callable[[], float],
        quarantine: Quarantine,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open = {f"declare {entry.organization}/{entry.key}": entry for entry in declared}
        self._not_before: dict[str, float] = {}
        self._store = store
        self._importer = importer
        self._clock = clock
        self._steady = steady
        self._quarantined = quarantine

    @property
    def jobs(self) -> Mapping[str, Callable[[], Awaitable[None]]]:
        """What each key means."""
        return {key: partial(self._try, key, entry) for key, entry in self._open.items()}

    async def due(self) -> list[str]:
        """The keys whose time has come; what exists by now, whoever created it, is left out for good."""
        keys = [key for key in self._open if self._is_due(key)]
        return [key for key in keys if not await self._is_done(key)]

    async def tick(self) -> None:
        """Create what is due, one after the other."""
        for key in await self.due():
            try:
                await self._try(key, self._open[key])
            except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this one
                self._leave_out(key, error)

    def clock_set(self, seconds: float) -> None:  # noqa: ARG002 -- whichever way: what waits was planned by another clock
        """The wall clock was set: look again at everything that is still to be created."""
        self._not_before.clear()

    async def _is_done(self, key: str) -> bool:
        """Whether there is nothing to be done for it now."""
        try:
            exists = await self._exists(self._open[key])
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this one
            self._leave_out(key, error)
            return True
        self._quarantined.recovered("liveblog", key, key=key)
        if exists:
            self._open.pop(key, None)
        return exists

    def _leave_out(self, key: str, error: Exception) -> None:
        self._quarantined.failed("liveblog", key, error, key=key)
        self._not_before[key] = self._steady() + AGAIN

    async def _try(self, key: str, entry: Liveblog) -> None:
        if not self._is_due(key) or await self._exists(entry):
            return
        look = partial(follow_rows.find_declared, organization_id=entry.organization, key=entry.key)
        try:
            found = await self._store.read(look)
            waits = entry.lead is not None and found is None
            kickoff = await self._importer.kickoff(_request(entry)) if waits else None
            early = 0.0 if kickoff is None or entry.lead is None else kickoff - entry.lead - self._clock()
            if early > 0:
                self._not_before[key] = self._steady() + min(early, LOOK)
            else:
                game_id = await self._importer.create(
                    _request(entry) if found is None else _request_again(entry, found)
                )
                for standby in entry.standby:
                    await self._add(key, entry, standby, game_id)
        except ServiceError as error:
            self._put_off(key, entry, error)

    def _put_off(self, key: str, entry: Liveblog, error: ServiceError) -> None:
        log.warning("liveblog.declared_failed", key=entry.key, cause=error.message, retryable=error.retryable)
        self._not_before[key] = self._steady() + (30 if error.retryable else 600)

    async def _add(self, key: str, entry: Liveblog, standby: StandbyEntry, game_id: str) -> None:
        """Have the source stand by for the liveblog, beside those that do already; one that is away keeps no other one waiting."""
        known = await self._store.read(partial(standbys.of_liveblog, game_id=game_id))
        if _stands_by(standby, known):
            return
        request = StandbyRequest(entry.organization, standby.provider, standby.match_id)
        try:
            found = await self._importer.find_standby(request)
            followed = await self._store.write(partial(_stand_by, standby.provider, found=found, game_id=game_id))
            await self._importer.follow(followed)
        except ServiceError as error:
            self._put_off(key, entry, error)
        else:
            log.info("standby.added", key=entry.key, provider=standby.provider, match=standby.match_id)

    def _is_due(self, key: str) -> bool:
        return self._steady() >= self._not_before.get(key, float("-inf"))

    async def _exists(self, entry: Liveblog) -> bool:
        """Whether the liveblog is there, with the sources that are to stand by."""
        return await self._store.read(partial(_is_there, entry))


def _is_there(entry: Liveblog, conn: Connection) -> bool:
    found = follow_rows.find_declared(conn, entry.organization, entry.key)
    if found is None:
        return False
    game = liveblogs.find_game(conn, found.game_id)
    if game is None or game.local_status == LocalStatus.DELETED:
        return True
    if _is_renamed(entry, found):
        return False
    if not entry.standby or found.closed_at is not None:
        return True
    known = standbys.of_liveblog(conn, found.game_id)
    return all(_stands_by(each, known) for each in entry.standby)


def _stands_by(standby: StandbyEntry, known: Sequence[StandbyRow]) -> bool:
    """Whether the source stands by, or so many others do that somebody has named since that it cannot."""
    if any(row.provider == standby.provider for row in known):
        ids = standby.match_id, standby.match_id.lstrip("0")
        return any(row.provider == standby.provider and row.match_id in ids for row in known)
    return len(known) >= MOST_STANDBYS


def _stand_by(provider: str, unit: Unit, found: FoundStandby, game_id: str) -> list[str]:
    """The unit: the match stands by for the liveblog, beside those of other providers; gives the follows to be looked at."""
    attachment = follow_rows.attachment(unit.conn, game_id)
    if attachment is None:
        return []
    sources.lock(unit, attachment.follow_id)
    game = liveblogs.lock_game(unit, game_id)
    follow_id = found.follow(unit, attachment)
    known = standbys.of_liveblog(unit.conn, game_id)
    ids = [follow_id if each.provider == provider else each.follow_id for each in known]
    if not moves.change_standbys(unit, game_id, ids if follow_id in ids else [*ids, follow_id]):
        return []
    liveblogs.record(unit, game.id, Change())
    return [follow_id, attachment.follow_id]


async def retune(declared: tuple[Liveblog, ...], store: Store, quarantine: Quarantine) -> None:
    """Give liveblogs that exist already the terms that are declared now; their next poll applies them to everything.

    Raises StoreUnavailable; what else goes wrong with one of them is its own matter.
    """
    for entry in declared:
        look = partial(follow_rows.find_declared, organization_id=entry.organization, key=entry.key)
        found = await store.read(look)
        if found is None:
            continue
        try:
            if await store.write(partial(_retune, entry)):
                log.info("liveblog.terms_changed", key=entry.key)
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this one
            quarantine.failed("liveblog", found.game_id, error, liveblog=found.game_id, key=entry.key)


def _retune(entry: Liveblog, unit: Unit) -> bool:
    found = follow_rows.find_declared(unit.conn, entry.organization, entry.key)
    if found is None:
        return False
    terms = follow_rows.terms_of(found)
    wanted = replace(terms_of(_request(entry), terms.sport), paused=terms.paused, withdrawn=terms.withdrawn).as_dict()
    if wanted == terms.as_dict():
        return False
    follow_rows.save_terms(unit, found.game_id, wanted)
    return True


def _is_renamed(entry: Liveblog, found: follow_rows.Attachment) -> bool:
    """Whether the configuration names the match by another id than it did."""
    kind, given = entry.selector
    return follow_rows.declared_selector(found) != {"kind": kind, "id": given}


def _request_again(entry: Liveblog, found: follow_rows.Attachment) -> ImportRequest:
    """For the liveblog that there is already: it is put on the match again where that has another id now."""
    request = _request(entry)
    if not _is_renamed(entry, found):
        return request
    terms = follow_rows.terms_of(found)
    kept = replace(request.terms, paused=terms.paused, withdrawn=terms.withdrawn)
    return replace(request, attach_to=found.game_id, terms=kept)


def _request(entry: Liveblog) -> ImportRequest:
    kind, given = entry.selector
    return ImportRequest(
        organization_id=entry.organization,
        client_id="config",
        provider=entry.provider,
        selector_kind=kind,
        selector_id=given,
        terms=ImportOptions(
            sport="",
            title=entry.title,
            locale=entry.locale,
            text=entry.include_text_content,
            auto_post=entry.auto_post,
            exclude_scoreboard=entry.exclude_scoreboard,
            exclude_events=frozenset(entry.exclude_events),
            confirm=entry.confirm,
        ),
        declared_key=entry.key,
    )
