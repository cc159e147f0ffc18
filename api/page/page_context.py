"""What the parts of a page share: texts, zone, images and videos.

Before a click it loads nothing from anybody else: images come through the proxy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote
from zoneinfo import ZoneInfo

from api.capabilities import block_html
from api.http.json_path import Json
from api.view.post_files import File, Images, host, image_url, is_ours, outward_link
from config import Settings
from mapping.liveblog.web_embeds import web_embed
from mapping.locales import Translator
from mapping.locales.labels import LOADS_FROM, Label

UP = ".."
"""From a page to the root of the service, which may lie behind a path of the public URL."""
WIDTHS = (320, 640, 1280)
"""Pixels of the variants that a browser chooses from."""
SIZES = "(max-width: 56rem) 80vw, 36rem"
VEIL = 16
"""Pixels of the preview under a warning: too few to recognise anything, also where no style sheet blurs them."""
PORTRAIT = 48
CREST = 72
DENSITIES = (1, 2)
UNKNOWN = (4, 3)
"""The aspect ratio of what has no known size."""
_TAG = re.compile(r"(<[^>]*>)")
_SCORE = re.compile(r"(?<![\d-])\d{1,3}-\d{1,3}(?![\d-])")


@dataclass(frozen=True, slots=True)
class PageContext:
    """Writes images, videos and polls for a page; with `embed.consent` a video's host hears of a reader after a click alone."""

    images: Images
    texts: Translator
    settings: Settings = field(compare=False)  # one in a process
    zone: ZoneInfo
    """Whose time stands where no script turns it into the reader's."""
    url: str = ""
    """The liveblog's page, before the queries of addresses; empty on that page."""
    delay: int = 0
    """Seconds by which the reader is late, which links to posts repeat."""
    article: str = ""
    """Where readers find the liveblog, if not on its page: links to posts lead there."""

    def files(self, shown: Sequence[File], *, slideshow: bool) -> str:
        """The files below each other, or side by side in a list that scrolls."""
        each = [self._file(file) for file in shown]
        if not slideshow or len(each) < 2:
            return "".join(each)
        items = "".join(f"<li>{html}<i>{at}/{len(each)}</i></li>" for at, html in enumerate(each, 1))
        return f'<ul class="slides" tabindex="0" aria-label="{self._text(Label.SLIDESHOW)}">{items}</ul>'

    def portrait(self, url: str) -> str:
        return self.icon(url, PORTRAIT, "portrait")

    def web_embed(self, url: str) -> str:
        """A card that holds the place of what a known provider shows there; a link where nobody knows the provider."""
        found = web_embed(url)
        if found is None:
            return outward_link(url)
        width, height = found.size
        if not self.settings.embed.consent:
            return (
                f'<figure><iframe src="{escape(found.frame)}" title="{escape(found.provider)}" width="{width}" height="{height}"'
                ' loading="lazy" referrerpolicy="strict-origin-when-cross-origin" allowfullscreen></iframe></figure>'
            )
        name = self._text(Label.PLAY if found.video else Label.SHOW)
        note = f"<small>{escape(self.texts.text(LOADS_FROM, host=found.host))}</small>"
        link = f'<a class="play" href="{escape(url)}" rel="nofollow noopener noreferrer">{name}</a>'
        return (
            f'<figure><div class="consent{"" if found.video else " still"}" data-frame="{escape(found.frame)}">'
            f"{_room(found.size)}<p><b>{escape(found.provider)}</b></p>{link}{note}</div></figure>"
        )

    def permalink(self, local_id: str) -> str:
        """The address of a post, which is on the page that it leads to; not escaped."""
        name = quote(local_id, safe="")
        if self.article:
            return f"{self.article}#{name}"
        return f"{self.url}?{f'delay={self.delay}&' if self.delay else ''}post={name}#{name}"

    def capability_block(self, block: Json) -> str:
        """The block as its capability shows it on the page."""
        return block_html(block, self.texts)

    def cover(self, url: str) -> str:
        """The image that stands for the whole liveblog; empty without an address."""
        if not url:
            return ""
        variants = ", ".join(f"{self.images.address(url, width)} {width}w" for width in WIDTHS)
        largest = self.images.address(url, WIDTHS[-1])
        return f'<img class="cover" src="{largest}" srcset="{variants}" sizes="100vw" alt="" decoding="async">'

    def icon(self, url: str, side: int, name: str) -> str:
        """A small image in a square of `side` CSS pixels, of the class `name`; empty for an address of no image."""
        if not image_url(url):
            return ""
        small, large = (self.images.address(url, side, side, dpr=dpr) for dpr in DENSITIES)
        return f'<img class="{name}" src="{small}" srcset="{large} 2x" alt="" width="{side}" height="{side}">'

    def _file(self, file: File) -> str:
        titled = file.video and self.settings.embed.consent and not is_ours(file.url)  # the card has the title
        caption = " · ".join(escape(each) for each in ("" if titled else file.title, file.credit) if each)
        shown = self._video(file) if file.video else self._image(file)
        figure = f"<figure>{shown}{f'<figcaption>{caption}</figcaption>' if caption else ''}</figure>"
        return figure if file.warning is None else self._veil(file, file.warning, figure)

    def _veil(self, file: File, warning: str, figure: str) -> str:
        preview = self.images.address(file.url, VEIL)
        veil = _room(file.size) if file.video else f'<img src="{preview}" alt="" loading="lazy"{_size(file)}>'
        text = escape(warning) or self._text(Label.SENSITIVE)
        summary = f"{veil}<span>{text} <b>{self._text(Label.SHOW)}</b></span>"
        return f'<details class="warned"><summary>{summary}</summary>{figure}</details>'

    def _image(self, file: File) -> str:
        natural = file.size[0] if file.size else WIDTHS[-1]
        offered = WIDTHS[: 1 + sum(width < natural for width in WIDTHS)]
        addresses = [self.images.address(file.url, width) for width in offered]
        variants = ", ".join(
            f"{address} {min(width, natural)}w" for width, address in zip(offered, addresses, strict=True)
        )
        several = f' srcset="{variants}" sizes="{SIZES}"' if len(offered) > 1 else ""
        middle = addresses[:2][-1]
        return f'<img src="{middle}"{several} alt="{escape(file.title)}" loading="lazy" decoding="async"{_size(file)}>'

    def _video(self, file: File) -> str:
        url, name = escape(self.images.video(file.url)), escape(file.title or host(file.url))
        if not self.settings.embed.consent or is_ours(file.url):
            return f'<video src="{url}" controls preload="none"{_size(file)}><a href="{url}">{name}</a></video>'
        length = f" <small>{_clock(file.milliseconds // 1000)}</small>" if file.milliseconds else ""
        link = f'<a class="play" href="{url}" rel="nofollow noopener noreferrer">{self._text(Label.PLAY)}</a>'
        note = f"<small>{escape(self.texts.text(LOADS_FROM, host=host(file.url)))}</small>"
        return f'<div class="consent">{_room(file.size)}<p><b>{name}</b>{length}</p>{link}{note}</div>'

    def _text(self, label: Label) -> str:
        return escape(self.texts.text(label))


def _size(file: File) -> str:
    return f' width="{file.size[0]}" height="{file.size[1]}"' if file.size else ""


def _room(size: tuple[int, int] | None) -> str:
    """Holds the place of what has this aspect ratio, which no style sheet can know."""
    width, height = size or UNKNOWN
    return f'<svg viewBox="0 0 {width} {height}" aria-hidden="true"></svg>'


def _clock(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}:{rest:02}"


def whole_scores(html: str) -> str:
    """HTML in which no line ends within a score: browsers break lines after a hyphen, also between figures."""
    parts = _TAG.split(html)
    parts[::2] = (_SCORE.sub(r'<span class="whole">\g<0></span>', each) for each in parts[::2])
    return "".join(parts)
