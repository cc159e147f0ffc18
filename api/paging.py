"""Searches of the write API: whose records, which page, and the collection that answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.query import integer
from mapping.errors import Forbidden, InvalidRequest
from store.listing import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.auth import Caller
    from api.context import Context
    from api.query import Query

LIMIT, LIMIT_MAX = 30, 1000
DEEPEST = 1_000_000
"""How many records a client may page through."""


def asked_of(context: Context) -> Query:
    """The query's parameters; one without a value says nothing."""
    return {name: value for name, value in context.query.items() if value != ""}


def page_of(query: Query, number: str = "page") -> Page:
    """The page that is asked for; `number` names the parameter that counts. Raises InvalidRequest."""
    limit = integer(query, "limit", LIMIT, low=1, high=LIMIT_MAX)
    page = integer(query, number, 1, low=1, high=DEEPEST)
    if limit * page > DEEPEST:
        raise InvalidRequest(f"limit times {number} should be at most {DEEPEST}", field=number)
    return Page(limit, page)


def owners_of(query: Query, caller: Caller) -> Sequence[str]:
    """The organization that is asked for, else all of the caller's; raises Forbidden."""
    owner = query.get("owner_id")
    if owner is None:
        return sorted(caller.organizations)
    check_owner(caller, owner, field="owner_id")
    return [owner]


def check_owner(caller: Caller, organization_id: str, *, field: str) -> None:
    """Raise Forbidden, with the field, when the organization is not among the client's."""
    if organization_id not in caller.organizations:
        raise Forbidden("the client has no access to this organization", field=field)


def collection(objects: Sequence[dict[str, Any]], total: int, page: Page) -> dict[str, Any]:
    """One page as the interface gives it."""
    return {
        "_type": "Svc::Model::Collection",
        "objects": list(objects),
        "total": total,
        "page": page.number,
        "limit": page.limit,
        "more": page.number * page.limit < total,
    }
