"""Soon after a post its files are probed: what is learned is one version step, what fails is tried again and given up."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from structlog.testing import capture_logs

from store.files import video_facts as video
from tests.kit import origin as origins
from tests.kit.pictures import animation, picture
from tests.kit.probes import IMAGE, VIDEO, desk_at, is_known
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof


@pytest.fixture
async def desk(database, tmp_path):
    async with desk_at(database, tmp_path) as made:
        yield made


async def test_a_picture_learns_its_size_in_one_step(desk, origin):
    """Width and height as it is shown, its rotation applied; one version step for all files of the post, each address read once."""
    event = await desk.post(origin.url("a.jpg"), origin.url("turned.jpg"))
    before = (await desk.show())["version"]
    assert "width" not in event["media"][0]

    with capture_logs() as logs:
        shown = await desk.until(event, is_known)
        after = await desk.show()
        again = await desk.until(
            await desk.post(origin.url("a.jpg")), is_known
        )  # nothing has come of the others meanwhile

    assert [(file["width"], file["height"], file["subtype"], file["duration_ms"]) for file in shown["media"]] == [
        (640, 480, "i", 0),
        (480, 640, "i", 0),
    ]
    assert after["version"] == before + 1 == shown["version"] == shown["media"][0]["version"]
    assert shown["media"][0]["updated_at"] == event["media"][0]["updated_at"]  # nobody has changed it
    assert await desk.event(event["local_id"]) == shown
    assert (again["media"][0]["width"], sorted(origin.paths())) == (640, ["/a.jpg", "/turned.jpg"])
    assert [each["files"] for each in logs if each["event"] == "media.probed"] == [2, 1]
    assert "job.failed" not in {each["event"] for each in logs}
    assert await desk.health() == []


async def test_what_the_post_says_itself_is_not_looked_up(desk, origin):
    """A size that the client gives stays, and its file is not fetched."""
    entry = {"_type": "Svc::Model::Media", "local_id": "mine", "url": origin.url("a.jpg"), "width": 5, "height": 4}
    items = [{"_type": IMAGE, "media_local_id": "mine"}]
    contents = [{"_type": "Svc::Model::Content::MultiMediaContentBlock", "items": items}]
    params, body = (
        {"ticker_local_id": desk.name},
        {"_type": "Svc::Model::Event", "media": [entry], "contents": contents},
    )
    event = (await desk.client.post("/api/v5/write/event/create.json", params=params, json=body)).json()

    await desk.until(await desk.post(origin.url("turned.jpg")), is_known)

    assert (await desk.event(event["local_id"]))["media"][0]["width"] == 5
    assert origin.paths() == ["/turned.jpg"]


async def test_what_turns_out_to_be_an_image_lasts_no_time(tmp_path, origin):
    """The kind is known by the content: an animation under the name of a video is an image; a duration that was given goes."""
    origin.files["/clip.mp4"] = animation()
    async with desk_at(migrated_url(tmp_path / "kind.db"), tmp_path) as desk:
        entry = {"_type": "Svc::Model::Media", "url": origin.url("clip.mp4"), "subtype": "v"}
        event = await desk.post(media=[{**entry, "local_id": "one"}, {**entry, "local_id": "two", "duration_ms": 5000}])
        assert [(file["subtype"], file.get("duration_ms")) for file in event["media"]] == [("v", None), ("v", 5000)]

        shown = await desk.until(event, is_known)

    assert [(file["subtype"], file["duration_ms"]) for file in shown["media"]] == [("i", 0)] * 2


@pytest.mark.proof
@pytest.mark.parametrize("index_first", [True, False])
async def test_a_video_learns_size_and_length(tmp_path, origin, index_first):
    """Also where its index stands at the end of the file: first and last bytes are enough."""
    origin.files["/clip"] = origins.video(index_first=index_first)
    async with desk_at(migrated_url(tmp_path / "video.db"), tmp_path, probe_bytes=65_536) as desk:
        event = await desk.post(origin.url("clip"), kind=VIDEO)
        shown = await desk.until(event, is_known)

    assert len(origins.video()) > 3 * 65_536
    assert [shown["media"][0][name] for name in ("width", "height", "subtype")] == [320, 180, "v"]
    assert abs(shown["media"][0]["duration_ms"] - 2000) <= 100
    assert origin.sent <= 2 * 65_536


async def test_without_ffprobe_a_video_is_known_as_one(tmp_path, origin, monkeypatch):
    """Its size stays unknown, so 4:3 is assumed; nothing is tried again."""
    monkeypatch.setattr(video, "find_ffprobe", lambda: None)
    origin.files["/clip"] = b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + bytes(1000)
    async with desk_at(migrated_url(tmp_path / "video.db"), tmp_path) as desk:
        event = await desk.post(origin.url("clip"), kind=IMAGE)
        shown = await desk.until(event, lambda media: media[0]["subtype"] == "v")
        assert "width" not in shown["media"][0]
        assert await desk.health() == []


CAUSES = {
    "lies": "the file is neither an image nor a video that the service knows",
    "gone": "the file is gone",
    "private": "the origin answered with status 302",
    "cut": "the file could not be fetched",
}


@pytest.mark.parametrize(
    ("fetch_timeout", "causes"), [(12, CAUSES), (1, {"hangs": "the file could not be fetched"})], ids=["ends", "hangs"]
)
async def test_a_file_that_cannot_be_probed_says_so_and_is_given_up(tmp_path, origin, fetch_timeout, causes):
    """The post stands without a step; `explain` gives the reason in the same words for what is refused and what is silent."""
    async with desk_at(
        migrated_url(tmp_path / "lost.db"), tmp_path, probe_tries=1, fetch_timeout=fetch_timeout
    ) as desk:
        events = {how: await desk.post(origin.url(how)) for how in causes}
        before = (await desk.show())["version"]

        found = await desk.until_health(lambda rows: [each["given_up"] for each in rows] == [True] * len(causes))

        assert {each["event"]: (each["error"], each["tries"]) for each in found} == {
            events[how]["local_id"]: (cause, 1) for how, cause in causes.items()
        }
        assert (await desk.show())["version"] == before


async def test_what_failed_is_tried_again(tmp_path, origin):
    """A file that comes later is found at the second try, after a pause; the pause is over when the database says so."""
    url = migrated_url(tmp_path / "again.db")
    async with desk_at(url, tmp_path, probe_retry=15) as desk:
        event = await desk.post(origin.url("later.jpg"))
        (found,) = await desk.until_health(lambda rows: rows and rows[0]["error"])
        assert not found["given_up"]
        origin.files["/later.jpg"] = picture()
        with closing(sqlite3.connect(tmp_path / "again.db", timeout=10)) as file, file:
            file.execute("UPDATE media_probes SET next_at = 0")

        await desk.until(event, is_known)

        assert await desk.health() == []


async def test_a_file_that_is_replaced_meanwhile_learns_nothing_of_the_old_one(tmp_path, origin):
    """What a person changed while the probe was under way stands; the new file is probed."""
    async with desk_at(migrated_url(tmp_path / "race.db"), tmp_path, fetch_timeout=3) as desk:
        event = await desk.post(origin.url("hangs"))
        async with asyncio.timeout(30):
            while "/hangs" not in origin.paths():
                await asyncio.sleep(0.05)
        file = event["media"][0]
        await desk.update(event, media=[{**file, "url": origin.url("a.jpg")}])

        shown = await desk.until(event, is_known)
        await desk.until_health(lambda rows: rows == [])

        assert shown["media"][0]["url"] == origin.url("a.jpg")
        assert await desk.health() == []


async def test_readiness_names_a_media_folder_that_cannot_be_written(tmp_path):
    """The process stays ready, since without uploads and images it does all the rest; once it is mended nothing is said."""
    (tmp_path / "media").touch()
    async with desk_at(migrated_url(tmp_path / "folder.db"), tmp_path) as desk:
        answer = await desk.client.get("/readyz")
        assert (answer.status_code, answer.json().get("mediaFolder")) == (200, "unwritable")

        (tmp_path / "media").unlink()
        assert "mediaFolder" not in (await desk.client.get("/readyz")).json()
