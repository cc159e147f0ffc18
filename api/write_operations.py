"""How the operations on liveblogs and master data stand in the OpenAPI document."""

from __future__ import annotations

from typing import Any

from api.openapi import linked, query, refusals
from mapping.rules.timeframe import TIMEFRAMES

Json = dict[str, Any]

WRITE_ERRORS = refusals(401, 403, 404, 409, 413, 422)
SEARCH_ERRORS = refusals(401, 403, 404)

_LIMIT: Json = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 30}
_PAGE: Json = {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1}


def filters(*each: Json) -> tuple[Json, ...]:
    """The parameters of a search; one without a value says nothing."""
    return tuple({**parameter, "allowEmptyValue": True} for parameter in each)


Q = query("q", "Full text; each word matches as a beginning, without accents")
OWNER = query("owner_id", "One of the client's organizations; without it all of them")
SPORT = query("sportstype", "Records of this sport")
ARCHIVE = query("archive_id", "Accepted; there are no archives, so it filters nothing")
LIMIT = query("limit", "Records a page", _LIMIT)
PAGE = query("page", "The page; `limit` times `page` is at most 1,000,000", _PAGE)
PLAYERS_TEAM = query("team_id", "Players of this team")
INACTIVE = query("include_inactive", "Also players that left the squad list", {"type": "boolean", "default": False})
GAME_SEARCH = filters(
    OWNER,
    query("q", "Full text over titles and teams; each word matches as a beginning"),
    query("template_id", "A sport or a custom template"),
    query("team_id", "Liveblogs in which the team plays"),
    query("tag", "Liveblogs with this label, by its name or `_id`"),
    query("timeframe", "When the liveblog starts", {"type": "string", "enum": list(TIMEFRAMES)}),
    LIMIT,
    query("more", "The page", _PAGE),
)
READS = {
    "ticker.show": "local_id",
    "ticker.delta": "id",
    "ticker.stream": "liveblogId",
    "liveblog.page": "liveblogId",
    "feed.rss": "liveblogId",
    "feed.atom": "liveblogId",
    "feed.json": "liveblogId",
}
"""Operations that read a liveblog, and the parameter that takes its `local_id`."""


def readable(answer: Json) -> Json:
    """The answer with a link to whatever reads the liveblog that it holds."""
    for operation, parameter in READS.items():
        answer = linked(answer, operation, **{parameter: "local_id"})
    return answer
