"""Uploaded videos over HTTP: taken by their content, shown in posts, played in ranges while somebody may see them."""

import re

import pytest

from store.files import video_facts
from store.files.disk import DiskFiles
from tests.api.conftest import serving, store
from tests.kit import matchday
from tests.kit.event_desk import DESK, STRANGER, Desk
from tests.kit.origin import video
from tests.kit.pictures import MP4, WEBM, picture

__all__ = ["store"]

PATH = f"/api/mediaservice/v3/organization/{matchday.ORGANIZATION}/upload"
PLAYED = re.compile(r'<video src="\.\.(/media/[^"]+)"')
WEBM_HEAD = b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm"
KINDS = {"video/mp4": MP4, "video/webm": WEBM_HEAD + bytes(100), "video/quicktime": MP4.replace(b"isom", b"qt  ")}
IMAGE_BYTES, VIDEO_BYTES = 400_000, 4_000_000


@pytest.fixture
def files(tmp_path):
    return DiskFiles(tmp_path / "media")


@pytest.fixture
def no_ffprobe(monkeypatch):
    """What needs no facts of a video starts no process for them."""
    monkeypatch.setattr(video_facts, "find_ffprobe", lambda: None)


@pytest.fixture
async def desk(store, files):
    limits = {"image_bytes": IMAGE_BYTES, "video_bytes": VIDEO_BYTES, "body_bytes": 5000}
    async with serving(store, files=files, client_per_second=0, public_per_second=0, **limits) as server:
        await server.add(matchday.Liveblog())
        yield Desk(server.http)


async def sent(desk, body, **headers):
    return await desk.http.post(PATH, content=body, auth=DESK, headers=headers)


async def played(desk):
    """The path of the video that the page shows."""
    page = (await desk.http.get("/liveblogs/gderby", auth=DESK)).text
    found = PLAYED.search(page)
    assert found is not None, page
    return found[1]


async def test_videos_are_taken_by_their_content(desk, files, no_ffprobe):
    """MP4, WebM and QuickTime up to a limit of their own; other containers are 415, and images keep their limit."""
    for kind, body in KINDS.items():
        answer = await sent(desk, body, **{"Content-Type": "text/html"})
        assert answer.status_code == 200, (kind, answer.text)
        assert answer.json()["subtype"] == "v", kind
    assert (await sent(desk, WEBM)).status_code == 415  # Matroska, or nothing at all
    assert (await sent(desk, MP4.replace(b"isom", b"heic"))).status_code == 415
    assert (await sent(desk, MP4 + bytes(VIDEO_BYTES))).status_code == 413
    assert (await sent(desk, picture("png") + bytes(IMAGE_BYTES))).status_code == 413
    assert (await sent(desk, MP4 + bytes(VIDEO_BYTES - len(MP4)))).status_code == 200
    assert len(await files.keys("", 100)) == len(KINDS) + 1


@pytest.mark.proof
@pytest.mark.parametrize("index_first", [True, False])
async def test_an_uploaded_video_is_played_in_ranges(desk, index_first):
    """Its size and length are known from its content; the page names an address that gives any part of it."""
    body = video(index_first=index_first)
    answer = (await sent(desk, body)).json()
    assert (answer["width"], answer["height"], answer["duration_ms"]) == (320, 180, 2000)
    event = await desk.create({"media": [{key: answer[key] for key in ("url", "subtype", "duration_ms")}]})
    assert (event["media"][0]["width"], event["media"][0]["duration_ms"]) == (320, 2000)
    path = await played(desk)
    whole = await desk.http.get(path)

    assert (whole.status_code, whole.content) == (200, body)
    headers = whole.headers
    assert (headers["content-type"], headers["x-content-type-options"]) == ("video/mp4", "nosniff")
    assert "sandbox" in headers["content-security-policy"]
    assert (headers["accept-ranges"], headers["content-length"]) == ("bytes", str(len(body)))
    assert headers["content-disposition"] == 'inline; filename="video"'
    size, etag = len(body), headers["etag"]
    parts = {
        "bytes=0-0": (0, 1), "bytes=100-199": (100, 200), "bytes=100-": (100, size), "bytes=-50": (size - 50, size),
        f"bytes=10-{size * 2}": (10, size), f"bytes=-{size * 2}": (0, size),
    }  # fmt: skip
    for wanted, (start, end) in parts.items():
        part = await desk.http.get(path, headers={"Range": wanted, "If-Range": etag})
        assert (part.status_code, part.content) == (206, body[start:end]), wanted
        assert part.headers["content-range"] == f"bytes {start}-{end - 1}/{size}", wanted
    for wanted in (f"bytes={size}-", "bytes=-0"):
        part = await desk.http.get(path, headers={"Range": wanted})
        assert (part.status_code, part.headers["content-range"]) == (416, f"bytes */{size}"), wanted
    for wanted in ("bytes=-", "bytes=0-1,5-6", "lines=0-1", "bytes=a-b"):
        assert (await desk.http.get(path, headers={"Range": wanted})).status_code == 200, wanted
    other = await desk.http.get(path, headers={"Range": "bytes=0-0", "If-Range": '"other"'})
    assert (other.status_code, len(other.content)) == (200, size)
    assert (await desk.http.get(path, headers={"If-None-Match": etag})).status_code == 304


async def test_a_video_is_read_while_somebody_may_see_it(desk, no_ffprobe):
    """After the post is gone its organization alone reads it; an address that the service did not sign is none."""
    answer = (await sent(desk, MP4)).json()
    event = await desk.create({"media": [{"url": answer["url"], "subtype": "v"}]})
    path = await played(desk)
    assert (await desk.http.get(path)).headers["cache-control"].startswith("public")
    await desk.delete(event["local_id"])

    assert (await desk.http.get(path)).status_code == 404
    assert (await desk.http.get(path, auth=STRANGER)).status_code == 404
    own = await desk.http.get(path, auth=DESK)
    assert (own.status_code, own.content) == (200, MP4)
    assert own.headers["cache-control"].startswith("private")
    signature = path.split("/")[2]
    assert (await desk.http.get(path.replace(signature, signature[::-1]), auth=DESK)).status_code == 404


async def test_the_head_of_a_video_alone_reads_none_of_it(desk, files, monkeypatch, no_ffprobe):
    """HEAD is answered as GET is, with one byte read to learn that the file is there; a file that is gone is 404."""
    body = MP4 + bytes(1000)
    answer = (await sent(desk, body)).json()
    await desk.create({"media": [{"url": answer["url"], "subtype": "v"}]})
    path, read, sizes = await played(desk), files.read, []

    async def counted(key, most, *more):
        sizes.append(most)
        return await read(key, most, *more)

    monkeypatch.setattr(files, "read", counted)
    head = await desk.http.head(path)
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(len(body)), b"")
    assert sum(sizes) <= 1
    part = await desk.http.head(path, headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.headers["content-length"]) == (206, "100")
    assert sum(sizes) <= 2
