"""All routes: method, path, handler, access, and how the OpenAPI document describes it."""

from __future__ import annotations

from functools import partial

from api.capabilities import CAPABILITIES
from api.desk.cookies import SESSION, cookie_kind
from api.desk.desk_routes import DESK_ROUTES
from api.embed import frame, prefetch, snippets
from api.embed.assets import MADE_STYLES, STATIC
from api.events import endpoint as events
from api.external import endpoint as external
from api.external import fixtures, handback, standby_questions
from api.feeds import endpoint as feeds
from api.feeds.feed_selection import FEED_PATH
from api.http.json_path import Json
from api.http.openapi import DocumentLimits, document
from api.http.routing import Route
from api.http.static import folder
from api.liveblogs import delta
from api.liveblogs import endpoint as liveblogs
from api.masterdata import endpoint as masters
from api.masterdata import kinds
from api.media import endpoint as media
from api.media import upload as uploads
from api.media import videos
from api.page import card, front_page, share_links
from api.page import endpoint as pages
from api.page.liveblog_page import STREAM_PATH
from api.rules import endpoint as rules
from api.status import endpoint, status_page
from api.stream import endpoint as stream
from api.webhooks import delivery_log
from api.webhooks import subscriptions as webhooks

WRITE = "/api/v5/write"
EXTERNAL = "/apigw/sports/v2/{organizationId}/liveblog"
FIXTURES = "/apigw/sports/v2/{organizationId}/fixtures.json"
QUESTIONS = "/apigw/sports/v2/{organizationId}/standby-questions.json"
SOURCE = f"{EXTERNAL}/{{liveblogId}}/external"
MEDIA = "/api/mediaservice/v3/organization/{organizationId}"
HOOKS = "/apigw/webhooks/v2/organization/{organizationId}"
HOOKS_V5 = "/api/v5/webhooks"

# fmt: off
ROUTES: tuple[Route, ...] = (
    # What is requested most stands first: the router looks from the top.
    *(Route("GET", f"{FEED_PATH}.{form.extension}", feeds.endpoint(form), "feed", feeds.feed_operation(form))
      for form in feeds.FORMATS),
    Route("GET", "/liveblogs/{liveblogId}", pages.liveblog, "page", pages.PAGE),
    Route("GET", f"{prefetch.PATH}/liveblog.json", prefetch.liveblog, "page", prefetch.LIVEBLOG),
    Route("GET", f"{prefetch.PATH}/liveblog-teaser.json", prefetch.teaser, "page", prefetch.TEASER),
    Route("GET", frame.FRAME_PATH, frame.frame, "page", frame.FRAME),
    Route("GET", share_links.OEMBED, frame.oembed, "page", frame.OEMBED),
    Route("GET", snippets.PATH, snippets.snippets, "page", snippets.SNIPPETS),
    Route("GET", videos.VIDEO_PATH, videos.play, "open", videos.PLAY, people=True),
    Route("GET", media.IMAGE_PATH, media.image, "open", media.IMAGE, people=True),
    Route("GET", card.PATH, card.card, "page", card.CARD),
    Route("GET", STREAM_PATH, stream.watch, "page", stream.STREAM),
    Route("GET", delta.DELTA_PATH, delta.show, "page", delta.DELTA),
    *(route for capability in CAPABILITIES for route in capability.routes),
    *DESK_ROUTES,
    Route("POST", f"{WRITE}/event/create.json", events.create, "write", events.CREATE),
    Route("POST", f"{WRITE}/event/update.json", events.update, "write", events.UPDATE),
    Route("POST", f"{WRITE}/event/delete.json", events.delete, "write", events.DELETE),
    Route("POST", f"{WRITE}/ticker/create.json", liveblogs.create, "write", liveblogs.CREATE),
    Route("POST", f"{WRITE}/ticker/post_modifications.json", liveblogs.post_modifications, "write", liveblogs.MODIFY),
    Route("GET", f"{WRITE}/ticker/show.json", liveblogs.show, "read", liveblogs.SHOW),
    Route("GET", f"{WRITE}/ticker/search.json", liveblogs.search, "read", liveblogs.SEARCH),
    *(route for kind in kinds.KINDS for route in (
        Route("POST", f"{WRITE}/{kind.noun}/create.json", partial(masters.create, kind), "write", kind.create_operation),
        Route("POST", f"{WRITE}/{kind.noun}/update.json", partial(masters.change, kind), "write", kind.update_operation),
        Route("GET", f"{WRITE}/{kind.noun}/show.json", partial(masters.show, kind), "read", kind.show_operation),
        Route("GET", f"{WRITE}/{kind.noun}/index.json", partial(masters.search, kind), "read", kind.index_operation),
    )),
    Route("GET", media.LINK_PATH, media.link, "read", media.LINK),
    Route("GET", FIXTURES, fixtures.index, "external", fixtures.INDEX),
    Route("GET", QUESTIONS, standby_questions.index, "external", standby_questions.INDEX),
    Route("POST", f"{SOURCE}/standby.json", standby_questions.give_answer, "external", standby_questions.ANSWER),
    Route("GET", f"{rules.PATH}.json", rules.index, "admin", rules.INDEX),
    Route("POST", f"{rules.PATH}.json", rules.create, "admin", rules.CREATE),
    Route("PATCH", f"{rules.PATH}/{{key}}.json", rules.update, "admin", rules.CHANGE),
    Route("DELETE", f"{rules.PATH}/{{key}}.json", rules.delete, "admin", rules.DELETE),
    Route("POST", f"{EXTERNAL}/createFromExternal", external.create_from_external, "external", external.CREATE),
    Route("GET", f"{EXTERNAL}/previewExternal", external.show_preview, "external", external.PREVIEW),
    Route("GET", f"{SOURCE}.json", external.show, "external", external.SHOW),
    Route("POST", f"{SOURCE}.json", external.change, "external", external.CHANGE),
    Route("POST", f"{SOURCE}/attach.json", external.attach, "external", external.ATTACH),
    Route("POST", f"{SOURCE}/detach.json", external.detach, "external", external.DETACH),
    Route("POST", f"{SOURCE}/handback.json", handback.give_back, "external", handback.HANDBACK),
    Route("GET", f"{SOURCE}/timeline.json", external.show_timeline, "read", external.TIMELINE),
    Route("POST", f"{MEDIA}/upload", uploads.upload, "write", uploads.UPLOAD),
    Route("POST", f"{HOOKS}/subscribe", webhooks.subscribe, "webhooks", webhooks.SUBSCRIBE),
    Route("POST", f"{HOOKS}/unsubscribe", webhooks.unsubscribe, "webhooks", webhooks.UNSUBSCRIBE),
    Route("GET", f"{HOOKS}/list", webhooks.list_subscriptions, "webhooks", webhooks.LIST),
    Route("POST", f"{HOOKS}/rotate", webhooks.rotate, "webhooks", webhooks.ROTATE),
    Route("POST", f"{HOOKS}/ping", delivery_log.ping, "webhooks", delivery_log.PING),
    Route("GET", f"{HOOKS}/deliveries", delivery_log.deliveries, "webhooks", delivery_log.DELIVERIES),
    Route("POST", f"{HOOKS}/deliveries/{{deliveryId}}/replay", delivery_log.replay, "webhooks", delivery_log.REPLAY),
    Route("POST", f"{HOOKS}/replay", delivery_log.replay_range, "webhooks", delivery_log.REPLAY_RANGE),
    Route("POST", f"{HOOKS_V5}/subscribe.json", webhooks.subscribe_v5, "webhooks", webhooks.SUBSCRIBE_V5),
    Route("POST", f"{HOOKS_V5}/unsubscribe.json", webhooks.unsubscribe_v5, "webhooks", webhooks.UNSUBSCRIBE_V5),
    Route("GET", f"{HOOKS_V5}/index.json", webhooks.index_v5, "webhooks", webhooks.INDEX_V5),
    Route("GET", "/livez", endpoint.livez, "open", endpoint.LIVEZ),
    Route("GET", "/readyz", endpoint.readyz, "open", endpoint.READYZ),
    Route("GET", "/metrics", endpoint.metrics, "metrics", endpoint.METRICS),
    Route("GET", "/status.json", status_page.report, "metrics", status_page.STATUS),
    Route("GET", "/status", status_page.page, "metrics", status_page.STATUS_PAGE),
    Route("GET", "/", front_page.front, "open"),
    Route("GET", "/docs", endpoint.docs, "open"),
    Route("GET", "/docs/{name}", folder("api.docs"), "open"),
    Route("GET", "/static/{name}", folder(STATIC, MADE_STYLES), "open"),
    Route("GET", "/static/{version}/{name}", folder(STATIC, MADE_STYLES), "open"),
    Route("GET", "/openapi.json", endpoint.openapi, "open"),
)
# fmt: on


def openapi(public_url: str, limits: DocumentLimits, *, desk: bool) -> Json:
    """The OpenAPI document of the table; `desk`: whether people sign in."""
    kind = cookie_kind(public_url) if desk else None
    cookie = None if kind is None else kind.name(SESSION)
    return document(ROUTES, public_url=public_url, limits=limits, session_cookie=cookie)
