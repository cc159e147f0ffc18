"""How a response describes the connection of a liveblog to its provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from sqlalchemy import Connection

from store.engine.errors import UnreadableRow, reading
from store.following import sources, sync

log = structlog.get_logger(__name__)


def externals(conn: Connection, game_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """`external` of those of the liveblogs that are on a match, by `ticker_id`: match, terms, and health of the feed.

    One whose rows cannot be read is left out and logged.
    """
    try:
        return _externals(conn, game_ids)
    except UnreadableRow as error:
        if len(game_ids) == 1:
            log.warning("external.unreadable", liveblog=game_ids[0], reason=str(error))
            return {}
    return {key: found for game_id in game_ids for key, found in externals(conn, [game_id]).items()}


def _externals(conn: Connection, game_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    with reading("attachments, resources"):
        found_on = sources.sources_of(conn, game_ids)
        health = sources.resources_of(conn, {source.follow_id for source in found_on})
        return {source.game_id: describe_source(source, health.get(source.follow_id, {})) for source in found_on}


def describe_source(source: sources.Source, resources: Mapping[str, sync.ResourceRow]) -> dict[str, Any]:
    """`external` of a liveblog. Raises UnreadableRow."""
    terms = sync.terms_of(source)
    return {
        "_type": "Svc::Model::External",
        "provider": source.provider,
        "selector": {
            "_type": "Svc::Model::ExternalSelector",
            f"{source.selector['kind']}Id": source.selector["id"],
            "matchId": source.match_id,
        },
        "autoPost": {
            "_type": "Svc::Model::ExternalAutoPost",
            "enabled": terms.auto_post,
            "excludeScoreboard": terms.exclude_scoreboard,
            "excludeEvents": sorted(terms.exclude_events),
            "includeTextContent": terms.text,
        },
        "locale": terms.locale,
        "paused": terms.paused,
        "status": source.status,
        "feedHealth": {
            name: {
                "_type": "Svc::Model::FeedHealth",
                "lastGood": row.good_at,
                "lastChange": row.changed_at,
                "failures": row.failures,
                "skipped": len(row.faults),
            }
            for name, row in resources.items()
        },
    }
