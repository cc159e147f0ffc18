"""The images and videos of feeds: enclosures of each format and HTML, at absolute addresses; none that has a warning."""

from xml.etree import ElementTree as ET

import pytest

from api.feeds.feed import WIDTH
from tests.kit import poison
from tests.kit.feed_forms import ATOM, FORMATS, feed, html_of
from tests.kit.harmless import read
from tests.kit.showing import add, file, item, proxied, showing

SITE = "https://live.example.org/blogs"
MEDIA = "{http://search.yahoo.com/mrss/}"
PHOTO = "https://img.example.org/photos/derby.PNG"
CLIP = "https://video.example.org/clips/goal.mp4"
IMAGE = f"{SITE}{proxied(PHOTO, width=WIDTH)}"


@pytest.fixture
async def shown(public):
    """A liveblog with one post that shows a photo and a clip."""
    photo = file("mphoto", PHOTO, width=2560, height=1440)
    clip = file("mclip", CLIP, "v", width=1920, height=1080, duration_ms=83_600)
    items = [item(photo, title="The winner", credit="Ina"), item(clip, title="The goal")]
    await add(public, showing("ephoto", photo, clip, items=items, headline="Riedel!"))
    return public


async def root_of(server, extension):
    return ET.fromstring((await feed(server, extension)).content)


async def test_rss_has_the_first_file_as_enclosure_and_all_as_media(shown):
    """An enclosure with its three attributes, of which the format demands a length; sizes and length where they are known."""
    (entry,) = (await root_of(shown, "rss")).iter("item")

    assert [each.attrib for each in entry.findall("enclosure")] == [{"url": IMAGE, "length": "0", "type": "image/png"}]
    photo, clip = entry.findall(f"{MEDIA}content")
    assert photo.attrib == {"url": IMAGE, "type": "image/png", "medium": "image", "width": "1280", "height": "720"}
    assert clip.attrib == {
        "url": CLIP, "type": "video/mp4", "medium": "video", "width": "1920", "height": "1080", "duration": "84",
    }  # fmt: skip
    assert (photo.findtext(f"{MEDIA}title"), photo.findtext(f"{MEDIA}credit")) == ("The winner", "Ina")


async def test_atom_links_every_file_as_enclosure(shown):
    """Beside the link to the post itself."""
    (entry,) = (await root_of(shown, "atom")).iter(f"{ATOM}entry")

    links = [each.attrib for each in entry.findall(f"{ATOM}link")]
    assert [each["rel"] for each in links] == ["alternate", "enclosure", "enclosure"]
    assert links[1:] == [
        {"rel": "enclosure", "type": "image/png", "href": IMAGE, "title": "The winner"},
        {"rel": "enclosure", "type": "video/mp4", "href": CLIP, "title": "The goal"},
    ]


async def test_json_feed_has_attachments_and_the_first_image(shown):
    """With the length of the video in whole seconds."""
    (entry,) = (await feed(shown)).json()["items"]

    assert entry["image"] == IMAGE
    assert entry["attachments"] == [
        {"url": IMAGE, "mime_type": "image/png", "title": "The winner"},
        {"url": CLIP, "mime_type": "video/mp4", "title": "The goal", "duration_in_seconds": 84},
    ]


@pytest.mark.parametrize("extension", FORMATS)
async def test_the_html_of_feeds_has_absolute_addresses_of_the_proxy(shown, extension):
    """With the size of that variant; the origin of the image is not named."""
    response = await feed(shown, extension)
    html = html_of(response, extension)[-1]

    assert f'<img src="{IMAGE}" alt="The winner" width="1280" height="720">' in html
    assert f'<video src="{CLIP}" controls preload="none">' in html
    assert read(html).bad == []
    assert "img.example.org" not in response.text


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize(("warning", "words"), [("", "Sensibler Inhalt"), ("Blut", "Blut")])
async def test_what_has_a_warning_is_a_link_to_the_post(public, extension, warning, words):
    """A feed's reader could not ask first: neither enclosure nor image."""
    photo, clip = file("mphoto", PHOTO), file("mclip", CLIP, "v")
    items = [item(each, content_warning=warning) for each in (photo, clip)]
    await add(public, showing("ephoto", photo, clip, items=items, headline="Riedel!"), locale="de")
    response = await feed(public, extension)

    assert f'<p><a href="{SITE}/liveblogs/gderby#ephoto">{words}</a></p>' in html_of(response, extension)[-1]
    for word in ("/media/", "enclosure", "attachments", CLIP):
        assert word not in response.text


@pytest.mark.parametrize("extension", FORMATS)
async def test_hostile_texts_of_files_break_no_feed(public, extension):
    """Title, credit, warning and address; and what no XML may hold."""
    hostile = f"{poison.XSS}\x00\x0b\ufffe"
    photo = file("mphoto", f"https://x.example/{poison.XSS}")
    clip = file("mclip", f"https://x.example/{poison.XSS}", "v")
    texts = {"title": hostile, "credit": hostile}
    items = [item(each, **texts, **more) for each in (photo, clip) for more in ({}, {"content_warning": hostile})]
    await add(public, showing("exss", photo, clip, items=items, headline="x"), showing("ebare", photo, headline="y"))
    response = await feed(public, extension)

    assert all(read(html).bad == [] for html in html_of(response, extension))
    if extension != "json":
        assert ET.fromstring(response.content) is not None
