"""All routes: method, path, handler, access, and how the OpenAPI document describes it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.comments import comment_counts, moderation
from api.comments import endpoint as comments
from api.embed import frame, oembed, prefetch, snippets
from api.embed.styles import STATIC, embed_css
from api.events import endpoint as events
from api.external import endpoint as external
from api.external import handback, source
from api.feeds import endpoint as feeds
from api.feeds.feed import FEED_PATH
from api.http.openapi import DocumentLimits, Json, document
from api.http.routing import Route
from api.http.static import folder
from api.liveblogs import delta
from api.liveblogs import endpoint as liveblogs
from api.masterdata import endpoint as masters
from api.masterdata import kinds
from api.media import endpoint as media
from api.media import upload as uploads
from api.media import videos
from api.page import discovery, front
from api.page import endpoint as pages
from api.page.page import STREAM_PATH
from api.polls import endpoint as polls
from api.polls import poll_export
from api.readers import endpoint as readers
from api.statistics import collect, statistics_export
from api.statistics import endpoint as statistics
from api.status import ops, status_page
from api.stream import endpoint as stream
from api.webhooks import delivery_log
from api.webhooks import endpoint as webhooks
from mapping.documents.comments import (
    ChannelClosing,
    ChannelClosingRequest,
    CommentCollection,
    CommentCounts,
    CommentDecision,
    CommentDraft,
    CommentLike,
    CommentLikes,
    CommentReported,
    ModeratedComment,
    ModeratedCommentCollection,
    ReaderBan,
    ReaderBanRequest,
    ReaderComment,
)
from mapping.documents.event import Event
from mapping.documents.external import AttachToExternal, CreateFromExternal, ExternalChange, ExternalSource, HandBack
from mapping.documents.game import Collection, Game, GameDraft, GameShowResponse
from mapping.documents.media import Media
from mapping.documents.modification import PostModifications
from mapping.documents.poll_results import PollResults, PollVote
from mapping.documents.readers import ReaderTokenRequest, ReaderTokenResponse
from mapping.documents.statistics import Beacon, StatisticsOverview, StatisticsPeriod, StatisticsPlace
from mapping.documents.webhooks import WebhookAddress, WebhookDeliveries, WebhookReplay, WebhookSubscription

if TYPE_CHECKING:
    from pydantic import BaseModel

WRITE = "/api/v5/write"
EXTERNAL = "/apigw/sports/v2/{organizationId}/liveblog"
SOURCE = f"{EXTERNAL}/{{liveblogId}}/external"
MEDIA = "/api/mediaservice/v3/organization/{organizationId}"
HOOKS = "/apigw/webhooks/v2/organization/{organizationId}"
HOOKS_V5 = "/api/v5/webhooks"

# fmt: off
ROUTES: tuple[Route, ...] = (
    # What is requested most stands first: the router looks from the top.
    *(Route("GET", f"{FEED_PATH}.{form.extension}", feeds.endpoint(form), "feed", feeds.feed_operation(form))
      for form in feeds.FORMATS),
    Route("GET", f"{prefetch.PATH}/liveblog.json", prefetch.liveblog, "page", prefetch.LIVEBLOG),
    Route("GET", f"{prefetch.PATH}/liveblog-teaser.json", prefetch.teaser, "page", prefetch.TEASER),
    Route("GET", frame.PATH, frame.frame, "page", frame.FRAME),
    Route("GET", discovery.OEMBED, oembed.oembed, "page", oembed.OEMBED),
    Route("GET", snippets.PATH, snippets.snippets, "page", snippets.SNIPPETS),
    Route("GET", videos.VIDEO_PATH, videos.play, "open", videos.PLAY),
    Route("GET", media.IMAGE_PATH, media.image, "open", media.IMAGE),
    Route("GET", "/liveblogs/{liveblogId}", pages.liveblog, "page", pages.PAGE),
    Route("GET", STREAM_PATH, stream.watch, "page", stream.STREAM),
    Route("GET", delta.DELTA_PATH, delta.show, "page", delta.DELTA),
    Route("GET", comment_counts.PATH, comment_counts.counts, "reader", comment_counts.COUNTS),
    Route("GET", f"{comments.PATH}.json", comments.index, "reader", comments.INDEX),
    Route("POST", f"{comments.PATH}.json", comments.create, "reader", comments.CREATE),
    Route("POST", f"{comments.PATH}/{{commentId}}/like.json", comments.like, "reader", comments.LIKE),
    Route("POST", f"{comments.PATH}/{{commentId}}/report.json", comments.report, "reader", comments.REPORT),
    Route("GET", f"{moderation.PATH}/comments.json", moderation.list_comments, "comments", moderation.LIST),
    Route("POST", f"{moderation.PATH}/comments/{{commentId}}/moderate.json", moderation.moderate, "comments", moderation.MODERATE),
    Route("POST", f"{moderation.PATH}/readers/{{readerId}}/ban.json", moderation.ban, "comments", moderation.BAN),
    Route("POST", f"{moderation.PATH}/channels/{{channelId}}/close.json", moderation.close, "comments", moderation.CLOSE),
    Route("GET", f"{moderation.PATH}/export", moderation.export, "comments", moderation.EXPORT),
    Route("POST", readers.PATH, readers.token, "reader", readers.TOKEN),
    Route("GET", polls.PATH, polls.show, "reader", polls.SHOW),
    Route("POST", f"{polls.PATH}/votes", polls.vote, "reader", polls.VOTE),
    Route("GET", poll_export.PATH, poll_export.export, "stats", poll_export.EXPORT),
    Route("POST", collect.PATH, collect.collect, "reader", collect.COLLECT, collect.BODY_BYTES),
    Route("GET", f"{statistics.PATH}/overview.json", statistics.overview, "stats", statistics.OVERVIEW),
    Route("GET", f"{statistics.PATH}/{{date}}/periods.json", statistics.periods, "stats", statistics.PERIODS),
    Route("GET", f"{statistics.PATH}/all/origins.json", statistics.origins, "stats", statistics.ORIGINS),
    Route("GET", f"{statistics.PATH}/all/origin/{{origin}}/locations.json", statistics.locations, "stats",
          statistics.LOCATIONS),
    Route("GET", statistics_export.PATH, statistics_export.export, "stats", statistics_export.EXPORT),
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
    Route("POST", f"{EXTERNAL}/createFromExternal", external.create_from_external, "external", external.CREATE),
    Route("GET", f"{SOURCE}.json", source.show, "external", source.SHOW),
    Route("POST", f"{SOURCE}.json", source.change, "external", source.CHANGE),
    Route("POST", f"{SOURCE}/attach.json", source.attach, "external", source.ATTACH),
    Route("POST", f"{SOURCE}/detach.json", source.detach, "external", source.DETACH),
    Route("POST", f"{SOURCE}/handback.json", handback.give_back, "external", handback.HANDBACK),
    Route("POST", f"{MEDIA}/upload", uploads.upload, "write", uploads.UPLOAD),
    Route("POST", f"{HOOKS}/subscribe", webhooks.subscribe, "webhooks", webhooks.SUBSCRIBE),
    Route("POST", f"{HOOKS}/unsubscribe", webhooks.unsubscribe, "webhooks", webhooks.UNSUBSCRIBE),
    Route("GET", f"{HOOKS}/list", webhooks.list_subscriptions, "webhooks", webhooks.LIST),
    Route("POST", f"{HOOKS}/rotate", webhooks.rotate, "webhooks", webhooks.ROTATE),
    Route("POST", f"{HOOKS}/ping", delivery_log.ping, "webhooks", delivery_log.PING),
    Route("GET", f"{HOOKS}/deliveries", delivery_log.deliveries, "webhooks", delivery_log.DELIVERIES),
    Route("POST", f"{HOOKS}/deliveries/{{deliveryId}}/replay", delivery_log.replay, "webhooks", delivery_log.REPLAY),
    Route("POST", f"{HOOKS}/replay", delivery_log.replay_range, "webhooks", delivery_log.REPLAY_RANGE),
    Route("POST", f"{HOOKS_V5}/subscribe.json", webhooks.subscribe, "webhooks", webhooks.SUBSCRIBE_V5),
    Route("POST", f"{HOOKS_V5}/unsubscribe.json", webhooks.unsubscribe, "webhooks", webhooks.UNSUBSCRIBE_V5),
    Route("GET", f"{HOOKS_V5}/index.json", webhooks.list_subscriptions, "webhooks", webhooks.INDEX_V5),
    Route("GET", "/livez", ops.livez, "open", ops.LIVEZ),
    Route("GET", "/readyz", ops.readyz, "open", ops.READYZ),
    Route("GET", "/metrics", ops.metrics, "metrics", ops.METRICS),
    Route("GET", "/status.json", status_page.report, "metrics", status_page.STATUS),
    Route("GET", "/status", status_page.page, "metrics", status_page.STATUS_PAGE),
    Route("GET", "/", front.front, "open"),
    Route("GET", "/docs", ops.docs, "open"),
    Route("GET", "/docs/{name}", folder("api.docs"), "open"),
    Route("GET", "/static/{name}", folder(STATIC, {"embed.css": embed_css}), "open"),
    Route("GET", "/static/{version}/{name}", folder(STATIC, {"embed.css": embed_css}), "open"),
    Route("GET", "/openapi.json", ops.openapi, "open"),
)
# fmt: on

REQUESTS: tuple[type[BaseModel], ...] = (
    AttachToExternal, Beacon, ChannelClosingRequest, CommentDecision, CommentDraft, CommentLike, CreateFromExternal, Event,
    ExternalChange, GameDraft, HandBack, PollVote, PostModifications, ReaderBanRequest, ReaderTokenRequest, WebhookAddress,
    WebhookReplay,
    *(model for kind in kinds.KINDS for model in (kind.draft, kind.update)),
)  # fmt: skip
RESPONSES: tuple[type[BaseModel], ...] = (
    ChannelClosing, Collection[Game], CommentCollection, CommentCounts, CommentLikes, CommentReported, Event, ExternalSource, Game,
    GameShowResponse, Media, ModeratedComment, ModeratedCommentCollection, PollResults, ReaderBan, ReaderComment,
    ReaderTokenResponse, StatisticsOverview, StatisticsPeriod, StatisticsPlace,
    WebhookDeliveries, WebhookSubscription,
    *(model for kind in kinds.KINDS for model in (kind.shown, kind.page)),
)  # fmt: skip
"""The documents that operations refer to."""


def openapi(public_url: str, limits: DocumentLimits) -> Json:
    """The OpenAPI document of the table."""
    return document(ROUTES, requests=REQUESTS, responses=RESPONSES, public_url=public_url, limits=limits)
