"""Which posts a feed or a page shows, by its query and by themes, and the address that asks for the same again.

A theme says which posts a feed or an article shows, in which order, and what it calls incidents; the configuration declares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import structlog

from api.http.json_path import Json, at, node, text
from api.http.param import Flag, Integer, Limit, OneOf, Param, Query, Text
from api.http.request import loggable
from api.view.liveblog_access import read_liveblog
from api.view.liveblog_reads import delay_in
from api.view.post_content import (
    incident_blocks,
)
from config import Settings
from config.organizations import ThemeConfig
from store.engine.liveblog_records import StoredEvent

log = structlog.get_logger(__name__)

DAY = 24 * 3600
LOGGED = 100
"""Names of unknown themes that are logged in a day, at most: anybody can make them up."""
NO_INCIDENT = "text"
"""Stands among event types for posts without an incident."""
THEME_PARAMETERS: list[Param] = [
    Text("themeId", "A theme of the configuration: which posts are shown, in which order"),
    Text("tags", "With a theme: only posts with one of these labels, separated by commas"),
    Text("highlights", "With a theme: only posts highlighted in one of these ways, separated by commas"),
    Text(
        "event_types", "With a theme: only incidents of these types, separated by commas; `text` for posts without one"
    ),
]
THEMED_PAGE: list[Param] = [
    *THEME_PARAMETERS,
    Text("sort", "With a theme: oldest or newest first", {"type": "string", "enum": ["asc", "desc"]}),
]
"""The parameters of a theme for a page, which has no order of its own."""
FILTERS = ("tags", "highlights", "event_types")
"""Settings of a theme that a query may lay over it, values separated by commas. Who wrote a post is nothing to ask a feed for."""


DEFAULT_LIMIT = 20
SORTS = {"asc": False, "desc": True}
"""Order of a feed → whether the newest post comes first."""
LIMIT = Integer("limit", "Number of events", low=1, high=Limit("feed_limit_max"), default=DEFAULT_LIMIT)
SORT = OneOf("sort", "Oldest or newest first", choices=SORTS, default=True)
AFTER = Text("continue_event_id", "The last event id of the previous answer")
INCLUDE_AFTER = Flag("include_continue_event", "Whether that event is part of this answer too")
FEED_PATH = "/api/embed/v4/feed/liveblog"
EXTENSIONS = ("rss", "atom", "json")
"""The formats of feeds, as their addresses end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """What a theme shows: posts that meet each filter with one of its values; an empty filter takes all.

    `authors` are clients, or editors as posts name them. `sort` is `asc`, `desc` or not said, `posts` how many a page has.
    `labels` are pairs of event type and the title that incidents of it get.
    """

    id: str = ""
    tags: frozenset[str] = frozenset()
    highlights: frozenset[str] = frozenset()
    event_types: frozenset[str] = frozenset()
    authors: frozenset[str] = frozenset()
    sort: str = ""
    posts: int | None = None
    labels: tuple[tuple[str, str], ...] = ()
    laid_over: tuple[tuple[str, str], ...] = ()
    """Name and value of the parameters of the query that have changed a filter."""

    @classmethod
    def of(cls, name: str, declared: ThemeConfig) -> Theme:
        """The theme of that name as the configuration declares it."""
        return cls(
            id=name,
            tags=frozenset(declared.tags),
            highlights=frozenset(declared.highlights),
            event_types=frozenset(declared.event_types),
            authors=frozenset(declared.authors),
            sort=declared.sort,
            posts=declared.posts,
            labels=tuple(declared.labels.items()),
        )

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values that ask for this theme again with all that lies over it; none of the default theme."""
        return (("themeId", self.id), *self.laid_over, ("sort", self.sort or "desc")) if self.id else ()

    def shows(self, event: StoredEvent) -> bool:
        """Whether the filters let the post pass."""
        document = event.document
        found: tuple[tuple[frozenset[str], set[str]], ...] = (
            (self.tags, _tags(document)),
            (self.highlights, {text(document, "highlight")}),
            (self.event_types, _event_types(document)),
            (self.authors, {event.user_id or "", text(document, "editor")}),
        )
        return all(not wanted or wanted & values for wanted, values in found)

    def labelled(self, event: Json) -> Json:
        """The post with the theme's titles of its incidents."""
        if not self.labels:
            return event
        titles = dict(self.labels)
        own, contents = event.get("sport_event"), event.get("contents")
        blocks = [_add_title(each, titles) for each in contents] if isinstance(contents, list) else contents
        return {**event, "sport_event": _add_title(own, titles), "contents": blocks}


EVERYTHING = Theme()


def theme_of(query: Query, themes: Mapping[str, ThemeConfig]) -> Theme:
    """The theme in a query, with the filters of the query laid over its own.

    One that nobody has declared is the default theme, over which nothing is laid: embeds and plug-ins always name a theme.
    """
    name = query.get("themeId", "")
    if name not in themes:
        return EVERYTHING
    given = tuple((each, query[each]) for each in FILTERS if each in query)
    over: dict[str, Any] = {each: frozenset(filter(None, value.split(","))) for each, value in given}
    if (sort := query.get("sort")) in {"asc", "desc"}:
        over["sort"] = sort
    return replace(Theme.of(name, themes[name]), laid_over=given, **over)


@dataclass(slots=True)
class UnknownThemes:
    """Counts the requests that name a theme which nobody has declared, and logs each name once a day."""

    requests: int = 0
    _day: int = 0
    _logged: set[str] = field(default_factory=set)

    def count(self, query: Query, theme: Theme, now: float) -> None:
        """Count the request where its query names another theme than it gets. `now`: Unix seconds."""
        name = query.get("themeId", "")
        if name == theme.id:
            return
        self.requests += 1
        if (today := int(now // DAY)) != self._day:
            self._day, self._logged = today, set()
        if name not in self._logged and len(self._logged) < LOGGED:
            self._logged.add(name)
            log.warning("theme.unknown", theme=loggable(name))


def _tags(document: Json) -> set[str]:
    ids = at(document, "tag_ids")
    return {each for each in ids if isinstance(each, str)} if isinstance(ids, list) else set()


def _event_types(document: Json) -> set[str]:
    blocks = [node(document, "sport_event"), *incident_blocks(document)]
    return {name for each in blocks if (name := text(each, "event_type"))} or {NO_INCIDENT}


def _add_title(block: Any, titles: Mapping[str, str]) -> Any:
    title = titles.get(text(block, "event_type"))
    return block if title is None else {**block, "title": title}


class FeedRequest(NamedTuple):
    """Which events of which liveblog: those of the theme; `delay`: the seconds that the feed's address asks for."""

    liveblog: str
    limit: int = DEFAULT_LIMIT
    descending: bool = True
    after: str | None = None
    include_after: bool = False
    delay: int = 0
    theme: Theme = EVERYTHING


def feed_request(query: Query, settings: Settings) -> FeedRequest:
    """The request in a feed's query; raises InvalidRequest with the parameter at fault."""
    theme, limit_max = theme_of(query, settings.themes), settings.limits.feed_limit_max
    return FeedRequest(
        liveblog=read_liveblog(query, "liveblogId"),
        limit=LIMIT.of(query, min(theme.posts or DEFAULT_LIMIT, limit_max), high=limit_max),
        descending=SORT.of(query, SORTS[theme.sort or "desc"]),
        after=AFTER.of(query) or None,
        include_after=INCLUDE_AFTER.of(query) and AFTER.name in query,
        delay=delay_in(query, settings.limits.longest_delay),
        theme=theme,
    )


def page_url(public_url: str, liveblog: str, delay: int = 0) -> str:
    """The address of a liveblog's page, with the delay of the reader that it is written for: a link shows no more than he sees."""
    late = f"?delay={delay}" if delay else ""
    return f"{public_url.rstrip('/')}/liveblogs/{quote(liveblog, safe='')}{late}"


def feed_url(public_url: str, extension: str, request: FeedRequest, *, after: str | None) -> str:
    """The address of a feed, built from what is known here, never from the request's URL, which holds secrets."""
    theme = request.theme
    parameters = {
        "liveblogId": request.liveblog,
        "themeId": theme.id or None,
        **dict(theme.laid_over),
        "limit": request.limit if theme.id or request.limit != DEFAULT_LIMIT else None,
        "sort": ("desc" if theme.id else None) if request.descending else "asc",
        "delay": request.delay or None,
        "continue_event_id": after,
    }
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return f"{public_url.rstrip('/')}{FEED_PATH}.{extension}?{query}"


def plain_feed(local_id: str, limit_max: int) -> FeedRequest:
    """The feed of a liveblog as it is without any parameter: the one that the public hub is pinged for."""
    return FeedRequest(local_id, min(DEFAULT_LIMIT, limit_max))


def feed_topics(public_url: str, local_id: str, limit_max: int) -> list[str]:
    """What the public hub is pinged for when a liveblog changes: the addresses that its feeds call themselves."""
    request = plain_feed(local_id, limit_max)
    return [feed_url(public_url, extension, request, after=None) for extension in EXTENSIONS]


def hub_of(settings: Settings, local_id: str, request: FeedRequest) -> str | None:
    """The public hub, for a feed that it is pinged for; None for every other one, and where feeds want a secret."""
    if settings.feeds.hub is None or not settings.server.public_feeds:
        return None
    return settings.feeds.hub if request == plain_feed(local_id, settings.limits.feed_limit_max) else None


def hub_links(hub_url: str, self_url: str) -> str:
    """The header that names the hub of a feed, and the feed to the hub."""
    return f'<{hub_url}>; rel="hub", <{self_url}>; rel="self"'
