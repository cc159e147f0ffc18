"""Puts a fetched match on a liveblog that exists, and begins to follow it.

What the provider's word counts for from then on is written by the sync; what stays the editors' is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ingest.sync.snapshot import Snapshot, save_answers
from mapping.documents.import_options import ImportOptions
from mapping.errors import Unprocessable
from mapping.liveblog.prefill import EVERYTHING
from mapping.match.match import Match
from mapping.posts.merge import same
from store.engine.liveblog_records import Change, StoredGame
from store.engine.unit import Unit
from store.following import closing, follow_rows, ledger, moves, sources, standbys
from store.following.import_request import ImportRequest
from store.following.sources import NamedLiveblog, change_terms, lock_with_match
from store.liveblogs import liveblogs

HANDED_OVER = ("scoreboard", "state_info", "options", "squads")
HANDED_OVER_META = ("_type", "home_team", "away_team", "tournament", "location", "starts_at")
"""Parts of a liveblog that follow the match from now on, whoever wrote them; its title, say, stays the editors'."""


def take_over(
    unit: Unit, request: ImportRequest, match: Match, attachment: follow_rows.Attachment, terms: ImportOptions
) -> str | None:
    """Put the liveblog that the request names on the match, as `attachment` says: its `ticker_id`, where that is to be filled.

    It is taken off the match that it is on. None where it is or was on this very match, under whatever id: it goes on with the
    posts that it has, which whoever follows the match compares with what is believed of it; where it is on it, only its terms
    and sources change, and it is open again. Raises NotFound, and Unprocessable for another sport, and where the
    configuration wants another match for a liveblog that it declares.
    """
    game, before = lock_with_match(unit, NamedLiveblog(request.attach_to or "", request.organization_id))
    if before is not None and before.follow_id == attachment.follow_id:
        if request.declared_key is not None:
            follow_rows.save_selector(unit, game.id, attachment.selector)
        _stay(unit, request, game, before, terms)
        return None
    if game.sportstype != match.sport:
        raise Unprocessable(f"this is a match of {match.sport}", field=f"{request.selector_kind}Id")
    written = ledger.rows(unit.conn, game.id, only={ledger.GAME_KEY}).get(ledger.GAME_KEY)
    earlier = moves.earlier_follow(unit.conn, game.id, attachment.follow_id, match)
    if before is not None:
        sources.detach(unit, before, keeps_standbys=earlier == before.follow_id)
    if earlier is not None:
        moves.take_along(unit, game.id, earlier, attachment.follow_id)
    attached = replace(attachment, game_id=game.id)
    if request.declared_key is None and before is not None and before.declared_key is not None:
        selector = {**attachment.selector, "declared": follow_rows.declared_selector(before)}
        attached = replace(attached, selector=selector, declared_key=before.declared_key)
    follow_rows.attach(unit, attached)
    goes_on = bool(ledger.keys(unit.conn, game.id))
    if request.declared_key is not None and not goes_on:
        raise Unprocessable("the configuration names another match; it needs another key", field="matchId")
    if not ledger.rows(unit.conn, game.id, only={ledger.GAME_KEY}):
        start_ledger(unit, game.id, handed_over(game.document, ledger.game_of(written)))
    if goes_on:
        _go_on(unit, request, game, attached, terms)
        return None
    return game.id


def _go_on(
    unit: Unit, request: ImportRequest, game: StoredGame, attachment: follow_rows.Attachment, terms: ImportOptions
) -> None:
    """Have the match looked at afresh for a liveblog that comes back to it, with one step."""
    follow_rows.look_afresh(unit, attachment.follow_id)
    if request.sources is not None:
        request.sources(unit, attachment)
    same_locale = game.document.get("locale") == terms.locale
    liveblogs.record(unit, game.id, Change(game=None if same_locale else {**game.document, "locale": terms.locale}))


def _stay(
    unit: Unit, request: ImportRequest, game: StoredGame, attachment: follow_rows.Attachment, terms: ImportOptions
) -> None:
    """Change terms and sources of a liveblog that is on the match already, with one step at most, and open it again."""
    stepped = change_terms(unit, game, attachment, terms)
    if request.sources is not None and request.sources(unit, attachment) and not stepped:
        liveblogs.record(unit, game.id, Change())
    closing.open_again(unit, game.id, attachment.follow_id)


def start_ledger(unit: Unit, game_id: str, document: Mapping[str, Any]) -> None:
    """Begin the ledger: the sync itself wrote the pre-filled liveblog, also the parts that it keeps up to date only later."""
    ledger.begin(unit, game_id, {name: document[name] for name in EVERYTHING if name in document})


def handed_over(document: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    """What of the document counts as written by the sync: the parts that follow the match, and what it wrote itself before."""
    kept = {name: document[name] for name in HANDED_OVER if name in document}
    before, now = written.get("meta_info") or {}, document.get("meta_info") or {}
    meta = {
        name: value
        for name, value in now.items()
        if name in HANDED_OVER_META or (name in before and same(before[name], value))
    }
    return {**kept, "meta_info": meta}


@dataclass(frozen=True, slots=True)
class FetchedStandby:
    """A match that was found at its provider. Implements `store.following.import_request.FoundStandby`."""

    request: ImportRequest
    endpoint: str
    snapshot: Snapshot

    def follow(self, unit: Unit, attachment: follow_rows.Attachment) -> str:
        """Have it followed, where it can be the match of the liveblog; gives its follow. Raises Unprocessable."""
        standbys.check_match(unit.conn, attachment, self.snapshot.match)
        row = follow_match(unit, self.request, self.endpoint, self.snapshot)
        if not follow_rows.resources(unit.conn, row.id):
            save_answers(unit, row.id, self.snapshot)
        return row.id


def follow_match(unit: Unit, request: ImportRequest, endpoint: str, snapshot: Snapshot) -> follow_rows.FollowRow:
    """The match's row, opened again where it was closed; the liveblogs that were closed with it stay so."""
    match = snapshot.match
    row = follow_rows.follow_for(
        unit,
        follow_rows.NewFollow(
            endpoint=endpoint,
            provider=match.provider,
            organization_id=request.organization_id,
            match_id=match.match_id,
            sport=match.sport,
            status=match.sent_status.value,
            kickoff=match.kickoff,
            teams=follow_rows.teams_text(match),
            hints=dict(snapshot.hints or {}),
        ),
        kickoff_open=match.kickoff_open,
    )
    if row.closed_at is not None:
        follow_rows.save_follow(unit, row.id, closed_at=None)
    return row
