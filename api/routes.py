"""All routes: method, path, handler, who may ask, and how the OpenAPI document describes it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api import external, ops, webhooklog, webhooks
from api.delta import endpoint as delta
from api.embed import endpoint as pages
from api.feeds import endpoint as feeds
from api.feeds.common import FEED_PATH
from api.openapi import Json, document
from api.reads import METRICS, PAGE_OPERATION, PROBES, feed_operation
from api.routing import Route
from api.static import folder
from api.stream import endpoint as stream
from api.watching import DELTA_OPERATION, STREAM_OPERATION
from api.write import described, events, liveblogs, masters, records
from mapping.documents.collection import Collection
from mapping.documents.delta import GameShowResponse
from mapping.documents.event import Event
from mapping.documents.external import CreateFromExternal
from mapping.documents.game import Game, GameDraft
from mapping.documents.modification import PostModifications
from mapping.documents.webhooks import WebhookAddress, WebhookDeliveries, WebhookReplay, WebhookSubscription

if TYPE_CHECKING:
    from pydantic import BaseModel

WRITE = "/api/v5/write"
EXTERNAL = "/apigw/sports/v2/{organizationId}/liveblog"
HOOKS = "/apigw/webhooks/v2/organization/{organizationId}"
HOOKS_V5 = "/api/v5/webhooks"

# fmt: off
ROUTES: tuple[Route, ...] = (
    # What is asked for most stands first: the router looks from the top.
    *(Route("GET", f"{FEED_PATH}.{form.extension}", feeds.endpoint(form), "feed", feed_operation(form.extension, form.content_type))
      for form in feeds.FORMATS),
    Route("GET", "/liveblogs/{liveblogId}", pages.liveblog, "page", PAGE_OPERATION),
    Route("GET", stream.STREAM_PATH, stream.watch, "page", STREAM_OPERATION),
    Route("GET", delta.DELTA_PATH, delta.show, "page", DELTA_OPERATION),
    Route("POST", f"{WRITE}/event/create.json", events.create, "write", described.CREATE),
    Route("POST", f"{WRITE}/event/update.json", events.update, "write", described.UPDATE),
    Route("POST", f"{WRITE}/event/delete.json", events.delete, "write", described.DELETE),
    Route("POST", f"{WRITE}/ticker/create.json", liveblogs.create, "write", liveblogs.CREATE),
    Route("POST", f"{WRITE}/ticker/post_modifications.json", liveblogs.post_modifications, "write", liveblogs.MODIFY),
    Route("GET", f"{WRITE}/ticker/show.json", liveblogs.show, "read", liveblogs.SHOW),
    Route("GET", f"{WRITE}/ticker/search.json", liveblogs.search, "read", liveblogs.SEARCH),
    *(route for kind in records.KINDS for route in (
        Route("POST", f"{WRITE}/{kind.noun}/create.json", partial(masters.create, kind), "write", kind.create_operation),
        Route("POST", f"{WRITE}/{kind.noun}/update.json", partial(masters.change, kind), "write", kind.update_operation),
        Route("GET", f"{WRITE}/{kind.noun}/show.json", partial(masters.show, kind), "read", kind.show_operation),
        Route("GET", f"{WRITE}/{kind.noun}/index.json", partial(masters.search, kind), "read", kind.index_operation),
    )),
    Route("POST", f"{EXTERNAL}/createFromExternal", external.create_from_external, "external", external.CREATE),
    Route("POST", f"{HOOKS}/subscribe", webhooks.subscribe, "webhooks", webhooks.SUBSCRIBE),
    Route("POST", f"{HOOKS}/unsubscribe", webhooks.unsubscribe, "webhooks", webhooks.UNSUBSCRIBE),
    Route("GET", f"{HOOKS}/list", webhooks.list_subscriptions, "webhooks", webhooks.LIST),
    Route("POST", f"{HOOKS}/rotate", webhooks.rotate, "webhooks", webhooks.ROTATE),
    Route("POST", f"{HOOKS}/ping", webhooklog.ping, "webhooks", webhooklog.PING),
    Route("GET", f"{HOOKS}/deliveries", webhooklog.deliveries, "webhooks", webhooklog.DELIVERIES),
    Route("POST", f"{HOOKS}/deliveries/{{deliveryId}}/replay", webhooklog.replay, "webhooks", webhooklog.REPLAY),
    Route("POST", f"{HOOKS}/replay", webhooklog.replay_range, "webhooks", webhooklog.REPLAY_RANGE),
    Route("POST", f"{HOOKS_V5}/subscribe.json", webhooks.subscribe, "webhooks", webhooks.SUBSCRIBE_V5),
    Route("POST", f"{HOOKS_V5}/unsubscribe.json", webhooks.unsubscribe, "webhooks", webhooks.UNSUBSCRIBE_V5),
    Route("GET", f"{HOOKS_V5}/index.json", webhooks.list_subscriptions, "webhooks", webhooks.INDEX_V5),
    Route("GET", "/livez", ops.livez, "open", PROBES["livez"]),
    Route("GET", "/readyz", ops.readyz, "open", PROBES["readyz"]),
    Route("GET", "/metrics", ops.metrics, "metrics", METRICS),
    Route("GET", "/", pages.front, "open"),
    Route("GET", "/docs", ops.docs, "open"),
    Route("GET", "/docs/{name}", folder("api.docs"), "open"),
    Route("GET", "/static/{name}", folder("api.embed.static"), "open"),
    Route("GET", "/openapi.json", ops.openapi, "open"),
)
# fmt: on

REQUESTS: tuple[type[BaseModel], ...] = (
    CreateFromExternal, Event, GameDraft, PostModifications, WebhookAddress, WebhookReplay,
    *(model for kind in records.KINDS for model in (kind.draft, kind.update)),
)  # fmt: skip
RESPONSES: tuple[type[BaseModel], ...] = (
    Collection[Game], Event, Game, GameShowResponse, WebhookDeliveries, WebhookSubscription,
    *(model for kind in records.KINDS for model in (kind.shown, kind.page)),
)  # fmt: skip
"""The documents that operations refer to."""


def openapi(public_url: str) -> Json:
    """The OpenAPI document of the table."""
    return document(ROUTES, requests=REQUESTS, responses=RESPONSES, public_url=public_url)
