"""Creation of a liveblog from an external provider: the rules of the request; the importing itself is handed in."""

from __future__ import annotations

import hashlib
import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from api.http.errors import json_response
from api.http.idempotency import KEY, idempotency_key
from api.http.openapi import WRITE_ERRORS, document_answer, in_path, json_body, operation, readable, request_schema
from api.http.request import parse_document
from api.view.references import decorate
from mapping.documents.external import CreateFromExternal
from mapping.documents.game import Game
from mapping.errors import InvalidRequest, NotFound, Unprocessable
from store.following.import_request import ImportRequest, SelectorKind
from store.liveblogs import liveblogs

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection
    from starlette.datastructures import Headers
    from starlette.responses import Response

    from api.http.json_path import Json
    from api.http.request import ApiRequest
    from mapping.documents.external import AttachToExternal, ExternalChange

SELECTORS: tuple[SelectorKind, ...] = get_args(SelectorKind)
"""In the order of their precedence."""
SELECTOR_ID = re.compile(r"[^\x00-\x20\x7f-\x9f]{1,255}")


EXAMPLE = {
    "provider": "heim",
    "matchId": "8315073",
    "locale": "en",
    "includeTextContent": True,
    "autoPostEnabled": True,
    "autoPostConfiguration": {"excludeScoreboard": False, "excludeEvents": ["soccer.yellow-card"]},
}


KEY_OF_CREATION = {
    **KEY,
    "description": "The same key with the same body gives the same liveblog; 1-255 visible ASCII characters",
}
CREATED = readable(document_answer(Game, "The decorated liveblog, with `external`"))


CREATE = operation(
    "liveblog.createFromExternal",
    "Create a liveblog that a provider's match fills",
    "External providers",
    {200: CREATED, **WRITE_ERRORS},
    parameters=[in_path("organizationId"), KEY_OF_CREATION],
    body=json_body(request_schema(CreateFromExternal), EXAMPLE),
)


async def create_from_external(request: ApiRequest) -> Response:
    """Create a liveblog that a provider's match fills (interface: Create a liveblog from an external provider)."""
    services = request.services
    wanted = import_request(
        await request.json(),
        organization_id=request.organization_id,
        client_id=request.caller.client_id,
        headers=request.headers,
        providers=services.providers,
        event_types=services.event_types,
    )
    game_id = await services.importer.create(wanted)
    return json_response(await services.store.read(partial(created_game, game_id=game_id)))


def created_game(conn: Connection, game_id: str) -> Json:
    """The decorated liveblog, with `external`."""
    return decorate(conn, liveblogs.require_game(conn, game_id))


def import_request(
    body: dict[str, Any],
    *,
    organization_id: str,
    client_id: str,
    headers: Headers,
    providers: Collection[str],
    event_types: Collection[str],
) -> ImportRequest:
    """The body as a checked request; raises InvalidRequest, NotFound or Unprocessable with the field at fault."""
    check_provider(body.get("provider"), providers)
    document = _document(body)
    kind, selector_id = selector_of(document)
    auto = document.auto_post_configuration if document.auto_post_enabled else None
    check_event_types(document, event_types)
    return ImportRequest(
        organization_id=organization_id,
        client_id=client_id,
        provider=document.provider,
        selector_kind=kind,
        selector_id=selector_id,
        title=document.title or None,
        locale=document.locale,
        text=document.include_text_content,
        auto_post=document.auto_post_enabled,
        exclude_scoreboard=bool(auto and auto.exclude_scoreboard),
        exclude_events=tuple(auto.exclude_events) if auto else (),
        idempotency_key=idempotency_key(headers),
        idempotency_digest=digest(body),
    )


def digest(body: dict[str, Any]) -> str:
    """SHA-256 in hex of what the body means."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def check_provider(provider: Any, providers: Collection[str]) -> None:
    """Raise InvalidRequest, NotFound or Unprocessable unless this is one of the providers."""
    if provider is None or provider == "":
        raise InvalidRequest("provider is missing", field="provider")
    if not isinstance(provider, str):
        raise Unprocessable("provider should be a string", field="provider")
    if provider not in providers:
        raise NotFound("there is no such provider", field="provider")


def _document(body: dict[str, Any]) -> CreateFromExternal:
    # null says the same as leaving a name out: none of these fields can be cleared.
    return parse_document(CreateFromExternal, {name: value for name, value in body.items() if value is not None})


def selector_of(document: CreateFromExternal | AttachToExternal) -> tuple[SelectorKind, str]:
    """Kind and id of what the document names first; raises Unprocessable."""
    for kind in SELECTORS:
        value: str | None = getattr(document, f"{kind}_id")
        if value and SELECTOR_ID.fullmatch(value):
            return kind, value
        if value:
            raise Unprocessable("an id has at most 255 characters, none of them blank", field=f"{kind}Id")
    raise Unprocessable("one of matchId, phaseId, overallId should be given", field="matchId")


def check_event_types(document: CreateFromExternal | ExternalChange, known: Collection[str]) -> None:
    """Raise Unprocessable, with its path, for an event type that no provider has."""
    configured = document.auto_post_configuration
    for index, name in enumerate(configured.exclude_events if configured else ()):
        if name not in known:
            path = f"autoPostConfiguration.excludeEvents.{index}"
            raise Unprocessable("there is no such event type", field=path)
