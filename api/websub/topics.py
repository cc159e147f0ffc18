"""The feeds that can be subscribed to: those that anybody may read, in the present, by the address that they say themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from api.feeds.common import FEED_PATH, feed_request, feed_url, hub_links, hub_of
from api.feeds.endpoint import FORMATS, read_feed
from api.liveblog_access import NO_LIVEBLOG, published_game
from mapping.errors import InvalidRequest, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from api.feeds.common import FeedRequest
    from api.feeds.endpoint import Format
    from api.services import ApiSettings
    from store.liveblogs import StoredGame

NO_TOPIC = "hub.topic is none of the feeds that this hub serves: their rel=self names them"


@dataclass(frozen=True, slots=True)
class Topic:
    """A feed that its address names; `url` is what the feed calls itself."""

    url: str
    form: Format
    request: FeedRequest


@dataclass(frozen=True, slots=True)
class PushedFeed:
    """A feed as it goes to subscribers, at a version of its liveblog."""

    version: int
    headers: Mapping[str, str]
    body: bytes


class Topics:
    """The feeds of this service. `media_key` signs the addresses of images."""

    def __init__(self, settings: ApiSettings, media_key: bytes) -> None:
        self._settings = settings
        self._media_key = media_key

    def topic(self, url: str) -> Topic:
        """The feed that calls itself so. Raises NotFound for every other address: also for one with a secret in it."""
        settings = self._settings
        address, _, query = url.partition("?")
        for form in FORMATS:
            if address != f"{settings.public_url.rstrip('/')}{FEED_PATH}.{form.extension}":
                continue
            try:
                request = feed_request(
                    dict(parse_qsl(query)), settings.feed_limit_max, settings.delay_max, settings.themes
                )
            except (InvalidRequest, ValueError):
                break
            if url == feed_url(settings.public_url, form.extension, request, after=None):
                return Topic(url, form, request)
        raise NotFound(NO_TOPIC, field="hub.topic")

    def liveblog(self, conn: Connection, topic: Topic) -> StoredGame:
        """The liveblog of the feed. Raises NotFound unless anybody may read its present without a secret."""
        game = published_game(conn, topic.request.liveblog)
        if hub_of(self._settings, game.organization_id, topic.request) is None:
            raise NotFound(NO_LIVEBLOG, field="hub.topic")
        return game

    def publication(self, conn: Connection, topic: Topic) -> PushedFeed:
        """The feed as it is now, as a reader without credentials gets it. Raises NotFound as `liveblog` does."""
        game, form = self.liveblog(conn, topic), topic.form
        hub = hub_of(self._settings, game.organization_id, topic.request) or ""
        feed = read_feed(
            conn, game.id, topic.request, self._settings, self._media_key, extension=form.extension, hub_url=hub
        )
        headers = {"Content-Type": form.content_type, "Link": hub_links(hub, topic.url)}
        return PushedFeed(game.version, headers, form.render(feed))
