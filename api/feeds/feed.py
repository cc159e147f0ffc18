"""The posts of a liveblog as plain values, which each feed format writes in its way.

Images and videos have absolute addresses: images come through the proxy, videos from their own host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from pathlib import PurePosixPath
from urllib.parse import quote, urlsplit

import structlog
from sqlalchemy import Connection

from api.capabilities import feed_block_html
from api.feeds.feed_selection import FeedRequest, feed_url, hub_of, page_url
from api.http.capability import PostExtras
from api.http.json_path import RENDER_ERRORS, Json, node, number, text
from api.http.request import Services
from api.view.key_moments import KeyMoments, key_moments_of, with_result
from api.view.liveblog_access import cursor, in_batches, public_documents, published_game
from api.view.post_content import Names, as_read, body_html, headline, incident, minute, names_of, one_line, plain_text
from api.view.post_files import File, Images, article_address, host, image_url, outward_link, post_files
from api.view.references import complete
from mapping.locales import Translator, translator
from mapping.locales.labels import Label
from store.engine.liveblog_records import StoredEvent
from store.liveblogs import liveblogs

WIDTH = 1280
"""Pixels that an image in a feed has at most."""
PORTRAIT = 96
IMAGES = {".png": "image/png", ".gif": "image/gif"}
VIDEOS = {".webm": "video/webm", ".mov": "video/quicktime", ".m3u8": "application/vnd.apple.mpegurl"}
"""Endings of names → types of files that are not what most are; the proxy gives WebP and AVIF to those alone who accept them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A file as a program gets it; `size` in pixels where it is known, `seconds` 0 for images and where it is not known."""

    url: str
    content_type: str
    title: str
    credit: str
    size: tuple[int, int] | None
    seconds: int

    @property
    def video(self) -> bool:
        return not self.content_type.startswith("image/")


@dataclass(frozen=True, slots=True)
class FeedFiles:
    """Writes the images, videos and capabilities' blocks of a post; what has a warning is a link to its page, which can ask."""

    images: Images
    texts: Translator
    post_url: str

    def files(self, shown: Sequence[File], *, slideshow: bool) -> str:
        """The files below each other: a feed's reader has no slideshow."""
        del slideshow
        return "".join(self._file(file) for file in shown)

    def portrait(self, url: str) -> str:
        return f'<img src="{self.images.address(url, PORTRAIT)}" alt=""> ' if image_url(url) else ""

    def web_embed(self, url: str) -> str:
        """A link: a feed's reader asks nobody before it loads a frame."""
        return outward_link(url)

    def capability_block(self, block: Json) -> str:
        """The block as its capability shows it where no script runs."""
        return feed_block_html(block, self.post_url, self.texts)

    def enclosures(self, shown: Sequence[File]) -> tuple[Enclosure, ...]:
        """The files for programs, which ask nobody: none that has a warning."""
        return tuple(self._enclosure(file) for file in shown if file.warning is None)

    def _enclosure(self, file: File) -> Enclosure:
        size = file.size if file.video or file.size is None else _fit(*file.size)
        return Enclosure(
            url=self._url(file),
            content_type=_content_type(file),
            title=file.title,
            credit=file.credit,
            size=size,
            seconds=(file.milliseconds + 500) // 1000,
        )

    def _url(self, file: File) -> str:
        return self.images.video(file.url) if file.video else self.images.address(file.url, WIDTH)

    def _file(self, file: File) -> str:
        if file.warning is not None:
            warning = escape(file.warning or self.texts.text(Label.SENSITIVE))
            return f'<p><a href="{escape(self.post_url)}">{warning}</a></p>'
        caption = " · ".join(escape(each) for each in (file.title, file.credit) if each)
        shown = self._video(file) if file.video else self._image(file)
        return f"<figure>{shown}{f'<figcaption>{caption}</figcaption>' if caption else ''}</figure>"

    def _image(self, file: File) -> str:
        width, height = _fit(*file.size) if file.size else (0, 0)
        size = f' width="{width}" height="{height}"' if file.size else ""
        return f'<img src="{self._url(file)}" alt="{escape(file.title)}"{size}>'

    def _video(self, file: File) -> str:
        url = escape(self._url(file))
        link = f'<a href="{url}">{escape(file.title or host(file.url))}</a>'
        return f'<video src="{url}" controls preload="none">{link}</video>'


def _fit(width: int, height: int) -> tuple[int, int]:
    """The size of the variant that a feed names."""
    return (width, height) if width <= WIDTH else (WIDTH, max(1, round(height * WIDTH / width)))


def _content_type(file: File) -> str:
    """The type that the name of the file suggests."""
    ending = PurePosixPath(urlsplit(file.url).path).suffix.lower()
    return VIDEOS.get(ending, "video/mp4") if file.video else IMAGES.get(ending, "image/jpeg")


log = structlog.get_logger(__name__)

BATCH = 200
_LANGUAGE = re.compile("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")


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


def build_feed(conn: Connection, game_id: str, request: FeedRequest, services: Services, extension: str) -> Feed:
    """The feed as the database says it; an event that cannot be shown is left out and logged. Raises NotFound."""
    game, settings = published_game(conn, game_id), services.settings
    chosen, more = chosen_events(conn, game_id, request)
    events = complete(conn, public_documents(chosen))
    page = article_address(settings, game) or page_url(settings.public_url, game.local_id, request.delay)
    locale = text(game.document, "locale")
    language = locale if _LANGUAGE.fullmatch(locale) else "en"
    squads = names_of(node(game.document, "squads"))
    images = Images(services.keys.media, settings.public_url.rstrip("/"), game.organization_id)
    shown = map(request.theme.labelled, events)
    items = tuple(item for event in shown if (item := _item(event, page, language, squads, images)))
    last = text(events[-1], "local_id") if events and more else None
    address = partial(feed_url, settings.public_url, extension, request)
    return Feed(
        id=game.local_id,
        title=one_line(with_result(game.as_document(), game.title or "Liveblog")),
        language=language,
        page_url=page,
        self_url=address(after=request.after),
        first_url=address(after=None) if request.after else None,
        next_url=address(after=last) if last else None,
        hub_url=hub_of(settings, game.local_id, request),
        updated=game.updated_at,
        items=items,
        key_moments=key_moments_of(conn, game) if extension == "json" else None,
    )


def with_extras(feed: Feed, extras: Sequence[PostExtras]) -> Feed:
    """The feed with what capabilities add to each post."""
    return replace(
        feed,
        items=tuple(
            replace(item, extras={each.field: each.numbers.get(item.id, 0) for each in extras}) for item in feed.items
        ),
    )


def _item(event: Json, page: str, language: str, squads: Names, images: Images) -> Item | None:
    try:
        return item_of(event, page, language, squads, images)
    except RENDER_ERRORS as error:
        log.warning("feed.item_left_out", local_id=text(event, "local_id"), cause=type(error).__name__)
        return None


def item_of(event: Json, page: str, language: str, squads: Names, images: Images) -> Item:
    """One event as a feed's item, its score written as in that language; `squads`: who plays beside the one it names."""
    event, local_id = as_read(event), text(event, "local_id")
    url = f"{page}#{quote(local_id, safe='')}"
    files = FeedFiles(images, translator(language), url)
    published = number(event, "created_at") or 0
    # What happened, where the title is a headline of the post's own.
    happened = " ".join(filter(None, (minute(event), incident(event, language)))) if text(event, "headline") else ""
    lead = f"<p><strong>{escape(happened)}</strong></p>" if happened else ""
    return Item(
        id=local_id,
        title=headline(event, language, squads),
        html=lead + body_html(event, language, files),
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
