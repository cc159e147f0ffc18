"""The polls of `bench.polling` without any of our code: a loop over aiohttp, the same URLs with the same ETags.

A process of its own (`python -m bench.bare_polls`), so that its CPU time is its own. Standard input says when a round begins.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import aiohttp

CONNECTIONS = 24


@dataclass(frozen=True, slots=True)
class RoundCost:
    """What a round has cost: CPU in seconds, and how many GETs were made."""

    cpu: float
    gets: int


class BarePolls:
    """The process, seen from who measures. Use as a context manager."""

    def __init__(self, address: str) -> None:
        self.address = address

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.bare_polls", self.address,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[1],
        )  # fmt: skip
        return self

    async def __aexit__(self, *_: object) -> None:
        self._process.terminate()
        await self._process.wait()

    async def run_round(self, ids: list[int], seconds: float) -> RoundCost:
        """Poll each of these matches once, spread over so many seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([ids, seconds]).encode() + b"\n")
        return RoundCost(*json.loads(await self._process.stdout.readline()))


async def serve(address: str) -> None:
    """Run a round for each line of standard input."""
    etags: dict[str, str] = {}
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(address, connector=connector) as session:
        while line := await asyncio.to_thread(sys.stdin.readline):
            ids, seconds = json.loads(line)
            paths = [(f"/match/ma{each}", f"/match-event/ma{each}") for each in ids]
            began = time.process_time()
            await poll_all(session, paths, etags, seconds)
            print(json.dumps([time.process_time() - began, 2 * len(paths)]), flush=True)


async def poll_all(
    session: aiohttp.ClientSession, paths: list[tuple[str, str]], etags: dict[str, str], seconds: float
) -> None:
    """Both GETs of each match at the same time, one match after the other."""
    began, tasks = time.monotonic(), []
    for number, both in enumerate(paths):
        wait = began + seconds * number / len(paths) - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        tasks += [asyncio.create_task(get(session, path, etags)) for path in both]
    await asyncio.gather(*tasks)


async def get(session: aiohttp.ClientSession, path: str, etags: dict[str, str]) -> None:
    """A conditional GET, read to the end."""
    known = etags.get(path)
    async with session.get(path, headers={"If-None-Match": known} if known else None) as response:
        await response.read()
        etags[path] = response.headers["ETag"]


if __name__ == "__main__":
    import uvloop

    uvloop.run(serve(sys.argv[1]))
