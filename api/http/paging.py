"""Searches of the write API: their parameters, the organizations and the page, and the collection of what is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from api.http.json_path import Json
from api.http.param import Flag, Integer, Param, Query, Text
from api.http.request import Caller
from mapping.errors import Forbidden, InvalidRequest
from store.liveblogs.listing import Listed, Page

LIMIT_DEFAULT, LIMIT_MAX = 30, 1000
DEEPEST = 1_000_000
"""How many records a client may page through."""

Q = Text("q", "Full text; each word matches as a beginning, without accents")
OWNER = Text("owner_id", "One of the client's organizations; without it all of them")
SPORT = Text("sportstype", "Records of this sport")
ARCHIVE = Text("archive_id", "Accepted; there are no archives, so it filters nothing")
LIMIT = Integer("limit", "Records a page", low=1, high=LIMIT_MAX, default=LIMIT_DEFAULT)
PAGE = Integer("page", "The page; `limit` times `page` is at most 1,000,000", low=1, high=DEEPEST, default=1)
PLAYERS_TEAM = Text("team_id", "Players of this team")
INACTIVE = Flag("include_inactive", "Also players that left the squad list")


def filters(*each: Param) -> tuple[Json, ...]:
    """The parameters of a search; one without a value says nothing."""
    return tuple({**parameter.document, "allowEmptyValue": True} for parameter in each)


def drop_empty(parameters: Query) -> Query:
    """The parameters that have a value; one without says nothing."""
    return {name: value for name, value in parameters.items() if value != ""}


def page_of(parameters: Query, number: Integer = PAGE) -> Page:
    """The requested page; `number`: the parameter that counts. Raises InvalidRequest."""
    limit, page = LIMIT.of(parameters), number.of(parameters)
    if limit * page > DEEPEST:
        raise InvalidRequest(f"limit times {number.name} should be at most {DEEPEST}", field=number.name)
    return Page(limit, page)


def owners_of(parameters: Query, caller: Caller) -> Sequence[str]:
    """The requested organization, else all of the caller's; raises Forbidden."""
    owner = parameters.get("owner_id")
    if owner is None:
        return sorted(caller.organizations)
    check_owner(caller, owner, field="owner_id")
    return [owner]


def check_owner(caller: Caller, organization_id: str, *, field: str) -> None:
    """Raise Forbidden, with the field, when the organization is not among the client's."""
    if organization_id not in caller.organizations:
        raise Forbidden("the client has no access to this organization", field=field)


def collection(objects: Sequence[dict[str, Any]], found: Listed[Any], page: Page) -> dict[str, Any]:
    """One page of what was found as the interface gives it."""
    return {
        "_type": "Svc::Model::Collection",
        "objects": list(objects),
        "total": found.total,
        "total_exact": found.exact,
        "page": page.number,
        "limit": page.limit,
        "more": page.number * page.limit < found.total,
    }
