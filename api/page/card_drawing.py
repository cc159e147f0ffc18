"""The picture that stands for a liveblog where somebody shares its page: who plays, the score, how it stands.

Drawn by Pillow. The font that is shipped has the letters of Latin, Greek, Cyrillic, Hebrew and Arabic; those of others come
from fonts of the machine. A name that none of them can write is left out, never written as boxes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from api.page.share_links import CREST, SIZE, CardFacts, CardSide
from mapping.rules.plain_text import is_mark, normalize_text
from mapping.rules.rich_text import without_isolates

NAME_WIDTH: Final = 430
WIDEST: Final = 1080
SMALLEST: Final = 26
"""Pixels of the smallest letters of a name; one that is longer still is cut."""
SHIPPED: Final = str(Path(__file__).parent / "fonts" / "DejaVuSans-Bold.ttf")
FONTS: Final = (
    "/usr/share/fonts/truetype/noto/NotoSansThai-Bold.ttf",
    "/usr/share/fonts/truetype/noto/NotoSansDevanagari-Bold.ttf",
    "/usr/share/fonts/truetype/noto/NotoSansBengali-Bold.ttf",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Bold.ttc",
)
"""Files that are looked for, in this order, after those of the settings and the one that is shipped."""
TOP, BOTTOM = (11, 61, 46), (14, 42, 61)
INK, SOFT, LIVE, QUIET = (242, 251, 247), (181, 211, 198), (214, 38, 60), (58, 92, 88)
RINGS: Final = ((23, 168, 107), (63, 130, 230))
NOTHING: Final = "\U0010ffff"
"""What no font has."""

Colour = tuple[int, int, int]


class _Pen(NamedTuple):
    """Writes into an image, with fonts to look for letters in before those of the machine."""

    draw: ImageDraw.ImageDraw
    fonts: tuple[str, ...]


def draw_card(facts: CardFacts, fonts: tuple[str, ...]) -> bytes:
    """The card as PNG; `fonts`: files to look for letters in before those of the machine."""
    image = _ground()
    pen = _Pen(ImageDraw.Draw(image), fonts)
    _write_centred(pen, facts.above, (600, 66), 32, colour=SOFT)
    if facts.sides:
        for at, side in enumerate(facts.sides):
            _side(image, pen, side, at)
        _write_centred(pen, facts.score or "–", (600, 240), 130, width=420)
        _write_centred(pen, facts.decided, (600, 340), 34, colour=SOFT, width=420)
    else:
        _write_centred(pen, facts.title, (600, 210), 64)
        for at, line in enumerate(facts.lines):
            _write_centred(pen, line, (600, 310 + 58 * at), 40, colour=INK if at == 0 else SOFT)
    _state(pen, facts)
    _write_centred(pen, facts.publisher, (600, 592), 26, colour=SOFT)
    body = BytesIO()
    image.save(body, "PNG")
    return body.getvalue()


@lru_cache(maxsize=1)
def _shades() -> bytes:
    mask = Image.linear_gradient("L").resize(SIZE)
    return Image.composite(Image.new("RGB", SIZE, BOTTOM), Image.new("RGB", SIZE, TOP), mask).tobytes()


def _ground() -> Image.Image:
    return Image.frombytes("RGB", SIZE, _shades())


def _state(pen: _Pen, facts: CardFacts) -> None:
    """The state of play in a pill."""
    font = _font_for(facts.state, 30, pen.fonts)
    if font is None:
        return
    half = pen.draw.textlength(facts.state, font=font) / 2 + 26
    pen.draw.rounded_rectangle((600 - half, 514, 600 + half, 562), 24, fill=LIVE if facts.live else QUIET)
    _write_centred(pen, facts.state, (600, 538), 30)


def _side(image: Image.Image, pen: _Pen, side: CardSide, at: int) -> None:
    """Crest, else a ring with initials, and the name below it."""
    x, y, half = (250, 950)[at], 230, CREST // 2
    crest = _crest(side.crest)
    if crest is not None:
        image.paste(crest, (x - crest.width // 2, y - crest.height // 2), crest)
    else:
        pen.draw.ellipse((x - half, y - half, x + half, y + half), fill=(32, 78, 66), outline=RINGS[at], width=6)
        _write_centred(pen, side.initials, (x, y), 58, width=CREST - 30)
    name = writable_name((side.name, side.short_name), pen.fonts)
    _write_centred(pen, name, (x, 408), 46, width=NAME_WIDTH)


def _crest(body: bytes | None) -> Image.Image | None:
    """The image of the proxy, which has checked and resized it; None for what is none after all."""
    if body is None:
        return None
    try:
        with Image.open(BytesIO(body), formats=("PNG", "JPEG", "GIF")) as opened:
            crest = opened.convert("RGBA")
    except (OSError, ValueError, SyntaxError):
        return None
    crest.thumbnail((CREST, CREST))
    return crest


def writable_name(names: Iterable[str], fonts: tuple[str, ...]) -> str:
    """The first of the names that a font of this machine can write, at last without its accents; empty where none can."""
    whole = [without_isolates(each) for each in names]
    tries = (*whole, *map(_plain_letters, whole))
    return next((each for each in tries if each and _file_for(each, fonts) is not None), "")


def _plain_letters(name: str) -> str:
    return "".join(each for each in normalize_text("NFKD", name) if not is_mark(each))


def _write_centred(
    pen: _Pen, text: str, at: tuple[int, int], size: int, *, colour: Colour = INK, width: int = WIDEST
) -> None:
    """The text around a point, in letters as large as `width` lets them be; nothing where no font has them all."""
    text = without_isolates(text)
    while (font := _font_for(text, size, pen.fonts)) is not None and pen.draw.textlength(text, font=font) > width:
        if size > SMALLEST:
            size -= 2
        else:
            text = text.removesuffix("…")[:-1].rstrip() + "…"
    if font is not None:
        pen.draw.text(at, text, font=font, fill=colour, anchor="mm")


def _font_for(text: str, size: int, fonts: tuple[str, ...]) -> ImageFont.FreeTypeFont | None:
    """A font with all letters of the text, None without one or without a text."""
    file = _file_for(text, fonts) if text else None
    return None if file is None else _font(file, size)


def _file_for(text: str, fonts: tuple[str, ...]) -> str | None:
    """The first font that has all letters of the text."""
    letters = frozenset(text) - {" ", "\N{NO-BREAK SPACE}"}
    files = (each for each in (*fonts, SHIPPED, *FONTS) if _is_font(each))
    return next((file for file in files if all(_has(file, letter) for letter in letters)), None)


@lru_cache(maxsize=256)
def _is_font(file: str) -> bool:
    if not Path(file).is_file():
        return False
    try:
        ImageFont.truetype(file, SMALLEST)
    except OSError:
        return False
    return True


@lru_cache(maxsize=256)
def _font(file: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(file, size)


@lru_cache(maxsize=16_384)
def _has(file: str, letter: str) -> bool:
    """Whether the font draws something else for the letter than for one that no font has."""
    drawn, missing = (_font(file, SMALLEST).getmask(each) for each in (letter, NOTHING))
    return (drawn.size, bytes(drawn)) != (missing.size, bytes(missing))
