"""The log of webhook deliveries, and delivering its entries once more."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from api.http import openapi
from api.http.errors import json_response
from api.http.param import Integer, Param, Text
from api.http.request import ApiRequest
from api.webhooks import subscriptions
from api.webhooks.subscriptions import ADDRESS, OF_PATH, TAG
from mapping.documents.webhooks import WebhookAddress, WebhookDeliveries, WebhookReplay
from mapping.errors import NotFound
from store.webhooks import delivery_log

PAGE = 50
LONGEST_PAGE = 500


class QueuedDeliveries(TypedDict):
    """How many messages wait to be sent."""

    queued: Annotated[int, Field(ge=0)]


REPEATING: openapi.Responses = {
    200: openapi.document_answer(QueuedDeliveries, "How many messages wait to be sent"),
    **openapi.WRITE_ERRORS,
}
RANGE = openapi.json_body(
    openapi.request_schema(WebhookReplay), {"url": "https://cms.example.org/hooks/liveblog", "since": 1795176000}
)
OLDEST_KEPT = 10**14
BEFORE = Integer("before", "`next` of the page before", low=1, high=OLDEST_KEPT)
LIMIT = Integer("limit", "Rows of a page", low=1, high=LONGEST_PAGE, default=PAGE)
PARAMETERS: list[Param] = [
    subscriptions.OF_URL,
    Text("liveblogId", "Of this liveblog alone"),
    subscriptions.OUTCOME,
    subscriptions.SINCE,
    subscriptions.UNTIL,
    BEFORE,
    LIMIT,
]
LOG = openapi.document_answer(WebhookDeliveries, "Rounds, the newest first")
PING = openapi.operation("webhooks.ping", "Send a test message", TAG, REPEATING, parameters=OF_PATH, body=ADDRESS)
DELIVERIES = openapi.operation(
    "webhooks.deliveries",
    "The log of deliveries",
    TAG,
    {200: LOG, **openapi.READ_ERRORS},
    parameters=[*OF_PATH, *PARAMETERS],
)
REPLAY = openapi.operation(
    "webhooks.replay", "Deliver once more", TAG, REPEATING, parameters=[openapi.in_path("deliveryId"), *OF_PATH]
)
REPLAY_RANGE = openapi.operation(
    "webhooks.replayRange", "Deliver a span of time once more", TAG, REPEATING, parameters=OF_PATH, body=RANGE
)


async def ping(request: ApiRequest) -> Response:
    """Send a signed message of the type `ping`; the log shows how it went (interface: Webhooks)."""
    url = subscriptions.address_of(WebhookAddress, await request.body()).url
    await request.services.store.write(partial(delivery_log.ping, organization_id=request.organization_id, url=url))
    return json_response({"queued": 1})


async def deliveries(request: ApiRequest) -> Response:
    """Rounds of deliveries, the newest first, page by page (interface: Webhooks)."""
    query = request.query
    size, start = LIMIT.of(query), BEFORE.of(query) or None
    wanted = subscriptions.log_filter(query)
    rows = await request.services.store.read(
        partial(delivery_log.page, organization_id=request.organization_id, wanted=wanted, before=start, limit=size + 1)
    )
    shown, more = rows[:size], len(rows) > size
    following = {"next": str(shown[-1].id)} if more else {}
    return json_response({"deliveries": [subscriptions.delivery(row) for row in shown], "more": more, **following})


async def replay(request: ApiRequest) -> Response:
    """Deliver once more what a row of the log records (interface: Webhooks)."""
    delivery_id = request.path_params["deliveryId"]
    if not (delivery_id.isascii() and delivery_id.isdigit() and len(delivery_id) < 16):
        raise NotFound("there is no such delivery", field="deliveryId")
    count = await request.services.store.write(
        partial(delivery_log.replay, organization_id=request.organization_id, delivery_id=int(delivery_id))
    )
    return json_response({"queued": count})


async def replay_range(request: ApiRequest) -> Response:
    """Deliver once more what changed in a span of time, in order (interface: Webhooks)."""
    wanted = subscriptions.address_of(WebhookReplay, await request.body())
    services = request.services
    until = services.clock() + 1 if wanted.until is None else wanted.until
    count = await services.store.write(
        partial(
            delivery_log.replay_range,
            organization_id=request.organization_id,
            url=wanted.url,
            since=wanted.since,
            until=until,
            liveblog=wanted.liveblog_id or None,
        )
    )
    return json_response({"queued": count})
