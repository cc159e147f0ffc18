"""Images that a post holds as `data:` addresses, over HTTP: each becomes an upload, or the post is refused whole."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from urllib.parse import quote

import pytest
from sqlalchemy import select

from store import clients
from store.files.disk import DiskFiles
from store.media_tables import upload_uses, uploads
from tests.api import matchday
from tests.api.conftest import NOW, serving
from tests.api.writing import STRANGER, Desk, post, text
from tests.media.pictures import HTML, SVG, picture
from tests.opening import store_at
from tests.sqlite import migrated_url

PNG, JPEG = picture("png", 40, 30), picture("jpeg", 16, 9)
ADDRESS = re.compile(rf"imageservice://{matchday.ORGANIZATION}/([A-Za-z0-9_-]{{32}})")
BASE64 = b64encode(PNG).decode()
IMAGE_BYTES = 5000


def data(body, kind="image/png"):
    return f"data:{kind};base64,{b64encode(body).decode()}"


TAKEN = {
    "base64": data(PNG),
    "capitals": f"DATA:IMAGE/PNG;BASE64,{BASE64}",
    "charset": f"data:image/png;charset=utf-8;base64,{BASE64}",
    "no type": f"data:;base64,{BASE64}",
    "another type": data(PNG, "text/html"),
    "not padded": f"data:image/png;base64,{BASE64.rstrip('=')}",
    "base64, percent-encoded": f"data:image/png;base64,{quote(BASE64, safe='')}",
    "bytes, percent-encoded": f"data:image/png,{quote(PNG, safe='')}",
    "lines": f"data:image/png;base64,{BASE64[:40]}\r\n {BASE64[40:]}\n",
}
REFUSED = {
    "page": (422, data(HTML, "text/html")),
    "page as an image": (422, data(HTML)),
    "SVG": (422, data(SVG, "image/svg+xml")),
    "SVG as text": (422, f"data:image/svg+xml;utf8,{quote(SVG)}"),
    "SVG as PNG": (422, data(SVG)),
    "text": (422, "data:,hello"),
    "empty": (422, "data:image/png;base64,"),
    "no comma": (422, "data:image/png;base64"),
    "nothing": (422, "data:"),
    "wrong base64": (422, f"data:image/png;base64,{BASE64[:40]}!{BASE64[40:]}"),
    "a digit too many": (422, "data:image/png;base64,AAAAA"),
    "only a beginning": (422, data(PNG[:20])),
    "blank in front": (422, f" {data(PNG)}"),
    "one that is too large": (413, data(PNG + bytes(IMAGE_BYTES))),
}


@pytest.fixture
def database():
    return "sqlite"


@pytest.fixture
async def store(request, database, tmp_path):
    on_postgres = database == "postgresql"
    url = request.getfixturevalue("postgres_url") if on_postgres else migrated_url(tmp_path / "test.db")
    opened = await store_at(url, clock=lambda: NOW - 60, migrate=on_postgres)
    await opened.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    yield opened
    await opened.close()


@pytest.fixture
def files(tmp_path):
    return DiskFiles(tmp_path / "media")


@pytest.fixture
async def desk(store, files):
    async with serving(
        store, files=files, client_per_second=0, public_per_second=0, image_bytes=IMAGE_BYTES, organization_uploads=2
    ) as server:
        await server.add(matchday.Liveblog())
        yield Desk(server.http)


@pytest.fixture
def stored(store, files):
    """Keys of files, of uploads, and of uploads that a post shows."""

    async def read():
        def rows(conn):
            return tuple({*conn.scalars(select(column))} for column in (uploads.c.key, upload_uses.c.upload_key))

        return ({file.key for file in await files.keys("", 100)}, *await store.read(rows))

    return read


def with_image(url, **more):
    return {"_type": "Svc::Model::Event", "media": [{"url": url, "subtype": "i", **more}]}


def key_of(event, place=0):
    return ADDRESS.fullmatch(event["media"][place]["url"])[1]


async def test_an_image_in_a_post_becomes_an_upload(desk, files, stored):
    """However its address is written: stored once, with its size, as the caller's upload, and used by the post."""
    keys = set()
    for name, url in TAKEN.items():
        event = await desk.create(with_image(url, title=name))
        key = key_of(event)
        keys.add(key)

        assert await files.read(key, IMAGE_BYTES) == PNG, name
        assert (event["media"][0]["width"], event["media"][0]["height"]) == (40, 30), name
        assert event["contents"][0]["items"][0]["media_local_id"] == event["media"][0]["local_id"], name
        assert "data:" not in str(event), name
    assert len(keys) == len(TAKEN)
    assert await stored() == (keys, keys, keys)


async def test_what_is_no_image_is_refused_with_its_path(desk, stored):
    """Nothing of the post is kept, its good images neither, whatever else is wrong with it."""
    post_id = (await desk.create())["local_id"]
    for name, (status, url) in REFUSED.items():
        document = {"media": [{"url": data(JPEG)}, {"url": url}]}
        for operation, params in (("create", {"ticker_local_id": "gderby"}), ("update", {"event_local_id": post_id})):
            assert await desk.refused(operation, document, **params) == (status, "media.1.url"), name
    good = {"ticker_local_id": "gderby"}
    assert await desk.refused("create", with_image(data(PNG), width=-1), **good) == (422, "media.0.width")
    assert await desk.refused("create", with_image("x" * 2**20), **good) == (413, None)
    assert await desk.refused("create", {"media": data(PNG)}, **good) == (422, "media")
    assert await stored() == (set(), set(), set())


async def test_who_may_not_post_stores_nothing(desk, stored):
    """Of another organization's liveblog, or of none, nobody's images are taken."""
    for params in ({"ticker_local_id": "gderby"}, {"ticker_local_id": "gnone"}):
        response = await Desk(desk.http, auth=STRANGER).send("create", with_image(data(PNG)), **params)
        assert response.status_code == 404, response.text
    assert await stored() == (set(), set(), set())


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("named", [{"headers": {"Idempotency-Key": "k1"}}, {"local_id": "emine"}])
async def test_a_repeated_post_makes_one_file(desk, stored, named):
    """One after the other and at once; the answer is the same, and another image under that name is a conflict."""
    document = with_image(data(PNG)) | {name: value for name, value in named.items() if name == "local_id"}
    headers = {"headers": named["headers"]} if "headers" in named else {}
    first, at_once = await asyncio.gather(*(desk.create(document, **headers) for _ in range(2)))
    again = await desk.create(document, **headers)

    assert again == at_once == first
    assert await stored() == ({key_of(first)},) * 3
    other = await desk.send("create", document | with_image(data(JPEG)), ticker_local_id="gderby", **headers)
    assert other.status_code == 409


async def test_an_update_takes_images_and_knows_those_that_the_post_has(desk, stored):
    """The same image sent again keeps its address; two of the same in one post are one file."""
    event = await desk.create(with_image(data(PNG)))
    same = await desk.update(event["local_id"], {"media": [{"url": data(PNG)}]})
    assert key_of(same) == key_of(event)
    two = {"contents": [text()], "media": [{"url": data(JPEG)}, {"url": data(JPEG), "title": "x"}]}
    changed = await desk.update(event["local_id"], two)

    assert key_of(changed, 0) == key_of(changed, 1) != key_of(event)
    assert (await stored())[0] == {key_of(event), key_of(changed)}


async def test_images_of_posts_take_places_of_uploads(desk, files, stored):
    """An organization that has all of its own under way is 429, also by posts."""
    started, go_on = asyncio.Semaphore(0), asyncio.Event()
    put = files.put

    async def slow(key, chunks):
        started.release()
        await go_on.wait()
        return await put(key, chunks)

    files.put = slow
    first = [asyncio.create_task(desk.create(with_image(data(PNG)))) for _ in range(2)]
    await started.acquire()
    await started.acquire()
    refused = await desk.refused("create", with_image(data(JPEG)), ticker_local_id="gderby")
    words = await desk.create(post())
    go_on.set()

    assert refused == (429, None)
    assert words["local_id"]
    keys = {key_of(event) for event in await asyncio.gather(*first)}
    assert await stored() == (keys, keys, keys)
