"""Clients that do not behave, in a process of their own: they hold as many connections of one kind as they are let.

    python -m tests.kit.rude '{"kind": "head", "port": 8080, "source": "127.0.0.7", "count": 100, "seconds": 60, …}'

Prints what became of them as one JSON object. Whatever is closed is opened again until the time is over; then they wait for
the rest to be closed.
"""

import base64
import json
import os
import resource
import select
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

KINDS = ("silent", "line", "head", "body", "stream")
ROOT = Path(__file__).resolve().parents[2]


def opening(kind: str, *, auth: str = "", write: str = "/", stream: str = "/") -> bytes:
    """What a client of that kind sends before it stops."""
    authorization = f"Authorization: Basic {base64.b64encode(auth.encode()).decode()}\r\n"
    return {
        "silent": "",
        "line": "GET /live",
        "head": "GET /livez HTTP/1.1\r\nHost: x\r\nX-Half: ",
        "body": f'POST {write} HTTP/1.1\r\nHost: x\r\n{authorization}Content-Length: 1000\r\n\r\n{{"half',
        "stream": f"GET {stream} HTTP/1.1\r\nHost: x\r\n{authorization}\r\n",
    }[kind].encode()


class Crowd:
    """Connections of one kind, and how long each was borne."""

    def __init__(self, kind: str, port: int, source: str, first: bytes) -> None:
        self.reads = kind != "stream"
        self.port, self.source, self.first = port, source, first
        self.poll = select.epoll()
        self.open: dict[int, tuple[socket.socket, float]] = {}
        self.opened = 0
        self.longest = 0.0

    def add(self) -> bool:
        """Open one more, unless nobody listens any more."""
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            one.bind((self.source, 0))
            one.connect(("127.0.0.1", self.port))
            one.sendall(self.first)
        except OSError as error:
            one.close()
            return not isinstance(error, ConnectionRefusedError)
        one.setblocking(False)
        self.poll.register(one, (select.EPOLLIN if self.reads else 0) | select.EPOLLRDHUP)
        self.open[one.fileno()] = one, time.monotonic()
        self.opened += 1
        return True

    def look(self, seconds: float) -> None:
        """Note for so long which are closed."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for number, events in self.poll.poll(left):
                if events & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR) or self.at_end(number):
                    one, began = self.open.pop(number)
                    self.longest = max(self.longest, time.monotonic() - began)
                    one.close()

    def at_end(self, number: int) -> bool:
        with suppress(BlockingIOError):
            try:
                return self.open[number][0].recv(65536) == b""
            except ConnectionError:
                return True
        return False


def hold(
    kind: str, port: int, source: str, count: int, rate: int, seconds: float, patience: float, **options: str
) -> dict[str, Any]:
    """Keep `count` connections, of which `rate` a second are opened, for so long; then see the rest closed."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 100), hard))
    crowd = Crowd(kind, port, source, opening(kind, **options))
    end = time.monotonic() + seconds
    most = 0
    while time.monotonic() < end:
        wanted = min(count - len(crowd.open), rate // 20)
        listens = all(crowd.add() for _ in range(wanted))
        crowd.look(0.05)
        most = max(most, len(crowd.open))
        if not listens or os.getppid() == 1:  # the server has stopped, or who started this is gone
            break
    until = time.monotonic() + patience
    while crowd.open and time.monotonic() < until:
        crowd.look(0.05)
    return {"opened": crowd.opened, "most": most, "longest": round(crowd.longest, 2), "left": len(crowd.open)}


async def crowd_of(**options: Any) -> dict[str, Any]:
    """A crowd in a process of its own."""
    import asyncio  # the crowds themselves do without, and are many

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.kit.rude", json.dumps(options)), stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    out, _ = await process.communicate()
    return {"kind": options["kind"], **json.loads(out)}


if __name__ == "__main__":
    print(json.dumps(hold(**json.loads(sys.argv[1]))))  # noqa: T201
