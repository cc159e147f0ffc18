"""What has changed on a page since a version: the parts, as HTML, that the page's script puts in their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from api.capabilities import page_posts
from api.feeds.themes import EVERYTHING, Theme
from api.http.errors import json_bytes
from api.http.json_path import Json, text
from api.http.openapi import TEXT
from api.page.moments import key_moments_html
from api.page.page import language
from api.page.page_context import UP, PageContext
from api.page.posts import posts_label, safe_post
from api.page.scoreboard import scoreboard, title
from api.page.squads import squads
from api.page.window import Show, event_filter
from api.view.article_address import article_address
from api.view.key_moments import key_moments_of
from api.view.liveblog_access import public_documents
from api.view.post_files import Images
from api.view.references import complete
from mapping.documents.scalars import LocalStatus
from mapping.locales import translator
from store.liveblogs import deltas

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from api.http.services import Services
    from config import Settings
    from store.liveblogs.liveblogs import StoredEvent, StoredGame

CHANGES: Json = {
    "type": "object",
    "required": ["since", "version", "more", "status"],
    "properties": {
        "since": {"type": "integer"},
        "version": {"type": "integer"},
        "more": {"type": "boolean"},
        "status": {"enum": [*map(int, LocalStatus)]},
        **dict.fromkeys(("title", "label", "board", "moments", "squads"), TEXT),
        "posts": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "html"],
                "properties": {"id": TEXT, "html": {"type": ["string", "null"]}},
            },
        },
    },
}
"""What a page must change, as HTML; `html` null for a post that it must forget."""


@dataclass(frozen=True, slots=True)
class PageRenderer:
    """Writes the messages of a stream for pages; `clock` gives Unix seconds, `media_key` signs the addresses of images.

    `delay`: the seconds by which the page is late.
    """

    clock: Callable[[], float]
    media_key: bytes
    settings: Settings = field(compare=False)  # one in a process
    delay: int = 0
    show: Show = Show.ALL
    theme: Theme = EVERYTHING

    @classmethod
    def of(cls, services: Services, delay: int = 0, show: Show = Show.ALL, theme: Theme = EVERYTHING) -> PageRenderer:
        return cls(services.clock, services.keys.media, services.settings, delay, show, theme)

    def context(self, game: StoredGame, base: str = UP, url: str = "", article: str = "") -> PageContext:
        """Writes the images and videos of a liveblog in its language.

        `base` stands before the addresses of images, `page` before the queries of posts' own addresses; `article`: where
        readers find the liveblog, if that is known better than here.
        """
        article = article or article_address(self.settings, game)
        images = Images(self.media_key, base, game.organization_id)
        texts = translator(language(game.document))
        return PageContext(
            images, texts, self.settings, ZoneInfo(self.settings.server.timezone), url, self.delay, article
        )

    def __call__(
        self, conn: Connection, game: StoredGame, events: Sequence[StoredEvent], *, since: int, version: int, more: bool
    ) -> bytes:
        span = {"since": since, "version": version, "more": more, "status": game.local_status}
        if not game.public:
            return json_bytes(span)
        return json_bytes(
            span
            | parts(conn, game, events, self.context(game), self.clock() - self.delay, show=self.show, theme=self.theme)
        )


def parts(
    conn: Connection,
    game: StoredGame,
    events: Sequence[StoredEvent],
    page: PageContext,
    now: float,
    *,
    show: Show,
    theme: Theme,
) -> Json:
    """Head, key moments and line-ups as they are, and the posts that changed; `html` None for one that the page must forget."""
    key_moments = key_moments_of(conn, game)
    keep = event_filter(show, key_moments)
    kept = [event for event in events if keep(event) and theme.shows(event)]
    document, *posts = complete(conn, [game.as_document(), *public_documents(kept)])
    posts = page_posts(conn, game.id, list(map(theme.labelled, posts)), now)
    shown = {text(each, "local_id"): safe_post(document, each, page) for each in posts}
    return {
        "title": title(document),
        "label": posts_label(deltas.count(conn, game.id), page.texts),
        "board": scoreboard(document, page, now),
        "moments": key_moments_html(key_moments, page),
        "squads": squads(document, page.texts, key_moments.player_events),
        "posts": [{"id": each.local_id, "html": shown.get(each.local_id) or None} for each in events],
    }
