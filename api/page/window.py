"""Which posts of a liveblog a page shows: all or a kind of them, from the newest on, after one, or so that one is among them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlencode

from sqlalchemy import Connection

from api.feeds.feed import SORTS, FeedRequest, chosen_events
from api.feeds.themes import EVERYTHING, Theme, theme_of
from api.http.json_path import Json, text
from api.http.param import Flag, Integer, OneOf, Query, Text
from api.view.key_moments import KeyMoments
from api.view.read_cache import delay_in
from config.organizations import ThemeConfig
from mapping.documents.event import HIGHLIGHTED, PINNED
from mapping.sports import Sport
from mapping.sports.base import MomentType
from store.liveblogs import liveblogs
from store.liveblogs.incidents import pinned_events
from store.liveblogs.liveblogs import StoredEvent, StoredGame

NO_THEMES: Mapping[str, ThemeConfig] = MappingProxyType({})
POSTS_SHOWN = 30
MOST_SHOWN = 300
MOST_PINNED = 10
"""Posts that stand above all others; where more are pinned, the older ones stand at their times."""


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


def page_request(
    query: Query, *, public: bool, delay_max: int, themes: Mapping[str, ThemeConfig] = NO_THEMES
) -> PageRequest:
    """The request in a page's query; raises InvalidRequest with the parameter at fault."""
    theme = theme_of(query, themes)
    client = () if public or "client_id" not in query else (("client_id", query["client_id"]),)
    return PageRequest(
        show=SHOW.of(query),
        limit=LIMIT.of(query, min(theme.posts or POSTS_SHOWN, MOST_SHOWN)),
        after=query.get("continue_event_id", ""),
        post=POST.of(query),
        kept=(*client, *late(delay_in(query, delay_max)), *theme.parameters),
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
