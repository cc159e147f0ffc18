"""The address of an article that shows the liveblog, and the article itself as sites fetch it."""

import html
import json
import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest
from pydantic import ValidationError

from api.http.static import version
from config.organizations import OrganizationConfig
from tests.api.conftest import serving
from tests.kit import matchday, poison
from tests.kit.event_desk import Desk, post
from tests.kit.harmless import read
from tests.kit.settings import configure
from tests.kit.showing import CONTENT, add, file, showing
from tests.kit.statistics import Site

PREFETCH = "/api/embed/v4/prefetch/liveblog.json"
TEASER = "/api/embed/v4/prefetch/liveblog-teaser.json"
DERBY = {"liveblogId": "gderby"}
ARTICLE = "https://news.example/live/gderby"
OURS = "https://live.example.org/blogs/liveblogs/gderby"


@pytest.fixture
async def news(store):
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:
        configure(server.services.settings, matchday.ORGANIZATION, external_url="https://news.example/live/{local_id}")
        await server.add(matchday.derby())
        yield server


def links(markup):
    return [each for each in re.findall(r'href="([^"]*)"', markup) if "#e" in each]


async def addresses(server):
    """Every address of the liveblog or a post of it that readers and machines are given, without its fragment."""
    rss = ET.fromstring((await server.http.get("/api/embed/v4/feed/liveblog.rss", params=DERBY)).content)
    atom = (await server.http.get("/api/embed/v4/feed/liveblog.atom", params=DERBY)).text
    feed = (await server.http.get("/api/embed/v4/feed/liveblog.json", params=DERBY)).json()
    article = (await server.http.get(PREFETCH, params=DERBY)).json()
    teaser = (await server.http.get(TEASER, params=DERBY)).json()
    page = (await server.http.get("/liveblogs/gderby")).text
    schema = article["schema"]
    found = [each.text for each in rss.iter("link")]
    found += re.findall(r'<link rel="alternate" type="text/html" href="([^"]*)"', atom)
    found += [feed["home_page_url"], *(each["url"] for each in feed["items"])]
    found += [each["url"] for each in feed["_matchwire"]["key_events"]]
    found += [schema["url"], *(each["url"] for each in schema["liveBlogUpdate"])]
    found += links(article["html"]) + links(teaser["html"]) + links(page)
    found += re.findall(r'<link rel="canonical" href="([^"]*)"', page)
    found += re.findall(r'<meta property="og:url" content="([^"]*)"', page)
    return {each.partition("#")[0].partition("?")[0] for each in found if each}


async def test_the_pattern_of_an_organization_is_used_everywhere(news):
    """Feeds, structured data, links to posts in pages, articles and teasers, the canonical address."""
    assert await addresses(news) == {ARTICLE}


async def test_embedders_still_find_our_page(news):
    """oEmbed is about the page here: its address, not the article's, is what consumers name."""
    page = await news.http.get("/liveblogs/gderby")
    (found,) = re.findall(r'type="application/json\+oembed" href="([^"]*)"', page.text)

    assert "live.example.org%2Fblogs%2Fliveblogs%2Fgderby" in found
    assert (await news.http.get("/oembed", params={"url": OURS})).status_code == 200


async def test_a_liveblog_has_an_address_of_its_own(news, auth):
    """Given on creation, changed with the meta info, cleared; it goes before the pattern."""
    meta = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Storm"}
    draft = {
        "_type": "Svc::Model::Game",
        "organization_id": matchday.ORGANIZATION,
        "template_id": "news",
        "meta_info": meta,
        "external_url": "https://news.example/own?id=7",
    }
    game = (await news.http.post("/api/v5/write/ticker/create.json", json=draft, params=auth)).json()
    name = {"liveblogId": game["local_id"]}
    assert game["external_url"] == "https://news.example/own?id=7"
    assert (await news.http.get(PREFETCH, params=name)).json()["schema"]["url"] == "https://news.example/own?id=7"

    async def change(url):
        kind = "Svc::Model::Modification::UpdateGameMetaInfoModification"
        body = {
            "local_id": game["local_id"],
            "modifications": [{"_type": kind, "meta_info": meta, "external_url": url}],
        }
        return await news.http.post("/api/v5/write/ticker/post_modifications.json", json=body, params=auth)

    assert (await change("https://news.example/other")).json()["external_url"] == "https://news.example/other"
    assert (await news.http.get(PREFETCH, params=name)).json()["schema"]["url"] == "https://news.example/other"
    assert (await change("javascript:alert(1)")).status_code == 422
    for nothing in (None, ""):
        cleared = await change(nothing)
        assert (cleared.status_code, cleared.json().get("external_url")) == (200, None)
    schema = (await news.http.get(PREFETCH, params=name)).json()["schema"]
    assert schema["url"] == f"https://news.example/live/{game['local_id']}"


@pytest.mark.parametrize(
    "url", ["https://news.example/a?b=1&c=2", "https://news.example/\"><xss>'ä&amp;</xss>?\u2028$0"]
)
@pytest.mark.parametrize("path", [PREFETCH, TEASER])
async def test_a_request_names_the_article(news, path, url):
    """As plug-ins do with `liveblogUrl`; it goes before all others and stands in the element for what comes later."""
    response = (await news.http.get(path, params={**DERBY, "themeId": "x", "liveblogUrl": f"{url}#old"})).json()

    escaped = html.escape(url)
    assert links(response["html"])
    assert all(each.startswith(f"{escaped}#e") for each in links(response["html"]))
    assert f'liveblog-url="{escaped}"' in response["html"]
    if path == PREFETCH:
        assert response["schema"]["url"] == url
        assert {each["url"].partition("#")[0] for each in response["schema"]["liveBlogUpdate"]} == {url}
        (data,) = re.findall('initialData="([^"]*)"', response["html"])
        assert json.loads(json.loads(html.unescape(data))["schemaOrg"]) == response["schema"]
    assert response["html"].count("<xss>") == 0


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//news.example/a", "https://u:p@news.example/", "x" * 3000])
@pytest.mark.parametrize("path", [PREFETCH, TEASER])
async def test_what_is_no_address_of_a_page_is_refused(news, path, url):
    """It would stand in a link."""
    response = await news.http.get(path, params={**DERBY, "liveblogUrl": url})

    assert (response.status_code, response.json()["field"]) == (400, "liveblogUrl")


async def test_a_teaser_finds_the_page_of_a_site_by_its_readers(server, tmp_path):
    """`includeLiveblogUrl` names a site: links lead to the page of it that was read most; of others nothing is said."""
    configure(server.services.settings, matchday.ORGANIZATION, statistics=True)
    await server.add(matchday.derby())
    site = Site(server, tmp_path / "statistics")
    await server.store.write(site.begin)
    for url in ("https://news.example/derby?utm=1#x",) * 2 + ("https://news.example/preview", "https://news.example/"):
        await site.report(kind="load", url=url)
    await site.writer.stop()

    async def found(origin):
        query = {**DERBY, "client_id": "reader", "includeLiveblogUrl": origin}
        response = await server.http.get(TEASER, params=query)
        return {each.partition("#")[0] for each in links(response.json()["html"])}

    assert await found("https://news.example") == {"https://news.example/derby"}
    assert await found("https://other.example") == {OURS}
    assert await found("nonsense") == {OURS}


@pytest.mark.parametrize(
    "pattern",
    [
        "https://news.example/live/", "https://news.example/{title}", "https://{local_id}.example/",
        "javascript:{local_id}", "https://news.example/{local_id} x", "https://news.example/{local_id}/{",
    ],
)  # fmt: skip
def test_a_pattern_names_a_liveblog_in_its_path_or_query(pattern):
    """Anything else is refused when the configuration is read."""
    with pytest.raises(ValidationError):
        OrganizationConfig(name="x", external_url=pattern)


async def test_a_liveblog_without_the_id_of_the_pattern_keeps_its_page(news):
    """The derby has no `external_id`."""
    configure(news.services.settings, matchday.ORGANIZATION, external_url="https://news.example/{external_id}")

    assert await addresses(news) <= {OURS, ""}


LIVEBLOG = "/api/embed/v4/prefetch/liveblog.json"
BOTH = pytest.mark.parametrize("path", [LIVEBLOG, TEASER], ids=["liveblog", "teaser"])
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
