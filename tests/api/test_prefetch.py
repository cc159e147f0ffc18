"""What a CMS fetches for an article: to whom it is given, how it is kept, and that it needs neither script nor style."""

import json
import re
from html import unescape

import pytest

from api.http.static import version
from tests.kit import matchday, poison
from tests.kit.event_desk import Desk, post
from tests.kit.harmless import read
from tests.kit.showing import CONTENT, add, file, showing

LIVEBLOG = "/api/embed/v4/prefetch/liveblog.json"
TEASER = "/api/embed/v4/prefetch/liveblog-teaser.json"
BOTH = pytest.mark.parametrize("path", [LIVEBLOG, TEASER], ids=["liveblog", "teaser"])
DERBY = {"liveblogId": "gderby"}
STATIC = f"https://live.example.org/blogs/static/{version('api.page.static')}"
PAGE = "https://live.example.org/blogs/liveblogs/gderby"


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


async def html_of(server, path, name="gderby", **params):
    response = await server.http.get(path, params={"liveblogId": name, **params})
    assert response.status_code == 200, response.text
    return response.json()["html"]


async def test_the_html_is_what_the_page_shows(derby):
    """All of it, in the article itself with a style sheet of its own; without a script or a second main part of the article."""
    html = await html_of(derby, LIVEBLOG)
    page = (await derby.http.get("/liveblogs/gderby")).text

    assert re.match('<matchwire-liveblog liveblog-id="gderby" lang="en" initialData="[^"]*"><link ', html)
    assert re.findall('<link rel="stylesheet" href="([^"]*)">', html) == [f"{STATIC}/article.css"]
    assert (await derby.http.get(LIVEBLOG, params=DERBY)).json().keys() == {"html", "schema"}
    for part in (r'<header class="board".*?</header>', r'<section class="stream".*?</section>'):
        shown = re.search(part, html, re.DOTALL).group().replace("https://live.example.org/blogs/liveblogs/gderby", "")
        assert shown == re.search(part, page, re.DOTALL).group()
    assert [name for name in read(html).ids if name.startswith("e")] == list(reversed(matchday.PUBLIC))
    assert not re.search("<(script|style|main)", html)
    assert "Not for the public" not in html


async def initial_data(server, name="gderby", **params):
    """The structured data as clients of another service read it: out of the markup, by its one attribute."""
    (found,) = re.findall('initialData="([^"]*)"', await html_of(server, LIVEBLOG, name, **params))
    return json.loads(json.loads(unescape(found))["schemaOrg"])


async def test_a_client_reads_the_posts_out_of_the_initial_data(public):
    """Headline, text, dates and the pages of other sites that a post embeds, whatever characters they have."""
    words = """<p>"It's" a <b>goal</b> & more &lt;/script> ⚽</p>"""
    embeds = [
        {"_type": f"{CONTENT}::WebEmbedContentBlock", "local_id": f"b{number}", "url": url}
        for number, url in enumerate(("https://youtu.be/dQw4w9WgXcQ", "https://news.example/a?b=1&c=2"))
    ]
    await add(public)
    desk = Desk(public.http)
    await desk.create(post(words, local_id="eshared", contents=[*post(words)["contents"], *embeds]))
    update = (await initial_data(public))["liveBlogUpdate"][0]

    assert update["articleBody"] == """"It's" a goal & more </script> ⚽"""
    assert update["headline"].startswith('"It\'s" a goal')
    assert update["datePublished"].endswith("+00:00")
    assert update["sharedContent"] == [
        {"@type": "WebPage", "url": "https://youtu.be/dQw4w9WgXcQ", "headline": "YouTube"},
        {"@type": "WebPage", "url": "https://news.example/a?b=1&c=2", "headline": "news.example"},
    ]
    assert (await public.http.get(LIVEBLOG, params=DERBY)).json()["schema"]["liveBlogUpdate"][0] == update


async def test_images_have_addresses_that_hold_in_an_article(public):
    """Whole ones, of the proxy; a page in the service's own folder names them relatively."""
    photo = file("mphoto", "https://img.example.org/1.jpg", width=1000, height=500)
    await add(public, showing("ephoto", photo))
    html = await html_of(public, LIVEBLOG)

    found = read(html)
    assert found.bad == []
    assert len(found.images) > 2
    assert all(url.startswith("https://live.example.org/blogs/media/") for url in found.images)


async def test_the_teaser_links_to_the_newest_posts(derby):
    """Three of them, at their places on the page; the board above."""
    html = await html_of(derby, TEASER)

    assert (await derby.http.get(TEASER, params=DERBY)).json().keys() == {"html"}
    assert re.findall(r'<a href="([^"]*)"', html) == [f"{PAGE}#{name}" for name in reversed(matchday.PUBLIC[-3:])]
    assert 'class="board"' in html
    assert read(html).bad == []


@BOTH
async def test_hostile_texts_become_no_code(public, path):
    """In every field, and in events that no API call could have made."""
    await public.add(poison.xss_liveblog())
    await public.store.write(poison.insert)
    html = await html_of(public, path, poison.xss_liveblog().local_id)

    assert read(html).bad == []
    assert "alert(1)" in "".join(read(html).text)
    assert read(await html_of(public, path, "gpoison")).bad == []
