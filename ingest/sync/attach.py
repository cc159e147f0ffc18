"""Putting a match on a liveblog that exists: what the provider's word counts for from then on, and what stays the editors'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.external.source import NamedLiveblog, change_terms, lock
from ingest.sync import apply_snapshot
from mapping.errors import Unprocessable
from mapping.merge import same
from store import ledger, sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.services import ImportRequest
    from mapping.match import Match
    from mapping.terms import Terms
    from store.sync import FollowRow
    from store.unit import Unit

HANDED_OVER = ("scoreboard", "state_info", "options", "squads")
HANDED_OVER_META = ("_type", "home_team", "away_team", "tournament", "location", "starts_at")
"""Parts of a liveblog that follow the match from now on, whoever wrote them; its title, say, stays the editors'."""


def take_over(
    unit: Unit, request: ImportRequest, match: Match, follow: FollowRow, terms: Terms
) -> tuple[str, str | None] | None:
    """Prepare the liveblog that the request names for the match: its `ticker_id`, and the key under which it is declared.

    It is taken off the match that it is on. None where that is this very match: then only its terms change. Raises
    NotFound, and Unprocessable for another sport.
    """
    game, before = lock(unit, NamedLiveblog(request.attach_to or "", request.organization_id))
    if before is not None and before.follow_id == follow.id:
        change_terms(unit, game, before, terms)
        return None
    if game.sportstype != match.sport:
        raise Unprocessable(f"this is a match of {match.sport}", field=f"{request.selector_kind}Id")
    written = ledger.game_of(ledger.rows(unit.conn, game.id, only={ledger.GAME_KEY}).get(ledger.GAME_KEY))
    if before is not None:
        sources.detach(unit, before)
    apply_snapshot.start_ledger(unit, game.id, handed_over(game.document, written))
    return game.id, None if before is None else before.declared_key


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
