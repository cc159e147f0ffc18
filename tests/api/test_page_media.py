"""The images and videos of a page: through the proxy alone, in sizes to choose from, and no third party before a click."""

import json
import re

import pytest

from api.page.liveblog_page import render_liveblog
from mapping.liveblog.web_embeds import FRAME_HOSTS
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import record
from tests.api.conftest import contents, serving
from tests.kit import matchday, poison
from tests.kit.event_desk import Desk, post
from tests.kit.harmless import read
from tests.kit.showing import CONTENT, add, file, item, page_files, proxied, showing
from tests.kit.streaming import STREAM, over_http

PAGE = "/liveblogs/gderby"
PHOTO = "https://img.example.org/photos/derby.jpg"
CLIP = "https://video.example.org/clips/goal.mp4"
UPLOAD = f"imageservice://{matchday.ORGANIZATION}/aVeryLongKeyThatNobodyGuesses123"


def above(path):
    return f"..{path}"


async def page_of(server):
    response = await server.http.get(PAGE)
    assert response.status_code == 200
    return response


def image_tags(html):
    return re.findall(r"<img [^>]*>", html)


async def test_an_image_comes_through_the_proxy_at_three_widths(public):
    """`src` and `srcset` are signed paths of the proxy; size, alternative text and credit are there."""
    photo = file("mphoto", PHOTO, width=2000, height=1500)
    await add(public, showing("ephoto", photo, items=[item(photo, title="The winner", credit="Photo: Ina")]))
    html = (await page_of(public)).text

    (tag,) = image_tags(html)
    variants = ", ".join(f"{above(proxied(PHOTO, width=width))} {width}w" for width in (320, 640, 1280))
    assert f'src="{above(proxied(PHOTO, width=640))}"' in tag
    assert f'srcset="{variants}"' in tag
    assert ' sizes="' in tag
    for attribute in ('width="2000"', 'height="1500"', 'alt="The winner"', 'loading="lazy"', 'decoding="async"'):
        assert attribute in tag
    assert "<figcaption>The winner · Photo: Ina</figcaption>" in html
    assert PHOTO not in html


async def test_a_warning_covers_the_image_until_the_reader_asks(public):
    """A closed element whose summary shows the warning over a preview of sixteen pixels, which no style sheet is needed for."""
    photo = file("mphoto", PHOTO, width=2000, height=1500)
    await add(public, showing("ephoto", photo, items=[item(photo, content_warning="Blood & <b>bruises</b>")]))
    html = (await page_of(public)).text

    found = re.search(r'<details class="warned"><summary>(.*?)</summary>(.*?)</details>', html)
    (preview,), (whole,) = image_tags(found[1]), image_tags(found[2])
    assert "Blood &amp; &lt;b&gt;bruises&lt;/b&gt;" in found[1]
    assert f'src="{above(proxied(PHOTO, width=16))}"' in preview
    assert "srcset" not in preview
    assert 'width="2000" height="1500"' in preview
    assert 'loading="lazy"' in whole, "a browser loads it when it is opened"
    assert len(image_tags(html)) == 2


async def test_a_video_is_a_card_until_the_reader_asks(public):
    """Title, length and host, a link that works without a script, the room that the video will take; no element that loads it."""
    clip = file("mclip", CLIP, "v", width=1920, height=1080, duration_ms=83_400)
    await add(public, showing("eclip", clip, items=[item(clip, title="The winner")]))
    response = await page_of(public)
    html = response.text

    assert "<video" not in html
    assert f'<a class="play" href="{CLIP}" rel="nofollow noopener noreferrer">Play video</a>' in html
    assert "Loads from video.example.org" in html
    assert "<b>The winner</b> <small>1:23</small>" in html
    assert 'viewBox="0 0 1920 1080"' in html
    policy = response.headers["content-security-policy"]
    assert "img-src 'self';" in policy
    assert "media-src https:" in policy


async def test_without_consent_a_video_has_its_player_at_once(store):
    """`embed.consent = false`: a player that loads nothing by itself."""
    async with serving(store, public_feeds=True, consent=False) as server:
        await add(server, showing("eclip", file("mclip", CLIP, "v", width=1920, height=1080)))
        html = (await page_of(server)).text

    assert f'<video src="{CLIP}" controls preload="none" width="1920" height="1080">' in html
    assert "consent" not in html


async def test_hostile_texts_of_files_become_no_code(public):
    """Title, credit and warning of images and videos, under a warning and without, single and as slides."""
    photo, clip = (
        file("mphoto", f"https://x.example/{poison.XSS}"),
        file("mclip", f"https://x.example/{poison.XSS}", "v"),
    )
    texts = {"title": poison.XSS, "credit": poison.XSS}
    items = [
        item(each, **texts, **warning) for each in (photo, clip) for warning in ({}, {"content_warning": poison.XSS})
    ]
    await add(
        public,
        showing("exss", photo, clip, items=items),
        showing("eslides", photo, clip, items=items, block_fields={"display_type": "slideshow"}),
    )
    page = read((await page_of(public)).text)

    assert page.bad == []
    assert len(page.images) > 10
    assert "alert(1)" in "".join(page.text)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:image/png;base64,x", "ftp://x.example/a.jpg", "http://[half", "x"]
)
@pytest.mark.parametrize("subtype", ["i", "v"])
async def test_an_address_that_is_none_for_readers_is_not_shown(public, url, subtype):
    """Whatever a stored document holds."""
    await add(public, showing("ephoto", file("mphoto", url, subtype)))
    html = (await page_of(public)).text

    assert "<figure" not in html
    assert "/media/" not in html


async def test_what_a_probe_learns_reaches_page_stream_and_webhooks(public):
    """A step that brings nothing but width and height of a file; the outbox has it for every receiver."""
    photo = file("mphoto", PHOTO)
    await add(public, showing("ephoto", photo))
    assert 'width="2000"' not in (await page_of(public)).text
    probed = showing("ephoto", {**photo, "width": 2000, "height": 1500})
    await public.store.write(lambda unit: record(unit, "6a" * 12, Change(events=(probed,))))

    params = {"liveblogId": "gderby", "html": "1", "refresh": "1"}
    async with over_http(public.app) as http, http.stream("GET", STREAM, params=params) as response:
        lines = response.aiter_lines()
        found = [await anext(lines) for _ in range(5)]
    (post,) = json.loads(found[4].removeprefix("data: "))["posts"]
    assert 'width="2000" height="1500"' in post["html"]
    assert post["html"] in (await page_of(public)).text
    assert [row["version"] for row in (await contents(public))["outbox"]][-1:] == [2]


def web_embed(*urls, consent=True):
    blocks = [{"_type": f"{CONTENT}::WebEmbedContentBlock", "url": url} for url in urls]
    event = matchday.event("eweb", matchday.KICK_OFF, contents=blocks).document
    return render_liveblog(matchday.document(), [event], page_files("de", consent=consent), 0)


def test_what_a_third_party_shows_is_a_card_before_consent():
    """With its provider, a link that works without a script, and whom it loads from; what nobody knows is a link."""
    html = web_embed(
        "https://youtu.be/dQw4w9WgXcQ?t=1m", "https://x.com/club/status/15", "https://example.org/a?b=1&c=2"
    )
    found = read(html)

    assert found.bad == []
    assert found.images == []
    assert "<iframe" not in html
    assert re.findall('data-frame="([^"]*)"', html) == [
        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=60",
        "https://platform.twitter.com/embed/Tweet.html?id=15&amp;dnt=true",
    ]
    for said in (
        "YouTube",
        "Video abspielen",
        "www.youtube-nocookie.com",
        "Anzeigen",
        "platform.twitter.com",
        "example.org",
    ):
        assert said in "".join(found.text)
    assert '<p class="embed"><a href="https://example.org/a?b=1&amp;c=2"' in html


def test_where_no_consent_is_wanted_the_frame_is_there_at_once():
    """As the setting says."""
    html = web_embed("https://youtu.be/dQw4w9WgXcQ", consent=False)

    assert re.findall('<iframe src="([^"]*)"', html) == ["https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"]
    assert "consent" not in html


async def test_frames_come_from_the_known_providers_alone(public):
    """The policy of each page with posts lists their hosts, and a feed has links."""
    await public.add(matchday.derby())
    await Desk(public.http).create(
        post(contents=[{"_type": f"{CONTENT}::WebEmbedContentBlock", "url": "https://youtu.be/dQw4w9WgXcQ"}])
    )
    for path in ("/liveblogs/gderby", "/embed/gderby"):
        policy = (await public.http.get(path)).headers["content-security-policy"]
        frames = re.search("frame-src ([^;]*)", policy)[1].split()
        assert frames == [f"https://{host}" for host in FRAME_HOSTS]
    feed = (await public.http.get("/api/embed/v4/feed/liveblog.json?liveblogId=gderby")).json()
    assert '<a href="https://youtu.be/dQw4w9WgXcQ"' in feed["items"][0]["content_html"]
    assert "<iframe" not in feed["items"][0]["content_html"]


async def test_a_cover_stands_above_the_scoreboard_and_in_cards(public):
    """The liveblog's own image before its teams' photos, on the page, in the card and in the structured data; by the proxy."""
    other = "https://img.example.org/team.jpg"
    teams = {"home_team": {"name": "A", "image": PHOTO}, "away_team": {"name": "B", "banner_image": other}}
    expected = {
        "eown": ({"marketplace_info": {"cover_image": UPLOAD}, "meta_info": teams}, UPLOAD),
        "eteam": ({"marketplace_info": {"cover_image": "javascript:alert(1)"}, "meta_info": teams}, other),
        "enone": ({"meta_info": {}}, None),
    }
    for number, (name, (document, url)) in enumerate(expected.items()):
        known = matchday.document(**document)
        game = matchday.Liveblog(local_id=f"g{name}", ticker_id=f"{number}a" * 12, document=known)
        await public.add(game)
        html = (await public.http.get(f"/liveblogs/g{name}")).text
        tags = [tag for tag in image_tags(html) if 'class="cover"' in tag]
        card = re.search(r'<meta property="og:image" content="([^"]*)"', html)
        schema = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', html)[1])
        if url is None:
            assert (tags, schema["image"]) == ([], card[1])
            assert card[1] == "https://live.example.org/blogs/liveblogs/genone/card.png?v=1"
            continue
        (tag,) = tags
        assert f'src="{above(proxied(url, width=1280))}"' in tag
        assert html.index(tag) < html.index('class="board')
        assert card[1].endswith(proxied(url, width=1280))
        assert schema["image"] == card[1]
