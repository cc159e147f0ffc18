"""The image proxy over HTTP: what it shows, how long, and what it requests from origins."""

import asyncio
import threading
from dataclasses import dataclass, field
from io import BytesIO

import httpx
import pytest
from PIL import Image

from api.app import create_app
from api.media import variants
from api.media.proxy import ImageProxy, StoredUploads
from config.sections import MediaConfig
from mapping.rules.media_address import ImageOptions, ImageRequest, image_path
from store.engine.liveblog_records import new_key
from store.files.disk import DiskFiles
from store.files.image_facts import identify
from store.media import uploads
from tests.api.conftest import serving, store
from tests.kit import matchday, pictures
from tests.kit.pictures import Answer

__all__ = ["store"]

PAGE = {"accept": "image/avif,image/webp,image/*,*/*;q=0.8"}
PLAIN = {"accept": "image/*"}
API = {"accept": "application/json"}
URL = "https://photos.example.org/a.jpg"
UPLOAD = f"imageservice://{matchday.ORGANIZATION}/{'k' * 32}"


@dataclass
class Source:
    """Origins and uploads: what they answer, and what was requested of them."""

    answer: Answer = field(default_factory=lambda: Answer(body=pictures.picture(), etag='"1"'))
    uploads: dict[str, bytes] = field(default_factory=dict)
    published: set[str] = field(default_factory=set)
    hidden: bool = False
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)
    gate: asyncio.Event | None = None

    async def fetch(self, organization_id, url, *, etag, most):
        self.requests.append((organization_id, url, etag))
        if self.gate:
            await self.gate.wait()
        return self.answer

    async def read(self, url, most):
        return self.uploads.get(url)

    async def shown(self, organization_id, url):
        return url in self.published or (url == URL and not self.hidden)


@dataclass
class Readers:
    """The API with an image proxy, and those who read."""

    server: object
    source: Source
    proxy: ImageProxy
    http: httpx.AsyncClient
    folder: object

    def path(self, url=URL, *, key=None, organization=matchday.ORGANIZATION, **options):
        wanted = ImageRequest(organization, url, ImageOptions(**options))
        return image_path(key or self.server.services.keys.media, wanted)

    async def get(self, url=URL, *, headers=PLAIN, **options):
        return await self.http.get(self.path(url, **options), headers=headers)


def proxied(server, source, folder, **changed):
    settings = MediaConfig(folder=str(folder)).model_copy(update=changed)
    proxy = ImageProxy(settings, source.fetch, source, lambda: server.now, lambda: server.ticks)
    app = create_app(server.services.having(proxy), monotonic=lambda: server.ticks)
    http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver")
    return Readers(server, source, proxy, http, folder)


@pytest.fixture
async def readers(store, tmp_path):
    async with serving(store, client_per_second=0, public_per_second=0) as server:
        made = proxied(server, Source(), tmp_path / "media")
        async with made.http:
            yield made
        made.proxy.close()


async def test_an_image_is_resized_and_may_be_cached(readers):
    """Its headers let caches keep it, and nobody run it."""
    response = await readers.get(width=160)
    facts = identify(response.content)
    assert (response.status_code, facts.width, facts.format) == (200, 160, "jpeg")
    assert response.headers["content-type"] == "image/jpeg"
    assert response.headers["cache-control"] == "public, max-age=600"
    assert response.headers["vary"] == "Accept"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["content-security-policy"] == "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    assert response.headers["content-disposition"] == 'inline; filename="image"'
    assert not response.headers["etag"].startswith("W/")


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("image/avif,image/webp,*/*", "avif"),
        ("image/webp, image/avif;q=0.0", "webp"),
        ("IMAGE/WebP;q=0.5", "webp"),
        ("image/*", "jpeg"),
        ("image/png", "jpeg"),
    ],
)
async def test_the_format_is_what_the_reader_takes(readers, accept, expected):
    """A format is sent only to those who name it, and not with a weight of nothing."""
    response = await readers.get(headers={"accept": accept}, width=64)
    assert identify(response.content).format == expected


async def test_a_reader_who_has_it_gets_304(readers):
    """The validator is strong, and belongs to the variant; HEAD says what GET would."""
    first = await readers.get(width=64)
    head = await readers.http.head(readers.path(width=64), headers=PLAIN)
    assert head.status_code == 200
    assert [head.headers[name] == first.headers[name] for name in ("content-length", "etag")] == [True, True]
    again = await readers.get(width=64, headers={**PLAIN, "if-none-match": first.headers["etag"]})
    other = await readers.get(width=65, headers={**PLAIN, "if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert again.headers["cache-control"] == first.headers["cache-control"]
    assert other.status_code == 200


@pytest.mark.parametrize("place", [7, 40, -1])
async def test_an_address_that_was_changed_is_none(readers, place):
    """Nobody has an image fetched, or a size made, that the service has not offered."""
    path = readers.path(width=64)
    changed = path[:place] + ("A" if path[place] != "A" else "B") + (path[place:][1:])
    response = await readers.http.get(changed, headers=PAGE)
    assert response.status_code == 404
    assert readers.source.requests == []
    assert (await readers.http.get(readers.path(key=b"x" * 32), headers=PAGE)).status_code == 404


async def test_the_origin_is_requested_again_after_a_while(readers):
    """With its ETag; what has changed is shown, what has not is kept."""
    before = await readers.get(width=64)
    readers.source.answer = Answer("unchanged")
    readers.server.now += 3601
    assert (await readers.get(width=64)).headers["etag"] == before.headers["etag"]
    readers.source.answer = Answer("new", pictures.picture("png", 300, 300), '"2"')
    readers.server.now += 3601
    after = await readers.get(width=64)
    assert identify(after.content).height == 64
    assert [etag for *_, etag in readers.source.requests] == [None, '"1"', '"1"']


async def test_a_copy_goes_with_its_origin(readers):
    """A file that its owner has taken down (404, 410) is shown to nobody from that answer on; it may come back."""
    before = await readers.get(width=64)
    readers.source.answer = Answer("gone")
    readers.server.now += 3601
    assert (await readers.get(width=64, headers=API)).status_code == 404
    assert (await readers.get(width=65, headers=API)).status_code == 404
    readers.source.answer = Answer("new", before.content, '"3"')
    readers.server.now += 61
    assert (await readers.get(width=64, headers=API)).status_code == 200


async def test_the_last_good_copy_is_shown_for_a_while(readers):
    """Then a placeholder for pages, and 404 for the API."""
    before = await readers.get(width=64)
    readers.source.answer = Answer("failed")
    readers.server.now += 6 * 86400
    assert (await readers.get(width=64)).content == before.content
    assert identify((await readers.get(width=99)).content).width == 99
    readers.server.now += 86400
    shown = await readers.get(width=64)
    assert (shown.status_code, identify(shown.content).format) == (200, "png")
    assert shown.headers["cache-control"] == "public, max-age=60"
    assert shown.content != before.content
    assert (await readers.get(width=64, headers=API)).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [(PAGE, 200), (API, 404), ({"accept": "*/*"}, 404), ({"accept": "*/*", "sec-fetch-dest": "image"}, 200)],
)
async def test_pages_get_a_placeholder_and_the_api_404(readers, headers, status):
    """Who wants it is seen by what it accepts, or by what the browser says that it is for."""
    readers.source.answer = Answer("failed")
    response = await readers.get(headers=headers, width=64)
    assert response.status_code == status
    assert response.headers["content-type"] == ("image/png" if status == 200 else "application/json")


@pytest.mark.parametrize(
    "body",
    [pictures.HTML, b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(1000), pictures.flood(), pictures.truncated()],
    ids=["html", "video", "flood", "truncated"],
)
async def test_hostile_files_show_a_placeholder(readers, body):
    """None of their bytes passes, and they are not fetched or decoded for each reader."""
    readers.source.answer = Answer("new", body)
    for _ in range(3):
        shown = await readers.get(width=64)
        assert shown.status_code == 200
        assert (identify(shown.content).width, identify(shown.content).height) == (4, 3)
        assert (await readers.get(width=64, headers=API)).status_code == 404
    assert len(readers.source.requests) == 1


async def test_an_answer_that_is_no_image_leaves_the_good_copy(readers):
    """An origin that shows an error page with status 200 has failed."""
    before = await readers.get(width=64)
    readers.source.answer = Answer("new", pictures.HTML, '"2"')
    readers.server.now += 3601
    assert (await readers.get(width=64)).content == before.content


async def test_an_origin_that_fails_is_left_alone_for_a_while(readers):
    """It is not called for each reader."""
    readers.source.answer = Answer("failed")
    for _ in range(5):
        await readers.get(width=64)
    assert len(readers.source.requests) == 1
    readers.server.now += 61
    await readers.get(width=64)
    assert len(readers.source.requests) == 2


async def test_a_variant_is_made_once_for_all_who_want_it(readers, monkeypatch):
    """One fetch and one rendering, also for those who come meanwhile, and when the first of them leaves."""
    rendered = []
    original = variants.render
    monkeypatch.setattr(variants, "render", lambda *args: (rendered.append(1), original(*args))[1])
    readers.source.gate = asyncio.Event()
    waiting = [asyncio.create_task(readers.get(width=64)) for _ in range(20)]
    await asyncio.sleep(0.5)
    waiting[0].cancel()
    await asyncio.sleep(0)
    readers.source.gate.set()
    responses = await asyncio.gather(*waiting[1:])
    assert {response.status_code for response in responses} == {200}
    assert len(rendered) == len(readers.source.requests) == 1


async def test_a_slow_origin_holds_nobody_who_can_have_the_good_copy(readers, monkeypatch):
    """After a moment readers get what there is."""
    monkeypatch.setattr("api.media.originals.PATIENCE", 0.02)
    before = await readers.get(width=64)
    readers.source.gate = asyncio.Event()
    readers.server.now += 3601
    assert (await readers.get(width=64)).content == before.content
    readers.source.gate.set()


async def test_the_cache_survives_a_restart(readers):
    """Another process on the same folder fetches nothing and makes nothing."""
    before = await readers.get(width=64)
    later = Source(Answer("failed"))
    restarted = proxied(readers.server, later, readers.folder)
    async with restarted.http:
        assert (await restarted.get(width=64)).content == before.content
        assert identify((await restarted.get(width=99)).content).width == 99
    assert later.requests == []


async def test_a_copy_that_was_put_out_is_fetched_anew(readers):
    """An original that is gone from the cache comes from its origin, without an ETag that would bring nothing."""
    await readers.get(width=64)
    for file in (readers.folder / "cache").glob("??/*"):
        file.unlink()
    assert identify((await readers.get(width=99)).content).width == 99
    assert [etag for *_, etag in readers.source.requests] == [None, None]


async def test_too_many_who_wait_are_sent_away(store, tmp_path, monkeypatch):
    """503 with Retry-After beyond the queue; another organization still finds a place within it."""
    gate, original = threading.Event(), variants.render
    monkeypatch.setattr(variants, "render", lambda *args: (gate.wait(20), original(*args))[1])
    async with serving(store, client_per_second=0, public_per_second=0) as server:
        readers = proxied(server, Source(), tmp_path, workers=1, render_queue=4, organization_render_queue=3)
        async with readers.http:
            waiting = [asyncio.create_task(readers.get(width=width)) for width in (10, 11, 12, 13)]
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=10)
            refused = done.pop().result()
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
            assert refused.json()["retryable"] is True
            other = asyncio.create_task(readers.http.get(readers.path(organization=matchday.OTHER), headers=PLAIN))
            await asyncio.sleep(0.2)
            assert not other.done()
            gate.set()
            assert sorted(response.status_code for response in await asyncio.gather(*waiting, other)) == [200] * 4 + [
                503
            ]
        readers.proxy.close()


class TestUploads:
    """Files that clients have uploaded."""

    async def test_an_upload_is_readable_while_something_published_shows_it(self, readers):
        """What is withdrawn is out of sight after a second."""
        readers.source.uploads[UPLOAD] = pictures.picture()
        readers.source.published.add(UPLOAD)
        response = await readers.get(UPLOAD, width=64)
        assert (response.status_code, identify(response.content).width) == (200, 64)
        assert response.headers["cache-control"] == "public, max-age=600"
        readers.source.published.clear()
        readers.server.ticks += 1.1
        assert (await readers.get(UPLOAD, width=64, headers=API)).status_code == 404
        placeholder = await readers.get(UPLOAD, width=64)
        assert identify(placeholder.content).width == 4

    async def test_its_organization_alone_sees_what_is_not_published(self, readers):
        """Before and after; the same bytes as all have seen, with other headers, since nobody may keep them for others."""
        readers.source.uploads[UPLOAD] = pictures.picture()
        readers.source.published.add(UPLOAD)
        seen = await readers.get(UPLOAD, width=64)
        readers.source.published.clear()
        readers.server.ticks += 1.1
        path, tag = readers.path(UPLOAD, width=64), {"if-none-match": seen.headers["etag"]}
        assert (await readers.http.get(path, headers=API, auth=("stranger", matchday.SECRET))).status_code == 404
        for headers, status in ((API, 200), (API | tag, 304)):
            response = await readers.http.get(path, headers=headers, auth=("desk", matchday.SECRET))
            assert (response.status_code, response.headers["etag"]) == (status, seen.headers["etag"])
            assert response.headers["cache-control"] == "private, max-age=600"
            assert "Authorization, Cookie" in response.headers["vary"]

    async def test_an_id_without_its_secret_is_not_enough(self, readers):
        """The id of a client stands in every page."""
        readers.source.uploads[UPLOAD] = pictures.picture()
        response = await readers.http.get(readers.path(UPLOAD), params={"client_id": "desk"}, headers=API)
        assert response.status_code == 404

    @pytest.mark.parametrize("body", [None, b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(1000)], ids=["gone", "video"])
    async def test_an_upload_that_is_no_image_is_none(self, readers, body):
        """Videos are linked; a row may be gone a moment after its file."""
        readers.source.uploads[UPLOAD] = body
        readers.source.published.add(UPLOAD)
        assert (await readers.get(UPLOAD, headers=API)).status_code == 404


class TestLinks:
    """The operation that gives addresses."""

    PATH = f"/api/mediaservice/v3/organization/{matchday.ORGANIZATION}/image.json"

    async def link(self, readers, *, client="desk", **query):
        return await readers.http.get(self.PATH, params=query, auth=(client, matchday.SECRET))

    async def test_a_link_leads_to_the_image(self, readers):
        """It is absolute, below the public address."""
        response = await self.link(readers, url=URL, width=80, height=60, fit="cover", dpr=2)
        base = "https://live.example.org/blogs"
        assert response.json()["url"].startswith(f"{base}/media/")
        image = await readers.http.get(response.json()["url"].removeprefix(base), headers=PLAIN)
        assert Image.open(BytesIO(image.content)).size == (160, 120)

    async def test_what_is_no_image_or_no_box_is_refused(self, readers):
        """With the parameter at fault."""
        for query in (
            {},
            {"url": "ftp://example.org/a.jpg"},
            {"url": "https://user:secret@example.org/a.jpg"},
            {"url": "https:///a.jpg"},
            {"url": "https://[a.jpg"},
            {"url": "https://example.org/" + "a" * 3000},
            {"url": "javascript:alert(1)"},
            {"url": URL, "width": "-1"},
            {"url": URL, "width": "5000"},
            {"url": URL, "width": "4000", "dpr": "2"},
            {"url": URL, "dpr": "4"},
            {"url": URL, "fit": "stretch"},
        ):
            response = await self.link(readers, **query)
            assert (response.status_code, response.json()["field"]) == (400, ["url", *query][-1]), query

    async def test_an_upload_of_another_organization_is_not_linked(self, readers):
        """Nor is anything linked on behalf of an organization that is not the client's."""
        foreign = await self.link(readers, url=f"imageservice://{matchday.OTHER}/{'k' * 32}")
        assert foreign.status_code == 404
        assert (await self.link(readers, client="stranger", url=URL)).status_code == 403
        assert (await readers.http.get(self.PATH, params={"url": URL})).status_code == 401


async def test_uploads_are_read_from_their_storage(store, tmp_path):
    """The organization of the address has to be that of the upload, and something published has to show it."""
    files, key, body = DiskFiles(tmp_path), new_key(), pictures.picture()

    async def chunks():
        yield body

    stored = await files.put(key, chunks())
    upload = uploads.Upload(
        key=key, organization_id=matchday.ORGANIZATION, client_id="desk", subtype="i", content_type="image/jpeg",
        digest=stored.digest, bytes=stored.bytes, width=640, height=480, created_at=1,
    )  # fmt: skip
    await store.write(lambda unit: uploads.create(unit, upload))
    found = StoredUploads(store, files)
    assert await found.read(upload.url, 10**6) == body
    assert await found.read(upload.url, 10) is None
    assert not await found.shown(matchday.ORGANIZATION, upload.url)
    await store.write(lambda unit: uploads.refer(unit, "team", "t1", {key: True}))
    assert await found.shown(matchday.ORGANIZATION, upload.url)
    foreign = upload.url.replace(matchday.ORGANIZATION, matchday.OTHER)
    assert await found.read(foreign, 10**6) is None
    assert not await found.shown(matchday.ORGANIZATION, foreign)
    await files.delete(key)
    assert await found.read(upload.url, 10**6) is None
