"""Processes that share the matches of one database, and the provider that they poll."""

import asyncio
import json
import re
import signal
import time
from collections import Counter
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache

import httpx

from providers.http_server import bind_socket, listening
from providers.replay import Line, Replay
from providers.replay.app import create_app
from tests.kit.command import ENVIRON, MATCHWIRE
from tests.kit.crowded_day import KICKOFF
from tests.kit.daemon import HEAD, SECRET
from tests.kit.day import CREATE, ORGANIZATION
from tests.kit.forked import forked
from tests.providers.heim.feed import row, wrapped

LIVE = 0.5
NUMBERS = range(9000001, 9000009)

CONFIG = (
    HEAD
    + """[limits]
client_per_second = 0
public_per_second = 0
[polling]
live = {live}
pause = {live}
before = {live}
after = {live}
after_growth = 1
timeout = 60
backoff_max = 1
rate = 0
concurrency = 50
user_agent = "{name}"
"""
)


def recorded(number):
    """A live match in which a card is shown every second, for three minutes."""
    lines = [Line.of(KICKOFF, f"match/ma{number}", wrapped(id=f"{number}"))]
    for second, shown in enumerate(cards_so_far()):
        lines.append(Line(KICKOFF + timedelta(seconds=second), f"match-event/ma{number}", shown))
    return lines


@cache
def cards_so_far():
    """The rows of each second as JSON, the same for all matches: each row is encoded once, not in all that follow it."""
    rows = [row(1, "match/game-start", 1), *(row(10 + n, "card/yellow", 5, "home", n) for n in range(180))]
    encoded = [json.dumps(each, ensure_ascii=False) for each in rows]
    return [f"[{', '.join(encoded[: 1 + second])}]" for second in range(180)]


class Upstream:
    """The replay server, at a door that knows who asks and lets nobody in unless it is `open`."""

    def __init__(self, *numbers):
        self.began = time.monotonic()
        self.open = asyncio.Event()
        self.open.set()
        self.waiting = Counter()
        self.replay = Replay([line for number in numbers for line in recorded(number)])
        self.server = create_app(self.replay)
        self.polls = []
        """(seconds since the start, who, match) of every request for a match."""
        self.let_in = 0

    def cards(self):
        return int(self.replay.clock.now())

    async def __call__(self, scope, receive, send):
        kind, name = scope["path"].strip("/").split("/")[:2]
        who = dict(scope["headers"])[b"user-agent"].decode()
        if kind == "match":
            self.polls.append((time.monotonic() - self.began, who, name.removeprefix("ma")))
        self.waiting[who] += 1
        await self.open.wait()
        self.waiting[who] -= 1
        self.let_in += 1
        await self.server(scope, receive, send)


class Worker:
    """`matchwire run` as a process of its own, known to the provider by `name`."""

    program = MATCHWIRE[-1]
    environ = ENVIRON
    stderr = None

    def __init__(self, folder, name, role, **values):
        self.name, self.role = name, role
        self.config = folder / f"{name}.toml"
        self.config.write_text(CONFIG.format(name=name, organization=ORGANIZATION, secret=SECRET, live=LIVE, **values))

    async def start(self):
        words = ("run", "--config", str(self.config), "--role", self.role)
        words += ("--log-file", str(self.config.with_suffix(".log")))
        self.process = await self._begin(words)
        line = (await self.process.stdout.readline()).decode()
        self.client = httpx.AsyncClient(
            base_url=re.search(r"http://\S+", line)[0], auth=("cms", SECRET), trust_env=False, verify=False, timeout=30
        )

    async def _begin(self, words):
        return await forked(*words, program=self.program, environ=self.environ, stderr=self.stderr)

    def send(self, how):
        self.process.send_signal(how)

    async def ready(self):
        return (await self.client.get("/readyz")).json()

    async def end(self, how=signal.SIGTERM):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        await self.process.wait()
        await self.client.aclose()
        return self.process.returncode


@asynccontextmanager
async def two_processes(folder, database, **roles):
    """The provider and these processes, none of them started; what is left of them is killed."""
    upstream = Upstream(*NUMBERS)
    async with listening(upstream, bind_socket("127.0.0.1", 0)) as address:
        workers = {
            name: Worker(folder, name, role, database=database, upstream=address) for name, role in roles.items()
        }
        try:
            yield upstream, *workers.values()
        finally:
            for worker in workers.values():
                if hasattr(worker, "client"):
                    await worker.end(signal.SIGKILL)


async def create(worker, number):
    body = {"provider": "heim", "matchId": f"{number}", "autoPostEnabled": True}
    answer = await worker.client.post(CREATE, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["local_id"]


async def until(condition, within):
    """Wait until `condition` holds; gives the seconds that took. Without any time it has to hold at once."""
    began = time.monotonic()
    while not await condition():
        assert time.monotonic() - began < within, f"not within {within} s"
        await asyncio.sleep(0.1)
    return time.monotonic() - began
