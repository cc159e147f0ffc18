"""Webhooks: who is told of what an organization changes."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from api import hooks
from api.auth import Caller
from api.depends import Given, OrganizationId, known_caller
from api.errors import json_response
from api.openapi import documented, linked, refusals
from api.schemas import answered, asked, json_content
from api.services import Services
from mapping.documents.webhooks import WebhookAddress, WebhookSubscription
from mapping.errors import Forbidden, InvalidRequest
from mapping.rules import addresses
from store import webhooks

Json = dict[str, Any]
Responses = dict[int | str, Json]

router = APIRouter(tags=["Webhooks"])

BASE = "/apigw/webhooks/v2/organization/{organizationId}"
OLDER = "/api/v5/webhooks"

READING = refusals(401, 403, 404)
CHANGING = refusals(401, 403, 404, 413, 422)


def of_path(organization_id: OrganizationId, services: Given, caller: Annotated[Caller, Depends(known_caller)]) -> str:
    """The path's organization, if the client may manage its webhooks."""
    return allowed(organization_id, services, caller)


def of_client(
    services: Given,
    caller: Annotated[Caller, Depends(known_caller)],
    organization_id: Annotated[str | None, Query(description="Where the client belongs to several")] = None,
) -> str:
    """The organization that the query names, else the only one of the client."""
    named = organization_id or (min(caller.organizations) if len(caller.organizations) == 1 else "")
    if not named:
        raise InvalidRequest("organization_id is missing: the client belongs to several", field="organization_id")
    return allowed(named, services, caller)


def allowed(organization_id: str, services: Services, caller: Caller) -> str:
    """The organization; raises Forbidden when the client may not manage its webhooks."""
    caller.demand("webhooks")
    caller.demand_organization(organization_id)
    if services.organizations(organization_id) is None:
        raise Forbidden("the client has no access to this organization")
    return organization_id


OfPath = Annotated[str, Depends(of_path)]
OfClient = Annotated[str, Depends(of_client)]


def body(schema: Json, example: Json) -> Json:
    """The documentation of a body that the operation reads itself."""
    return {"requestBody": {"required": True, "content": json_content(schema, example)}}


def _subscribed(area: str, *names: str) -> Responses:
    """The answer that holds a subscription; the operations `names` take the body that was sent."""
    answer = documented(WebhookSubscription, "The subscription; `secret` only where it is new")
    for name in names:
        answer = linked(answer, f"{area}.{name}", body="$request.body")
    return {200: answer, **CHANGING}


WEB = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\x00-\x20\x7f-\x9f\\@/?#]+[^\x00-\x20\x7f-\x9f\\]*$"
"""The form of an address; whether it may be called is known once its name is resolved."""
CALLABLE: Json = {
    "allOf": [asked(WebhookAddress), {"properties": {"url": {"maxLength": addresses.LONGEST, "pattern": WEB}}}]
}
EXAMPLE = {"url": "https://cms.example.org/hooks/liveblog"}
ADDRESS = body(asked(WebhookAddress), EXAMPLE)
NEW_ADDRESS = body(CALLABLE, EXAMPLE)
SUBSCRIBED = _subscribed("webhooks", "unsubscribe", "rotate", "ping")
SUBSCRIBED_V5 = _subscribed("webhooks.v5", "unsubscribe")
ROTATED = _subscribed("webhooks")
EMPTY: Json = {"type": "object", "maxProperties": 0}
UNSUBSCRIBED: Responses = {200: {"description": "Nothing", "content": json_content(EMPTY, {})}, **CHANGING}
LIST: Json = {
    "type": "object",
    "required": ["webhooks"],
    "properties": {"webhooks": {"type": "array", "items": answered(WebhookSubscription)}},
}
LISTED: Responses = {200: {"description": "All subscriptions", "content": json_content(LIST)}, **READING}


@router.post(
    f"{BASE}/subscribe",
    operation_id="webhooks.subscribe",
    summary="Subscribe an endpoint",
    response_class=Response,
    responses=SUBSCRIBED,
    openapi_extra=NEW_ADDRESS,
)
async def subscribe(request: Request, services: Given, organization_id: OfPath) -> Response:
    """Subscribe an endpoint, or enable it again; the answer to a new one holds its secret, once (interface: Webhooks)."""
    return await _subscribe(request, services, organization_id)


@router.post(
    f"{BASE}/unsubscribe",
    operation_id="webhooks.unsubscribe",
    summary="Unsubscribe an endpoint",
    response_class=Response,
    responses=UNSUBSCRIBED,
    openapi_extra=ADDRESS,
)
async def unsubscribe(request: Request, services: Given, organization_id: OfPath) -> Response:
    """Forget a subscription and its log (interface: Webhooks)."""
    return await _unsubscribe(request, services, organization_id)


@router.head(f"{BASE}/list", include_in_schema=False)
@router.get(
    f"{BASE}/list",
    operation_id="webhooks.list",
    summary="List subscriptions",
    response_class=Response,
    responses=LISTED,
)
async def list_subscriptions(services: Given, organization_id: OfPath) -> Response:
    """The organization's subscriptions (interface: Webhooks)."""
    return await _list(services, organization_id)


@router.post(
    f"{OLDER}/subscribe.json",
    operation_id="webhooks.v5.subscribe",
    summary="Subscribe an endpoint (older address)",
    response_class=Response,
    responses=SUBSCRIBED_V5,
    openapi_extra=NEW_ADDRESS,
)
async def subscribe_v5(request: Request, services: Given, owner: OfClient) -> Response:
    """Like `subscribe`, at the older address."""
    return await _subscribe(request, services, owner)


@router.post(
    f"{OLDER}/unsubscribe.json",
    operation_id="webhooks.v5.unsubscribe",
    summary="Unsubscribe an endpoint (older address)",
    response_class=Response,
    responses=UNSUBSCRIBED,
    openapi_extra=ADDRESS,
)
async def unsubscribe_v5(request: Request, services: Given, owner: OfClient) -> Response:
    """Like `unsubscribe`, at the older address."""
    return await _unsubscribe(request, services, owner)


@router.head(f"{OLDER}/index.json", include_in_schema=False)
@router.get(
    f"{OLDER}/index.json",
    operation_id="webhooks.v5.index",
    summary="List subscriptions (older address)",
    response_class=Response,
    responses=LISTED,
)
async def index_v5(services: Given, owner: OfClient) -> Response:
    """Like `list`, at the older address."""
    return await _list(services, owner)


@router.post(
    f"{BASE}/rotate",
    operation_id="webhooks.rotate",
    summary="Give a subscription a new secret",
    response_class=Response,
    responses=ROTATED,
    openapi_extra=ADDRESS,
)
async def rotate(request: Request, services: Given, organization_id: OfPath) -> Response:
    """A new secret, shown once; the one before signs too for a while (interface: Webhooks)."""
    url = hooks.address_of(WebhookAddress, await request.body()).url
    secret = webhooks.new_secret()
    overlap = services.settings.secret_overlap
    row = await services.store.write(
        partial(webhooks.rotate, organization_id=organization_id, url=url, secret=secret, overlap=overlap)
    )
    return json_response(hooks.subscription(row, secret))


async def _subscribe(request: Request, services: Services, organization_id: str) -> Response:
    url = hooks.address_of(WebhookAddress, await request.body()).url
    await hooks.check_callable(services, organization_id, url)
    secret, limit = webhooks.new_secret(), services.settings.webhooks_per_organization
    row, new = await services.store.write(
        partial(webhooks.subscribe, organization_id=organization_id, url=url, secret=secret, limit=limit)
    )
    return json_response(hooks.subscription(row, secret if new else None))


async def _unsubscribe(request: Request, services: Services, organization_id: str) -> Response:
    url = hooks.address_of(WebhookAddress, await request.body()).url
    await services.store.write(partial(webhooks.unsubscribe, organization_id=organization_id, url=url))
    return json_response({})


async def _list(services: Services, organization_id: str) -> Response:
    rows = await services.store.read(partial(webhooks.listed, organization_id=organization_id))
    return json_response({"webhooks": [hooks.subscription(row) for row in rows]})
