"""The images and videos of feeds, all of them at absolute addresses: images come through the proxy, videos from their own host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from api.capabilities import feed_block_html
from api.http.json_path import Json
from api.view.post_files import File, Images, host, image_url, outward_link
from mapping.locales import Translator
from mapping.locales.labels import Label

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
        size = file.size if file.video or file.size is None else _fitted(*file.size)
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
        width, height = _fitted(*file.size) if file.size else (0, 0)
        size = f' width="{width}" height="{height}"' if file.size else ""
        return f'<img src="{self._url(file)}" alt="{escape(file.title)}"{size}>'

    def _video(self, file: File) -> str:
        url = escape(self._url(file))
        link = f'<a href="{url}">{escape(file.title or host(file.url))}</a>'
        return f'<video src="{url}" controls preload="none">{link}</video>'


def _fitted(width: int, height: int) -> tuple[int, int]:
    """The size of the variant that a feed names."""
    return (width, height) if width <= WIDTH else (WIDTH, max(1, round(height * WIDTH / width)))


def _content_type(file: File) -> str:
    """The type that the name of the file suggests."""
    ending = PurePosixPath(urlsplit(file.url).path).suffix.lower()
    return VIDEOS.get(ending, "video/mp4") if file.video else IMAGES.get(ending, "image/jpeg")
