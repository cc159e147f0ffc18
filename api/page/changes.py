"""What has changed on a page since a version: the parts, as HTML, that the page's script puts in their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from api.capabilities import page_posts
from api.feeds.themes import EVERYTHING, Theme
from api.http.errors import json_bytes
from api.http.json_path import Json, text
from api.http.param import TEXT
from api.http.request import Services
from api.page.moments import key_moments_html
from api.page.page import language, sections
from api.page.page_context import UP, PageContext
from api.page.posts import posts_label, safe_post
from api.page.scoreboard import scoreboard, title
from api.page.squads import squads
from api.page.window import MOST_PINNED, Show, event_filter, pinned_on_top
from api.view.key_moments import key_moments_of, with_result
from api.view.liveblog_access import public_documents
from api.view.post_files import Images, article_address
from api.view.references import complete
from config import Settings
from mapping.documents.scalars import LocalStatus
from mapping.locales import translator
from store.liveblogs import deltas
from store.liveblogs.liveblogs import StoredEvent, StoredGame

CHANGES: Json = {
    "type": "object",
    "required": ["since", "version", "more", "status"],
    "properties": {
        "since": {"type": "integer"},
        "version": {"type": "integer"},
        "more": {"type": "boolean"},
        "status": {"enum": [*map(int, LocalStatus)]},
        **dict.fromkeys(("title", "label", "board", "sections", "moments", "squads"), TEXT),
        "pinned": {"type": "array", "items": TEXT},
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
"""What a page must change, as HTML; `html` null for a post that it must forget. `pinned`: the posts above all others, in order."""


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

        `base` stands before the addresses of images, `url` before the queries of posts' own addresses; `article`: where
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
    """Head, key moments and line-ups as they are, and the posts that changed; `html` None for one that the page must forget.

    The pinned posts come along where the page may lack one of them: where more were pinned than stand above the others.
    """
    key_moments = key_moments_of(conn, game)
    keep = event_filter(show, theme, key_moments)
    pinned = pinned_on_top(conn, game.id)
    if len(pinned) + len(events) > MOST_PINNED:
        events = _joined(events, pinned)
    on_top = [event.local_id for event in pinned if keep(event)]
    document, *posts = complete(conn, [game.as_document(), *public_documents(list(filter(keep, events)))])
    posts = page_posts(conn, game.id, list(map(theme.labelled, posts)), now)
    shown = {name: safe_post(document, each, page, pinned=name in on_top) for name, each in _named(posts)}
    beside = squads(document, page.texts, key_moments.player_events)
    return {
        "title": with_result(document, title(document)),
        "label": posts_label(deltas.count(conn, game.id), page.texts),
        "board": scoreboard(document, page, now, key_moments.kicks),
        "sections": sections(document, page, key_moments, beside),
        "moments": key_moments_html(key_moments, page),
        "squads": beside,
        "pinned": on_top,
        "posts": [{"id": each.local_id, "html": shown.get(each.local_id) or None} for each in events],
    }


def _named(posts: Iterable[Json]) -> Iterator[tuple[str, Json]]:
    return ((text(each, "local_id"), each) for each in posts)


def _joined(events: Sequence[StoredEvent], more: Sequence[StoredEvent]) -> list[StoredEvent]:
    """The events, then those of `more` that are not among them."""
    known = {each.local_id for each in events}
    return [*events, *(each for each in more if each.local_id not in known)]
