"""Several processes on one PostgreSQL: even shares, a frozen one, a killed one, and one that only serves the API."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from collections import Counter, defaultdict
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache
from itertools import groupby

import httpx
import pytest
from sqlalchemy import select

from providers.http_server import bind_socket, listening
from providers.replay import Line, Replay
from providers.replay.app import create_app
from store.tables import follows
from tests.kit.command import ENVIRON, MATCHWIRE
from tests.kit.day import CREATE, ORGANIZATION, SHOW
from tests.kit.forked import forked
from tests.kit.opening import look
from tests.providers.heim.feed import row, wrapped
from tests.scenarios.imports.test_recordings import posts_of_the_liveblog
from tests.scenarios.outages.test_hostile_day import KICKOFF

pytestmark = pytest.mark.proof

SECRET = "a-secret-of-these-tests-alone"
LIVE = 0.5
NUMBERS = range(9000001, 9000009)
CONFIG = """
[server]
port = 0
[database]
url = "{database}"
[organizations.{organization}]
name = "Example Newsroom"
[organizations.{organization}.providers.heim]
base_url = "{upstream}"
[clients.cms]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["read", "write", "external"]
[limits]
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


def shares(*workers):
    """The condition that these processes follow so many matches each."""

    async def hold(expected=()):
        return [(await worker.ready())["matches"] for worker in workers] == list(expected)

    return lambda *expected: lambda: hold(expected)


def counted(api, number):
    """The condition that the process of the API sees so many that follow matches."""

    async def hold():
        return (await api.ready())["workers"] == number

    return hold


def polled(upstream, since, name=None):
    """Matches that were requested since then, by that process."""
    return Counter(number for at, who, number in upstream.polls if at >= since and name in {None, who})


def changes_of_hand(upstream):
    """For each match, how often another process requested it than the one before."""
    requested = defaultdict(list)
    for _, who, number in upstream.polls:
        requested[number].append(who)
    return {number: len(list(groupby(names))) - 1 for number, names in requested.items()}


async def cards_of(worker, liveblog):
    """The posts of cards that the liveblog shows."""
    game = (await worker.client.get(SHOW, params={"local_id": liveblog})).json()
    return [post for post in posts_of_the_liveblog(game) if post[0] == "soccer.yellow-card"]


async def frozen_and_killed(folder, database, frozen):
    """The whole story; `frozen`: seconds for which the second process is stopped."""
    roles = {"api": "api", "one": "worker", "two": "worker"}
    async with two_processes(folder, database, **roles) as (upstream, api, one, two):
        await asyncio.gather(api.start(), one.start())
        liveblogs = [await create(api, number) for number in NUMBERS]
        await until(shares(one)(8), within=60)
        await two.start()
        await until(shares(one, two)(4, 4), within=60)
        await until(counted(api, 2), within=0)

        async def one_fetches():
            return upstream.waiting["two"] > 0

        upstream.open.clear()  # so that it is stopped in the middle of polls
        await until(one_fetches, within=60)
        await asyncio.sleep(1.1)  # and what it requested has changed
        two.send(signal.SIGSTOP)
        stopped = time.monotonic()
        upstream.open.set()
        await until(shares(one)(8), within=60)
        await until(counted(api, 1), within=60)
        await asyncio.sleep(max(0.0, frozen - (time.monotonic() - stopped)))
        before = await fences(database)
        two.send(signal.SIGCONT)
        woken = time.monotonic() - upstream.began
        await until(shares(one, two)(4, 4), within=60)
        after = await fences(database)
        early = {
            number: polls for number, polls in polled(upstream, woken, "two").items() if before[number] == after[number]
        }
        assert (await two.ready())["refused"] >= 1, "a stale write was not even tried"
        assert not early, "it polled what it did not hold"

        two.send(signal.SIGKILL)
        killed = time.monotonic() - upstream.began

        async def all_polled_again():
            return len(polled(upstream, killed + 0.1, "one")) == len(liveblogs)

        await until(all_polled_again, within=60)
        await asyncio.sleep(2 * LIVE)
        assert upstream.let_in == upstream.replay.log.total > 0, "who asks is known of everything that was counted"
        assert max(changes_of_hand(upstream).values()) <= 6, changes_of_hand(upstream)
        for liveblog in liveblogs:
            cards = await cards_of(api, liveblog)
            assert upstream.cards() - 5 <= len(cards) == len(set(cards))
        assert 0 == await one.end()
        await until(counted(api, 0), within=0)
        assert 0 == await api.end()


async def fences(database):
    """The fence of each match."""
    return await look(database, lambda conn: {each.match_id: each.fence for each in conn.execute(select(follows))})


async def test_two_workers_share_take_over_and_never_write_twice(tmp_path, postgres_url):
    """Even shares within 10 s; one frozen for longer than its lease writes nothing when it wakes; one killed is replaced."""
    await frozen_and_killed(tmp_path, postgres_url, frozen=11.0)


@pytest.mark.soak
async def test_frozen_for_twenty_seconds(tmp_path, postgres_url):
    """The same with a longer sleep."""
    await frozen_and_killed(tmp_path, postgres_url, frozen=20.0)
