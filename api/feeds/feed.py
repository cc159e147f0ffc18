"""What the three feed formats have in common: the request, the events, a feed as plain values, and XML that readers accept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import NamedTuple
from urllib.parse import quote, urlencode
from xml.etree import ElementTree as ET

import structlog
from sqlalchemy import Connection

from api.feeds.enclosures import Enclosure, FeedFiles
from api.feeds.themes import EVERYTHING, Theme, theme_of
from api.http.capability import PostExtras
from api.http.json_path import RENDER_ERRORS, Json, node, number, text
from api.http.param import Flag, Integer, Limit, OneOf, Query, Text
from api.view.content import Names, as_read, body_html, headline, incident, minute, names_of, one_line, plain_text
from api.view.key_moments import KeyMoments, with_result
from api.view.liveblog_access import cursor, in_batches, read_liveblog
from api.view.post_files import Images, post_files
from api.view.read_cache import delay_in
from config import Settings
from config.organizations import ThemeConfig
from mapping.locales import translator
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import StoredEvent, StoredGame

log = structlog.get_logger(__name__)

DEFAULT_LIMIT = 20
SORTS = {"asc": False, "desc": True}
"""Order of a feed → whether the newest post comes first."""
LIMIT = Integer("limit", "Number of events", low=1, high=Limit("feed_limit_max"), default=DEFAULT_LIMIT)
SORT = OneOf("sort", "Oldest or newest first", choices=SORTS, default=True)
AFTER = Text("continue_event_id", "The last event id of the previous answer")
INCLUDE_AFTER = Flag("include_continue_event", "Whether that event is part of this answer too")
BATCH = 200
FEED_PATH = "/api/embed/v4/feed/liveblog"
EXTENSIONS = ("rss", "atom", "json")
"""The formats of feeds, as their addresses end."""
_LANGUAGE = re.compile("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_FORBIDDEN_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FeedRequest(NamedTuple):
    """Which events of which liveblog: those of the theme; `delay`: the seconds that the feed's address asks for."""

    liveblog: str
    limit: int = DEFAULT_LIMIT
    descending: bool = True
    after: str | None = None
    include_after: bool = False
    delay: int = 0
    theme: Theme = EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One post; times are Unix seconds, `html` is sanitised, `text` has no markup."""

    id: str
    title: str
    html: str
    text: str
    published: int
    updated: int
    url: str
    enclosures: tuple[Enclosure, ...]
    extras: Mapping[str, int] = field(default_factory=dict)
    """What capabilities add to the post."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A liveblog's posts in the requested order. No URL in it holds a credential."""

    id: str
    title: str
    language: str
    page_url: str
    self_url: str
    first_url: str | None
    """Of the pages; None where this is the first one."""
    next_url: str | None
    hub_url: str | None
    """Where changes of this feed can be subscribed to; None where they cannot."""
    updated: int
    items: tuple[Item, ...]
    key_moments: KeyMoments | None = None
    """In formats that have a place for them."""


def feed_request(query: Query, limit_max: int, delay_max: int, themes: Mapping[str, ThemeConfig]) -> FeedRequest:
    """The request in a feed's query; raises InvalidRequest with the parameter at fault."""
    theme = theme_of(query, themes)
    return FeedRequest(
        liveblog=read_liveblog(query, "liveblogId"),
        limit=LIMIT.of(query, min(theme.posts or DEFAULT_LIMIT, limit_max), high=limit_max),
        descending=SORT.of(query, SORTS[theme.sort or "desc"]),
        after=AFTER.of(query) or None,
        include_after=INCLUDE_AFTER.of(query) and AFTER.name in query,
        delay=delay_in(query, delay_max),
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


def build_feed(
    game: StoredGame,
    events: Sequence[Json],
    request: FeedRequest,
    *,
    public_url: str,
    media_key: bytes,
    extension: str,
    more: bool,
    hub_url: str | None = None,
    article: str = "",
) -> Feed:
    """The feed of a liveblog and the chosen events; an event that cannot be shown is left out and logged.

    `article`: where readers find the liveblog, if not on its page.
    """
    page = article or page_url(public_url, game.local_id, request.delay)
    language = _language(game.document)
    squads = names_of(node(game.document, "squads"))
    images = Images(media_key, public_url.rstrip("/"), game.organization_id)
    shown = map(request.theme.labelled, events)
    items = tuple(item for event in shown if (item := _item(event, page, language, squads, images)))
    last = text(events[-1], "local_id") if events and more else None
    return Feed(
        id=game.local_id,
        title=one_line(with_result(game.as_document(), game.title or "Liveblog")),
        language=language,
        page_url=page,
        self_url=feed_url(public_url, extension, request, after=request.after),
        first_url=feed_url(public_url, extension, request, after=None) if request.after else None,
        next_url=feed_url(public_url, extension, request, after=last) if last else None,
        hub_url=hub_url,
        updated=game.updated_at,
        items=items,
    )


def with_extras(feed: Feed, extras: Sequence[PostExtras]) -> Feed:
    """The feed with what capabilities add to each post."""
    return replace(
        feed,
        items=tuple(
            replace(item, extras={each.field: each.numbers.get(item.id, 0) for each in extras}) for item in feed.items
        ),
    )


def _language(game: Json) -> str:
    """The language tag, English where the document has none that is one."""
    locale = text(game, "locale")
    return locale if _LANGUAGE.fullmatch(locale) else "en"


def _item(event: Json, page: str, language: str, squads: Names, images: Images) -> Item | None:
    try:
        return item_of(event, page, language, squads, images)
    except RENDER_ERRORS as error:
        log.warning("feed.item_left_out", local_id=text(event, "local_id"), cause=type(error).__name__)
        return None


def _lead(event: Json, language: str) -> str:
    """What happened, where the title is a headline of the post's own."""
    happened = " ".join(filter(None, (minute(event), incident(event, language)))) if text(event, "headline") else ""
    return f"<p><strong>{escape(happened)}</strong></p>" if happened else ""


def item_of(event: Json, page: str, language: str, squads: Names, images: Images) -> Item:
    """One event as a feed's item, its score written as in that language; `squads`: who plays beside the one it names."""
    event, local_id = as_read(event), text(event, "local_id")
    url = f"{page}#{quote(local_id, safe='')}"
    files = FeedFiles(images, translator(language), url)
    published = number(event, "created_at") or 0
    return Item(
        id=local_id,
        title=headline(event, language, squads),
        html=_lead(event, language) + body_html(event, language, files),
        text=plain_text(event),
        published=published,
        updated=max(published, number(event, "updated_at") or 0),
        url=url,
        enclosures=files.enclosures(post_files(event)),
    )


def chosen_events(
    conn: Connection, game_id: str, request: FeedRequest, keep: Callable[[StoredEvent], bool] = lambda _: True
) -> tuple[list[StoredEvent], bool]:
    """At most `limit` public events that are to be kept, in the requested order, and whether more follow; raises InvalidRequest."""

    def shows(event: StoredEvent) -> bool:
        return keep(event) and request.theme.shows(event)

    seen = cursor(conn, game_id, request.after)
    first = [seen] if seen is not None and request.include_after and seen.public else []
    found = [event for event in first if shows(event)]
    size = min(BATCH, request.limit + 1)

    def read(after: str | None) -> Sequence[StoredEvent]:
        return liveblogs.events(conn, game_id, after=after, limit=size, descending=request.descending)

    for event in in_batches(read, seen, size):
        if shows(event):
            found.append(event)
        if len(found) > request.limit:
            break
    return found[: request.limit], len(found) > request.limit


def clean(value: str) -> str:
    """The text without control characters, surrogates and non-characters."""
    return _FORBIDDEN_IN_XML.sub("", value)


def add(parent: ET.Element, tag: str, content: str | None = None, **attributes: str) -> ET.Element:
    """A new last child with text and attributes."""
    child = ET.SubElement(parent, tag, {name: clean(value) for name, value in attributes.items()})
    child.text = None if content is None else clean(content)
    return child


def serialise(root: ET.Element) -> bytes:
    """The document in UTF-8 with its declaration."""
    body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return body
