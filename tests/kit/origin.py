"""An origin of clients' files with faults: each path is a way to behave, each request is noted."""

import asyncio
import os
import re
import shutil
import subprocess
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.kit.pictures import HTML, picture

MOST = 4 << 30
VIDEO = b"\0\0\0\x18ftypisom\0\0\2\0isomiso2"
"""How an MP4 begins."""
PART = re.compile(r"bytes=([0-9]+)-([0-9]+)")


def missing(reason):
    """Skip the test on a laptop, fail it in CI."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@cache
def video(*, index_first=True):
    """A real MP4 of two seconds, 320 by 180, its index before or behind the pictures."""
    if shutil.which("ffmpeg") is None or shutil.which("ffprobe") is None:
        missing("ffmpeg and ffprobe are not installed")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "clip.mp4"
        source = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2"]
        flags = ["-movflags", "+faststart"] if index_first else []
        command = ["ffmpeg", "-v", "error", *source, "-pix_fmt", "yuv420p", "-g", "1", "-b:v", "8M", *flags, str(file)]
        subprocess.run(command, check=True, timeout=60)
        return file.read_bytes()


@dataclass
class Origin:
    """`files`: what is there, by path; it may change while the origin serves. `delay`: seconds before each of them is sent."""

    address: str = ""
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    etag: str = '"1"'
    sent: int = 0
    delay: float = 0.0

    def url(self, how):
        return f"{self.address}/{how}"

    def paths(self):
        return [path for path, _ in self.requests]

    async def _behave(self, path, headers, writer):  # noqa: C901 -- a table of behaviours
        whole = self.files.get(path)
        match path.strip("/").split("/")[0]:
            case _ if whole is not None:
                await self._file(whole, headers, writer)
            case "gone":
                await self._respond(writer, 410)
            case "fails":
                await self._respond(writer, 500)
            case "private":
                await self._respond(writer, 302, fields=[f"location: {self.address}/inside"])
            case "hangs":
                await asyncio.sleep(3600)
            case "drips":
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
                while True:
                    await self._send(writer, b"x")
                    await asyncio.sleep(0.2)
            case "cut":
                await self._respond(writer, 200, picture()[:500], fields=["content-length: 90000"])
            case "endless":
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: image/jpeg\r\n\r\n")
                while True:
                    await self._send(writer, b"x" * 65536)
            case "packed":
                await self._respond(writer, 200, b"\x1f\x8b", fields=["content-encoding: gzip"])
            case "lies":
                await self._respond(writer, 200, HTML, fields=["content-type: image/jpeg"])
            case "huge":  # says that it has 4 GB, and sends as long as somebody reads
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: {MOST}\r\n\r\n".encode())
                await self._send(writer, VIDEO)
                while True:
                    await self._send(writer, bytes(65536))
            case "boundless":  # parts of a video of nearly an exabyte
                start, stop = (int(each) for each in PART.fullmatch(headers["range"]).groups())
                body = VIDEO.ljust(stop + 1 - start, b"\0")
                await self._respond(writer, 206, body, fields=[f"content-range: bytes {start}-{stop}/{10**18 - 1}"])
            case _:
                await self._respond(writer, 404)

    async def _file(self, whole, headers, writer):
        await asyncio.sleep(self.delay)
        if headers.get("if-none-match") == self.etag:
            await self._respond(writer, 304, fields=[f"etag: {self.etag}"])
        elif wanted := PART.fullmatch(headers.get("range", "")):
            start, stop = int(wanted[1]), min(int(wanted[2]) + 1, len(whole))
            place = f"content-range: bytes {start}-{stop - 1}/{len(whole)}"
            await self._respond(writer, 206, whole[start:stop], fields=[place, f"etag: {self.etag}"])
        else:
            await self._respond(writer, 200, whole, fields=[f"etag: {self.etag}", "cache-control: max-age=60"])

    async def _respond(self, writer, status, body=b"", fields=()):
        length = [] if any(each.startswith("content-length") for each in fields) else [f"content-length: {len(body)}"]
        writer.write("\r\n".join([f"HTTP/1.1 {status} X", *length, *fields, "", ""]).encode())
        await self._send(writer, body)

    async def _send(self, writer, content):
        writer.write(content)
        await writer.drain()
        self.sent += len(content)


@asynccontextmanager
async def serving(**files):
    """An origin on loopback; keywords are its files by name."""
    origin = Origin(files={f"/{name}": content for name, content in files.items()})
    under_way = []

    async def serve(reader, writer):
        under_way.append(asyncio.current_task())
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError), closing(writer.transport):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.lower().partition(": ")[::2] for line in head[1:] if line)
            path = head[0].split(" ")[1]
            origin.requests.append((path, headers))
            await origin._behave(path, headers, writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    origin.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield origin
    finally:
        server.close()
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await asyncio.sleep(0)  # transports close in the next turn
