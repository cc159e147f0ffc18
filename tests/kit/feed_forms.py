"""The three feeds, fetched and read."""

from xml.etree import ElementTree as ET

BASE = "/api/embed/v4/feed/liveblog"
ATOM = "{http://www.w3.org/2005/Atom}"
FORMATS = ("rss", "atom", "json")


async def feed(server, extension="json", headers=None, **params):
    return await server.http.get(f"{BASE}.{extension}", params={"liveblogId": "gderby", **params}, headers=headers)


async def ids(server, **params):
    response = await feed(server, **params)
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.json()["items"]]


def html_of(response, extension):
    """The HTML of each post."""
    if extension == "json":
        return [each["content_html"] for each in response.json()["items"]]
    tag = f"{ATOM}content" if extension == "atom" else "item/description"
    return [each.text or "" for each in ET.fromstring(response.content).iterfind(f".//{tag}")]
