"""A match that was fetched, followed from now on: for a liveblog that is made of it, or beside that of another provider."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.sync.answers import save_answers
from ingest.sync.snapshot import Snapshot
from store.engine.unit import Unit
from store.following import standbys, sync
from store.following.import_request import ImportRequest


@dataclass(frozen=True, slots=True)
class FetchedStandby:
    """A match that was found at its provider. Implements `store.following.import_request.FoundStandby`."""

    request: ImportRequest
    endpoint: str
    snapshot: Snapshot

    def follow(self, unit: Unit, attachment: sync.Attachment) -> str:
        """Have it followed, where it can be the match of the liveblog; gives its follow. Raises Unprocessable."""
        standbys.check_match(unit.conn, attachment, self.snapshot.match)
        row = follow_match(unit, self.request, self.endpoint, self.snapshot)
        if not sync.resources(unit.conn, row.id):
            save_answers(unit, row.id, self.snapshot)
        return row.id


def follow_match(unit: Unit, request: ImportRequest, endpoint: str, snapshot: Snapshot) -> sync.FollowRow:
    """The match's row, opened again where it was closed; the liveblogs that were closed with it stay so."""
    match = snapshot.match
    row = sync.follow_for(
        unit,
        sync.NewFollow(
            endpoint=endpoint,
            provider=match.provider,
            organization_id=request.organization_id,
            match_id=match.match_id,
            sport=match.sport,
            status=match.sent_status.value,
            kickoff=match.kickoff,
            teams=sync.teams_text(match),
            hints=dict(snapshot.hints or {}),
        ),
        kickoff_open=match.kickoff_open,
    )
    if row.closed_at is not None:
        sync.save_follow(unit, row.id, closed_at=None)
    return row
