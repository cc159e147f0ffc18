"""The three feeds, fetched and read."""

BASE = "/api/embed/v4/feed/liveblog"


ATOM = "{http://www.w3.org/2005/Atom}"


FORMATS = ("rss", "atom", "json")


async def feed(server, extension="json", headers=None, **params):
    return await server.http.get(f"{BASE}.{extension}", params={"liveblogId": "gderby", **params}, headers=headers)


async def ids(server, **params):
    response = await feed(server, **params)
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.json()["items"]]
