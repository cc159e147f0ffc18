"""Liveblogs from an external provider, over HTTP: created, looked at before, shown, changed, attached to a match, taken off it."""

from __future__ import annotations

from starlette.responses import Response

from api.external import operations
from api.external.operations import LIVEBLOG_ID
from api.http.errors import json_response
from api.http.openapi import (
    IF_MATCH,
    READ_ERRORS,
    WRITE_ERRORS,
    document_answer,
    in_path,
    json_body,
    operation,
    readable,
    refusals,
    request_schema,
)
from api.http.param import KEY, NAME, Flag, Text, idempotency_key
from api.http.request import ApiRequest
from api.view.liveblog_access import expected_version
from mapping.documents.external import (
    AttachToExternal,
    CreateFromExternal,
    ExternalChange,
    ExternalPreview,
    ExternalSource,
)
from mapping.documents.game import Game
from mapping.documents.timeline import PostTimelines
from store.following.sources import NamedLiveblog
from store.timeline.timeline import timeline_of

TAG = "External providers"
PATH = (in_path("organizationId"), in_path(LIVEBLOG_ID))
SETTINGS = {
    "autoPostEnabled": True,
    "autoPostConfiguration": {"excludeEvents": ["soccer.yellow-card"]},
    "paused": False,
}
SHOW = operation(
    "liveblog.external",
    "Show what a liveblog takes over from its match",
    TAG,
    {200: document_answer(ExternalSource, "The settings, the match and the health of the feed"), **READ_ERRORS},
    parameters=PATH,
)
CHANGE = operation(
    "liveblog.changeExternal",
    "Change what a liveblog takes over from its match",
    TAG,
    {200: document_answer(ExternalSource, "The settings as they are now"), **WRITE_ERRORS},
    parameters=[*PATH, IF_MATCH],
    body=json_body(request_schema(ExternalChange), SETTINGS),
)
ATTACH = operation(
    "liveblog.attachExternal",
    "Put a liveblog that exists on a provider's match",
    TAG,
    {200: document_answer(Game, "The decorated liveblog, with `external`"), **WRITE_ERRORS},
    parameters=PATH,
    body=json_body(request_schema(AttachToExternal), {"provider": "heim", "matchId": "8315073", **SETTINGS}),
)
DETACH = operation(
    "liveblog.detachExternal",
    "Take a liveblog off its match",
    TAG,
    {200: document_answer(Game, "The decorated liveblog, without `external`"), **WRITE_ERRORS},
    parameters=PATH,
)
POST = Text("eventId", "One post by its `local_id`")
TIMELINE = operation(
    "liveblog.timeline",
    "Show when posts were said, seen, believed, committed and delivered",
    TAG,
    {200: document_answer(PostTimelines, "The posts that the sync wrote, those written last first"), **READ_ERRORS},
    parameters=[*PATH, POST],
)
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
    TAG,
    {200: CREATED, **WRITE_ERRORS},
    parameters=[in_path("organizationId"), KEY_OF_CREATION],
    body=json_body(request_schema(CreateFromExternal), EXAMPLE),
)
SELECTOR = {"type": "string", "maxLength": 255, "pattern": r"^([^\x00-\x20\x7f-\x9f]{1,255})?$"}
WITH_TEXT = Flag("includeTextContent", "Refuse a match without text")
PREVIEW = operation(
    "liveblog.previewExternal",
    "Look at a provider's match before a liveblog is made of it",
    TAG,
    {
        200: document_answer(ExternalPreview, "What the match holds now; nothing is created"),
        **READ_ERRORS,
        **refusals(422),
    },
    parameters=[
        in_path("organizationId"),
        Text("provider", "The provider", NAME, required=True),
        Text("matchId", "The match; `matchId`, `phaseId` or `overallId` has to be given", SELECTOR),
        Text("phaseId", "A phase that holds the match", SELECTOR),
        Text("overallId", "An overall that holds the match", SELECTOR),
        WITH_TEXT,
    ],
)


def named_liveblog(request: ApiRequest) -> NamedLiveblog:
    """The liveblog that the path names."""
    return NamedLiveblog(str(request.path_params[LIVEBLOG_ID]), request.organization_id)


async def create_from_external(request: ApiRequest) -> Response:
    """Create a liveblog that a provider's match fills (interface: Create a liveblog from an external provider)."""
    made = await operations.create(
        request.services,
        await request.json(),
        organization_id=request.organization_id,
        client_id=request.caller.client_id,
        key=idempotency_key(request.headers),
    )
    return json_response(made)


async def show_preview(request: ApiRequest) -> Response:
    """Fetch a match as createFromExternal would, and show what it holds (ours)."""
    found = await operations.preview(
        request.services,
        request.query,
        organization_id=request.organization_id,
        client_id=request.caller.client_id,
        text=WITH_TEXT.of(request.query),
    )
    return json_response(found, headers={"Cache-Control": "no-store"})


async def show(request: ApiRequest) -> Response:
    """Show the settings under which a liveblog follows its match (interface: Liveblog from a provider)."""
    return json_response(await operations.show(request.services, named_liveblog(request)))


async def show_timeline(request: ApiRequest) -> Response:
    """The timeline of the liveblog's posts, or of one (ours: timeline)."""
    named, post = named_liveblog(request), POST.of(request.query) or None
    found = await request.services.store.read(lambda conn: timeline_of(conn, named.find(conn), post))
    return json_response(found, headers={"Cache-Control": "no-store"})


async def change(request: ApiRequest) -> Response:
    """Change these settings; the posts that are there follow within seconds (interface: Liveblog from a provider)."""
    services, named = request.services, named_liveblog(request)
    document = await request.document(ExternalChange)
    game = await operations.change(services, named, document, expected_version(request.headers))
    request.audit("liveblog.changeExternal", liveblog=game.local_id, version=game.version)
    return json_response(await operations.show(services, named))


async def attach(request: ApiRequest) -> Response:
    """Put the liveblog on a match, or on another one than so far (interface: Liveblog from a provider)."""
    named, body = named_liveblog(request), await request.json()
    game = await operations.attach(request.services, named, body, client_id=request.caller.client_id)
    request.audit("liveblog.attachExternal", liveblog=game["local_id"], version=game.get("version"))
    return json_response(game)


async def detach(request: ApiRequest) -> Response:
    """Take the liveblog off its match; its posts are the editors' from then on (interface: Liveblog from a provider)."""
    game = await operations.detach(request.services, named_liveblog(request))
    request.audit("liveblog.detachExternal", liveblog=game["local_id"], version=game["version"])
    return json_response(game)
