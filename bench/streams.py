"""What live streams cost, beside a bare transport loop: `python -m bench.streams`.

The daemon (`matchwire run`, SQLite, defaults, but no rate limits and room for all connections) and the bare loop are
processes of their own; the readers are in this one. Medians and the spread of the rounds.

Send    A version to 1,000 readers: milliseconds from the request that writes it until the last reader has all of it, and CPU of
        the server for each message; the write is in both, and shown alone. In turn with it an asyncio protocol under uvloop
        that writes the same bytes to as many transports.
Memory  Resident memory of the daemon for each open stream, between 200 and 5,000.
Open    5,000 streams that are opened within three seconds: how many are refused, and when the last one is open.
"""

# ruff: noqa: RUF001 -- it prints multiples

from __future__ import annotations

import argparse
import asyncio
import contextlib
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import uvloop

from bench.measure import Figure, table
from tests.kit.bounded_server import Daemon, daemon

OPENED = b"retry: "
UPDATE = b"event: update\n"
END = b"\n\n\r\n"
"""Of a message, with the end of its chunk."""
SLOPE, FIXED = 14e-6, 4e-3
"""Wanted of a version, in seconds of CPU: for each reader, and however many there are, the write included."""
SECONDS = 3.0
"""In which all streams are opened."""
FEW, FEW_LATE, LATE = 200, 1.8, 1.5
"""Until the last reader has a version, beside the bare loop with the same bytes: with few readers, and with more."""
ROOM = "max_connections = 12000"
LIMITS = "connections_per_address = 0"
BARE = """
import asyncio, sys, uvloop

class Bare(asyncio.Protocol):
    def connection_made(self, transport): transports.append(transport)

transports = []

async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Bare, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    requests = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(requests), sys.stdin)
    while size := await requests.readline():
        message = await requests.readexactly(int(size))
        for transport in transports:
            transport.write(message)

uvloop.run(main())
"""


class Reader(asyncio.Protocol):
    """Reads a stream, and says when it is open and when it has a version."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._crowd.transports.append(transport)
        transport.write(self._crowd.request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self._rest += data
        if self._rest.startswith(b"HTTP/1.1 ") and b"\r\n\r\n" in self._rest:
            head, _, self._rest = self._rest.partition(b"\r\n\r\n")
            self._crowd.answered(int(head[9:12]))
        if self._rest.endswith(END):
            if UPDATE in self._rest:
                self._crowd.arrived(self._rest)
            self._rest = b""

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._crowd.lost += 1


class Crowd:
    """Readers of one liveblog."""

    def __init__(self, port: int, request: bytes = b"") -> None:
        self.port, self.request = port, request
        self.transports: list[asyncio.BaseTransport] = []
        self.statuses: dict[int, int] = {}
        self.messages = self.lost = self.failed = 0
        self.last = b""
        self._wanted = 0
        self._all = asyncio.Event()

    def answered(self, status: int) -> None:
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def arrived(self, message: bytes) -> None:
        self.messages += 1
        self.last = message
        if self.messages >= self._wanted:
            self._all.set()

    async def open(self, count: int, seconds: float) -> None:
        """So many more, evenly over the seconds."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        opening = []
        for number in range(count):
            await asyncio.sleep(began + seconds * number / count - loop.time())
            opening.append(asyncio.create_task(self._connect()))
        await asyncio.gather(*opening)

    async def _connect(self) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: Reader(self), "127.0.0.1", self.port)
        except OSError:
            self.failed += 1

    async def until_answered(self, count: int, within: float = 60.0) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                while sum(self.statuses.values()) + self.failed < count:  # noqa: ASYNC110 -- the bench waits for others
                    await asyncio.sleep(0.01)

    async def all_have(self, act: Callable[[], Awaitable[object]]) -> float:
        """Seconds from `act` until every reader has one message more."""
        self._wanted = self.messages + len(self.transports)
        self._all.clear()
        began = time.perf_counter()
        await act()
        async with asyncio.timeout(60):
            await self._all.wait()
        return time.perf_counter() - began

    def close(self) -> None:
        for transport in self.transports:
            transport.close()


def cpu_of(process: int) -> float:
    """CPU seconds that the process has had, in all its threads that still run."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((each / "schedstat").read_text(encoding="ascii").split()[0]) for each in threads) / 1e9


@asynccontextmanager
async def serving() -> AsyncIterator[Daemon]:
    """The daemon with one liveblog of a few posts."""
    with tempfile.TemporaryDirectory(prefix="matchwire-bench-") as folder:
        async with daemon(Path(folder), server=ROOM, limits=LIMITS) as running:
            await running.fill(posts=10, size=300)
            yield running


def stream_of(liveblog: str) -> bytes:
    path = f"/api/embed/v4/stream?liveblogId={liveblog}"
    browser = (
        "Accept: text/event-stream\r\nAccept-Language: de,en;q=0.7\r\nCache-Control: no-cache\r\n"
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n"
    )
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{browser}\r\n".encode()


@asynccontextmanager
async def bare() -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", BARE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield process, int(await process.stdout.readline())
    finally:
        process.terminate()
        await process.wait()


def spread(values: list[float], unit: str, factor: float) -> str:
    low, high = min(values) * factor, max(values) * factor
    return f"{median(values) * factor:.0f} {unit} ({low:.0f} to {high:.0f})"


async def sending(readers: int, rounds: int, versions: int) -> tuple[list[Figure], float]:
    """A version to all readers, beside the bare loop; rounds of so many versions, in turn. Also CPU seconds of a version."""
    times: tuple[list[float], list[float]] = ([], [])
    costs: tuple[list[float], list[float]] = ([], [])
    async with serving() as running, bare() as (other, port):
        ours, theirs = Crowd(running.port, stream_of(running.liveblog)), Crowd(port)
        before = cpu_of(running.process.pid)
        for _ in range(3 * versions):
            await running.write(300)
        alone = (cpu_of(running.process.pid) - before) / 3 / versions / readers
        await ours.open(readers, 2.0)
        await ours.until_answered(readers)
        await theirs.open(readers, 2.0)
        await asyncio.sleep(1)

        async def write() -> None:
            await running.write(300)

        async def send() -> None:
            assert other.stdin is not None
            other.stdin.write(b"%d\n%b" % (len(ours.last), ours.last))

        sides = ((ours, write, running.process.pid), (theirs, send, other.pid))
        for number in range(rounds + 1):
            for index in (0, 1):
                crowd, act, process = sides[index]
                took, before = [], cpu_of(process)
                for _ in range(versions):
                    took.append(await crowd.all_have(act))
                    await asyncio.sleep(0.05)
                if number:  # the first round warms up
                    times[index].append(median(took))
                    costs[index].append((cpu_of(process) - before) / readers / versions)
        size = len(ours.last)
        ours.close()
        theirs.close()
    wanted = FEW_LATE if readers <= FEW else LATE
    late = median(one / other for one, other in zip(*times, strict=True))
    dear = median(one / other for one, other in zip(*costs, strict=True))
    figures = [
        Figure(f"{size} bytes to {readers} readers: the last one has it", spread(times[0], "ms", 1e3)),
        Figure("bare transport loop", spread(times[1], "ms", 1e3)),
        Figure("ratio of times", f"{late:.2f} ×", f"≤ {wanted} ×", late <= wanted),
        Figure("CPU a message", spread(costs[0], "µs", 1e6)),
        Figure("of it the write without readers", f"{alone * 1e6:.0f} µs"),
        Figure("bare transport loop", spread(costs[1], "µs", 1e6)),
        Figure("ratio of CPU", f"{dear:.2f} ×"),
    ]
    return figures, median(costs[0]) * readers


async def sending_to_few_and_many(given: argparse.Namespace) -> list[Figure]:
    """The figures by number of readers, and what a version costs for each of them beside what it costs however many there are."""
    found: list[Figure] = []
    cost: dict[int, float] = {}
    for readers in sorted({max(1, given.readers // 5), given.readers, given.many or given.readers}):
        figures, cost[readers] = await sending(readers, given.rounds, given.versions)
        found += figures
    few, many = list(cost)[:2]
    slope = (cost[many] - cost[few]) / (many - few)
    fixed = cost[few] - slope * few
    return [
        *found,
        Figure(
            f"CPU of a version: for each reader, from {few} to {many}",
            f"{slope * 1e6:.1f} µs", f"≤ {SLOPE * 1e6:.0f} µs", slope <= SLOPE,
        ),
        Figure("… and for all together", f"{fixed * 1e3:.1f} ms", f"≤ {FIXED * 1e3:.0f} ms", fixed <= FIXED),
    ]  # fmt: skip


async def opening(few: int, many: int) -> list[Figure]:
    """Memory from few streams to many; then, at a fresh daemon, many streams within three seconds."""
    async with serving() as running:
        crowd = Crowd(running.port, stream_of(running.liveblog))
        await crowd.open(few, 1.0)
        await crowd.until_answered(few)
        await asyncio.sleep(1)
        before = running.memory()
        await crowd.open(many - few, 15.0)
        await crowd.until_answered(many)
        await asyncio.sleep(2)
        after = running.memory()
        held = crowd.statuses.get(200, 0)
        each = (after - before) * 1024 / (held - few)
        crowd.close()
    async with serving() as running:
        crowd = Crowd(running.port, stream_of(running.liveblog))
        began, before = time.perf_counter(), cpu_of(running.process.pid)
        await crowd.open(many, SECONDS)
        await crowd.until_answered(many)
        took = time.perf_counter() - began
        cost = (cpu_of(running.process.pid) - before) / many
        refused = many - crowd.statuses.get(200, 0)
        said = ", ".join(f"{count} × {status}" for status, count in sorted(crowd.statuses.items()))
        crowd.close()
    return [
        Figure(f"memory of a stream, {few} to {held}", f"{each:.1f} KiB", "≤ 16 KiB", each <= 16),
        Figure(f"{many} streams in {SECONDS:.0f} s: refused", f"{refused} ({said})", "0", refused == 0),
        Figure("all are answered after", f"{took:.1f} s"),
        Figure("CPU of an opening", f"{cost * 1e6:.0f} µs"),
    ]


async def measured(given: argparse.Namespace) -> list[Figure]:
    return [
        *(await sending_to_few_and_many(given) if given.readers else []),
        *(await opening(given.few, given.many) if given.many else []),
    ]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--versions", type=int, default=10)
    parser.add_argument("--few", type=int, default=200)
    parser.add_argument("--many", type=int, default=5000)
    given = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    figures = uvloop.run(measured(given))
    print(table(figures))
    return all(figure.met is not False for figure in figures)


if __name__ == "__main__":
    sys.exit(not main())
