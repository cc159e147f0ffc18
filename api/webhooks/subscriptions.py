"""Subscriptions of webhooks over HTTP: who is notified of what an organization changes; and how deliveries are shown."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, NotRequired, TypeVar

from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from api.http import openapi
from api.http.errors import json_response
from api.http.json_path import Json
from api.http.param import Integer, OneOf, Query, Text
from api.http.request import ApiRequest, Services, parse_document, read_body
from api.http.routing import check_organization
from api.view.liveblog_access import liveblog_in
from mapping.documents.webhooks import WebhookAddress, WebhookSubscription
from mapping.errors import InvalidRequest, Unprocessable
from mapping.rules import callable_addresses
from store.webhooks import webhooks
from store.webhooks.delivery_log import LogFilter, LogRow
from store.webhooks.webhooks import Subscription

AddressT = TypeVar("AddressT", bound=WebhookAddress)
FAR = 10**11
OF_URL = Text("url", "Of this endpoint alone")
OUTCOME: OneOf[bool | None] = OneOf(
    "outcome", "How the round ended", choices={"success": True, "failed": False, "": None}, default=None
)
SINCE = Integer("since", "Ended at this second or later", high=FAR, default=-1)
UNTIL = Integer("until", "Ended before this second", high=FAR, default=-1)


def _subscription_answer(area: str, *names: str) -> openapi.Responses:
    """A response that holds a subscription; the operations `names` take the body that was sent."""
    response = openapi.document_answer(WebhookSubscription, "The subscription; `secret` only where it is new")
    for name in names:
        response = openapi.with_link(response, f"{area}.{name}", body="$request.body")
    return {200: response, **openapi.CHANGE_ERRORS}


WEB = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\x00-\x20\x7f-\x9f\\@/?#]+[^\x00-\x20\x7f-\x9f\\]*$"
"""The form of an address; whether it may be called is known once its name is resolved."""
CALLABLE: Json = {
    "allOf": [
        openapi.request_schema(WebhookAddress),
        {"properties": {"url": {"maxLength": callable_addresses.LONGEST, "pattern": WEB}}},
    ]
}
EXAMPLE = {"url": "https://cms.example.org/hooks/liveblog"}
ADDRESS = openapi.json_body(openapi.request_schema(WebhookAddress), EXAMPLE)
NEW_ADDRESS = openapi.json_body(CALLABLE, EXAMPLE)
UNSUBSCRIBED: openapi.Responses = {200: openapi.json_answer(openapi.EMPTY, "Nothing", {}), **openapi.CHANGE_ERRORS}


class WebhookPage(TypedDict):
    """A page of subscriptions, the oldest first; `more` and `next` where they are more."""

    webhooks: list[WebhookSubscription]
    more: NotRequired[bool]
    next: NotRequired[str]


class WebhookUrls(WebhookPage):
    """The same with their addresses."""

    urls: list[str]


class ApiSuccess(TypedDict):
    """That something is done."""

    _type: Annotated[str, Field(pattern="::Model::ApiSuccess$")]


LISTED: openapi.Responses = {
    200: openapi.document_answer(
        WebhookPage, "Subscriptions, the oldest first; `more` and `next` where they are more than a page"
    ),
    **openapi.READ_ERRORS,
}
PAGE = 1000
"""Subscriptions of a page, at most, and of one for which no `limit` is given."""
ID = re.compile(r"[0-9a-f]{24}")
LIMIT = Integer("limit", "Subscriptions a page", low=1, high=PAGE, default=PAGE)
AFTER = Text("after", "`next` of the page before", {"type": "string", "pattern": f"^(?:{ID.pattern})?$"})
TAG = "Webhooks"
OF_PATH = [openapi.in_path("organizationId")]
OF_CLIENT = Text("organization_id", "Where the client belongs to several")
SUBSCRIBE = openapi.operation(
    "webhooks.subscribe", "Subscribe an endpoint", TAG, _subscription_answer("webhooks", "unsubscribe", "rotate", "ping"),
    parameters=OF_PATH, body=NEW_ADDRESS,
)  # fmt: skip
UNSUBSCRIBE = openapi.operation(
    "webhooks.unsubscribe", "Unsubscribe an endpoint", TAG, UNSUBSCRIBED, parameters=OF_PATH, body=ADDRESS
)
LIST = openapi.operation("webhooks.list", "List subscriptions", TAG, LISTED, parameters=[*OF_PATH, LIMIT, AFTER])
ROTATE = openapi.operation(
    "webhooks.rotate", "Give a subscription a new secret", TAG, _subscription_answer("webhooks"),
    parameters=OF_PATH, body=ADDRESS,
)  # fmt: skip
V5_URL = Text("url", "The endpoint; the body may name it instead")
V5_BODY: Json = {**ADDRESS, "required": False}
SUCCESS: Json = {"_type": "Svc::Model::ApiSuccess"}
SUBSCRIBE_V5 = openapi.operation(
    "webhooks.v5.subscribe",
    "Subscribe an endpoint (older address)",
    TAG,
    {
        200: openapi.json_answer(
            {"allOf": list(map(openapi.response_schema, (ApiSuccess, WebhookSubscription)))}, "Done"
        ),
        **openapi.CHANGE_ERRORS,
    },
    parameters=[OF_CLIENT, V5_URL],
    body=V5_BODY,
)
UNSUBSCRIBE_V5 = openapi.operation(
    "webhooks.v5.unsubscribe",
    "Unsubscribe an endpoint (older address)",
    TAG,
    {200: openapi.document_answer(ApiSuccess, "Done", SUCCESS), **openapi.CHANGE_ERRORS},
    parameters=[OF_CLIENT, V5_URL],
    body=V5_BODY,
)
INDEX_V5 = openapi.operation(
    "webhooks.v5.index",
    "List subscriptions (older address)",
    TAG,
    {200: openapi.document_answer(WebhookUrls, "A page of subscriptions"), **openapi.READ_ERRORS},
    parameters=[OF_CLIENT, LIMIT, AFTER],
)


async def subscribe(request: ApiRequest) -> Response:
    """Subscribe an endpoint, or enable it again; the answer to a new one holds its secret, once (interface: Webhooks)."""
    url = address_of(WebhookAddress, await request.body()).url
    return json_response(await _subscribe(request, url))


async def subscribe_v5(request: ApiRequest) -> Response:
    """The same at the older address, which names the endpoint in the query (interface: Webhooks)."""
    return json_response({**SUCCESS, **await _subscribe(request, await _url_v5(request))})


async def _subscribe(request: ApiRequest, url: str) -> Json:
    services, organization_id = request.services, organization_of(request)
    await check_callable(services, organization_id, url)
    secret, limit = webhooks.new_secret(), services.settings.webhooks.per_organization
    row, new = await services.store.write(
        partial(webhooks.subscribe, organization_id=organization_id, url=url, secret=secret, limit=limit)
    )
    return subscription(row, secret if new else None)


async def unsubscribe(request: ApiRequest) -> Response:
    """Forget a subscription and its log (interface: Webhooks)."""
    await _unsubscribe(request, address_of(WebhookAddress, await request.body()).url)
    return json_response({})


async def unsubscribe_v5(request: ApiRequest) -> Response:
    """The same at the older address, which names the endpoint in the query (interface: Webhooks)."""
    await _unsubscribe(request, await _url_v5(request))
    return json_response(SUCCESS)


async def _unsubscribe(request: ApiRequest, url: str) -> None:
    work = partial(webhooks.unsubscribe, organization_id=organization_of(request), url=url)
    await request.services.store.write(work)


async def _url_v5(request: ApiRequest) -> str:
    """The endpoint in the query, else in the body."""
    if named := V5_URL.of(request.query):
        return parse_document(WebhookAddress, {"url": named}).url
    return address_of(WebhookAddress, (await request.body()).strip() or b"{}").url


async def list_subscriptions(request: ApiRequest) -> Response:
    """The organization's subscriptions, a page of them where they are many (interface: Webhooks)."""
    return json_response(await _page(request))


async def index_v5(request: ApiRequest) -> Response:
    """Their addresses as well, as the older address lists them (interface: Webhooks)."""
    found = await _page(request)
    return json_response({"urls": [each["url"] for each in found["webhooks"]], **found})


async def _page(request: ApiRequest) -> Json:
    organization_id, size = organization_of(request), LIMIT.of(request.query)
    after = AFTER.of(request.query)
    if after and not ID.fullmatch(after):
        raise InvalidRequest("after should be the next of another page", field="after")
    rows = await request.services.store.read(
        partial(webhooks.page, organization_id=organization_id, after=after, limit=size + 1)
    )
    following = {"more": True, "next": rows[size - 1].id} if len(rows) > size else {}
    return {"webhooks": [subscription(row) for row in rows[:size]], **following}


async def rotate(request: ApiRequest) -> Response:
    """A new secret, shown once; the one before signs too for a while (interface: Webhooks)."""
    services = request.services
    url = address_of(WebhookAddress, await request.body()).url
    secret = webhooks.new_secret()
    overlap = services.settings.webhooks.secret_overlap
    row = await services.store.write(
        partial(webhooks.rotate, organization_id=request.organization_id, url=url, secret=secret, overlap=overlap)
    )
    return json_response(subscription(row, secret))


def organization_of(request: ApiRequest) -> str:
    """The organization that the path names, or the query, else the only one of the client; raises Forbidden."""
    if "organizationId" in request.path_params:
        return request.organization_id
    of_client = request.caller.organizations
    named = OF_CLIENT.of(request.query) or (min(of_client) if len(of_client) == 1 else "")
    if not named:
        raise InvalidRequest("organization_id is missing: the client belongs to several", field="organization_id")
    check_organization(request, named)
    return named


def address_of(model: type[AddressT], body: bytes) -> AddressT:
    """The body as a document with a `url`; raises InvalidRequest or Unprocessable with the field at fault."""
    given = {name: value for name, value in read_body(body).items() if value is not None}
    if given.get("url", "") == "":
        raise InvalidRequest("url is missing", field="url")
    return parse_document(model, given)


async def check_callable(services: Services, organization: str, url: str) -> None:
    """Raises Unprocessable, with the same message for every reason, unless the address may be called."""
    check = services.check_address
    if not callable_addresses.plausible(url) or not (check is None or await check(url, organization)):
        raise Unprocessable(callable_addresses.REFUSED, field="url")


def log_filter(query: Query) -> LogFilter:
    """The filters of the log; raises InvalidRequest."""
    since, until = SINCE.of(query), UNTIL.of(query)
    return LogFilter(
        url=OF_URL.of(query) or None,
        liveblog=liveblog_in(query),
        success=OUTCOME.of(query),
        since=None if since < 0 else since,
        until=None if until < 0 else until,
    )


def subscription(row: Subscription, secret: str | None = None) -> Json:
    """A subscription record; `secret` where it is shown, which is once."""
    outcome: Json | None = None
    if row.outcome_at is not None:
        outcome = {
            "timestamp": iso(row.outcome_at),
            "success": bool(row.outcome_success),
            "statusCode": row.outcome_code,
            "message": row.outcome_message or "",
        }
    return {
        "url": callable_addresses.without_password(row.url),
        "status": row.status,
        "lastOutcome": outcome,
        "consecutiveFailures": row.failures,
        "consecutiveFailureSince": None if row.failing_since is None else iso(row.failing_since),
        **({} if secret is None else {"secret": secret}),
    }


def delivery(row: LogRow) -> Json:
    """One row of the log."""
    return {
        "id": str(row.id),
        "url": callable_addresses.without_password(row.url),
        "kind": row.kind,
        "tickerId": row.game_id,
        "localId": row.local_id,
        "version": str(row.version),
        "round": row.round,
        "tries": row.tries,
        "timestamp": iso(row.at),
        "milliseconds": row.took_ms,
        "success": row.success,
        "statusCode": row.status_code,
        "message": row.message,
    }


def iso(seconds: float) -> str:
    """An instant in UTC to the millisecond, as ISO 8601 writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
