"""Files of posts and images of liveblogs for readers: which of them they may see, and the addresses of the proxy for them.

Also the address at which readers find a liveblog, where that is not its page here: the article that embeds it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

from api.http.json_path import Json, at, kind, nodes, number, text
from api.http.param import Query
from api.http.request import Services
from config import Settings
from mapping.documents.scalars import UPLOADED, file_is_public
from mapping.errors import InvalidRequest
from mapping.rules.media_address import Fit, ImageOptions, ImageRequest, image_path, video_path
from store.engine.liveblog_records import StoredGame

IMAGE_SCHEMES = frozenset({"http", "https", UPLOADED})
WEB_SCHEMES = frozenset({"http", "https"})
PLACES = (
    ("marketplace_info", "cover_image"),
    ("meta_info", "home_team", "banner_image"),
    ("meta_info", "away_team", "banner_image"),
)
PICTURE = ImageOptions(width=48, height=48, fit="cover", dpr=2)


LONGEST_ADDRESS = 2048
"""Characters of an address that a request may name."""
WEB_ADDRESS = r"^([Hh][Tt][Tt][Pp][Ss]?://[^\x00-\x20\x7f-\x9f\\@/?#]+([/?#][^\x00-\x20\x7f-\x9f\\]*)?)?$"
"""The form of such an address, which nobody but a reader follows; the empty one names none."""
_WEB_ADDRESS = re.compile(WEB_ADDRESS)
_NAMES = re.compile(r"\{(local_id|ticker_id|external_id)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A published image or video as a post shows it; `size` in pixels where it is known, texts not escaped.

    `url`: where its owner keeps it, `imageservice://…` for an upload. `warning`: None without one, else the text of the
    editor, empty for the generic one.
    """

    url: str
    video: bool
    title: str
    credit: str
    size: tuple[int, int] | None
    milliseconds: int
    warning: str | None


class FilesHtml(Protocol):
    """Writes the files and polls of a post as HTML, for pages or for feeds."""

    def files(self, shown: Sequence[File], *, slideshow: bool) -> str:
        """The files of one block, in their order."""

    def portrait(self, url: str) -> str:
        """The photo of a person; empty for an address of no image."""

    def web_embed(self, url: str) -> str:
        """What a third party shows at the address."""

    def capability_block(self, block: Json) -> str:
        """A block whose kind belongs to a capability; empty where it belongs to none."""


@dataclass(frozen=True, slots=True)
class Images:
    """Makes addresses of the image proxy: the same one each time for the same image and options.

    `key` signs them, `base` stands before the path, and images are fetched on behalf of the organization.
    """

    key: bytes
    base: str
    organization_id: str

    def address(
        self, url: str, width: int | None = None, height: int | None = None, *, fit: Fit = "contain", dpr: int = 1
    ) -> str:
        """Where readers get the image, no larger than the box in CSS pixels."""
        options = ImageOptions(width, height, fit, dpr)
        return self.base + image_path(self.key, ImageRequest(self.organization_id, url, options))

    def video(self, url: str) -> str:
        """Where readers get the video: a third party's is where it is, an uploaded one comes from the service."""
        return self.base + video_path(self.key, url) if is_ours(url) else url


def is_ours(url: str) -> bool:
    """Whether the file is an upload."""
    return url.startswith(f"{UPLOADED}://")


def post_files(event: Json) -> list[File]:
    """All files that the blocks of a post show."""
    return [
        file
        for block in nodes(event, "contents")
        if kind(block) == "MultiMediaContentBlock"
        for file in block_files(block, event)
    ]


def block_files(block: Json, event: Json) -> list[File]:
    """The files that a block shows, without those that are not published, gone or have no address for browsers."""
    media = {text(each, "local_id"): each for each in nodes(event, "media")}
    shown = ((item, media.get(text(item, "media_local_id"), {})) for item in nodes(block, "items"))
    return [file for item, entry in shown if file_is_public(entry) and (file := _file(item, entry)).url]


def _file(item: Json, entry: Json) -> File:
    """The file that an item shows, without a `url` where it has none for readers."""
    video = kind(item) == "VideoMediaContent" or text(entry, "subtype") == "v"
    url = entry.get("url") if text(item, "media_local_id") else item.get("source_url")
    return File(
        url=_address(url, IMAGE_SCHEMES),
        video=video,
        title=text(item, "title") or text(entry, "title"),
        credit=text(item, "credit") or text(entry, "credit"),
        size=_size(entry),
        milliseconds=max(number(entry, "duration_ms") or 0, 0),
        warning=None if item.get("content_warning") is None else text(item, "content_warning"),
    )


def _size(entry: Json) -> tuple[int, int] | None:
    width, height = number(entry, "width") or 0, number(entry, "height") or 0
    return (width, height) if width > 0 and height > 0 else None


def safe_url(value: Any) -> str:
    """The URL when a reader's browser may follow it, else nothing: http and https alone."""
    return _address(value, WEB_SCHEMES)


def image_url(value: Any) -> str:
    """The URL when the image proxy may fetch it, else nothing."""
    return _address(value, IMAGE_SCHEMES)


def host(url: str) -> str:
    """The host of a URL as readers know it, without `www.`; the URL itself where it has none."""
    return (urlsplit(url).hostname or url).removeprefix("www.") if url else ""


def outward_link(url: str) -> str:
    """A link to somebody else's page, named by its host."""
    return f'<p class="embed"><a href="{escape(url)}" rel="nofollow noopener noreferrer">{escape(host(url))}</a></p>'


def _address(value: Any, schemes: frozenset[str]) -> str:
    url = text({"url": value}, "url")
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in schemes and parts.netloc else ""


def cover(game: Json) -> str:
    """The address of its cover image, else of a photo of a team, as its owner keeps it; empty where there is none."""
    return next((url for place in PLACES if (url := image_url(at(game, *place)))), "")


def reader_picture(services: Services, organization_id: str, url: str | None) -> str | None:
    """The address under which readers see the picture, None where there is none."""
    if url is None:
        return None
    path = image_path(services.keys.media, ImageRequest(organization_id, url, PICTURE))
    return f"{services.settings.public_url.rstrip('/')}{path}"


def article_address(settings: Settings, game: StoredGame) -> str:
    """The liveblog's own `external_url`, else what the pattern of its organization makes of it; empty without either.

    A pattern that names an id which the liveblog does not have makes nothing.
    """
    if own := text(game.document, "external_url"):
        return own
    pattern = settings.organization(game.organization_id).external_url or ""
    ids = {"local_id": game.local_id, "ticker_id": game.id, "external_id": game.external_id or ""}
    if any(not ids[name] for name in _NAMES.findall(pattern)):
        return ""
    return _NAMES.sub(lambda found: quote(ids[found[1]], safe=""), pattern)


def address_in(query: Query, name: str) -> str:
    """The address of an article that a request names, empty where it names none; raises InvalidRequest."""
    url = query.get(name, "")
    if len(url) > LONGEST_ADDRESS or not _WEB_ADDRESS.fullmatch(url):
        raise InvalidRequest(f"{name} should be an http or https address", field=name)
    return url.partition("#")[0]
