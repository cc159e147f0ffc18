"""The log of webhook deliveries, and sending again what it tells of."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from api import hooks
from api.depends import Asked, Given
from api.errors import json_response
from api.openapi import documented, refusals
from api.openapi import query as parameter
from api.query import integer
from api.schemas import asked, json_content
from api.webhooks import ADDRESS, BASE, READING, Json, OfPath, Responses, body
from mapping.documents.webhooks import WebhookAddress, WebhookDeliveries, WebhookReplay
from mapping.errors import NotFound
from store import deliverylog

router = APIRouter(tags=["Webhooks"])

PAGE = 50
LONGEST_PAGE = 500
QUEUED: Json = {"type": "object", "required": ["queued"], "properties": {"queued": {"type": "integer", "minimum": 0}}}
REPEATING: Responses = {
    200: {"description": "How many messages wait to be sent", "content": json_content(QUEUED)},
    **refusals(401, 403, 404, 409, 413, 422),
}
RANGE = body(asked(WebhookReplay), {"url": "https://cms.example.org/hooks/liveblog", "since": 1795176000})
OLDEST_KEPT = 10**14
SECOND: Json = {"type": "integer", "minimum": 0, "maximum": hooks.FAR}
PARAMETERS = [
    parameter("url", "Of this endpoint alone"),
    parameter("liveblogId", "Of this liveblog alone"),
    parameter("outcome", "How the round ended", {"type": "string", "enum": [*hooks.OUTCOMES, ""]}),
    parameter("since", "Ended at this second or later", SECOND),
    parameter("until", "Ended before this second", SECOND),
    parameter("before", "`next` of the page before", {"type": "integer", "minimum": 1, "maximum": OLDEST_KEPT}),
    parameter("limit", "Rows of a page", {"type": "integer", "minimum": 1, "maximum": LONGEST_PAGE, "default": PAGE}),
]
LOG = documented(WebhookDeliveries, "Rounds, the newest first")


@router.post(
    f"{BASE}/ping",
    operation_id="webhooks.ping",
    summary="Send a test message",
    response_class=Response,
    responses=REPEATING,
    openapi_extra=ADDRESS,
)
async def ping(request: Request, services: Given, organization_id: OfPath) -> Response:
    """Send a signed message of the type `ping`; the log tells how it went (interface: Webhooks)."""
    url = hooks.address_of(WebhookAddress, await request.body()).url
    await services.store.write(partial(deliverylog.ping, organization_id=organization_id, url=url))
    return json_response({"queued": 1})


@router.head(f"{BASE}/deliveries", include_in_schema=False)
@router.get(
    f"{BASE}/deliveries",
    operation_id="webhooks.deliveries",
    summary="The log of deliveries",
    response_class=Response,
    responses={200: LOG, **READING},
    openapi_extra={"parameters": PARAMETERS},
)
async def deliveries(asked: Asked, services: Given, organization_id: OfPath) -> Response:
    """Rounds of deliveries, the newest first, page by page (interface: Webhooks)."""
    query = asked.query
    size = integer(query, "limit", PAGE, low=1, high=LONGEST_PAGE)
    start = integer(query, "before", 0, low=1, high=OLDEST_KEPT) or None
    wanted = hooks.log_filter(query)
    rows = await services.store.read(
        partial(deliverylog.page, organization_id=organization_id, wanted=wanted, before=start, limit=size + 1)
    )
    shown, more = rows[:size], len(rows) > size
    following = {"next": str(shown[-1].id)} if more else {}
    return json_response({"deliveries": [hooks.delivery(row) for row in shown], "more": more, **following})


@router.post(
    f"{BASE}/deliveries/{{deliveryId}}/replay",
    operation_id="webhooks.replay",
    summary="Deliver once more",
    response_class=Response,
    responses=REPEATING,
)
async def replay(
    services: Given, organization_id: OfPath, delivery_id: Annotated[str, Path(alias="deliveryId")]
) -> Response:
    """Deliver once more what a row of the log tells of (interface: Webhooks)."""
    if not (delivery_id.isascii() and delivery_id.isdigit() and len(delivery_id) < 16):
        raise NotFound("there is no such delivery", field="deliveryId")
    count = await services.store.write(
        partial(deliverylog.replay, organization_id=organization_id, delivery_id=int(delivery_id))
    )
    return json_response({"queued": count})


@router.post(
    f"{BASE}/replay",
    operation_id="webhooks.replayRange",
    summary="Deliver a span of time once more",
    response_class=Response,
    responses=REPEATING,
    openapi_extra=RANGE,
)
async def replay_range(request: Request, services: Given, organization_id: OfPath) -> Response:
    """Deliver once more what changed in a span of time, in order (interface: Webhooks)."""
    wanted = hooks.address_of(WebhookReplay, await request.body())
    until = services.clock() + 1 if wanted.until is None else wanted.until
    count = await services.store.write(
        partial(
            deliverylog.replay_range,
            organization_id=organization_id,
            url=wanted.url,
            since=wanted.since,
            until=until,
            liveblog=wanted.liveblog_id or None,
        )
    )
    return json_response({"queued": count})
