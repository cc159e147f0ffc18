"""What a video is, by `ffprobe` where it is installed: from the first and the last bytes of the file, in a bounded process."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
from contextlib import suppress
from tempfile import NamedTemporaryFile
from typing import Any

SECONDS = 3.0
"""What a look may take."""
FORMATS = "mov,mp4,matroska,webm"
"""Formats that are read: all others are refused, among them playlists, which name files and addresses to be opened."""
LIMITS = {resource.RLIMIT_CPU: 4, resource.RLIMIT_AS: 1 << 30, resource.RLIMIT_FSIZE: 0}
MAGIC = {b"ftyp": 4, b"\x1aE\xdf\xa3": 0, b"moov": 4, b"mdat": 4, b"wide": 4}
"""How MP4, QuickTime and WebM files begin, and at which byte."""
VIDEO_TYPES = ("video/mp4", "video/webm", "video/quicktime")
EBML = 128
"""Bytes in which the header of WebM and Matroska names which of them it is."""
IMAGES = tuple(b"ftyp" + brand for brand in (b"avif", b"avis", b"heic", b"heix", b"hevc", b"hevx", b"mif1", b"msf1"))
"""How images in the container of MP4 begin, among them the photos of telephones (HEIC)."""


def is_video(head: bytes) -> bool:
    """Whether the file begins as a video does, and not as an image in the same container."""
    return any(head.startswith(magic, at) for magic, at in MAGIC.items()) and not head.startswith(IMAGES, 4)


def content_type(head: bytes) -> str | None:
    """The media type of a video that is taken as an upload: MP4, WebM or QuickTime; None for anything else."""
    if not is_video(head):
        return None
    if head.startswith(b"\x1aE\xdf\xa3"):
        return "video/webm" if b"\x42\x82\x84webm" in head[:EBML] else None
    return "video/quicktime" if head[4:8] != b"ftyp" or head[8:12] == b"qt  " else "video/mp4"


def find_ffprobe() -> str | None:
    """The path of `ffprobe`, None where it is not installed."""
    return shutil.which("ffprobe")


async def facts_of(head: bytes, tail: bytes, total: int | None) -> dict[str, Any]:
    """`width`, `height` and `duration_ms` of a video as far as they can be found out; never raises for a file's content.

    `tail`: the last bytes of a file of `total` bytes, where many videos keep their index.
    """
    command = find_ffprobe()
    if command is None:
        return {}
    with NamedTemporaryFile(prefix="matchwire-") as file:  # sparse: as long as the video, which it does not hold
        file.write(head)
        if tail and total is not None:
            with suppress(OSError):  # the origin says how long the video is: longer than a file can be
                os.pwrite(file.fileno(), tail, total - len(tail))
        file.flush()
        return read(await run(command, file.name))


async def run(command: str, name: str) -> bytes:
    """What `ffprobe` says of a file; nothing where it takes too long."""
    process = await asyncio.create_subprocess_exec(
        command,
        *("-v", "quiet", "-of", "json", "-probesize", "1M"),
        *("-protocol_whitelist", "file", "-format_whitelist", FORMATS),
        *("-show_entries", "stream=codec_type,width,height,duration:stream_side_data=rotation:format=duration"),
        *("-i", f"file:{name}"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        with suppress(
            ProcessLookupError
        ):  # bounded once it has begun: before, code of ours would run between locks of others
            for limit, value in LIMITS.items():
                resource.prlimit(process.pid, limit, (value, value))
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate()
            return output
    except TimeoutError:
        return b""
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def read(output: bytes) -> dict[str, Any]:
    """The facts in what `ffprobe` says; none where it knows no video in the file."""
    try:
        said = json.loads(output)
        stream = next(each for each in said["streams"] if each.get("codec_type") == "video")
        width, height = int(stream["width"]), int(stream["height"])
        rotations = [side.get("rotation") for side in stream.get("side_data_list") or ()]
        if any(isinstance(each, int) and each % 180 == 90 for each in rotations):
            width, height = height, width
        facts = {"width": width, "height": height} if width > 0 and height > 0 else {}
        seconds = float(said.get("format", {}).get("duration") or stream.get("duration") or 0)
    except (ValueError, KeyError, TypeError, StopIteration, AttributeError):
        return {}
    return facts | ({"duration_ms": round(seconds * 1000)} if 0 < seconds < 1e6 else {})
