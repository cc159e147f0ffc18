"""How other sites show a liveblog: the frame, oEmbed and the page of snippets; to whom, and that no text becomes code."""

import json
import re
from html import escape, unescape
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest

from api.embed.snippets import snippets_of
from mapping.locales import translator
from mapping.locales.labels import SnippetText
from tests.api.conftest import serving
from tests.kit import matchday, poison
from tests.kit.event_desk import CONTENT, Desk, post
from tests.kit.harmless import read

ROOT = "https://live.example.org/blogs"
PAGE = f"{ROOT}/liveblogs/gderby"
FRAME = "/embed/gderby"
SNIPPETS = "/liveblogs/gderby/snippets"


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


async def found(server, url=PAGE, **params):
    return await server.http.get("/oembed", params={"url": url, **params})


async def test_the_frame_is_the_page_without_what_is_around_it(derby):
    """The same liveblog, for no search engine, revalidated; links lead to the page, beside the article."""
    response = await derby.http.get(FRAME)
    again = await derby.http.get(FRAME, headers={"If-None-Match": response.headers["etag"]})
    few = (await derby.http.get(FRAME, params={"limit": "2"})).text

    assert [name for name in read(response.text).ids if name.startswith("e")] == list(reversed(matchday.PUBLIC))
    assert "matchwire</footer>" not in response.text
    assert '<meta name="robots" content="noindex">' in response.text
    assert '<base target="_blank">' in response.text
    assert "ld+json" not in response.text
    assert again.status_code == 304
    assert f'href="{PAGE}?limit=2&amp;continue_event_id=ered"' in few


async def test_only_sites_that_are_named_may_frame_it(store):
    """Every one by default; an organization's own list goes before the service's; the service itself may always."""

    async def allowed(**settings):
        async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True, **settings) as server:
            policy = (await server.http.get(FRAME)).headers["content-security-policy"]
        return policy.rpartition("frame-ancestors ")[2]

    async with serving(store) as server:
        await server.add(matchday.derby())
    own = {matchday.ORGANIZATION: ("https://news.example",)}
    assert await allowed() == "'self' *"
    assert await allowed(frame_ancestors=("https://a.example",)) == "'self' https://a.example"
    assert await allowed(frame_ancestors=()) == "'self'"
    assert await allowed(organization_frame_ancestors=own) == "'self' https://news.example"
    assert await allowed(organization_frame_ancestors={matchday.OTHER: ()}) == "'self' *"


async def test_a_page_is_found_by_its_address(derby):
    """As JSON and XML; both say the same, within the limits that the consumer names."""
    response = await found(derby, maxwidth="400", maxheight="9000")
    facts = response.json()
    xml = await found(derby, maxwidth="400", maxheight="9000", format="xml")

    assert (facts["version"], facts["type"], facts["width"], facts["height"]) == ("1.0", "rich", 400, 800)
    assert facts["title"] == "SV Hafenstadt – Alpenverein Bergheim"
    assert facts["author_name"] == "Example Newsroom"
    assert facts["html"].startswith(f'<iframe src="{ROOT}/embed/gderby" title="SV Hafenstadt – Alpenverein Bergheim"')
    assert {each.tag: each.text for each in ET.fromstring(xml.text)} == {k: str(v) for k, v in facts.items()}
    assert [each.headers["content-type"] for each in (response, xml)] == [
        "application/json; charset=utf-8", "text/xml; charset=utf-8",
    ]  # fmt: skip
    assert response.headers["access-control-allow-origin"] == "*"


async def test_pages_say_where_they_are_found(derby):
    """In the head and in a header, and what is there is what they say."""
    page = await derby.http.get("/liveblogs/gderby")
    in_head = [
        unescape(url) for url in re.findall(r'<link rel="alternate" type="[^"]*oembed" href="([^"]*)"', page.text)
    ]

    assert in_head == [f"{ROOT}/oembed?url={quote(PAGE, safe='')}&format={form}" for form in ("json", "xml")]
    assert re.findall("<([^>]*)>", page.headers["link"]) == in_head
    assert (await derby.http.get(in_head[0].removeprefix(ROOT))).json()["type"] == "rich"


@pytest.mark.parametrize(
    "url",
    [
        f"{ROOT}/liveblogs/gnone",
        f"{ROOT}/liveblogs/",
        f"{ROOT}/liveblogs/gderby/snippets",
        f"{ROOT}/",
        "https://live.example.org/liveblogs/gderby",
        "https://elsewhere.example/blogs/liveblogs/gderby",
        "https://live.example.org.evil.example/blogs/liveblogs/gderby",
        "https://live.example.org@evil.example/blogs/liveblogs/gderby",
        "javascript://live.example.org/blogs/liveblogs/gderby",
        "https://[live.example.org/blogs/liveblogs/gderby",
        f"{ROOT}/liveblogs/<script>alert(1)</script>",
        f"{ROOT}/liveblogs/%00",
        "gderby",
    ],
)
async def test_no_other_address_is_a_liveblog(derby, url):
    """404 without a word of it."""
    response = await found(derby, url)

    assert response.status_code == 404
    assert url not in response.text


async def test_the_page_of_snippets_has_each_of_them(derby):
    """To copy as they are, with a preview of the element and the frame; nothing inline runs."""
    response = await derby.http.get(SNIPPETS)
    codes = [unescape(code) for code in re.findall("<code>(.*?)</code>", response.text, re.DOTALL)]

    title = "SV Hafenstadt – Alpenverein Bergheim"
    assert codes == [each.code for each in snippets_of(ROOT, "gderby", title, "", translator("en"))]
    assert codes[0].endswith('<matchwire-liveblog liveblog-id="gderby"></matchwire-liveblog>')
    assert f'<iframe src="{ROOT}/embed/gderby"' in codes[1]
    for url in re.findall(r"https://live\S*(?:json|rss|atom)\?\S*", " ".join(codes)):
        assert (await derby.http.get(url.removeprefix(ROOT))).status_code == 200
    assert response.text.count('<matchwire-liveblog liveblog-id="gderby">') == 1
    assert "unsafe" not in response.headers["content-security-policy"]

    german = await derby.http.get(SNIPPETS, headers={"Accept-Language": "de-AT, en;q=0.5"})
    assert "accept-language" in response.headers["vary"].lower()
    assert '<html lang="de">' in german.text
    assert [unescape(code) for code in re.findall("<code>(.*?)</code>", german.text, re.DOTALL)] == codes
    for each in SnippetText:
        values = {"title": title} if "{title}" in each else {}
        assert escape(translator("de").text(each, **values)) in german.text, each


async def test_hostile_texts_become_no_code(public):
    """Titles and posts, in each of the three forms."""
    await public.add(poison.xss_liveblog())
    name = poison.xss_liveblog().local_id
    frame = (await public.http.get(f"/embed/{name}")).text
    snippets = (await public.http.get(f"/liveblogs/{name}/snippets")).text
    facts = (await found(public, f"{ROOT}/liveblogs/{name}")).json()

    for html in (frame, snippets, facts["html"]):
        assert read(html).bad == []
    assert "alert(1)" in facts["html"]
    assert read(facts["html"]).ids == []


async def test_a_consumer_may_name_any_size(derby):
    """However large, the frame is as large as it is without; on a narrow screen it is no wider than that."""
    facts = (await found(derby, maxwidth="999999", maxheight="10001")).json()

    assert (facts["width"], facts["height"]) == (640, 800)
    assert 'style="max-width:100%;border:0"' in facts["html"]


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
