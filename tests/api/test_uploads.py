"""Uploads through HTTP: what is taken, what is refused, and what is left behind when it goes wrong."""

import asyncio
import errno
import os
import re
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from ingest.jobs.purges import UploadPurge
from store.engine.liveblog_records import new_key
from store.files.disk import DiskFiles
from store.files.storage import CONTENT_TYPES, FileMissing
from store.media import uploads
from store.media.tables import uploads as uploads_table
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.pictures import FORMATS, HTML, SVG, WEBM, picture, png_header, webp_header

PATH = f"/api/mediaservice/v3/organization/{matchday.ORGANIZATION}/upload"
AUTH = ("desk", matchday.SECRET)
ADDRESS = re.compile(rf"imageservice://{matchday.ORGANIZATION}/([A-Za-z0-9_-]{{32}})")
DAY = 86_400
IMAGE_BYTES = 400_000


@pytest.fixture
def files(tmp_path):
    return DiskFiles(tmp_path / "media")


@pytest.fixture
async def server(store, files):
    limits = {
        "image_bytes": IMAGE_BYTES,
        "video_bytes": IMAGE_BYTES,
        "uploads": 3,
        "organization_uploads": 2,
        "body_bytes": 1000,
    }
    async with serving(store, files=files, client_per_second=0, public_per_second=0, **limits) as running:
        yield running


@pytest.fixture
def kept(tmp_path):
    """What is on the disk, whatever its name."""
    return lambda: [path for path in Path(tmp_path / "media").rglob("*") if path.is_file()]


async def sent(server, body, **more):
    return await server.http.post(PATH, content=body, **{"auth": AUTH, **more})


async def rows(server):
    return await server.store.read(lambda conn: conn.execute(select(uploads_table)).mappings().all())


def refused(response):
    body = response.json()
    return response.status_code, body["code"], body["retryable"]


async def pieces(body, size=1000, *, until=None, fails=None):
    """The body in pieces; after the first ones it waits for `until`, and breaks off with `fails`."""
    for place in range(0, len(body), size):
        yield body[place : place + size]
    if until is not None:
        await until.wait()
    if fails is not None:
        raise fails


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content_type", ["image/jpeg", "text/html", None])
async def test_an_image_is_stored_as_it_is_and_known_by_its_content(server, files, name, content_type):
    """Whatever the Content-Type says; the answer is a file of posts with an address that nobody can guess."""
    body = picture(name, 40, 30)

    response = await sent(server, body, headers={"Content-Type": content_type} if content_type else {})

    assert response.status_code == 200, response.text
    answer = response.json()
    key = ADDRESS.fullmatch(answer.pop("url"))[1]
    assert answer == {
        "_type": "Svc::Model::Media", "subtype": "i", "local_status": 0, "duration_ms": 0, "width": 40, "height": 30,
        "created_at": NOW, "updated_at": NOW, "user_id": "desk",
    }  # fmt: skip
    assert await files.read(key, len(body) + 1) == body
    (row,) = await rows(server)
    assert (row["key"], row["content_type"], row["bytes"]) == (key, CONTENT_TYPES[name], len(body))


@pytest.mark.parametrize("body", [b"", SVG, HTML, WEBM, b"{}", b"GIF89a", picture("png")[:20]])
async def test_what_is_no_image_is_refused(server, kept, body):
    """SVG, HTML, other containers and files that only begin like an image are 415, whatever they say; nothing is stored."""
    response = await sent(server, body, headers={"Content-Type": "image/png"})

    assert refused(response) == (415, "invalid_request", False)
    assert (kept(), await rows(server)) == ([], [])


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(png_header(30_000, 30_000), id="900 megapixels"),
        pytest.param(webp_header(5_000, 5_000), id="webp that no memory holds"),
    ],
)
async def test_an_image_that_can_never_be_shown_is_refused(server, kept, body):
    """By its header, before anything is stored: whoever posts it learns it, and readers see no placeholder for ever."""
    response = await sent(server, body)

    assert refused(response) == (413, "payload_too_large", False)
    assert "can never be shown" in response.json()["message"]
    assert (kept(), await rows(server)) == ([], [])


@pytest.mark.parametrize("announced", [True, False])
async def test_a_file_that_is_too_large_is_refused(server, kept, announced):
    """By the length that it announces, or where it grows beyond the limit; nothing is stored."""
    body = picture("png", 20, 20) + bytes(IMAGE_BYTES)

    response = await sent(server, body if announced else pieces(body))

    assert refused(response) == (413, "payload_too_large", False)
    assert (kept(), await rows(server)) == ([], [])


async def test_a_client_that_goes_away_leaves_nothing(server, kept):
    """Neither a file nor a row."""
    sending = asyncio.Event()
    body = picture("png", 20, 20) + bytes(300_000)  # more than it takes to know the kind
    task = asyncio.create_task(sent(server, pieces(body, until=sending)))
    async with asyncio.timeout(60):
        while not kept():
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        while kept():  # a thread may still be opening it
            await asyncio.sleep(0.01)

    assert await rows(server) == []


async def test_a_full_disk_is_a_503_that_may_be_tried_again(server, kept, monkeypatch):
    """Nothing is left behind, and the next upload succeeds once there is room."""
    with monkeypatch.context() as patched:

        def full(_descriptor):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        patched.setattr(os, "fsync", full)
        response = await sent(server, picture("png", 4, 3))
    assert refused(response)[::2] == (503, True)
    assert int(response.headers["Retry-After"]) > 0
    assert (kept(), await rows(server)) == ([], [])

    assert (await sent(server, picture("png", 4, 3))).status_code == 200


async def test_uploads_under_way_are_bounded_for_each_organization_and_for_all(server):
    """One more of an organization is 429 and leaves room for the others; one more of all is 503; afterwards there is room."""
    other = f"/api/mediaservice/v3/organization/{matchday.OTHER}/upload"
    stranger = ("stranger", matchday.SECRET)
    go, body = asyncio.Event(), picture("png", 4, 3)

    async def begin(path, auth):
        task = asyncio.create_task(server.http.post(path, content=pieces(body, until=go), auth=auth))
        for _ in range(20):
            await asyncio.sleep(0.01)
        return task

    slow = [await begin(PATH, AUTH), await begin(PATH, AUTH)]
    of_organization = await sent(server, body)
    slow.append(await begin(other, stranger))
    of_all = await server.http.post(other, content=body, auth=stranger)
    go.set()
    done = await asyncio.gather(*slow)

    assert refused(of_organization) == (429, "rate_limited", True)
    assert refused(of_all)[::2] == (503, True)
    assert [each.status_code for each in done] == [200, 200, 200]
    assert (await sent(server, body)).status_code == 200


async def test_an_upload_is_of_the_organization_that_the_path_names(server):
    """A client of another organization uploads nothing there, and the row names who did it."""
    body = picture("png", 4, 3)
    stranger = await sent(server, body, auth=("stranger", matchday.SECRET))
    reader = await sent(server, body, auth=("reader", matchday.SECRET))
    nobody = await sent(server, body, auth=None)
    await sent(server, body)

    assert [each.status_code for each in (stranger, reader, nobody)] == [403, 403, 401]
    assert [(row["organization_id"], row["client_id"]) for row in await rows(server)] == [
        (matchday.ORGANIZATION, "desk")
    ]


@pytest.mark.parametrize("path", ["../../etc/passwd", "%2e%2e%2fsecret"])
async def test_the_name_of_an_organization_is_never_part_of_a_path(server, kept, path):
    """What is no organization of the client is refused before anything is stored."""
    response = await server.http.post(
        f"/api/mediaservice/v3/organization/{path}/upload", content=picture("png", 4, 3), auth=AUTH
    )

    assert response.status_code in {403, 404}
    assert kept() == []


# Forms


def form(*parts, end="--\r\n"):
    """A form of (name, body) or (name, body, headers); `end` is what follows its last boundary."""
    made = b""
    for name, body, *headers in parts:
        lines = [f'Content-Disposition: form-data; name="{name}"', *headers]
        made += "\r\n".join(["--edge", *lines, "", ""]).encode() + body + b"\r\n"
    return made + f"--edge{end}".encode()


async def sent_form(server, body, kind="multipart/form-data; boundary=edge"):
    return await sent(server, body, headers={"Content-Type": kind})


@pytest.mark.parametrize("size", [1, 7, 1000, 300_000])
async def test_a_form_is_an_image_with_its_title_and_credit(server, files, size):
    """In any order and however the network cuts it; what is stored is the file alone, and the answer says both texts."""
    body = picture("png", 40, 30) + b"\r\n--edg" + bytes(2000)
    whole = form(("title", "Zürich".encode()), ("file", body, "Content-Type: text/html"), ("credit", b"dpa"))

    response = await sent_form(server, pieces(whole, size))

    assert response.status_code == 200, response.text
    answer = response.json()
    assert (answer["title"], answer["credit"], answer["width"], answer["height"]) == ("Zürich", "dpa", 40, 30)
    assert await files.read(ADDRESS.fullmatch(answer["url"])[1], len(body) + 1) == body
    assert [row["bytes"] for row in await rows(server)] == [len(body)]


async def test_a_form_as_clients_write_it_needs_no_texts(server):
    """A file name changes nothing, and is nowhere kept."""
    response = await server.http.post(PATH, files={"file": ("../../etc/passwd", picture("png", 4, 3))}, auth=AUTH)

    assert response.status_code == 200, response.text
    assert not {"title", "credit"} & set(response.json())


PNG = picture("png", 4, 3)
LONG = b"x" * 10_000_000
BROKEN_FORMS = {
    "no file": (form(("title", b"a")), 422),
    "nothing": (b"", 400),
    "two files": (form(("file", PNG), ("file", PNG)), 422),
    "two titles": (form(("title", b"a"), ("title", b"b"), ("file", PNG)), 422),
    "an unknown field after the file": (form(("file", PNG), ("other", b"a")), 422),
    "no name": (b"--edge\r\nContent-Type: image/png\r\n\r\n" + PNG + b"\r\n--edge--\r\n", 422),
    "a title that is no UTF-8": (form(("file", PNG), ("title", b"\xff")), 422),
    "a title that is too long": (form(("file", PNG), ("title", b"x" * 1001)), 422),
    "a megabyte of a title": (form(("title", LONG[:390_000]), ("file", PNG)), 422),
    "ten megabytes before the file": (form(("title", LONG), ("file", PNG)), 413),
    "a header that is too long": (form(("file", PNG, "X-Long: " + "x" * 5000)), 400),
    "too many headers": (form(("file", PNG, *(f"X-{number}: x" for number in range(20)))), 400),
    "a boundary that never comes": (form(("file", PNG), end=""), 400),
    "an end in the middle of the file": (form(("file", PNG))[:-30], 400),
    "another boundary": (form(("file", PNG)).replace(b"--edge", b"--egde"), 400),
    "a header without a colon": (form(("file", PNG, "nonsense")), 400),
    "no image": (form(("file", HTML)), 415),
    "an empty file": (form(("file", b"")), 415),
    "a file that is too large": (form(("file", PNG + bytes(IMAGE_BYTES))), 413),
}


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("name", BROKEN_FORMS)
async def test_a_broken_form_leaves_nothing(server, kept, name, announced):
    """Whether the fault stands before the file or after it, and where the length is not announced too."""
    body, status = BROKEN_FORMS[name]

    response = await sent_form(server, body if announced else pieces(body, 50_000))

    # Without a length the field that is too long is noticed before the body is.
    assert response.status_code == (422 if name.startswith("ten megabytes") and not announced else status), (
        response.text
    )
    assert response.json()["retryable"] is False
    assert (kept(), await rows(server)) == ([], [])
    assert (await sent(server, PNG)).status_code == 200


# The purge


def purge(server, files, *, now):
    return UploadPurge(server.store, files, upload_kept=DAY, clock=lambda: now)


async def uploaded(server):
    response = await sent(server, picture("png", 4, 3))
    return ADDRESS.fullmatch(response.json()["url"])[1]


@pytest.fixture
def old(kept):
    """Makes all files on the disk as old as the rows are."""

    def make():
        for path in kept():
            os.utime(path, (NOW, NOW))

    return make


async def test_the_purge_takes_what_nothing_refers_to_once_it_is_old(server, files, old):
    """The file goes with its row; what a record refers to stays, hidden or not."""
    unused, used = await uploaded(server), await uploaded(server)
    await server.store.write(lambda unit: uploads.refer(unit, "event", "e1", {used: False}))
    old()

    assert await purge(server, files, now=NOW + DAY - 1).run()
    assert {row["key"] for row in await rows(server)} == {unused, used}

    assert await purge(server, files, now=NOW + DAY + 1).run()
    assert {row["key"] for row in await rows(server)} == {used}
    assert [file.key for file in await files.keys("", 10)] == [used]


async def test_the_purge_finds_what_a_dead_process_left(server, files, old, kept, monkeypatch):
    """Old files without a row and old rows without a file go, page by page; young ones and what is whole stay."""
    monkeypatch.setattr("ingest.jobs.purges.BATCH", 2)
    whole = [await uploaded(server) for _ in range(5)]
    lost = await uploaded(server)
    for key in whole:
        await server.store.write(partial(uploads.refer, kind="event", record_id=key, keys={key: True}))
    await files.delete(lost)
    strays = [new_key() for _ in range(5)]
    for key in strays:
        await files.put(key, pieces(b"x"))
    (kept()[0].parents[2] / "unfinished" / "half").write_bytes(b"x")
    old()
    young = new_key()
    await files.put(young, pieces(b"x"))
    os.utime(next(path for path in kept() if path.name == young), (NOW + DAY, NOW + DAY))

    assert await purge(server, files, now=NOW + DAY + 1).run()

    assert {row["key"] for row in await rows(server)} == set(whole)
    assert sorted(path.name for path in kept()) == sorted([*whole, young])


async def test_a_lost_file_that_something_refers_to_keeps_its_row(server, files):
    """The row is what says that something is missing; it is reported, and never deleted."""
    lost = await uploaded(server)
    await server.store.write(lambda unit: uploads.refer(unit, "event", "e1", {lost: True}))
    await files.delete(lost)

    assert await purge(server, files, now=NOW + DAY + 1).run()

    assert [row["key"] for row in await rows(server)] == [lost]
    with pytest.raises(FileMissing):
        await files.read(lost, 1)
