"""Images and videos in a real browser: nothing jumps, no third party is involved before a click, and keys are enough."""

import asyncio
import io
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image, ImageDraw

from api.app import create_app
from api.media.proxy import ImageProxy
from config.sections import MediaConfig
from mapping.rules.media_address import read_path
from providers.http_server import bind_socket, listening
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from tests.kit import matchday
from tests.kit.browser import SHIFTS, needed
from tests.kit.showing import KEY, add, file, item, showing
from tests.providers.loopback import answered, upstream

pytestmark = [needed, pytest.mark.proof]

PHOTO = "https://img.example.org/derby.jpg"
TALL = "https://img.example.org/tall.jpg"
UNKNOWN = "https://img.example.org/unknown.jpg"
LOGO = "https://img.example.org/haf.png"
GONE = "https://img.example.org/gone.jpg"
LYING = "https://img.example.org/lying.jpg"
CLIP = "https://video.example.org/goal.webm"
SIZES = {PHOTO: (2000, 1250), TALL: (900, 1600), UNKNOWN: (1600, 900), LYING: (700, 700), LOGO: (400, 400)}
SCREENS = [(390, 844), (1280, 900)]
LATE = 0.4
"""Seconds after which an image comes: the page has been laid out and shown."""


def picture(size):
    """A JPEG of that size: a pitch at dusk, about."""
    width, height = size
    image = Image.linear_gradient("L").resize(size)
    image = Image.merge("RGB", (image.point(lambda v: 30 + v // 4), image.point(lambda v: 70 + v // 3), image))
    draw = ImageDraw.Draw(image)
    draw.ellipse((width * 0.38, height * 0.3, width * 0.62, height * 0.3 + width * 0.24), outline="white", width=8)
    draw.line((0, height * 0.45, width, height * 0.45), fill="white", width=8)
    target = io.BytesIO()
    image.save(target, "JPEG", quality=70)
    return target.getvalue()


class Shown:
    """An open page whose images come late, and all that its browser requested."""

    def __init__(self, page, address, server):
        self.page, self.address, self.server = page, address, server
        self.requested, self.widths, self.complaints = [], {}, []
        page.on("request", lambda request: self.requested.append(request.url))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    async def open(self):
        await self.page.add_init_script(f"({SHIFTS})()")
        await self.page.route("**/media/*/*/*", self._image)
        await self.page.route("https://*.example.org/**", lambda route: route.fulfill(status=200, body=b""))
        await self.page.goto(f"{self.address}/liveblogs/gderby")
        await self.page.locator(".post").first.wait_for()

    async def _image(self, route):
        wanted = read_path((KEY,), *urlsplit(route.request.url).path.split("/")[2:])
        self.widths.setdefault(wanted.url, []).append(wanted.options.width)
        await asyncio.sleep(LATE)
        await route.continue_()

    @property
    def elsewhere(self):
        return [url for url in self.requested if not url.startswith(self.address)]

    async def all_images(self):
        """Scroll to the end, so that whatever is lazy is wanted, and wait until all of it is there."""
        for _ in range(40):
            await self.page.mouse.wheel(0, 400)
            await asyncio.sleep(0.05)
        await self.page.wait_for_function(
            "[...document.images].filter((each) => each.checkVisibility()).every((each) => each.complete)"
        )
        await asyncio.sleep(0.2)

    async def correct(self, name):
        """Have a post written with another headline, and wait until the page shows it."""
        changed = next(each for each in posts() if each.local_id == name)
        changed.document.update(headline="Corrected", highlight="milestone")
        await self.server.store.write(partial(liveblogs.record, game_id="6a" * 12, change=Change(events=(changed,))))
        await self.page.locator(f"#{name}").get_by_text("Corrected").wait_for(timeout=60_000)

    async def shifted(self):
        return await self.page.evaluate("window.shifted")


def posts():
    """One of everything; what has no known size, another one or no file any more stands above the others, which it could move."""
    photo = file("mphoto", PHOTO, width=2000, height=1250)
    tall = file("mtall", TALL, width=900, height=1600)
    unknown = file("munknown", UNKNOWN)
    clip = file("mclip", CLIP, "v", width=1920, height=1080, duration_ms=83_000)
    warned = item(photo, content_warning="", credit="Photo: Ina Hartwig")
    slides = [item(each, title=f"Picture {at}") for at, each in enumerate((photo, tall, unknown), 1)]
    lying = file("mlying", LYING, width=3000, height=1000)
    gone = file("mgone", GONE, width=1600, height=900)
    at = matchday.KICK_OFF
    show = {"display_type": "slideshow"}
    return (
        showing("eunknown", unknown, at=at + 7, headline="No size is known"),
        showing("elying", lying, at=at + 8),
        showing("egone", gone, at=at + 9),
        showing("etall", tall, at=at + 1),
        showing("eslides", photo, tall, unknown, at=at + 2, items=slides, block_fields=show, headline="Three of them"),
        showing("ewarned", photo, at=at + 3, items=[warned], headline="A hard tackle"),
        showing("eclip", clip, at=at + 4, items=[item(clip, title="The winner from above", credit="Club TV")]),
        showing("ephoto", photo, at=at + 6, items=[item(photo, title="Late light", credit="Photo: Ina Hartwig")]),
    )


@dataclass(frozen=True)
class Fetched:
    """What the proxy gets of an origin."""

    body: bytes
    status: str = "new"
    etag: str | None = None
    max_age: float | None = None


@pytest.fixture
async def site(public, tmp_path):
    """The address of the API with its image proxy, on a real port, before an origin with real files, on another."""
    async with upstream() as origin, httpx.AsyncClient(trust_env=False) as http, AsyncExitStack() as stack:
        origin.answers |= {urlsplit(url).path: answered(picture(size)) for url, size in SIZES.items()}

        async def fetch(organization_id, url, *, etag, most):
            response = await http.get(f"{origin.url}{urlsplit(url).path}")
            return Fetched(response.content, "new" if response.status_code == 200 else "gone")

        settings = MediaConfig(folder=str(tmp_path / "media"))
        proxy = ImageProxy(settings, fetch, None, lambda: public.now, lambda: public.ticks)
        stack.callback(proxy.close)
        app = create_app(public.services.having(proxy), monotonic=lambda: public.ticks)
        yield await stack.enter_async_context(listening(app, bind_socket("127.0.0.1", 0), log_level="critical"))


@pytest.fixture(params=SCREENS, ids=["phone", "desk"])
async def shown(request, public, site, browser):
    board = matchday.document()["scoreboard"]
    board["home_team"] = {**board["home_team"], "image": LOGO}
    await add(public, *posts(), scoreboard=board)
    page = await browser.new_page()
    await page.set_viewport_size(dict(zip(("width", "height"), request.param, strict=True)))
    shown = Shown(page, site, public)
    await shown.open()
    return shown


async def test_nothing_jumps_and_no_third_party_hears_of_the_reader(shown):
    """Layout shift below 0.05 with images that come late; every request goes to the service; the page fits its screen.

    No variant is larger than the screen can show: 320 pixels on a phone of density 1, 640 at a desk; a preview of 16 below the
    warning.
    """
    await shown.all_images()
    if folder := os.environ.get("SCREENSHOTS"):
        width = shown.page.viewport_size["width"]
        await shown.page.screenshot(path=f"{folder}/media-{width}.png", full_page=True)

    assert shown.widths.keys() == {LOGO, PHOTO, TALL, UNKNOWN, LYING, GONE}
    assert shown.elsewhere == []
    assert shown.complaints == []
    assert await shown.shifted() < 0.05
    assert await shown.page.evaluate("document.documentElement.scrollWidth") == shown.page.viewport_size["width"]
    wide = 320 if shown.page.viewport_size["width"] == 390 else 640
    assert set(shown.widths[PHOTO]) == {16, wide}
    assert set(shown.widths[TALL]) == {wide}


async def test_what_a_reader_does_works_and_stays(shown):
    """On one page, as a reader does it: the warning, the slides, the video, and then the corrections of all of them."""
    await warning_opens(shown)
    await slides_go_by_keys(shown)
    await video_plays(shown)
    await corrections_move_nothing(shown)


async def warning_opens(shown):
    """Only the preview is loaded before; a key is enough to open it, and it takes the same room."""
    post = shown.page.locator("#ewarned")
    await post.scroll_into_view_if_needed()
    veil, whole = post.locator("summary img"), post.locator("figure img")
    before = await veil.bounding_box()

    assert "blur" in await veil.evaluate("each => getComputedStyle(each).filter")
    assert not await whole.is_visible()
    assert await post.get_by_text("Sensitive content").is_visible()
    await post.locator("summary").focus()
    await shown.page.keyboard.press("Enter")
    await whole.wait_for()
    after = await whole.bounding_box()
    assert not await veil.is_visible()
    assert after["height"] == pytest.approx(before["height"] / 1.1, rel=0.03), (
        "the veil is a tenth larger than its room"
    )


async def slides_go_by_keys(shown):
    """One slide a key, to the end and back; each comes to stand at the edge of the list."""
    slides = shown.page.locator(".slides")
    await slides.scroll_into_view_if_needed()
    await slides.focus()
    left = "getBoundingClientRect().left"
    at = f"list => [...list.children].findIndex((each) => Math.abs(each.{left} - list.{left}) < 3)"

    for key, expected in (("ArrowRight", 1), ("ArrowLeft", 0)):
        await shown.page.keyboard.press(key)
        for _ in range(100):
            if await slides.evaluate(at) == expected:
                break
            await asyncio.sleep(0.05)
        assert await slides.evaluate(at) == expected


async def video_plays(shown):
    """A card of the video's size that becomes the player in the same place; an update of the post leaves it as it is."""
    post = shown.page.locator("#eclip")
    card = post.locator(".consent")
    await card.scroll_into_view_if_needed()
    before = await card.bounding_box()
    assert before["width"] / before["height"] == pytest.approx(16 / 9, rel=0.02)
    await asyncio.sleep(0.5)
    assert shown.elsewhere == []

    await post.get_by_text("Play video").click()
    await post.locator("video").wait_for()
    await asyncio.sleep(0.5)
    after = await post.locator("video").bounding_box()
    assert shown.elsewhere[:1] == [CLIP]
    assert [after[side] for side in ("width", "height")] == pytest.approx([before["width"], before["height"]], abs=2)
    await post.locator("video").evaluate("each => { window.player = each; }")
    await shown.correct("eclip")
    assert await shown.page.evaluate("document.querySelector('#eclip video') === window.player")


async def corrections_move_nothing(shown):
    """The opened warning stays open, the slideshow where it is, and the focus on it."""
    slides = shown.page.locator(".slides")
    await slides.evaluate("each => { each.scrollLeft = each.scrollWidth; each.focus(); }")
    await asyncio.sleep(1)
    before = await slides.evaluate("each => each.scrollLeft")
    for name in ("ewarned", "eslides"):
        await shown.correct(name)

    assert await shown.page.locator("#ewarned details").get_attribute("open") is not None
    assert before > 0
    assert await slides.evaluate("each => each.scrollLeft") == pytest.approx(before, abs=2)
    assert await slides.evaluate("each => each === document.activeElement")
