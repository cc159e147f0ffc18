"""What the guards found out about a request, for whoever answers it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from starlette.types import Scope

    from api.auth import Caller
    from api.query import Query
    from api.rendered import Rendered

KEY, HEADERS = "matchwire", "matchwire.headers"


@dataclass(slots=True, kw_only=True)
class Context:
    """One request: its id and parameters, what was rendered lately, who asks, and headers that its answer will carry."""

    request_id: str
    query: Query
    rendered: Rendered
    caller: Caller | None = None
    headers: dict[str, str] = field(default_factory=dict)


def context_of(scope: Scope) -> Context:
    """The context that the guard has put into the scope."""
    context: Context = scope[KEY]
    return context


def headers_of(scope: Scope) -> Headers:
    """The headers of the request, read once."""
    known: Headers | None = scope.get(HEADERS)
    if known is None:
        known = scope[HEADERS] = Headers(scope=scope)
    return known
