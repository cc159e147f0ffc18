"""What a provider's match holds, to be looked at before a liveblog is made of it or put on it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.external.endpoint import check_provider, selector_of
from api.http.errors import json_response
from api.http.openapi import READ_ERRORS, document_answer, in_path, operation, query, refusals
from api.http.request import boolean, parse_document
from mapping.documents.external import CreateFromExternal
from mapping.documents.external_preview import ExternalPreview
from store.following.import_request import ImportRequest
from store.following.overview import liveblogs_on

if TYPE_CHECKING:
    from starlette.responses import Response

    from api.http.request import ApiRequest

SELECTED = {"type": "string", "maxLength": 255, "pattern": r"^([^\x00-\x20\x7f-\x9f]{1,255})?$"}
PREVIEW = operation(
    "liveblog.previewExternal",
    "Look at a provider's match before a liveblog is made of it",
    "External providers",
    {
        200: document_answer(ExternalPreview, "What the match holds now; nothing is created"),
        **READ_ERRORS,
        **refusals(422),
    },
    parameters=[
        in_path("organizationId"),
        query("provider", "The provider", {"type": "string", "minLength": 1}, required=True),
        query("matchId", "The match; `matchId`, `phaseId` or `overallId` has to be given", SELECTED),
        query("phaseId", "A phase that holds the match", SELECTED),
        query("overallId", "An overall that holds the match", SELECTED),
        query("includeTextContent", "Refuse a match without text", {"type": "boolean", "default": False}),
    ],
)


async def show_preview(request: ApiRequest) -> Response:
    """Fetch a match as createFromExternal would, and show what it holds (ours)."""
    services, named = request.services, request.query
    check_provider(named.get("provider"), services.providers)
    names = {name: named[name] for name in ("provider", "matchId", "phaseId", "overallId") if named.get(name)}
    kind, selector_id = selector_of(parse_document(CreateFromExternal, names))
    wanted = ImportRequest(
        organization_id=request.organization_id,
        client_id=request.caller.client_id,
        provider=names["provider"],
        selector_kind=kind,
        selector_id=selector_id,
        title=None,
        locale="en",
        text=boolean(named, "includeTextContent"),
        auto_post=False,
        exclude_scoreboard=False,
        exclude_events=(),
        idempotency_key=None,
        idempotency_digest="",
    )
    found = await services.importer.preview(wanted)
    provider, match_id = found["provider"], found["selector"]["matchId"]
    find = partial(liveblogs_on, organization_id=wanted.organization_id, provider=provider, match_id=match_id)
    return json_response({**found, "liveblogs": await services.store.read(find)}, headers={"Cache-Control": "no-store"})
