"""One bad file or post costs the probes of others nothing, and is given up."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from structlog.testing import capture_logs

from config.sections import MediaConfig
from ingest.jobs import jobs
from ingest.media import probe
from store.files import video_facts as video
from tests.kit import origin as origins
from tests.kit.probes import VIDEO, desk_at, is_known
from tests.kit.sqlite import migrated_url

pytestmark = pytest.mark.proof


@pytest.fixture
def ffprobe(tmp_path, monkeypatch):
    """A command in place of `ffprobe`: whatever script is written to it."""
    file = tmp_path / "ffprobe"
    monkeypatch.setattr(video, "find_ffprobe", lambda: str(file))

    def write(script):
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o700)
        return str(file)

    return write


async def test_a_video_that_claims_to_be_longer_than_any_disk_stops_nobody(tmp_path, origin, ffprobe):
    """Its origin says where the last bytes stand, which may be where no file can reach; the files of others go on."""
    ffprobe("exit 1")
    with capture_logs() as logs:
        async with desk_at(migrated_url(tmp_path / "long.db"), tmp_path, fetch_timeout=5) as desk:
            endless = await desk.post(origin.url("boundless"))
            other = await desk.post(origin.url("a.jpg"))
            await desk.until(other, is_known)
            await desk.until(endless, lambda media: media[0]["subtype"] == "v")

            assert await desk.health() == []
    assert "job.failed" not in {each["event"] for each in logs}


async def test_a_fault_of_ours_at_one_file_leaves_the_others_of_its_post_alone(tmp_path, origin, monkeypatch):
    """It is logged, and its file is given up as if it could not be fetched; its neighbour learns its size."""
    identify = probe.identify_image

    async def fail(head):
        if head == b"poison":
            raise RuntimeError("of ours")
        return await identify(head)

    monkeypatch.setattr(probe, "identify_image", fail)
    origin.files["/poison"] = b"poison"
    with capture_logs() as logs:
        async with desk_at(migrated_url(tmp_path / "fault.db"), tmp_path, probe_tries=1) as desk:
            event = await desk.post(origin.url("poison"), origin.url("a.jpg"))
            shown = await desk.until(event, lambda media: media[1].get("width"))
            (found,) = await desk.until_health(lambda rows: rows and rows[0]["given_up"])

    assert "width" not in shown["media"][0]
    assert (found["media"], found["tries"]) == (event["media"][0]["local_id"], 1)
    assert [each["post"] for each in logs if each["event"] == "media.probe_failed"] == [event["local_id"]]
    assert "job.failed" not in {each["event"] for each in logs}


async def test_a_post_that_cannot_be_read_is_given_up(tmp_path, origin):
    """Its files are not fetched for ever; the reason stands in the health of the liveblog."""
    file = tmp_path / "unreadable.db"
    async with desk_at(migrated_url(file), tmp_path, probe_tries=1, fetch_timeout=2) as desk:
        event = await desk.post(origin.url("hangs"))
        async with asyncio.timeout(30):
            while "/hangs" not in origin.paths():
                await asyncio.sleep(0.05)
        with closing(sqlite3.connect(file, timeout=10)) as connection, connection:
            connection.execute("UPDATE events SET doc = '[]' WHERE local_id = ?", (event["local_id"],))

        (found,) = await desk.until_health(lambda rows: rows and rows[0]["given_up"])

    assert (found["error"], found["tries"]) == ("what was found could not be written", 1)
    assert origin.paths() == ["/hangs"]


@pytest.mark.proof
@pytest.mark.parametrize(("delay", "width"), [(0.0, 320), (4.0, None)], ids=["in time", "together too late"])
async def test_both_parts_of_a_video_have_one_time(tmp_path, origin, delay, width):
    """A slow origin holds a probe up for one time-out, however many parts are wanted: each of them alone would be in time."""
    origin.delay, origin.files["/clip"] = delay, origins.video(index_first=False)
    async with desk_at(migrated_url(tmp_path / "slow.db"), tmp_path, fetch_timeout=6, probe_bytes=8192) as desk:
        event = await desk.post(origin.url("clip"), kind=VIDEO)
        async with asyncio.timeout(30):
            while len(origin.requests) < 2:
                await asyncio.sleep(0.02)

        await desk.until_health(lambda rows: rows == [])

        assert (await desk.event(event["local_id"]))["media"][0].get("width") == width
        assert len(origin.requests) == 2


def test_the_last_probes_of_a_job_end_within_it():
    """However slow an origin is, the job that probes is not cut off for it, which would put off the files of everybody."""
    limits = {name: field.metadata for name, field in MediaConfig.model_fields.items()}
    most = min(each.le for each in limits["fetch_timeout"] if hasattr(each, "le"))
    pause = max(each.ge for each in limits["probe_retry"] if hasattr(each, "ge"))

    assert probe.LONGEST + most + video.SECONDS <= jobs.LIMIT - 3
    assert most + video.SECONDS <= pause, "a file would be taken again while it is looked at"


async def test_a_look_at_a_video_is_bounded(ffprobe, monkeypatch):
    """In time, in memory, and in what it may write."""
    output = await video.run(ffprobe("sleep 0.3; ulimit -v; ulimit -t; ulimit -f"), "nothing")
    assert output.split() == [b"1048576", b"4", b"0"]

    monkeypatch.setattr(video, "SECONDS", 0.5)
    async with asyncio.timeout(60):
        assert await video.run(ffprobe("exec sleep 60"), "nothing") == b""


@pytest.mark.proof
@pytest.mark.parametrize("form", ["#EXTM3U\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n", "ffconcat version 1.0\nfile {}\n"])
async def test_a_playlist_opens_no_other_file(tmp_path, form):
    """One that names a file beside it, or an address, is no video that the service takes."""
    target = tmp_path / "clip.mp4"
    target.write_bytes(origins.video())
    connected = []
    server = await asyncio.start_server(lambda _, writer: (connected.append(1), writer.close()), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        for named in (str(target) if "EXTM3U" in form else target.name, f"http://127.0.0.1:{port}/clip.mp4"):
            playlist = tmp_path / "playlist"
            playlist.write_text(form.format(named))
            assert video.read(await video.run(video.find_ffprobe(), str(playlist))) == {}
        assert video.read(await video.run(video.find_ffprobe(), str(target)))["width"] == 320
    assert connected == []
