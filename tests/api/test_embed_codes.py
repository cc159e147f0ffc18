"""Web embeds that clients give as the code which a site offers: the address in it is kept, and nothing else of it."""

import json

import pytest

from tests.kit import matchday
from tests.kit.event_desk import CONTENT, Desk, post
from tests.kit.harmless import read

TWEET = (
    '<blockquote class="twitter-tweet"><p lang="en">Goal! <a href="https://t.co/x">t.co/x</a></p>&mdash; Club (@club)'
    ' <a href="https://twitter.com/club/status/1577000000000000000?ref=1&amp;s=2">1 May</a></blockquote>'
    ' <script async src="https://platform.twitter.com/widgets.js"></script>'
)
CODES = {
    '<iframe width="560" src="https://www.youtube.com/embed/dQw4w9WgXcQ" allowfullscreen></iframe>': (
        "https://www.youtube.com/embed/dQw4w9WgXcQ"
    ),
    " <iframe src='//player.vimeo.com/video/76979871?h=8272103f6e'></iframe>": (
        "https://player.vimeo.com/video/76979871?h=8272103f6e"
    ),
    TWEET: "https://twitter.com/club/status/1577000000000000000?ref=1&s=2",
    '<blockquote class="instagram-media" data-instgrm-permalink="https://www.instagram.com/p/Cabc123/"><a href="https://x.y/z">'
    "</a></blockquote>": "https://www.instagram.com/p/Cabc123/",
    '<blockquote class="tiktok-embed" cite="https://www.tiktok.com/@club/video/7000000000000000000"></blockquote>': (
        "https://www.tiktok.com/@club/video/7000000000000000000"
    ),
    '<iframe src="https://www.facebook.com/plugins/post.php?href=https%3A%2F%2Fwww.facebook.com%2Fclub%2Fposts%2F1"></iframe>': (
        "https://www.facebook.com/club/posts/1"
    ),
    "https://example.org/a": "https://example.org/a",
}
HOSTILE = [
    '<iframe src="javascript:alert(1)"></iframe>', "<script>alert(1)</script>",
    '<iframe srcdoc="<img src=x onerror=alert(1)>"></iframe>',
    '<blockquote><a href="data:text/html,x">x</a></blockquote>', "<" * 30_000, "<a " * 90, "<![" * 90, "<!--" * 90,
    '<iframe src="https://exa mple.org/"></iframe>',
]  # fmt: skip


def embed(url, **more):
    return {"_type": f"{CONTENT}::WebEmbedContentBlock", "url": url, **more}


@pytest.fixture
async def desk(public):
    await public.add(matchday.derby())
    return Desk(public.http)


@pytest.mark.parametrize("code", CODES)
async def test_the_address_of_a_code_is_kept(desk, code):
    """In the answer, in reads, as the frame or link of the page; the older form has it too."""
    written = await desk.create(post(local_id="eweb", contents=[embed(code)]))
    page = (await desk.http.get("/liveblogs/gderby")).text

    assert written["contents"][0]["url"] == CODES[code]
    assert written["event_info"]["web_embed_urls"] == [CODES[code]]
    assert "widgets.js" not in page
    assert read(page).bad == []


@pytest.mark.parametrize("code", HOSTILE, ids=range(len(HOSTILE)))
async def test_a_code_without_an_address_of_the_web_is_refused(desk, code):
    """With the path of the block."""
    assert await desk.refused("create", post(contents=[embed(code)]), ticker_local_id="gderby") == (
        422,
        "contents.0.url",
    )


async def test_codes_of_the_older_form(desk):
    """Each of `web_embed_urls` may be one."""
    info = {"_type": "Svc::Model::EventInfo::BasicEventInfo", "title": "x", "web_embed_urls": [TWEET]}
    written = await desk.create({"_type": "Svc::Model::Event", "event_info": info})

    assert written["contents"][-1]["url"] == CODES[TWEET]


@pytest.mark.parametrize("oembed", [{"type": "rich", "html": "<script>alert(1)</script>"}, '{"type":"rich"}'])
async def test_what_a_site_says_is_kept_and_never_shown(desk, oembed):
    """`oembed_json`, as an object or as text, also after an update that leaves it as it is."""
    block = embed("https://example.org/a", oembed_json=oembed)
    written = await desk.create(post(local_id="eweb", contents=[block]))
    again = await desk.update("eweb", {**written, "headline": "x"})
    delta = {each["local_id"]: each for each in (await desk.delta())["events"]}
    page = (await desk.http.get("/liveblogs/gderby")).text
    feed = (await desk.http.get("/api/embed/v4/feed/liveblog.json", params={"liveblogId": "gderby"})).json()

    for each in (written, again, delta["eweb"]):
        assert each["contents"][0]["oembed_json"] == oembed
    assert "alert(1)" not in page + json.dumps(feed)


async def test_what_no_json_holds_is_refused(desk):
    """As in every other field."""
    block = embed("https://example.org/a", oembed_json={"html": "\x00"})
    assert (await desk.refused("create", post(contents=[block]), ticker_local_id="gderby"))[0] in {400, 422}
