"""What the public sees of a liveblog at a moment, for its page and for a CMS that puts it into an article."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from api.capabilities import page_posts
from api.feeds.feed import FeedRequest, chosen_events, page_url
from api.http.json_path import Json
from api.http.request import Services
from api.page.discovery import card_url
from api.page.posts import without_pinned
from api.page.structured_data import Publication, live_blog_posting
from api.page.window import PageRequest, Window, pinned_on_top, window
from api.view.key_moments import KeyMoments, key_moments_of
from api.view.liveblog_access import public_documents, published_game
from api.view.post_files import Images, article_address
from api.view.references import complete
from store.liveblogs import deltas
from store.liveblogs.deltas import Coverage
from store.liveblogs.liveblogs import StoredGame

NOBODY = "matchwire"
"""The publisher of a liveblog whose organization is not configured any more."""


class LoadedLiveblog(NamedTuple):
    """A published liveblog: its document and its posts with references resolved; `more` and `newer`: there are others.

    `pinned` stand above all others, whether they are among the `posts` or not.
    """

    game: StoredGame
    document: Json
    posts: list[Json]
    more: bool
    coverage: Coverage
    key_moments: KeyMoments
    request: FeedRequest
    newer: bool = False
    pinned: Sequence[Json] = ()

    @property
    def in_order(self) -> list[Json]:
        """All posts in the order in which they are shown, pinned ones first."""
        return [*self.pinned, *without_pinned(self.posts, self.pinned)]

    def schema(self, services: Services, delayed: int, article: str = "") -> Json:
        """The structured data; `article`: where readers find the liveblog, if that is known better than here."""
        card = card_url(services.settings.public_url, self.document, delayed)
        return live_blog_posting(
            self.document,
            self.in_order,
            self.coverage,
            replace(publication(services, self.game, article), card=card),
            recap=self.key_moments.recap,
            moved_from=self.game.previous_starts_at,
        )


def load_liveblog(conn: Connection, game_id: str, request: FeedRequest, now: float) -> LoadedLiveblog:
    """The liveblog with the requested posts, as the database has it at `now` (Unix seconds). Raises NotFound, InvalidRequest."""
    game = published_game(conn, game_id)
    events, more = chosen_events(conn, game_id, request)
    shown = Window(events, more, newer=False, pinned=pinned_on_top(conn, game_id, request.theme.shows))
    found = _shown(conn, game, shown, key_moments_of(conn, game), request)
    return _with_results(conn, found, now)


def load_page(conn: Connection, game_id: str, wanted: PageRequest, now: float) -> LoadedLiveblog:
    """The liveblog with the posts that its page shall show, as the database has it. Raises NotFound, InvalidRequest."""
    game = published_game(conn, game_id)
    key_moments = key_moments_of(conn, game)
    found = _shown(
        conn, game, window(conn, game, wanted, key_moments), key_moments, FeedRequest(game.id, theme=wanted.theme)
    )
    return _with_results(conn, found, now)


def _shown(
    conn: Connection, game: StoredGame, found: Window, key_moments: KeyMoments, request: FeedRequest
) -> LoadedLiveblog:
    events = [*found.pinned, *found.events]
    document, *posts = complete(conn, [game.as_document(), *public_documents(events)])
    posts = list(map(request.theme.labelled, posts))
    pinned, shown = posts[: len(found.pinned)], posts[len(found.pinned) :]
    coverage = deltas.coverage(conn, game.id)
    return LoadedLiveblog(game, document, shown, found.older, coverage, key_moments, request, found.newer, pinned)


def posts_with_results(conn: Connection, game_id: str, posts: Sequence[Json], now: float) -> list[Json]:
    """The posts with what their blocks need to be shown, such as the results of polls."""
    return page_posts(conn, game_id, posts, now)


def _with_results(conn: Connection, found: LoadedLiveblog, now: float) -> LoadedLiveblog:
    posts, pinned = (posts_with_results(conn, found.game.id, each, now) for each in (found.posts, found.pinned))
    return found._replace(posts=posts, pinned=pinned)


def publication(services: Services, game: StoredGame, article: str = "") -> Publication:
    """Who publishes the liveblog where; `article`: where readers find it, if that is known better than here."""
    settings = services.settings
    return Publication(
        page=article or article_address(settings, game) or page_url(settings.public_url, game.local_id),
        site=_site_of(services, game),
        publisher=services.organizations(game.organization_id) or NOBODY,
        logo=settings.organization(game.organization_id).logo,
        images=Images(services.keys.media, settings.public_url.rstrip("/"), game.organization_id),
    )


def _site_of(services: Services, game: StoredGame) -> str:
    """The site of the publisher: where its articles or its logo are, else this service."""
    organization = services.settings.organization(game.organization_id)
    found = article_address(services.settings, game) or organization.logo or services.settings.public_url
    parts = urlsplit(found)
    return f"{parts.scheme}://{parts.netloc}/"
