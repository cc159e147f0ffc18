"""A provider that costs next to nothing: matches of HEIM:SPIEL's form, of which one poll in nine finds an event changed.

It may leave that, and answer 304 to everything, or let nothing but the minute of the match run (`/changing?what=`).

Run as a process of its own (`python -m bench.upstream`), so that its CPU time is not that of who is measured.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import md5
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures" / "heim" / "soccer"
KINDS = ("match", "match-event", "liveticker")
EVENTS, MINUTE, NOTHING = CHANGING = ("events", "minute", "nothing")
"""What changes from request to request."""
EVERY = 18
"""So many requests show the same events. Both sides of a comparison ask in turn, so one in nine of ours, 11 %, is new."""
VERSIONS = 8
PREFIXES = re.compile(r'"id":"(9|7|5)0([0-9]{1,4})"')
"""Ids of events, players and teams: each match has its own, or one row kept would serve all and squads would end each other."""


class Bodies:
    """Body and tag of (kind, match, version), made once; an id stands in for the recorded one."""

    def __init__(self) -> None:
        self._documents = {kind: json.loads((FIXTURES / f"cup-final.{kind}.json").read_text()) for kind in KINDS}
        self._own = str(self._documents["match"]["match"]["id"])
        self._texts = {
            (kind, version): json.dumps(self._version(kind, version), ensure_ascii=False, separators=(",", ":"))
            for kind in KINDS
            for version in range(1 if kind == "liveticker" else VERSIONS)
        }
        self._made: dict[tuple[str, str, int], tuple[bytes, bytes]] = {}

    def _version(self, kind: str, version: int) -> object:
        """The recorded document; the minute of play, or that of the last goal or card, differs from version to version."""
        document = json.loads(json.dumps(self._documents[kind]))
        if kind == "match":
            running = {"current_period": "second-half-start", "current_minute": str(60 + version)}
            document["match"] |= {"finished": "no", "live_status": "full", **running}
        if kind == "match-event":
            last = next(each for each in reversed(document) if each["action"] in ("goal", "card"))
            last["minute"] = str(60 + version)
        return document

    def of(self, kind: str, match_id: str, version: int) -> tuple[bytes, bytes]:
        key = (kind, match_id, 0 if kind == "liveticker" else version)
        if key not in self._made:
            text = self._texts[kind, key[2]].replace(f'"{self._own}"', f'"{match_id}"')
            body = PREFIXES.sub(rf'"id":"\g<1>{match_id}\g<2>"', text).encode()
            tag = b'"%s"' % md5(body, usedforsecurity=False).hexdigest().encode()
            self._made[key] = gzip.compress(body, 6, mtime=0), tag
        return self._made[key]


class Provider(asyncio.Protocol):
    """HTTP/1.1 without a framework: keep-alive, ETag, 304, gzip."""

    bodies: Bodies
    polls: dict[str, int] = {}  # noqa: RUF012 -- one server a process
    minutes: dict[str, int] = {}  # noqa: RUF012
    seen: dict[str, float] = {}  # noqa: RUF012
    gaps: list[float] = []  # noqa: RUF012
    """Seconds between requests for the same match, since `/gaps` was read."""
    every = EVERY
    changing = EVENTS

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        self._rest += data
        while b"\r\n\r\n" in self._rest:
            head, _, self._rest = self._rest.partition(b"\r\n\r\n")
            self._transport.write(self._answer(head))  # type: ignore[attr-defined]

    def _answer(self, head: bytes) -> bytes:
        lines = head.split(b"\r\n")
        address = urlsplit(lines[0].split()[1].decode())
        if address.path == "/changing":
            type(self).changing = parse_qs(address.query)["what"][0]
            return b"HTTP/1.1 204 No Content\r\n\r\n"
        if address.path == "/gaps":
            said, self.gaps[:] = json.dumps(self.gaps).encode(), []
            return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said)
        kind, match_id = address.path.strip("/").split("/")[0], address.path.rpartition("ma")[2]
        if kind == "match":
            now = time.monotonic()
            if match_id in self.seen:
                self.gaps.append(now - self.seen[match_id])
            self.seen[match_id] = now
        if kind == "match-event":
            self.polls[match_id] = self.polls.get(match_id, int(match_id) % self.every) + (self.changing == EVENTS)
        if kind == "match":
            self.minutes[match_id] = self.minutes.get(match_id, 0) + (self.changing == MINUTE)
        seen = self.minutes.get(match_id, 0) if kind == "match" else self.polls.get(match_id, 0) // self.every
        version = seen % VERSIONS
        body, tag = self.bodies.of(kind, match_id, version)
        known = next((line[15:].strip() for line in lines if line[:14].lower() == b"if-none-match:"), None)
        common = b"ETag: %s\r\nCache-Control: public, max-age=30\r\nContent-Type: application/json\r\n" % tag
        if known == tag:
            return b"HTTP/1.1 304 Not Modified\r\n%s\r\n" % common
        size = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(body)
        return b"HTTP/1.1 200 OK\r\n%s%s\r\n%s" % (common, size, body)


@asynccontextmanager
async def upstream(every: int = EVERY) -> AsyncIterator[str]:
    """The address of a provider that runs beside this process; so many requests for a match's events show the same."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.upstream", str(every),
        stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.terminate()
        await process.wait()


async def serve(every: int) -> None:
    Provider.bodies, Provider.every = Bodies(), every
    server = await asyncio.get_running_loop().create_server(Provider, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    import uvloop

    uvloop.run(serve(int(sys.argv[1])))
