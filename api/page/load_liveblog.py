"""Loads a liveblog for a page or an article: the posts that are shown, with head and key moments, as the public sees them."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from sqlalchemy import Connection

from api.capabilities import page_posts
from api.feeds.feed import chosen_events
from api.feeds.feed_selection import EVERYTHING, SORTS, FeedRequest, Theme, page_url, theme_of
from api.http.json_path import Json, text
from api.http.param import Flag, Integer, OneOf, Query, Text
from api.http.request import Services
from api.page.share_links import card_url
from api.page.structured_data import Publication, live_blog_posting
from api.view.key_moments import KeyMoments, key_moments_of
from api.view.liveblog_access import public_documents, published_game
from api.view.liveblog_reads import delay_in
from api.view.post_files import Images, article_address
from api.view.references import complete
from config import Settings
from mapping.documents.event import HIGHLIGHTED, PINNED
from mapping.sports import Sport
from mapping.sports.base import MomentType
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.liveblogs import event_reads, liveblogs
from store.liveblogs.event_reads import Coverage, pinned_events

POSTS_SHOWN = 30
MOST_SHOWN = 300
MOST_PINNED = 10
"""Posts that stand above all others; where more are pinned, the older ones stand at their times."""


NOBODY = "matchwire"
"""The publisher of a liveblog whose organization is not configured any more."""


class Show(StrEnum):
    """A filter of posts."""

    ALL = "all"
    KEY = "key"
    GOALS = "goals"
    TEXT = "text"


SHOW = OneOf("show", "With `html`: which posts are shown", choices={str(each): each for each in Show}, default=Show.ALL)
LIMIT = Integer("limit", "Number of posts", low=1, high=MOST_SHOWN, default=POSTS_SHOWN)
FRAGMENT = Flag("fragment", "Only the part of the page that changes")
POST = Text("post", "The id of a post that shall be on the page")


class PageRequest(NamedTuple):
    """The posts that a page shall show: after the one called `after`, else so that `post` is among them, whatever `show` says.

    `kept`: the parameters that addresses on the page repeat. `theme`: which posts it shows at all, and in which order.
    """

    show: Show = Show.ALL
    limit: int = POSTS_SHOWN
    after: str = ""
    post: str = ""
    kept: tuple[tuple[str, str], ...] = ()
    theme: Theme = EVERYTHING

    @property
    def descending(self) -> bool:
        """Whether the newest post comes first."""
        return SORTS[self.theme.sort or "desc"]

    def address(self, show: Show | None = None) -> str:
        """The query of the newest posts, to which more may be added; `show`: of another filter."""
        wanted = self.show if show is None else show
        parameters = [*self.kept, *([("show", str(wanted))] if wanted is not Show.ALL else [])]
        parameters += [("limit", str(self.limit))] if self.limit != POSTS_SHOWN else []
        return f"?{urlencode(parameters)}&" if parameters else "?"


def late(delay: int) -> tuple[tuple[str, str], ...]:
    """What addresses on a page repeat that is late by so many seconds."""
    return (("delay", str(delay)),) if delay else ()


class Window(NamedTuple):
    """The events to show, in their order; whether older and newer ones are left out; those that stand above all, newest first.

    An event may be among both.
    """

    events: list[StoredEvent]
    older: bool
    newer: bool
    pinned: list[StoredEvent]


def page_request(query: Query, settings: Settings) -> PageRequest:
    """The request in a page's query; raises InvalidRequest with the parameter at fault."""
    theme, named = theme_of(query, settings.themes), not settings.server.public_feeds and "client_id" in query
    client = (("client_id", query["client_id"]),) if named else ()
    return PageRequest(
        show=SHOW.of(query),
        limit=LIMIT.of(query, min(theme.posts or POSTS_SHOWN, MOST_SHOWN)),
        after=query.get("continue_event_id", ""),
        post=POST.of(query),
        kept=(*client, *late(delay_in(query, settings.limits.longest_delay)), *theme.parameters),
        theme=theme,
    )


def window(conn: Connection, game: StoredGame, wanted: PageRequest, key_moments: KeyMoments) -> Window:
    """The public events of a liveblog that a page shows; a `post` that nobody may read leads to the newest ones.

    Raises InvalidRequest where `after` is no event of the liveblog.
    """
    keep = event_filter(wanted.show, wanted.theme, key_moments)

    def read(after: str | None, *, include: bool = False) -> tuple[list[StoredEvent], bool]:
        request = FeedRequest(
            liveblog=game.id,
            limit=wanted.limit,
            descending=wanted.descending,
            after=after,
            include_after=include,
        )
        return chosen_events(conn, game.id, request, keep)

    events, older = read(wanted.after or None)
    pinned = pinned_on_top(conn, game.id, keep)
    if wanted.after or not wanted.post or wanted.post in {each.local_id for each in (*events, *pinned)}:
        return Window(events, older, newer=bool(wanted.after), pinned=pinned)
    if not liveblogs.has_post(conn, game.id, wanted.post):
        return Window(events, older, newer=False, pinned=pinned)
    keep = event_filter(Show.ALL, wanted.theme, key_moments)
    events, older = read(wanted.post, include=True)
    return Window(events, older, newer=True, pinned=pinned_on_top(conn, game.id, keep))


def everything(_: StoredEvent) -> bool:
    return True


def pinned_on_top(
    conn: Connection, game_id: str, keep: Callable[[StoredEvent], bool] = everything
) -> list[StoredEvent]:
    """The public events that stand above all others whatever the paging, newest first, as far as they are to be kept."""
    found = pinned_events(conn, game_id, MOST_PINNED)
    return [event for event in found if text(_document(event), "highlight") in PINNED and keep(event)]


def event_filter(show: Show, theme: Theme, key_moments: KeyMoments) -> Callable[[StoredEvent], bool]:
    """Whether both the filter and the theme show an event."""
    shown = _shown_by(show, key_moments)
    return lambda event: shown(event) and theme.shows(event)


def _shown_by(show: Show, key_moments: KeyMoments) -> Callable[[StoredEvent], bool]:
    match show:
        case Show.KEY:
            return _among({each.local_id for each in key_moments.moments}, HIGHLIGHTED)
        case Show.GOALS:
            return _among({each.local_id for each in key_moments.moments if each.type is MomentType.GOAL}, ())
        case Show.TEXT:
            return lambda event: not text(_document(event), "sport_event", "event_type")
        case _:
            return everything


def offered_filters(sport: Sport, key_moments: KeyMoments) -> tuple[Show, ...]:
    """The filters that make sense for a liveblog of this sport: none that shows nothing and never will."""
    useless = set() if key_moments.expected else {Show.KEY}
    if all(kind.moment is not MomentType.GOAL for kind in sport.kinds):
        useless.add(Show.GOALS)
    return tuple(each for each in Show if each not in useless)


def _among(names: Container[str], highlighted: Container[str]) -> Callable[[StoredEvent], bool]:
    return lambda event: event.local_id in names or text(_document(event), "highlight") in highlighted


def _document(event: StoredEvent) -> Json:
    return event.document if isinstance(event.document, dict) else {}


def without_pinned(events: Sequence[Json], pinned: Sequence[Json]) -> list[Json]:
    """The events without those that stand above them."""
    on_top = {text(each, "local_id") for each in pinned}
    return [each for each in events if text(each, "local_id") not in on_top]


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
    return _load(conn, game, shown, key_moments_of(conn, game), request, now)


def load_page(conn: Connection, game_id: str, wanted: PageRequest, now: float) -> LoadedLiveblog:
    """The liveblog with the posts that its page shall show, as the database has it. Raises NotFound, InvalidRequest."""
    game = published_game(conn, game_id)
    key_moments = key_moments_of(conn, game)
    request = FeedRequest(game.id, theme=wanted.theme)
    return _load(conn, game, window(conn, game, wanted, key_moments), key_moments, request, now)


def _load(  # noqa: PLR0917 -- what both ways of loading have found
    conn: Connection, game: StoredGame, found: Window, key_moments: KeyMoments, request: FeedRequest, now: float
) -> LoadedLiveblog:
    events = [*found.pinned, *found.events]
    document, *posts = complete(conn, [game.as_document(), *public_documents(events)])
    posts = posts_with_results(conn, game.id, list(map(request.theme.labelled, posts)), now)
    pinned, shown = posts[: len(found.pinned)], posts[len(found.pinned) :]
    coverage = event_reads.coverage(conn, game.id)
    return LoadedLiveblog(game, document, shown, found.older, coverage, key_moments, request, found.newer, pinned)


def posts_with_results(conn: Connection, game_id: str, posts: Sequence[Json], now: float) -> list[Json]:
    """The posts with what their blocks need to be shown, such as the results of polls."""
    return page_posts(conn, game_id, posts, now)


def publication(services: Services, game: StoredGame, article: str = "") -> Publication:
    """Who publishes the liveblog where; `article`: where readers find it, if that is known better than here."""
    settings = services.settings
    logo, own = settings.organization(game.organization_id).logo, article_address(settings, game)
    site = urlsplit(own or logo or settings.public_url)
    return Publication(
        page=article or own or page_url(settings.public_url, game.local_id),
        site=f"{site.scheme}://{site.netloc}/",
        publisher=services.organizations(game.organization_id) or NOBODY,
        logo=logo,
        images=Images(services.keys.media, settings.public_url.rstrip("/"), game.organization_id),
    )
