"""Finds the matches at other providers that are to stand by for a liveblog's own, and has them followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.external.change_sources import check_standby_match
from api.http.services import ImportRequest
from ingest.sync.answers import save_answers
from ingest.sync.import_match import first_snapshot, follow_match
from mapping.import_options import ImportOptions
from store.following import sync

if TYPE_CHECKING:
    from collections.abc import Iterable

    from api.http.services import StandbyRequest
    from ingest.sync.import_match import Following, Importer
    from ingest.sync.snapshot import Snapshot
    from store.engine.unit import Unit


@dataclass(frozen=True, slots=True)
class FetchedStandby:
    """A match that was found at its provider. Implements `api.http.services.FoundStandby`."""

    request: ImportRequest
    endpoint: str
    snapshot: Snapshot

    def follow(self, unit: Unit, attachment: sync.Attachment) -> str:
        """Have it followed, where it can be the match of the liveblog; gives its follow. Raises Unprocessable."""
        check_standby_match(unit.conn, attachment, self.snapshot.match)
        row = follow_match(unit, self.request, self.endpoint, self.snapshot)
        if not sync.resources(unit.conn, row.id):
            save_answers(unit, row.id, self.snapshot)
        return row.id


class StandbyFinder:
    """Serves `standby` of external.json, and that of liveblogs which the configuration declares."""

    def __init__(self, importer: Importer, followers: Following) -> None:
        self._importer = importer
        self._followers = followers

    async def find(self, wanted: StandbyRequest) -> FetchedStandby:
        """The match, as its provider gives it now; raises what createFromExternal raises."""
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
        return FetchedStandby(request, source.adapter.endpoint.key, snapshot)

    async def follow(self, follow_ids: Iterable[str]) -> None:
        """Have these matches looked at, once the unit that named them is committed."""
        for follow_id in follow_ids:
            await self._followers.follow(follow_id, afresh=True)
