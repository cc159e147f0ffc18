"""What a video is, by `ffprobe` where it is installed: from the first and the last bytes of the file, in a bounded process."""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
from contextlib import suppress
from tempfile import NamedTemporaryFile
from typing import Any

SECONDS = 5.0
"""What a look may take."""
CPU_SECONDS = 4
MEMORY = 1 << 30
MAGIC = {b"ftyp": 4, b"\x1aE\xdf\xa3": 0, b"moov": 4, b"mdat": 4, b"wide": 4}
"""How MP4, QuickTime and WebM files begin, and at which byte."""


def is_video(head: bytes) -> bool:
    """Whether the file begins as a video does; AVIF images share the beginning of MP4, so images are identified before."""
    return any(head.startswith(magic, at) for magic, at in MAGIC.items())


def installed() -> str | None:
    """The path of `ffprobe`, None where it is not installed."""
    return shutil.which("ffprobe")


async def facts_of(head: bytes, tail: bytes, total: int | None) -> dict[str, Any]:
    """`width`, `height` and `duration_ms` of a video as far as they can be found out; never raises for a file's content.

    `tail`: the last bytes of a file of `total` bytes, where many videos keep their index.
    """
    command = installed()
    if command is None:
        return {}
    with NamedTemporaryFile(prefix="matchwire-") as file:  # sparse: as long as the video, which it does not hold
        file.write(head)
        if tail and total is not None:
            file.seek(total - len(tail))
            file.write(tail)
        file.flush()
        return _read(await _run(command, file.name))


async def _run(command: str, name: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        command,
        *("-v", "quiet", "-of", "json", "-protocol_whitelist", "file", "-probesize", "1M"),
        *("-show_entries", "stream=codec_type,width,height,duration:stream_side_data=rotation:format=duration"),
        *("-i", f"file:{name}"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        preexec_fn=_limit,
    )
    try:
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate()
            return output
    except TimeoutError:
        return b""
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _read(output: bytes) -> dict[str, Any]:
    try:
        said = json.loads(output)
        stream = next(each for each in said["streams"] if each.get("codec_type") == "video")
        width, height = int(stream["width"]), int(stream["height"])
        if _is_turned(stream):
            width, height = height, width
        facts = {"width": width, "height": height} if width > 0 and height > 0 else {}
        seconds = float(said.get("format", {}).get("duration") or stream.get("duration") or 0)
    except (ValueError, KeyError, TypeError, StopIteration, AttributeError):
        return {}
    return facts | ({"duration_ms": round(seconds * 1000)} if 0 < seconds < 1e6 else {})


def _is_turned(stream: dict[str, Any]) -> bool:
    rotations = [side.get("rotation") for side in stream.get("side_data_list") or ()]
    return any(isinstance(each, int) and each % 180 == 90 for each in rotations)
