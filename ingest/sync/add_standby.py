"""Has another provider's match stand by for a liveblog's own, once both can be the same one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import structlog

from api.external.change_sources import MATCH_FIELD, PROVIDER_FIELD
from api.external.source import NamedLiveblog, lock, require_attachment
from api.http.services import ImportRequest
from api.view.liveblog_access import check_version
from ingest.sync.answers import save_answers
from ingest.sync.import_match import first_snapshot, follow_match
from mapping.errors import OtherMatch, Unprocessable
from mapping.fusion.same_match import COMPARABLE, why_other_match
from mapping.import_options import ImportOptions
from store.following import standbys, sync
from store.liveblogs import liveblogs

if TYPE_CHECKING:
    from api.http.services import StandbyRequest
    from ingest.sync.import_match import Following, Importer
    from ingest.sync.snapshot import Snapshot
    from store.database import Store
    from store.engine.unit import Unit

log = structlog.get_logger()


class AddStandby:
    """Serves `standby` of external.json, and that of liveblogs which the configuration declares."""

    def __init__(self, store: Store, importer: Importer, followers: Following) -> None:
        self._store = store
        self._importer = importer
        self._followers = followers

    async def __call__(self, wanted: StandbyRequest) -> None:
        """Have the match stand by; nothing where it does already.

        Raises NotFound without the liveblog or the provider, Unprocessable where it cannot be the same match, and what
        createFromExternal raises.
        """
        request = ImportRequest.of_terms(
            ImportOptions(sport=""),
            organization_id=wanted.organization_id,
            client_id="",
            provider=wanted.provider,
            selector_kind="match",
            selector_id=wanted.match_id,
        )
        source, fetched, match, arrival = await self._importer.fetch(request)
        snapshot = first_snapshot(match, fetched, arrival, text=source.adapter.text_resource)
        named = NamedLiveblog(wanted.liveblog, wanted.organization_id)
        endpoint = source.adapter.endpoint.key
        add = partial(
            stand_by, named=named, request=request, endpoint=endpoint, snapshot=snapshot, if_match=wanted.if_match
        )
        changed = await self._store.write(add)
        for follow_id in changed:
            await self._followers.follow(follow_id, afresh=True)
        if changed:
            log.info("standby.added", liveblog=wanted.liveblog, provider=wanted.provider, match=match.match_id)


def stand_by(
    unit: Unit,
    named: NamedLiveblog,
    *,
    request: ImportRequest,
    endpoint: str,
    snapshot: Snapshot,
    if_match: int | None = None,
) -> tuple[str, ...]:
    """The unit: the match is followed, and stands by for the liveblog; gives the follows that have to be looked at.

    `if_match`: the version that the liveblog has to have. Raises Conflict, NotFound and Unprocessable.
    """
    game, found = lock(unit, named)
    check_version(if_match, changed=game.version, current=game.version)
    attachment = require_attachment(found)
    _check(unit, attachment, snapshot)
    follow = follow_match(unit, request, endpoint, snapshot)
    known = standbys.of_liveblog(unit.conn, game.id)
    if known is not None and known.follow_id == follow.id:
        return ()
    if not sync.resources(unit.conn, follow.id):
        save_answers(unit, follow.id, snapshot)
    standbys.add(unit, game.id, follow.id)
    liveblogs.record(unit, game.id, liveblogs.Change())
    return follow.id, attachment.follow_id


def _check(unit: Unit, attachment: sync.Attachment, snapshot: Snapshot) -> None:
    """Raise Unprocessable where the match cannot stand by for that of the liveblog."""
    match = snapshot.match
    if match.provider == attachment.provider:
        raise Unprocessable("the liveblog's match is this provider's already", field=PROVIDER_FIELD)
    if match.sport not in COMPARABLE:
        raise Unprocessable(f"there are no standby sources for {match.sport}", field=MATCH_FIELD)
    _, belief = sync.packed_match(unit.conn, attachment.follow_id)
    why = None if belief is None else why_other_match(sync.unpacked_belief(belief).match, match)
    if why is not None:
        raise OtherMatch(why, field=MATCH_FIELD)
